"""Immediate exit of the command on a signal: clean up, print one line, and use the usual exit status.

An exception would have to unwind through whatever is running. Numerical libraries sometimes lose it
(during an import, in a callback). Otherwise the interpreter shuts down while their threads still run,
which ends in a segmentation fault. So nothing is unwound: cleanup actions are registered here, and run
before the process exits.

This is the first module that the command imports, and it imports next to nothing. A Ctrl-C before it is
loaded shows Python's own traceback.
"""

from __future__ import annotations

import os
import signal
import sys
import threading

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable
    from typing import Any, NoReturn

    Handler = Callable[[int], None]
    Before = tuple[Handler, dict[int, Any]]

SIGNALS = tuple(
    getattr(signal, name) for name in ("SIGINT", "SIGTERM", "SIGHUP") if hasattr(signal, name)
)

_to_do: list[
    tuple[int, Callable[[], object]]
] = []  # the process that registered the action, and the action


class tidied:
    """Within this context, an immediate exit runs this action first."""

    def __init__(self, action: Callable[[], object]) -> None:
        self.entry = os.getpid(), action

    def __enter__(self) -> None:
        _to_do.append(self.entry)

    def __exit__(self, *problem: object) -> None:
        _to_do.remove(self.entry)


def end_at_once(number: int) -> NoReturn:
    """Exit the process that received this signal, wherever it is."""
    ours = (action for process, action in reversed(_to_do) if process == os.getpid())
    for action in (
        *ours,
        sys.stdout.flush,
        _say_so,
    ):  # a forked copy leaves the files of its parent alone
        try:
            action()
        except Exception:
            continue
    os._exit(128 + number)


def _say_so() -> None:
    os.write(2, b"\ninterrupted\n" if os.isatty(2) else b"interrupted\n")


_handler: Handler = end_at_once
_is_watched = False  # by a separate thread


def _answer(number: int, frame: object) -> None:
    """The handler that Python calls in the main thread, possibly with a delay."""
    if not _is_watched:
        _handler(number)


def handle_signals(handler: Handler) -> Before:
    """Handle the signals that end a process with this function; the earlier handlers.

    Ignored signals stay ignored, as `nohup` requires.
    """
    global _handler
    known = {number: signal.getsignal(number) for number in SIGNALS}
    changed = {n: old for n, old in known.items() if old not in (signal.SIG_IGN, None)}
    for number in changed:
        signal.signal(number, _answer)
    before, _handler = (_handler, changed), handler
    return before


def restore_signals(before: Before, ignored: bool = False) -> None:
    """Restore earlier handlers; where they would exit at once, signals can be ignored instead."""
    global _handler
    _handler, changed = before
    for number, old in changed.items():
        signal.signal(number, signal.SIG_IGN if ignored and old is _answer else old)


def watch_signals() -> None:
    """In the command: handle signals at once, whatever the main thread is doing."""
    global _is_watched
    is_ours = any(signal.getsignal(number) is _answer for number in SIGNALS)
    if _is_watched or not is_ours or os.name != "posix":  # other systems cannot notify a thread
        return
    numbers, told = os.pipe()
    os.set_blocking(told, False)
    signal.set_wakeup_fd(told, warn_on_full_buffer=False)
    _is_watched = True
    threading.Thread(target=_watch, args=(numbers,), daemon=True).start()


def _watch(numbers: int) -> None:
    while True:
        number = os.read(numbers, 1)[0]
        if number in SIGNALS:
            _handler(number)


def is_the_command() -> bool:
    """Whether this process is the command `anc`, not a program that uses the library."""
    name = sys.argv[0] if getattr(sys, "argv", None) else ""
    if name == "-m":  # until the module is found
        words = sys.orig_argv
        name = words[words.index("-m") + 1] if "-m" in words[:-1] else ""
        return name in ("anc", "anc.commands.main")
    return os.path.splitext(os.path.basename(name))[0] == "anc"


if is_the_command():  # from the first import on
    handle_signals(end_at_once)
