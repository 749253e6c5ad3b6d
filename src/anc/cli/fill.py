"""`anc fill`: a program with holes, filled from cases."""

from __future__ import annotations

import json
import sys
from pathlib import Path

import click

from anc.cli import inputs
from anc.cli.adapt import Seconds
from anc.cli.interrupt import ctrl_c
from anc.cli.progress import ProgressLine
from anc.diagnostics import AncError


@click.command("fill")
@click.argument("sketch")
@inputs.file_option(
    "--data", help='Your cases as JSON lines: {"input": [...], "output": [...]}.', required=True
)
@inputs.file_option("--test", help="Cases to report on only; else a fifth of the data.")
@click.option(
    "--method",
    type=click.Choice(["all", "search", "gradient"]),
    default="all",
    show_default=True,
)
@inputs.seeds_option(100)
@inputs.seed_option()
@click.option("--budget", type=Seconds(), default="60s", show_default=True, help="Time to spend.")
@inputs.max_steps_option(1000)
@inputs.engine_option
@inputs.output_option(help="Write the filled program and result.json here.")
@inputs.memory_option
@inputs.json_option
def command(
    sketch: str,
    data: Path,
    test: Path | None,
    method: str,
    seeds: int,
    seed: int,
    budget: float,
    max_steps: int,
    engine: str,
    output: Path | None,
    memory: int | None,
    as_json: bool,
) -> None:
    """Fill the holes of a program from cases, and say which of them the cases determine.

    SKETCH is a listing in which places are left open: `?`, or `? in (ADD, SUB)`. The cases may be
    wrong here and there: the filling with the fewest wrong cells is taken. Ctrl-C ends with the best
    so far.
    """
    from anc.holes.fill import fill
    from anc.holes.loading import checked_cases, given_sketch, split

    if output is not None and output.exists() and not output.is_dir():
        raise AncError(f"{output} is not a folder")
    given = given_sketch(sketch, memory)
    cases = checked_cases(given, data)
    fresh = checked_cases(given, test) if test is not None else []
    if test is None:
        cases, fresh = split(cases, seed)
    line = ProgressLine(quiet=as_json)
    with ctrl_c() as interrupt:
        result = fill(
            given.name,
            given.sketch,
            cases,
            fresh,
            budget,
            method,
            seeds,
            seed,
            max_steps,
            engine,
            tell=lambda doing, wrong: line.show(_progress(doing, wrong)),
            asked_to_stop=lambda: interrupt.asked,
        )
    line.end()
    if output is not None:
        result.save(output)
    if as_json:
        click.echo(json.dumps(result.to_dict()))
    else:
        click.echo(str(result))
        if output is not None:
            click.echo(f"\nkept in {output}")
    if not result.is_right:
        sys.exit(1)


def _progress(doing: str, wrong: int | None) -> str:
    return doing if wrong is None else f"{doing}: {wrong} cells wrong in the best filling"
