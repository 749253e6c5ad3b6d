"""How much the commands say: everything, with -q only the result, with -v also how it came about.

Both are options of `anc` and of each of its commands. Results go to stdout; what is said about them goes
through the functions here, and so do progress lines. Errors and the compiler's warnings are always shown.
"""

from __future__ import annotations

import os
import platform
import sys
import time
from collections.abc import Callable
from enum import IntEnum

import click

from anc.support.diagnostics import plain, readable
from anc.support.provenance import cores
from anc.version import __version__

_MEANING = "anc.talk"  # where click's context keeps it, for all commands of one run


class Level(IntEnum):
    """How much is said."""

    QUIET = -1
    USUAL = 0
    VERBOSE = 1


SINCE = "anc.since"  # when the command began, by the clock of budgets


def since() -> float:
    """When somebody began to wait for this command."""
    return click.get_current_context().meta[SINCE]


def level() -> Level:
    """What was asked for; as usual where no command runs."""
    context = click.get_current_context(silent=True)
    return Level.USUAL if context is None else context.meta.get(_MEANING, Level.USUAL)


def is_quiet() -> bool:
    return level() is Level.QUIET


def is_verbose() -> bool:
    return level() is Level.VERBOSE


def say(text: str) -> None:
    """A line on stdout that is not the result itself: where it was written, how it went."""
    if not is_quiet():
        click.echo(readable(text))


def note(text: str) -> None:
    """A remark on stderr."""
    if not is_quiet():
        remark(readable(text))


def offer(command: click.Command) -> None:
    """Give a command, and all that belong to it, the options -q and -v."""
    for flag, name, wanted, help in (
        ("-v", "--verbose", Level.VERBOSE, "Also say what is being done, and how long it takes."),
        ("-q", "--quiet", Level.QUIET, "Only the result: no progress, no notes."),
    ):
        command.params.append(
            click.Option(
                [flag, name],
                is_flag=True,
                expose_value=False,
                is_eager=True,
                help=help,
                callback=_callback(wanted),
            )
        )
    if isinstance(command, click.Group):
        for each in command.commands.values():
            offer(each)


def _callback(wanted: Level) -> Callable[[click.Context, click.Parameter, bool], None]:
    def chosen(context: click.Context, option: click.Parameter, given: bool) -> None:
        if not given:
            return
        before = context.meta.setdefault(_MEANING, wanted)
        if before is not wanted:
            raise click.UsageError("-q and -v exclude each other.", context)
        if wanted is Level.VERBOSE and not context.meta.get(f"{_MEANING}.began"):
            context.meta[f"{_MEANING}.began"] = True
            _tell_surroundings(context.find_root())

    return chosen


def _tell_surroundings(root: click.Context) -> None:
    """What the results of a command may depend on and, when it has ended, how long it took."""
    began = time.monotonic()
    remark(f"anc {__version__}, Python {platform.python_version()}, {cores()} cores")

    def at_end() -> None:
        kernels = sys.modules.get(
            "anc.machine.compiled"
        )  # where a command did not need it: nothing
        if kernels is not None:
            kept = kernels.code_folder() or "memory only: no folder can be written"
            remark(f"machine code is kept in {plain(kept)}")
        remark(f"took {time.monotonic() - began:.2f} s")

    root.call_on_close(at_end)


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


def lead_nowhere(handle: int) -> None:
    """What is still written to a stream is lost, quietly."""
    nowhere = os.open(os.devnull, os.O_WRONLY)
    os.dup2(nowhere, handle)
    os.close(nowhere)


def remark(text: str, nl: bool = True, color: bool | None = None) -> None:
    """Write to stderr; where that is not possible (a full disk, a closed pipe), the work goes on without."""
    try:
        click.echo(text, nl=nl, err=True, color=color)
    except OSError:
        lead_nowhere(sys.stderr.fileno())
