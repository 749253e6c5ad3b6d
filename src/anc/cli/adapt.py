"""`anc adapt`: the best exact program for your inputs, with evidence."""

from __future__ import annotations

import re
import sys
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from anc import limits
from anc.cli import aims, inputs, talk
from anc.cli.adapt_report import about_files, report
from anc.cli.interrupt import ctrl_c
from anc.cli.problems import given_problem
from anc.cli.progress import ProgressLine
from anc.cli.results import claim_folder, keep_and_show
from anc.cli.sections import Sectioned
from anc.diagnostics import AncError, quoted
from anc.folders import ADAPTATION, OBJECTIVE
from anc.job import Job
from anc.provenance import command_line

if TYPE_CHECKING:
    from anc.search import Cost

assume_option = click.option(
    "--assume",
    multiple=True,
    metavar="FACT",
    help='A fact such as "tape[0] == 3"; may be repeated.',
)


evaluations_option = click.option(
    "--evaluations",
    type=inputs.Limited(limits.EVALUATIONS),
    metavar="N",
    help="Work to spend instead of time: about 100,000 in a second, and always the same result.",
)


def check_one_budget(evaluations: int | None) -> None:
    """Refuse work and seconds at once."""
    if evaluations is not None and not inputs.is_default("budget"):
        raise AncError("--evaluations and --budget exclude each other", help="give one of them")


class Seconds(click.ParamType):
    """A time such as 90, 60s or 2m."""

    name = "time"

    def convert(self, value, param, ctx) -> float:
        if isinstance(value, int | float):
            return float(value)
        match = re.fullmatch(r"([0-9]+(?:\.[0-9]+)?)\s*(s|sec|m|min|h)?", value.strip())
        if not match or float(match[1]) <= 0:
            self.fail(f"{quoted(value)} is not a time; write 60s or 2m", param, ctx)
        seconds = float(match[1]) * {"m": 60, "min": 60, "h": 3600}.get(match[2] or "s", 1)
        try:
            return limits.BUDGET.check(seconds)
        except AncError:
            self.fail(f"{quoted(value)} is not {limits.BUDGET}.", param, ctx)


EXAMPLES = """\
  anc adapt listk --evaluations 300000 -o result
  anc adapt double.anc --data cases.jsonl --budget 2m
  anc adapt fares.py:fare --data calls.jsonl -o faster"""


