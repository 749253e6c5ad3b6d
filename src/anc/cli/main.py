"""The `anc` command: its list of commands, and how every failure ends.

Exit status: 0 done, 1 the answer is no, 2 wrong usage or input, 3 a bug of ours.
"""

from __future__ import annotations

import os
import sys

import click

from anc.cli import (
    adapt,
    aim_experiments,
    compile,
    completion,
    decompile,
    experiment,
    fill,
    fmt,
    guard,
    pages,
    programs,
    run,
    sweep,
    table1,
    talk,
    tasks,
    test,
    trace,
    train,
    verify,
)
from anc.cli.wording import Commands
from anc.diagnostics import AncError
from anc.version import __version__


@click.group(
    cls=Commands, context_settings={"help_option_names": ["-h", "--help"], "max_content_width": 100}
)
@click.version_option(__version__, prog_name="anc", message="%(prog)s %(version)s")
def app() -> None:
    """The adaptive neural compiler: programs as weights, and weights as programs."""


for _module in (
    compile,
    run,
    trace,
    test,
    decompile,
    programs,
    train,
    sweep,
    table1,
    adapt,
    verify,
    guard,
    fill,
    fmt,
    experiment,
):
    app.add_command(_module.command)
experiment.command.add_command(aim_experiments.paths)
experiment.command.add_command(aim_experiments.eviction)
app.add_command(pages.report_command)
app.add_command(pages.figure_command)
app.add_command(tasks.list_command)
app.add_command(tasks.sample_command)
app.add_command(completion.command)
talk.offer(app)


def main(name: str = "anc") -> None:
    """Run the command line under this name; user errors are messages, only our own bugs may look like bugs."""
    try:
        app(prog_name=name)
    except AncError as problem:
        text = str(problem)
        click.echo(text if text.startswith(("error:", "warning:")) else f"error: {text}", err=True)
        sys.exit(2)
    except BrokenPipeError:
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        sys.exit(0)
    except Exception as problem:
        if os.environ.get("ANC_DEBUG"):
            raise
        click.echo(
            f"error: this is a bug in anc: {type(problem).__name__}: {problem}\n"
            "  help: run it again with ANC_DEBUG=1 set and send the traceback with your report",
            err=True,
        )
        sys.exit(3)


if __name__ == "__main__":
    main()
