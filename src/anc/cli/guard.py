"""`anc guard`: a program behind a check of its facts, proved to be right where the check passes."""

from __future__ import annotations

import json
import sys
from pathlib import Path
from typing import Any

import click

from anc.cli import inputs, talk
from anc.cli.streams import remark
from anc.cli.verify import pair_of, proof_options, proving, show_advice, status_of
from anc.diagnostics import AncError
from anc.files import check_writable


@click.command("guard")
@proof_options
@click.option(
    "--allow-unknown", is_flag=True, help="Also if it is neither proved nor refuted in time."
)
@inputs.output_option(metavar="FILE", help="Write a .anc, .py or .h file instead of printing it.")
def command(
    generic: str,
    adapted: str | None,
    budget: float,
    as_json: bool,
    allow_unknown: bool,
    output: Path | None,
    **about: Any,
) -> None:
    """Put a check of facts in front of an adapted program.

    The program that is written runs ADAPTED where the facts of --assume hold, and GENERIC elsewhere.

    It is proved first that ADAPTED is right wherever the check passes, as anc verify does; where that is
    refuted (exit status 1) or unknown (4), nothing is written.
    """
    check_writable(output)
    from anc.proofs import guard_pair
    from anc.proofs.guarding import check_suffix

    if output is not None:
        check_suffix(output)
    pair = pair_of(generic, adapted, **about)
    with proving(budget, as_json) as (asked_to_stop, interrupt):
        made = guard_pair(pair, budget, allow_unknown, asked_to_stop)
    needs_lines = output is None or output.suffix == ".anc"
    is_there = made.allowed and (made.program is not None or not needs_lines)
    if not as_json:
        tell = talk.note if is_there else remark
        tell(str(made.verified))
        if needs_lines or not made.allowed:
            tell(str(made))
        show_advice(made.verified)
    if is_there and output is not None:
        try:
            made.save(output)
        except AncError:
            click.echo(made.as_file(output).rstrip("\n"))  # it is not lost
            raise
    if as_json:
        wrote = str(output) if is_there and output is not None else None
        click.echo(json.dumps(made.to_dict() | {"wrote": wrote}))
    elif is_there and output is not None:
        talk.say(f"wrote {output}")
    elif is_there:
        click.echo(made.text.rstrip("\n"))
    if not made.allowed:
        sys.exit(status_of(made.verified, interrupt))
    if not is_there:
        sys.exit(1)
