"""Verbosity: -q prints only the result, -v also prints details of the work.

Both are options of `anc` and of each of its commands. Results go to stdout; remarks and progress lines go
through the functions here. Errors and the compiler's warnings are always shown.
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

_MEANING = "anc.talk"  # the key in click's context, shared by all commands of one run


class Level(IntEnum):
    """The level of verbosity."""

    QUIET = -1
    USUAL = 0
    VERBOSE = 1


SINCE = "anc.since"  # the key of the start time, by the clock of budgets


def since() -> float:
    """When the command was started."""
    return click.get_current_context().meta[SINCE]


def level() -> Level:
    """The requested level; USUAL outside of a command."""
    context = click.get_current_context(silent=True)
    return Level.USUAL if context is None else context.meta.get(_MEANING, Level.USUAL)


def is_quiet() -> bool:
    return level() is Level.QUIET


def is_verbose() -> bool:
    return level() is Level.VERBOSE


def say(text: str) -> None:
    """Print a line on stdout that is not the result itself, such as where it was saved."""
    if not is_quiet():
        click.echo(readable(text))


def note(text: str) -> None:
    """Print a remark on stderr, unless -q is given."""
    if not is_quiet():
        remark(readable(text))


def offer(command: click.Command) -> None:
    """Add the options -q and -v to a command and its subcommands."""
    for flag, name, wanted, help in (
        ("-v", "--verbose", Level.VERBOSE, "Also print what is being done, and how long it takes."),
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
    """Print what results may depend on and, at the end of the command, how long it took."""
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
    """The reader of the output is gone, as with `| head`; click would exit with an error."""


def open_closed() -> None:
    """Redirect standard streams that were closed before the command began to the null device.

    Otherwise the next file to be opened gets the file descriptor of such a stream, and its output.
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
            os.set_inheritable(number, True)  # worker processes need it, too
        else:
            os.dup2(nowhere, number)
            os.close(nowhere)


def lead_nowhere(handle: int) -> None:
    """Redirect a stream to the null device."""
    nowhere = os.open(os.devnull, os.O_WRONLY)
    os.dup2(nowhere, handle)
    os.close(nowhere)


def remark(text: str, nl: bool = True, color: bool | None = None) -> None:
    """Write to stderr; if that fails (a full disk, a closed pipe), the work continues without it."""
    try:
        click.echo(text, nl=nl, err=True, color=color)
    except OSError:
        lead_nowhere(sys.stderr.fileno())
