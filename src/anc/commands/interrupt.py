"""Graceful interruption: the first Ctrl-C requests a stop, the second ends the command at once.

The other signals that end a process (SIGTERM, SIGHUP) are handled in the same way.
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

_MANY = {getattr(signal, "SIGHUP", 0)}  # a closed terminal sends it more than once


class Interrupt:
    """Whether Ctrl-C was pressed, or another signal requested a stop."""

    doing = "stopping after this chunk"

    def __init__(self) -> None:
        self.numbers: list[int] = []  # signals received

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
        with suppress(OSError, RuntimeError):  # another message may be half printed
            remark(f"\n{self.doing} (Ctrl-C again to stop at once)")

    @property
    def status(self) -> int:
        """The exit status of a command that was interrupted before it had an answer."""
        return 128 + self.numbers[0]

    def end(self) -> NoReturn:
        """Exit from a command that was interrupted before there was a result."""
        remark("interrupted")
        sys.exit(self.status)


@contextmanager
def ctrl_c(interrupt: Interrupt | None = None) -> Iterator[Interrupt]:
    """From here to the end of the command, Ctrl-C only sets a flag; a second one exits at once.

    The handler stays until the end, so that a late Ctrl-C does not lose a result before it is written.
    """
    interrupt = interrupt or Interrupt()
    before = handle_signals(interrupt.handle)

    def close() -> None:
        """Restore the handlers: the answer is out."""
        restore_signals(before, ignored=interrupt.asked)

    click.get_current_context().call_on_close(close)
    yield interrupt
    interrupt.doing = "finishing"


def _leave_closed_terminal() -> None:
    """Redirect the streams of a closed terminal: writing to them would raise an error."""
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
