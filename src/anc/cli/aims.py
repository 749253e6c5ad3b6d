"""Objectives on the command line: their options, and adapting a program to one."""

from __future__ import annotations

import sys
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from anc import limits, programs
from anc.cli import inputs
from anc.cli.interrupt import ctrl_c
from anc.cli.progress import ProgressLine
from anc.cli.results import keep_and_show
from anc.diagnostics import AncError, quoted
from anc.job import Job
from anc.provenance import command_line

if TYPE_CHECKING:
    from anc.folders import Claim
    from anc.objectives.making import Described

_NAMES = ("objective", "score_cell", "constraint", "constraint_cell", "maximise", "proposals")


def objective_options(command: Callable[..., Any]) -> Callable[..., Any]:
    """--objective and what belongs to it."""
    options = (
        click.option(
            "--objective",
            metavar="PROGRAM",
            help="No answers: a program that computes a score of the final tape, to be minimised.",
        ),
        click.option(
            "--score-cell",
            type=inputs.Limited(limits.CELL),
            metavar="N",
            help="Where it leaves the score  [default: 0]",
        ),
        click.option(
            "--constraint",
            metavar="PROGRAM",
            help="A program that computes 0 for what is not valid.",
        ),
        click.option(
            "--constraint-cell",
            type=inputs.Limited(limits.CELL),
            metavar="N",
            help="... and where  [default: 0]",
        ),
        click.option("--maximise", is_flag=True, help="Make the score large instead."),
    )
    for option in reversed(options):
        command = option(command)
    return command


proposals_option = click.option(  # where a search looks for programs
    "--proposals",
    type=inputs.Limited(limits.PROPOSALS),
    metavar="N",
    help="End a search for an objective after so many programs, if there is time for them.",
)


def taken_out(options: dict[str, Any]) -> dict[str, Any] | None:
    """The options of an objective, taken out of all; None if there is no objective."""
    aims = {name: options.pop(name, None) for name in _NAMES}
    if aims["objective"] is not None:
        return aims
    given = [name for name in _NAMES if aims[name] not in (None, False)]
    if given:
        raise AncError(f"--{given[0].replace('_', '-')} needs an --objective")
    return None


def refuse_engine() -> None:
    """Objectives have an engine of their own."""
    if not inputs.is_default("engine"):
        raise AncError("--engine does not go with --objective: only 'jax' knows objectives")


def described(aims: dict[str, Any]) -> tuple[Described, Described | None]:
    """The score and the constraint that the options describe."""
    from anc.objectives.making import Described

    score = Described(aims["objective"], aims["score_cell"], naming="--score-cell N")
    bound = aims["constraint"]
    if bound is None and aims["constraint_cell"] is not None:
        raise AncError("--constraint-cell needs a --constraint")
    if bound is None:
        return score, None
    return score, Described(bound, aims["constraint_cell"], naming="--constraint-cell N")


def adapt_to_objective(
    target: str,
    data: Path | None,
    memory: int | None,
    aims: dict[str, Any],
    place: Claim | None,
    as_json: bool,
    freeze: Sequence[int] = (),
    start: Path | None = None,
    *,
    budget: float,
    evaluations: int | None = None,
    since: float | None = None,
    **settings: Any,
) -> None:
    """Adapt, show and keep the result; `settings` are those of `improve`."""
    from anc.objectives.adapt import improve
    from anc.objectives.earlier import read_earlier
    from anc.problems import aim

    if settings["method"] == "gradient":
        inputs.refuse_unused(
            "proposals", because="is about what a search tries, and gradient descent has none"
        )
    score, bound = described(aims)
    loaded = inputs.load_argument(target, memory)
    if data is None and target not in programs.names():
        each = '{"input": [...]}' if loaded.function is None else "the list of a call's arguments"
        raise AncError(
            f"{quoted(target)} is not a task, so it needs inputs to adapt to",
            help=f"give a file of JSON lines: --data inputs.jsonl, each {each}",
        )
    wanted = score, bound, aims["maximise"]
    aimed = aim(target, loaded, data, *wanted, settings["seed"], freeze)
    line = ProgressLine(quiet=as_json)
    with ctrl_c() as interrupt:
        job = Job(
            budget,
            evaluations,
            since,
            lambda doing, score: line.show(progress(doing, score)),
            lambda: interrupt.asked,
            command_line(),
        )
        result = improve(
            aimed,
            job,
            proposals=aims["proposals"],
            earlier=None if start is None else read_earlier(start, aimed),
            **settings,
        )
    line.end()
    keep_and_show(result, str(result), place, as_json)
    if not result.improved:
        sys.exit(1)


def progress(doing: str, score: float | None) -> str:
    return doing if score is None else f"{doing}: best mean score {score:.3f}"
