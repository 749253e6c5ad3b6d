"""How the command ends at once when it is told to: tidied up, with one line and the usual status.

An exception would have to find its way out of whatever is at work. In libraries that compute it is
lost now and then (in the middle of an import, in a callback), and where it is not, the interpreter is
taken down while their threads still work, which ends in a segmentation fault. So nothing is unwound:
what must not be left behind is registered here, and done before the process ends.
"""

from __future__ import annotations

import os
import signal
import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from typing import Any, NoReturn

SIGNALS = tuple(
    getattr(signal, name) for name in ("SIGINT", "SIGTERM", "SIGHUP") if hasattr(signal, name)
)
Handler = Callable[[int, Any], None]

_to_do: list[tuple[int, Callable[[], object]]] = []  # by which process, and what


@contextmanager
def tidied(action: Callable[[], object]) -> Iterator[None]:
    """While this lasts, an end at once does this first."""
    entry = os.getpid(), action
    _to_do.append(entry)
    try:
        yield
    finally:
        _to_do.remove(entry)


def end_at_once(number: int, frame: object = None) -> NoReturn:
    """End the process that got this signal, wherever it is."""
    for process, action in reversed(_to_do):
        if process == os.getpid():  # a copy of it leaves the files alone
            with suppress(Exception):
                action()
    with suppress(Exception):
        sys.stdout.flush()
    with suppress(OSError):
        os.write(2, b"\ninterrupted\n" if os.isatty(2) else b"interrupted\n")
    os._exit(128 + number)


def handle_signals(handler: Handler) -> dict[int, Any]:
    """Answer the signals that end a process in this way; what they did before.

    Those that are ignored stay so: who starts a command with `nohup` wants that.
    """
    known = {number: signal.getsignal(number) for number in SIGNALS}
    before = {n: old for n, old in known.items() if old not in (signal.SIG_IGN, None)}
    for number in before:
        signal.signal(number, handler)
    return before


def restore_signals(before: dict[int, Any]) -> None:
    for number, old in before.items():
        signal.signal(number, old)


def is_the_command() -> bool:
    """Whether this process is the command `anc`, not a program that uses the library."""
    name = sys.argv[0] if getattr(sys, "argv", None) else ""
    if name == "-m":  # as long as the module is not found yet
        words = sys.orig_argv
        name = words[words.index("-m") + 1] if "-m" in words[:-1] else ""
        return name in ("anc", "anc.cli.main")
    return os.path.splitext(os.path.basename(name))[0] == "anc"


if is_the_command():  # from the first import on
    handle_signals(end_at_once)
