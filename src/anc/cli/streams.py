"""The streams of the command: one that is closed leads nowhere, and what nobody can read stops no work."""

from __future__ import annotations

import os
import sys
from typing import TextIO

import click


class UnreadError(Exception):
    """Nobody reads the output any more, as with `| head`; click would end this as a failure."""


def open_closed() -> None:
    """Let streams that were closed before the command began lead nowhere.

    Else the next file that is opened has the number of such a stream, and gets what is meant for it.
    """
    for number, (name, mode) in enumerate((("stdin", "r"), ("stdout", "w"), ("stderr", "w"))):
        if getattr(sys, name) is None:
            _fill(number)
            setattr(sys, name, open(os.devnull, mode))  # noqa: SIM115 - it stays open


def _fill(number: int) -> None:
    try:
        os.fstat(number)
    except OSError:
        nowhere = os.open(os.devnull, os.O_RDWR)
        if nowhere == number:
            os.set_inheritable(number, True)  # processes that work for this one need it, too
        else:
            os.dup2(nowhere, number)
            os.close(nowhere)


def lead_nowhere(stream: TextIO) -> None:
    """What is still written to a stream is lost, quietly."""
    nowhere = os.open(os.devnull, os.O_WRONLY)
    os.dup2(nowhere, stream.fileno())
    os.close(nowhere)


def remark(text: str, nl: bool = True, color: bool | None = None) -> None:
    """Write to stderr; where that is not possible (a full disk, a closed pipe), the work goes on without."""
    try:
        click.echo(text, nl=nl, err=True, color=color)
    except OSError:
        lead_nowhere(sys.stderr)
