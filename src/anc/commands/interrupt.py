"""Ctrl-C that lets the work in hand finish: the first asks to stop, the second insists.

The other signals that end a process (SIGTERM, SIGHUP) ask in the same way.
"""

from __future__ import annotations

import os
import signal
import stat
import sys
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from typing import NoReturn

import click

from anc.commands.verbosity import lead_nowhere, remark
from anc.support.signals import end_at_once, handle_signals, restore_signals

_MANY = {getattr(signal, "SIGHUP", 0)}  # a terminal that is closed sends it more than once


class Interrupt:
    """Whether somebody pressed Ctrl-C, or sent another signal to stop."""

    doing = "stopping after this chunk"

    def __init__(self) -> None:
        self.numbers: list[int] = []  # of the signals that came

    @property
    def asked(self) -> bool:
        return bool(self.numbers)

    def handle(self, number: int) -> None:
        if number in self.numbers:
            if number in _MANY:
                return
            end_at_once(number)
        self.numbers.append(number)
        _leave_closed_terminal()
        with suppress(OSError, RuntimeError):  # it may be in the middle of another message
            remark(f"\n{self.doing} (Ctrl-C again to stop at once)")

    @property
    def status(self) -> int:
        """The exit status of a command that has no answer because of this."""
        return 128 + self.numbers[0]

    def end(self) -> NoReturn:
        """End a command that was interrupted before there was anything to keep."""
        remark("interrupted")
        sys.exit(self.status)


@contextmanager
def ctrl_c(interrupt: Interrupt | None = None) -> Iterator[Interrupt]:
    """From here to the end of the command Ctrl-C only sets a flag; a second one ends it at once.

    To the end: what was found is not lost when it comes just before that is written and shown.
    """
    interrupt = interrupt or Interrupt()
    before = handle_signals(interrupt.handle)

    def close() -> None:
        """Once the answer is out, there is nothing left to interrupt."""
        restore_signals(before, ignored=interrupt.asked)

    click.get_current_context().call_on_close(close)
    yield interrupt
    interrupt.doing = "finishing"


def _leave_closed_terminal() -> None:
    """Write to nowhere where a terminal was, if it was closed: an error there would end the work."""
    for handle in (1, 2):
        with suppress(OSError):
            if stat.S_ISCHR(os.fstat(handle).st_mode) and not _is_open_terminal(handle):
                lead_nowhere(handle)


def _is_open_terminal(handle: int) -> bool:
    try:
        os.get_terminal_size(handle)
    except OSError:
        return False
    return True
