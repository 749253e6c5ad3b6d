"""`anc programs`: the programs that come with anc."""

from __future__ import annotations

import click

from anc import programs as shipped
from anc.diagnostics import AncError, close_match, quoted
from anc.loading import load


@click.command("programs")
@click.argument("name", metavar="[NAME]", required=False)
def command(name: str | None) -> None:
    """List the shipped programs, or print the source of one."""
    if name is None:
        click.echo(f"{'name':<12} {'lines':>5} {'registers':>9} {'memory':>6}  what it does")
        for known in shipped.names():
            program = load(known).program
            click.echo(
                f"{known:<12} {program.L:>5} {program.R:>9} {program.memory or '-':>6}"
                f"  {shipped.summary(known)}"
            )
        return
    if name not in shipped.names():
        match = close_match(name, shipped.names())
        raise AncError(
            f"there is no shipped program {quoted(name)}",
            help=f"did you mean '{match}'?" if match else "see: anc programs",
        )
    click.echo(shipped.source(name).text.rstrip("\n"))
