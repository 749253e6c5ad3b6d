"""Adaptation: the best exact program for your inputs, with evidence."""

from __future__ import annotations

import sys
from collections.abc import Callable, Mapping, Sequence
from dataclasses import KW_ONLY, replace
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any

from anc.commands import fields, verbosity
from anc.commands.arguments import Samples, What, aim, given_problem
from anc.commands.function import either
from anc.commands.kinds import CostsByName, FileOr, OneOf
from anc.commands.line import command
from anc.commands.objectives import (
    INPUTS,
    NO_ANSWERS,
    PROPOSALS,
    ByScore,
    show_improved,
)
from anc.commands.progress import worked
from anc.commands.request import Idle, OfProgram, option, required, typed
from anc.commands.results import claim_folder, save_and_show
from anc.language.source import set_of
from anc.support import limits
from anc.support.folders import ADAPTATION
from anc.support.job import Job

if TYPE_CHECKING:
    from anc.adaptation.objectives.result import Improved
    from anc.adaptation.result import Adapted
    from anc.adaptation.warm_start import Earlier
    from anc.search import Cost
    from anc.training.problem import Problem

METHOD = option(
    "all",
    "Search with all methods, or with one kind alone.",
    OneOf(("all", "gradient", "search", "specialise")),
    section="Search",
)
RESULT: Any = option(
    fields.OUTPUT,
    metavar="FOLDER",
    help="Write adapted.anc, result.json and more into this folder.",
)


class Adapt(OfProgram["Adapted"], name="adapt"):
    """Find the best exact program for your inputs, with evidence of where it is right.

    If a faster program is right on all samples but unproved, it is the result's `unproved`;
    `trust="samples"` puts it first. Program lines in `freeze` stay unchanged.

    `samples` are tapes (for a Python function: the arguments of calls), or dictionaries with `input`
    and optionally `output` and `mask`, or a function that draws one from a `random.Random`, or the name
    of a file of cases or of recorded calls; a task's name needs none. `budget` is in seconds. With
    `evaluations` the budget is work instead, about 100,000 evaluations per second, and the same `seed`
    always gives the same result. `memory_limit` bounds the memory, such as "4GB" (by default half of what
    is free): a method that would exceed it ends, and the best program so far is kept.

    Programs are compared by their `cost`: a table of what instructions cost in `python` (the default for
    Python functions) or `c`, or `steps` (the default for other programs), or what `anc calibrate` measured:
    `mine`, `mine:c` or the name of its file. `weights`, such as `{"READ": 3, "lines": 0.1}`, override the
    table; `trade_off` adds the curve between steps and lines. The search begins with the programs of `start`,
    an earlier result or its folder, and minimises the same cost as that one unless told otherwise. With
    several `seeds` the best result is kept; `jobs` of them run at a time, each in its own processes (by
    default one per two cores).

    >>> import anc
    >>> result = anc.adapt("access", evaluations=50_000)
    >>> result.steps_generic, result.steps_adapted, result.verdict.proved, result.precondition
    (5.0, 3.0, True, ('tape[0] == 3',))

    Without right answers: an `objective` is a score of the final tape, which is minimised (or, with
    `maximise`, maximised), and `inputs` are tapes without answers. It is a program that computes the
    score into cell 0 (or another: see `anc.score`), a function with `@anc.function`, or a Python function
    `(input, final) -> number`. A run is valid if it stops and the `constraint`, given likewise, is not
    0. The search ends after `proposals` programs, if given; `evaluations` does the same without a time
    limit.

    >>> program = "memory 8; var x = READ(0); WRITE(1, x); STOP()"
    >>> result = anc.adapt(program, inputs=[[n % 4] for n in range(50)], proposals=1000, method="search",
    ...                    objective=lambda given, final: abs(final[1] - 6))
    >>> result.improved, result.comparison.adapted
    (True, 0.0)
    """

    program: What = required(fields.TARGET)
    samples: Samples | str | None = option(fields.DATA, kind=FileOr())
    budget: float = fields.BUDGET
    method: str = METHOD
    seed: int = fields.SEED
    assume: Sequence[str] = fields.ASSUME
    trust: str = option(
        "proof",
        "Make adapted.anc the fastest proved program, or the fastest that is right on all samples.",
        OneOf(("proof", "samples")),
        section="Answer",
    )
    freeze: Sequence[int] = fields.FREEZE
    _: KW_ONLY
    evaluations: int | None = fields.EVALUATIONS
    cost: str | Path | None = fields.COST
    weights: Mapping[str, float] | None = option(
        None,
        "Set the cost of an instruction, of `lines` or of `registers`, such as READ=3.",
        CostsByName(),
        words="--weight",
        repeated=True,
        metavar="NAME=COST",
        section="Answer",
    )
    trade_off: bool = option(
        False, "Also show the curve between steps and lines.", section="Answer"
    )
    start: Adapted | str | Path | None = fields.START
    seeds: int = option(
        fields.SEEDS,
        default=1,
        kind=limits.ADAPTED_SEEDS,
        help="Search with this many seeds, from --seed on, and keep the best result.",
    )
    jobs: int | None = option(
        None,
        "Search with this many seeds at a time.  [default: half the cores]",
        limits.JOBS,
        section="Budget",
        idle=(Idle("seeds", 1, "goes with several seeds", "such as 8 seeds, 4 at a time"),),
    )
    generic: bool = fields.GENERIC
    memory: int | None = fields.MEMORY
    memory_limit: int | str | None = fields.MEMORY_LIMIT
    output: Path | None = typed(RESULT)
    write_anyway: bool = typed(
        False,
        "Write adapted.py even if the function in it is slower than yours.",
        section="Output",
        idle=(
            Idle("output", None, "is about a file in a folder, and none is named", "add -o FOLDER"),
        ),
    )
    trust_types: bool = typed(fields.TRUST_TYPES)
    force: bool = typed(fields.FORCE)

    def begin(self, job: Job) -> Callable[[], Adapted]:
        from anc.adaptation.multi_seed import adapt_with_seeds
        from anc.adaptation.select_answers import Asked
        from anc.adaptation.warm_start import Earlier
        from anc.proof import parse_fact

        about = self.generic, self.memory, self.seed, self.freeze
        job = continued(job, self.program, self.start)
        problem = given_problem(job, self.program, self.samples, *about).problem
        instructions = problem.program.instructions
        start = None if self.start is None else Earlier.read(self.start, instructions)
        if problem.function is None:
            because = "is about functions of Python: of other programs adapted.py is always written"
            self.refuse("write_anyway", because=because)
            self.refuse("trust_types", because="is about the arguments of functions of Python")
        cost = cost_of(self.cost, self.weights, problem, start)
        stated = () if problem.function is None else problem.function.facts
        assumed = [parse_fact(text, problem.M) for text in (*stated, *self.assume)]
        about_result = self.trade_off, self.trust, start, self.trust_types
        asked = Asked(self.method, self.seed, assumed, cost, *about_result)
        return partial(adapt_with_seeds, problem, job, asked, self.seeds, self.jobs)