@click.command("adapt", cls=Sectioned, examples=EXAMPLES)
@inputs.target_argument
@inputs.data_option
@click.option("--generic", is_flag=True, help="Adapt a task to its generic distribution.")
@click.option("--budget", type=Seconds(), default="60s", show_default=True, help="Time to spend.")
@evaluations_option
@click.option(
    "--method",
    type=click.Choice(["all", "gradient", "search", "specialise"]),
    default="all",
    show_default=True,
    help="What looks for programs: everything, or one kind alone.",
)
@inputs.seed_option()
@click.option(
    "--seeds",
    type=inputs.Limited(limits.ADAPTED_SEEDS),
    default=1,
    show_default=True,
    metavar="S",
    help="Search with so many seeds, --seed and those after it, and keep the best.",
)
@click.option(
    "--jobs",
    type=inputs.Limited(limits.JOBS),
    metavar="N",
    help="So many seeds at a time, each in processes of its own  [default: half the cores]",
)
@assume_option
@click.option(
    "--weight",
    multiple=True,
    metavar="NAME=COST",
    help="Cost of an instruction, of `lines` or of `registers`, e.g. READ=3; default: 1 per step.",
)
@click.option(
    "--trust",
    type=click.Choice(["proof", "samples"]),
    default="proof",
    show_default=True,
    help="Which answer is adapted.anc: the fastest proved one, or one right on all samples.",
)
@inputs.file_option(
    "--from", "start", metavar="FOLDER", help="Begin with what an earlier result found."
)
@aims.objective_options
@aims.proposals_option
@click.option("--trade-off", is_flag=True, help="Also the curve between steps and lines.")
@inputs.freeze_option
@inputs.output_option(
    metavar="FOLDER",
    help="Folder for the result: adapted.anc, result.json, and more for Python functions.",
)
@click.option(
    "--write-anyway",
    is_flag=True,
    help="Write adapted.py even if the function in it is slower than yours.",
)
@inputs.force_option
@inputs.memory_option
@inputs.memory_limit_option
@inputs.json_option
def command(
    target: str,
    data: Path | None,
    generic: bool,
    budget: float,
    evaluations: int | None,
    method: str,
    seed: int,
    seeds: int,
    jobs: int | None,
    assume: tuple[str, ...],
    weight: tuple[str, ...],
    trust: str,
    start: Path | None,
    trade_off: bool,
    freeze: tuple[int, ...],
    output: Path | None,
    write_anyway: bool,
    force: bool,
    memory: int | None,
    as_json: bool,
    **options: Any,
) -> None:
    """Find the fastest program for your inputs, and a proof.

    The proof says where the program is right. What is found for a Python function is a Python function.

    TASK is one of `anc tasks`; any other program needs --data. Ctrl-C ends with the best so far. With an
    --objective there are no right answers and there is no proof: --data are inputs alone, and what
    is found is compared with the generic program on fresh ones.
    """
    check_one_budget(evaluations)
    aim = aims.taken_out(options)
    if aim is not None:
        _refuse_beside_objective(method)
        place = claim_folder(output, OBJECTIVE, force)
        aims.adapt_to_objective(
            target, data, memory, aim, place, as_json, freeze, start, budget=budget, method=method, seed=seed,
            evaluations=evaluations, since=talk.since(),
        )  # fmt: skip
        return
    if jobs is not None and seeds == 1:
        raise AncError("--jobs goes with several seeds", help="such as --seeds 8 --jobs 4")
    place = claim_folder(output, ADAPTATION, force)
    if output is None:
        because = "is about a file in a folder, and none is named"
        inputs.refuse_unused("write_anyway", because=because, help="add -o FOLDER")
    from anc.adaptation.earlier import Earlier
    from anc.adaptation.several import adapt_with_seeds
    from anc.verify import parse_fact

    earlier = None if start is None else Earlier.read(start)
    given = given_problem(target, data, generic, memory, seed, freeze)
    problem = given.problem
    if problem.function is None:
        because = "is about functions of Python: of other programs adapted.py is always written"
        inputs.refuse_unused("write_anyway", because=because)
    assumed = [parse_fact(text, problem.M) for text in (*given.facts, *assume)]
    cost = _cost(weight)
    line = ProgressLine(quiet=as_json)
    with ctrl_c() as interrupt:
        job = Job(
            budget,
            evaluations,
            talk.since(),
            lambda doing, steps: line.show(_progress(doing, steps)),
            lambda: interrupt.asked,
            command_line(),
        )
        result = adapt_with_seeds(
            problem,
            job,
            seed,
            seeds,
            jobs,
            method=method,
            assumed=assumed,
            cost=cost,
            trade_off=trade_off,
            trust=trust,
            start=earlier,
        )
        text = report(result)  # which measures a function: it must not be lost meanwhile
    line.end()
    write = partial(result.write, write_anyway=write_anyway)
    keep_and_show(result, text, place, as_json, write)
    if output is not None and not as_json and result.python is not None:
        talk.say(about_files(result, write_anyway))
    if not result.improved and result.unproved is None:
        sys.exit(1)


def _refuse_beside_objective(method: str) -> None:
    """Refuse what has no meaning where nothing says what is right."""
    if method == "specialise":
        raise AncError("--objective goes with --method all, search or gradient")
    for name in (
        "assume",
        "weight",
        "trade_off",
        "generic",
        "trust",
        "seeds",
        "jobs",
        "write_anyway",
    ):
        if not inputs.is_default(name):
            option = f"--{name.replace('_', '-')}"
            raise AncError(
                f"{option} does not go with --objective",
                help="an objective has no right answers, and its one search is by score",
            )


def _cost(words: tuple[str, ...]) -> Cost:
    from anc.search import Cost

    values: dict[str, float] = {}
    for word in words:
        name, _, number = (part.strip() for part in word.partition("="))
        if name in values:
            raise AncError(f"--weight {word}: {name} has a weight already")
        try:
            values[name] = float(number)
        except ValueError:
            raise AncError(f"--weight {quoted(word)}: expected NAME=COST, such as READ=3") from None
    return Cost.named(values)


def _progress(doing: str, steps: float | None) -> str:
    return doing if steps is None else f"{doing}: best {steps:.2f} steps"
