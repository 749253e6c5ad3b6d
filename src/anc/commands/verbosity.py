"""Verbosity: -q prints only the result, -v also prints details of the work.

Both are options of `anc` and of each of its commands. Results go to stdout; remarks and progress lines go
through the functions here. Errors and the compiler's warnings are always shown.
"""

from __future__ import annotations

import os
import platform
import sys
import time
from functools import partial
from typing import Any

import click

from anc.support.diagnostics import plain, readable
from anc.support.job import cores
from anc.version import __version__

_MEANING = "anc.talk"  # the key in click's context, shared by all commands of one run


SINCE = "anc.since"  # the key of the start time, by the clock of budgets


def since() -> float:
    """When the command was started."""
    return click.get_current_context().meta[SINCE]


def _flag() -> str | None:
    """The flag that was given, -q or -v, if any."""
    context = click.get_current_context(silent=True)
    return None if context is None else context.meta.get(_MEANING)


def is_quiet() -> bool:
    return _flag() == "-q"


def is_verbose() -> bool:
    return _flag() == "-v"


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
    for flag, name, help in (
        ("-v", "--verbose", "Also print what is being done, and how long it takes."),
        ("-q", "--quiet", "Print only the result: no progress, no notes."),
    ):
        about: dict[str, Any] = {"is_flag": True, "expose_value": False, "is_eager": True}
        command.params.append(
            click.Option([flag, name], help=help, callback=partial(_choose, flag), **about)
        )
    if isinstance(command, click.Group):
        for each in command.commands.values():
            offer(each)


def _choose(flag: str, context: click.Context, option: click.Parameter, given: bool) -> None:
    if not given:
        return
    if context.meta.setdefault(_MEANING, flag) != flag:
        raise click.UsageError("-q and -v exclude each other.", context)
    if flag == "-v" and not context.meta.get(f"{_MEANING}.began"):
        context.meta[f"{_MEANING}.began"] = True
        _tell_surroundings(context.find_root())


def _tell_surroundings(root: click.Context) -> None:
    """Print what results may depend on and, at the end of the command, how long it took."""
    began = time.monotonic()
    remark(f"anc {__version__}, Python {platform.python_version()}, {cores()} cores")

    def at_end() -> None:
        kernels = sys.modules.get("anc.machine.compiled")  # None if the command did not need it
        if kernels is not None:
            folder = kernels.code_folder() or "memory only: no folder can be written"
            remark(f"machine code is cached in {plain(folder)}")
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
