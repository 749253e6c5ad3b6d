"""The `anc` command: its subcommands, and error handling.

Exit status: 0 success, 1 the answer is no, 2 wrong usage or input, 3 a bug in anc, 4 undecided (no proof in
time). An interrupted command (Ctrl-C, SIGTERM, SIGHUP) exits with the status of its best answer so far, or
with 128 plus the signal number (130, 143, 129) if it has none.
"""

from __future__ import annotations

import io
import os
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from importlib import import_module
from typing import Any, NoReturn

import click

from anc.commands import verbosity
from anc.commands.line import COMMANDS, TYPED_BEFORE, parameter_of
from anc.commands.request import INSTRUCTIONS
from anc.commands.verbosity import UnreadError, lead_nowhere, open_closed, remark
from anc.isa import InstructionSet
from anc.support.clock import now
from anc.support.diagnostics import AncError, readable
from anc.support.signals import watch_signals
from anc.version import __version__

PLACES = {  # the module of each command, imported on demand to keep start-up fast
    "adapt": "adapt",
    "calibrate": "calibrate",
    "compile": "compile",
    "completion": "completion",
    "decompile": "decompile",
    "experiment": "anc_experiments.command",
    "figure": "pages",
    "fill": "fill",
    "fmt": "fmt",
    "guard": "proofs",
    "play": "play",
    "programs": "tasks",
    "report": "pages",
    "run": "run",
    "sample": "tasks",
    "sweep": "sweep",
    "table1": "table1",
    "tasks": "tasks",
    "test": "examples",
    "trace": "run",
    "train": "train",
    "verify": "proofs",
}


EXAMPLES = """\b
Examples:
  anc trace listk --tape "3 1 2 5 4 7 5"
  anc adapt listk --evaluations 300000 -o result"""


class CommandsByName(click.Group):
    """The group of all commands; its usage errors can be printed on any terminal."""

    def make_context(self, *arguments: Any, **more: Any) -> click.Context:
        with _shown_safely():
            return super().make_context(*arguments, **more)

    def invoke(self, ctx: click.Context) -> Any:
        with _shown_safely():
            return super().invoke(ctx)

    def list_commands(self, ctx: click.Context) -> list[str]:
        return sorted(PLACES)

    def get_command(self, ctx: click.Context, cmd_name: str) -> click.Command | None:
        if cmd_name in PLACES and cmd_name not in self.commands:
            place = PLACES[cmd_name]
            import_module(place if "." in place else f"anc.commands.{place}")
            verbosity.offer(COMMANDS[cmd_name])
            self.add_command(COMMANDS[cmd_name], cmd_name)
        return self.commands.get(cmd_name)


@contextmanager
def _shown_safely() -> Iterator[None]:
    """Escape unprintable characters in click's messages and on standard output."""
    if isinstance(sys.stdout, io.TextIOWrapper):  # file names need not be valid text
        sys.stdout.reconfigure(errors="backslashreplace")
    try:
        yield
    except click.ClickException as problem:
        problem.message = readable(problem.message, 300)  # type: ignore[misc]
        raise
    except BrokenPipeError:
        raise UnreadError from None


def commands_of(group: click.Group) -> dict[str, click.Command]:
    """All commands of a group, imported."""
    context = click.Context(group)
    found = {name: group.get_command(context, name) for name in group.list_commands(context)}
    return {name: command for name, command in found.items() if command is not None}


@click.group(
    cls=CommandsByName,
    context_settings={"help_option_names": ["-h", "--help"], "max_content_width": 100},
    epilog=EXAMPLES,
)
@click.version_option(__version__, prog_name="anc", message="%(prog)s %(version)s")
@click.pass_context
def app(context: click.Context, instructions: InstructionSet | None) -> None:
    """The adaptive neural compiler: programs as weights, and weights as programs."""
    context.meta[verbosity.SINCE] = now()
    context.meta[TYPED_BEFORE] = instructions


app.params.append(parameter_of("instructions", INSTRUCTIONS))
verbosity.offer(app)


def main(name: str = "anc") -> None:
    """Run the command line under this name; only bugs in anc are reported as bugs."""
    open_closed()
    watch_signals()
    try:
        app(prog_name=name)
    except AncError as problem:
        text = str(problem)
        _end(2, text if text.startswith(("error:", "warning:")) else f"error: {text}")
    except UnreadError:
        lead_nowhere(sys.stdout.fileno())
        sys.exit(0)
    except Exception as problem:
        if isinstance(problem, OSError) and _was_printing(problem):
            lead_nowhere(sys.stdout.fileno())
            _end(2, f"error: cannot write to standard output: {problem.strerror or problem}")
        if os.environ.get("ANC_DEBUG"):
            raise
        if _folder_is_gone():
            _end(
                2,
                "error: the current directory no longer exists\n"
                "  help: change to one that does, such as with: cd ~",
            )
        _end(
            3,
            f"error: this is a bug in anc: {type(problem).__name__}: {problem}\n"
            "  help: run it again with ANC_DEBUG=1 set and send the traceback with your report",
        )


def _end(status: int, message: str) -> NoReturn:
    """Exit with a message, if stderr can be written."""
    remark(message)
    sys.exit(status)


def _folder_is_gone() -> bool:
    """Whether the current directory was deleted, which breaks the import of some libraries."""
    try:
        os.getcwd()
    except OSError:
        return True
    return False


def _was_printing(problem: OSError) -> bool:
    """Whether the error comes from printing; all other writes raise errors of their own."""
    import traceback

    frames = [frame for frame, _ in traceback.walk_tb(problem.__traceback__)]
    return frames[-1].f_code is click.echo.__code__


if __name__ == "__main__":
    main()
