"""How the command ends at once when it is told to: tidied up, with one line and the usual status.

An exception would have to find its way out of whatever is at work. In libraries that compute it is
lost now and then (in the middle of an import, in a callback), and where it is not, the interpreter is
taken down while their threads still work, which ends in a segmentation fault. So nothing is unwound:
what must not be left behind is registered here, and done before the process ends.

This is the first module that the command imports, and it imports next to nothing: Ctrl-C before it is
ready shows Python's own traceback.
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

_to_do: list[tuple[int, Callable[[], object]]] = []  # by which process, and what


class tidied:
    """While this lasts, an end at once does this first."""

    def __init__(self, action: Callable[[], object]) -> None:
        self.entry = os.getpid(), action

    def __enter__(self) -> None:
        _to_do.append(self.entry)

    def __exit__(self, *problem: object) -> None:
        _to_do.remove(self.entry)


def end_at_once(number: int) -> NoReturn:
    """End the process that got this signal, wherever it is."""
    ours = (action for process, action in reversed(_to_do) if process == os.getpid())
    for action in (*ours, sys.stdout.flush, _say_so):  # a copy of a process leaves its files alone
        try:
            action()
        except Exception:
            continue
    os._exit(128 + number)


def _say_so() -> None:
    os.write(2, b"\ninterrupted\n" if os.isatty(2) else b"interrupted\n")


_handler: Handler = end_at_once
_is_watched = False  # by a thread of its own


def _answer(number: int, frame: object) -> None:
    """What Python calls in the main thread, which may be deep in something that takes a while."""
    if not _is_watched:
        _handler(number)


def handle_signals(handler: Handler) -> Before:
    """Answer the signals that end a process in this way; what they did before.

    Those that are ignored stay so: who starts a command with `nohup` wants that.
    """
    global _handler
    known = {number: signal.getsignal(number) for number in SIGNALS}
    changed = {n: old for n, old in known.items() if old not in (signal.SIG_IGN, None)}
    for number in changed:
        signal.signal(number, _answer)
    before, _handler = (_handler, changed), handler
    return before


def restore_signals(before: Before, ignored: bool = False) -> None:
    """What signals did before; where they would end the command at once, they can be ignored."""
    global _handler
    _handler, changed = before
    for number, old in changed.items():
        signal.signal(number, signal.SIG_IGN if ignored and old is _answer else old)


def watch_signals() -> None:
    """In the command: answer signals at once, whatever the main thread is doing."""
    global _is_watched
    is_ours = any(signal.getsignal(number) is _answer for number in SIGNALS)
    if _is_watched or not is_ours or os.name != "posix":  # others cannot tell a thread
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
    if name == "-m":  # as long as the module is not found yet
        words = sys.orig_argv
        name = words[words.index("-m") + 1] if "-m" in words[:-1] else ""
        return name in ("anc", "anc.commands.main")
    return os.path.splitext(os.path.basename(name))[0] == "anc"


if is_the_command():  # from the first import on
    handle_signals(end_at_once)