class AdaptForScore(ByScore["Improved"], name="adapt"):
    """Adapt without right answers: a score says which program is better."""

    program: What = required(fields.TARGET)
    samples: None = NO_ANSWERS
    budget: float = fields.BUDGET
    method: str = option(METHOD, kind=OneOf(("all", "search", "gradient")))
    seed: int = fields.SEED
    _: KW_ONLY
    freeze: Sequence[int] = fields.FREEZE
    inputs: Samples | str | None = INPUTS
    proposals: int | None = option(
        PROPOSALS,
        idle=(
            Idle(
                "method", "gradient", "is about what a search tries, and gradient descent has none"
            ),
        ),
    )
    evaluations: int | None = fields.EVALUATIONS
    start: Improved | str | Path | None = fields.START
    memory: int | None = fields.MEMORY
    memory_limit: int | str | None = fields.MEMORY_LIMIT
    output: Path | None = typed(RESULT)
    force: bool = typed(fields.FORCE)

    def begin(self, job: Job) -> Callable[[], Improved]:
        from anc.adaptation.objectives.adapt import improve
        from anc.adaptation.objectives.result import read_earlier

        about = self.wanted(), self.memory, self.seed, self.freeze
        job = continued(job, self.program, self.start)
        aimed = aim(job, self.program, self.inputs, *about)
        earlier = None if self.start is None else read_earlier(self.start, aimed)
        return partial(improve, aimed, job, self.method, self.seed, self.proposals, earlier=earlier)


def cost_of(
    word: str | Path | None,
    weights: Mapping[str, float] | None,
    problem: Problem,
    start: Earlier | None,
) -> Cost:
    """The cost that is minimised: as asked, else that of the earlier result, else the usual one."""
    from anc.data.costs import PYTHON, STEPS_WORD, table_of
    from anc.search import Cost

    instructions = problem.program.instructions
    if word is None and start is not None:
        return start.cost.overridden(weights or {}, instructions)
    usual = STEPS_WORD if problem.function is None else PYTHON
    return Cost.named(weights or {}, instructions, table_of(str(word or usual)))


adapt = either(Adapt, AdaptForScore)


def continued(job: Job, program: What, start: Any) -> Job:
    """The job, which compiles a Python function to the instructions of the result that it begins with."""
    from anc.data.loading import is_function
    from anc.support.folders import earlier_listing

    if start is None or job.instructions is not None or not is_function(program):
        return job
    return replace(job, instructions=set_of(earlier_listing(start)))


@command(Adapt, AdaptForScore)
def show(request: Adapt | AdaptForScore) -> None:
    """Find the fastest program for your inputs, and a proof.

    The proof says where the program is right. A Python function becomes a faster Python function.

    TASK is one of `anc tasks`; any other program needs --data. Ctrl-C ends with the best so far. With
    --objective, --data holds inputs without answers; the result has no proof, and is compared with the
    generic program on held-out inputs.

    Examples:
      anc adapt listk --evaluations 300000 -o result
      anc adapt double.anc --data cases.jsonl --budget 2m
      anc adapt fares.py:fare --data calls.jsonl -o faster
    """
    if isinstance(request, AdaptForScore):
        show_improved(request)
        return
    place = claim_folder(request, ADAPTATION)
    from anc.adaptation.texts import about_files, report

    result, _ = worked(request, "best {}")
    text = report(result, verbosity.is_verbose())
    write = partial(result.write, write_anyway=request.write_anyway)
    save_and_show(request, result, text, place, write)
    if place is not None and not request.as_json and result.python is not None:
        verbosity.say(about_files(result, request.write_anyway))
    if not result.improved and result.unproved is None:
        sys.exit(1)
