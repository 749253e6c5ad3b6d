"""Ctrl-C that lets the work in hand finish: the first asks to stop, the second insists."""

from __future__ import annotations

import signal
from collections.abc import Iterator
from contextlib import contextmanager

import click


class Interrupt:
    """Whether somebody pressed Ctrl-C."""

    asked = False


@contextmanager
def ctrl_c() -> Iterator[Interrupt]:
    """While this lasts, Ctrl-C only sets a flag; a second one ends the program as usual."""
    interrupt = Interrupt()

    def handle(number: int, frame: object) -> None:
        if interrupt.asked:
            raise KeyboardInterrupt
        interrupt.asked = True
        click.echo("\nstopping after this chunk (Ctrl-C again to stop at once)", err=True)

    before = signal.signal(signal.SIGINT, handle)
    try:
        yield interrupt
    finally:
        signal.signal(signal.SIGINT, before)
