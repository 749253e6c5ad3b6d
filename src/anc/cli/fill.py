"""`anc fill`: a program with holes, filled from cases or for an objective."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from anc.cli import aims, completion, inputs, talk
from anc.cli.adapt import Seconds, check_one_budget, evaluations_option
from anc.cli.interrupt import ctrl_c
from anc.cli.progress import ProgressLine
from anc.cli.results import claim_folder, keep_and_show
from anc.cli.sections import Sectioned
from anc.folders import FILLING
from anc.job import Job
from anc.provenance import command_line

if TYPE_CHECKING:
    from anc.folders import Claim
    from anc.problems import GivenSketch


EXAMPLES = """\
  anc fill sketch.anc --data cases.jsonl -o filled
  anc fill scores.py:score --data calls.jsonl --method search"""


@click.command("fill", cls=Sectioned, examples=EXAMPLES)
@click.argument("sketch", shell_complete=completion.sketches)
@inputs.file_option(
    "--data",
    required=True,
    help='Your cases as JSON lines: {"input": [...], "output": [...]}; for a Python function, the'
    " arguments of a call and its result: [[[3, 9, 1], 2], 2].",
)
@inputs.file_option("--test", help="Cases to report on only; else a fifth of the data.")
@click.option(
    "--method",
    type=click.Choice(["all", "search", "gradient"]),
    default="all",
    show_default=True,
    help="What looks for fillings: everything, or one kind alone.",
)
@inputs.seeds_option(100)
@inputs.seed_option()
@click.option("--budget", type=Seconds(), default="60s", show_default=True, help="Time to spend.")
@evaluations_option
@inputs.max_steps_option(1000)
@inputs.engine_option
@inputs.file_option(
    "--from", "start", metavar="FOLDER", help="Begin with the filling of an earlier result."
)
@aims.objective_options
@aims.proposals_option
@inputs.output_option(metavar="FOLDER", help="Folder for the filled program and result.json.")
@inputs.force_option
@inputs.memory_option
@inputs.memory_limit_option
@inputs.json_option
def command(
    sketch: str,
    data: Path,
    test: Path | None,
    method: str,
    seeds: int,
    seed: int,
    budget: float,
    evaluations: int | None,
    max_steps: int,
    engine: str,
    start: Path | None,
    output: Path | None,
    force: bool,
    memory: int | None,
    as_json: bool,
    **options: Any,
) -> None:
    """Fill the holes of a program from cases.

    It also says which of the holes the cases determine. SKETCH is a listing in which places are
    left open: `?`, or `? in (ADD, SUB)`. The cases may be wrong here and there: the filling with
    the fewest wrong cells is taken. With an --objective there are no right answers: --data are
    inputs alone, and the filling with the best mean score is taken. Ctrl-C ends with the best so
    far.
    """
    place = claim_folder(output, FILLING, force)
    from anc.holes.earlier import read_earlier
    from anc.holes.fill import fill
    from anc.problems import given_sketch

    check_one_budget(evaluations)
    if method == "search":
        inputs.refuse_unused(
            "seeds", "engine", because="is about gradient descent, and --method search has none"
        )
    aim = aims.taken_out(options)
    given = given_sketch(sketch, memory)
    earlier = None if start is None else read_earlier(start, given.sketch)
    if aim is not None:
        _for_objective(
            given, data, test, aim, place, as_json, method=method, seed=seed, budget=budget,
            max_steps=max_steps, seeds=None if inputs.is_default("seeds") else seeds,
            earlier=earlier,
            evaluations=evaluations, since=talk.since(),
        )  # fmt: skip
        return
    cases, fresh = given.cases_apart(data, test, seed)
    line = ProgressLine(quiet=as_json)
    with ctrl_c() as interrupt:
        job = Job(
            budget,
            evaluations,
            talk.since(),
            lambda doing, wrong: line.show(_progress(doing, wrong)),
            lambda: interrupt.asked,
            command_line(),
        )
        result = fill(
            given.name,
            given.sketch,
            cases,
            fresh,
            job,
            method,
            seeds,
            seed,
            max_steps,
            engine,
            earlier,
        )
    line.end()
    keep_and_show(result, str(result), place, as_json)
    if not result.is_right:
        sys.exit(1)


def _for_objective(
    given: GivenSketch,
    data: Path,
    test: Path | None,
    aim: dict[str, Any],
    place: Claim | None,
    as_json: bool,
    *,
    budget: float,
    evaluations: int | None,
    since: float | None,
    **settings: Any,
) -> None:
    """Fill for an objective; `settings` are those of `fill_for`."""
    from anc.holes.aiming import fill_for

    aims.refuse_engine()
    wanted = *aims.described(aim), aim["maximise"]
    instances, objective = given.aimed(data, test, *wanted, settings["seed"])
    line = ProgressLine(quiet=as_json)
    with ctrl_c() as interrupt:
        job = Job(
            budget,
            evaluations,
            since,
            lambda doing, score: line.show(aims.progress(doing, score)),
            lambda: interrupt.asked,
            command_line(),
        )
        result = fill_for(
            given.name,
            given.sketch,
            instances,
            objective,
            job,
            proposals=aim["proposals"],
            **settings,
        )
    line.end()
    keep_and_show(result, str(result), place, as_json)
    if not result.is_valid:
        sys.exit(1)


def _progress(doing: str, wrong: int | None) -> str:
    return doing if wrong is None else f"{doing}: {wrong} cells wrong in the best filling"
