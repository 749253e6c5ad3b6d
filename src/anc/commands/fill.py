"""Sketches: programs with holes, filled from cases or for an objective."""

from __future__ import annotations

import sys
from collections.abc import Callable, Sequence
from dataclasses import KW_ONLY
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any

from anc.commands import fields, verbosity
from anc.commands.arguments import GivenSketch, Samples, What, given_sketch
from anc.commands.function import either
from anc.commands.kinds import FileOr, OneOf
from anc.commands.line import command
from anc.commands.objectives import BEST_SCORE, INPUTS, NO_ANSWERS, PROPOSALS, ByScore
from anc.commands.progress import worked
from anc.commands.request import Idle, OfProgram, option, required, typed
from anc.commands.results import claim_folder, save_and_show
from anc.support.diagnostics import AncError
from anc.support.folders import FILLING
from anc.support.job import Job

if TYPE_CHECKING:
    from anc.adaptation.holes.result import Filled, Scored
    from anc.adaptation.holes.sketch import Filling, Sketch
    from anc.data.tasks.cases import Case
    from anc.python.function import Function
    from anc.python.sketch_function import OpenFunction

    SketchLike = OpenFunction | Function[..., Any] | str | Path

SKETCH = option(is_argument=True, is_needed=True, completes="sketches")
CASES: Any = option(
    fields.DATA,
    kind=FileOr(),
    help='Fill from the cases in this file of JSON lines: {"input": [...], "output": [...]}; for a Python function, the'
    " arguments of a call and its result: [[[3, 9, 1], 2], 2].",
)
FRESH: Any = option(
    CASES,
    words="--test",
    help="Report on the cases of this file instead of a fifth of the data.",
)
SPECIFICATION = option(
    None,
    "Fill so that the answer equals this function for all inputs. FILE.py:NAME takes the numbers in the first"
    " cells and returns those that the program leaves there; a program is a specification, too.",
    section="Input",
    metavar="FILE.py:NAME",
)
SHORTEST = option(
    False,
    "Accept only an answer that is proved shortest, and show the search that proves it (unknown lines, x = ?).",
    section="Answer",
)
METHOD = option(
    "all",
    "Search with all methods, or with one kind alone.",
    OneOf(("all", "search", "gradient")),
    section="Search",
)
DESCENT = (Idle("method", "search", "is about gradient descent, and {} has none"),)
EARLIER: Any = option(fields.START, help="Start from the earlier filling in this folder.")
RESULT: Any = option(
    fields.OUTPUT,
    metavar="FOLDER",
    help="Write the filled program and result.json into this folder.",
)


class Fill(OfProgram["Filled"], name="fill"):
    """Fill the holes of a program from cases or a specification, and say which of them the cases determine.

    The sketch is a listing in which places are left open (`?`, or `? in (ADD, SUB)`), as a text or a
    file, or a Python function with `anc.hole(...)`. `cases` are dictionaries with `input`, `output`
    and optionally `mask`, or the name of a file of them; they may be wrong here and there. `fresh` cases
    are only reported on; without them, a fifth of the cases is held out. With `evaluations` the budget is
    work instead of seconds, as in `anc.adapt`. The filling of `start`, an earlier result for the same sketch
    or its folder, is tried first; `engine` runs gradient descent, as in `anc.train`.
    `memory_limit` is as in `anc.adapt`.

    >>> import anc
    >>> text = "memory 8; var x = READ(0); x = ?(x, ? in (1, 2)); WRITE(0, x); STOP()"
    >>> result = anc.fill(text, [{"input": [3], "output": [5]}, {"input": [7], "output": [1]}])
    >>> print(result.text.split("; ")[2], result.is_determined)
    x = ADD(x, 2) True

    Without cases: a `specification`, a Python function of the numbers in the first cells (or a program).
    It is called for all inputs, and the answer is proved equal for all of them. Unknown lines (`x = ?`)
    are filled with the fewest instructions; with `shortest`, no other result is good.

    >>> text = "memory 16; var x = READ(0); var a; var b; a = ?; b = ?; WRITE(0, ?); STOP()"
    >>> result = anc.fill(text, specification=lambda x: (3 * x) % 16)
    >>> result.proof.is_proved, result.shortest.lines
    (True, 2)

    Or with `inputs` and an `objective`, as in `anc.adapt`; the filling with the best mean score
    is taken. The search ends after `proposals` fillings, if given. `fresh` are inputs then.

    >>> text = "memory 8; var x = READ(0); x = ?(x, ? in (1, 2)); WRITE(0, x); STOP()"
    >>> result = anc.fill(text, inputs=[[3], [4], [5]], objective=lambda given, final: final[0])
    >>> print(result.text.split("; ")[2], result.score)
    x = MIN(x, 1) 1.0
    """

    sketch: SketchLike = required(SKETCH)
    cases: Sequence[Any] | str | Path | None = CASES
    fresh: Sequence[Any] | str | Path | None = FRESH
    memory: int | None = fields.MEMORY
    budget: float = fields.BUDGET
    method: str = METHOD
    seeds: int = option(fields.SEEDS, idle=DESCENT)
    seed: int = fields.SEED
    max_steps: int = option(fields.MAX_STEPS, section="Search")
    _: KW_ONLY
    specification: Callable[..., Any] | What | None = SPECIFICATION
    shortest: bool = SHORTEST
    start: Filled | str | Path | None = EARLIER
    evaluations: int | None = fields.EVALUATIONS
    engine: str = option(fields.ENGINE, idle=DESCENT)
    memory_limit: int | str | None = fields.MEMORY_LIMIT
    output: Path | None = typed(RESULT)
    force: bool = typed(fields.FORCE)

    def begin(self, job: Job) -> Callable[[], Filled]:
        from anc.adaptation.holes.fill import fill
        from anc.adaptation.holes.fill_lines import fill_lines
        from anc.adaptation.holes.specification import specification_of
        from anc.adaptation.holes.specified import fill_to_specification
        from anc.training.engines import chosen_engine

        given = given_sketch(self.sketch, self.memory, job.instructions)
        name, sketch = given.name, given.sketch
        if self.cases is None and self.specification is None:
            raise AncError(
                "there are no cases to fill the holes from, no specification and no objective",
                help="give one of them: --data CASES, --specification FILE.py:NAME, --objective PROGRAM",
            )
        if sketch.lines is None:
            self.refuse("shortest", because="is about unknown lines, x = ?, and there are none")
        elif self.method == "gradient":
            raise AncError("unknown lines are filled by search, not by gradient descent")
        elif self.start is not None:
            raise AncError("unknown lines are searched from the beginning: leave the start out")
        earlier = _earlier(self.start, sketch)
        cases, fresh = self._cases(given)

        def from_cases(cases: Sequence[Case], job: Job, earlier: Filling | None) -> Filled:
            descent = self.seeds, self.seed, self.max_steps, chosen_engine(self.engine)
            return fill(name, sketch, cases, fresh, job, self.method, *descent, earlier)

        last = job, self.seed, self.max_steps
        if self.specification is not None:
            what = self.specification, sketch.M, given.call, job.clock, sketch.program
            wanted = specification_of(*what)
            known = cases, fresh, *last, from_cases, earlier
            return partial(fill_to_specification, name, sketch, wanted, *known, self.shortest)
        if sketch.lines is not None:
            return partial(fill_lines, name, sketch, cases, fresh, None, *last, self.shortest)
        return partial(from_cases, cases, job, earlier)

    def _cases(self, given: GivenSketch) -> tuple[Sequence[Case], Sequence[Case]]:
        """The cases to fill from, and those to report on; with a specification all of them are used."""
        if self.cases is None:
            return (), () if self.fresh is None else given.cases(self.fresh)
        if self.specification is None:
            return given.cases_apart(self.cases, self.fresh, self.seed)
        return given.cases(self.cases), () if self.fresh is None else given.cases(self.fresh)


class FillForScore(ByScore["Scored"], name="fill"):
    """Fill without cases: a score says which filling is better."""

    sketch: SketchLike = required(SKETCH)
    cases: None = NO_ANSWERS
    fresh: Sequence[Any] | str | Path | None = FRESH
    memory: int | None = fields.MEMORY
    budget: float = fields.BUDGET
    method: str = METHOD
    seeds: int = option(fields.SEEDS, default=8, idle=DESCENT)
    seed: int = fields.SEED
    max_steps: int = option(fields.MAX_STEPS, section="Search")
    _: KW_ONLY
    inputs: Samples | str = required(INPUTS)
    proposals: int | None = PROPOSALS
    start: Scored | str | Path | None = EARLIER
    evaluations: int | None = fields.EVALUATIONS
    memory_limit: int | str | None = fields.MEMORY_LIMIT
    output: Path | None = typed(RESULT)
    force: bool = typed(fields.FORCE)

    def begin(self, job: Job) -> Callable[[], Scored]:
        from anc.adaptation.holes.fill_by_score import fill_for

        given = given_sketch(self.sketch, self.memory, job.instructions)
        if given.sketch.lines is not None:
            raise AncError("unknown lines are filled from cases or a specification, not by a score")
        earlier = _earlier(self.start, given.sketch)
        return partial(
            fill_for,
            given.name,
            given.sketch,
            *given.aimed(self.inputs, self.fresh, self.wanted(), self.seed),
            job,
            self.method,
            self.seeds,
            self.seed,
            self.max_steps,
            self.proposals,
            earlier=earlier,
        )


fill = either(Fill, FillForScore)


def _earlier(start: Any, sketch: Sketch) -> Filling | None:
    """The filling of an earlier result, given as the result or its folder."""
    from anc.adaptation.holes.result import read_earlier

    return None if start is None else read_earlier(start, sketch)


@command(Fill, FillForScore)
def show(request: Fill | FillForScore) -> None:
    """Fill the holes of a program from cases.

    It also says which of the holes the cases determine. SKETCH is a listing with open places: `?`, or
    `? in (ADD, SUB)`. If cases contain mistakes, it takes the filling with the fewest wrong cells. With
    --objective, --data holds inputs without answers, and it takes the filling with the best mean score.
    With --specification it proves the answer equal to a function for all inputs, and fills unknown lines
    (x = ?) with the fewest instructions. Ctrl-C ends with the best so far.

    Examples:
      anc fill sketch.anc --data cases.jsonl -o filled
      anc fill average.anc --specification average.py:average --shortest
      anc fill scores.py:score --data calls.jsonl --method search
    """
    place = claim_folder(request, FILLING)
    wrong = "{} cells wrong in the best filling"
    result: Any = worked(request, wrong if isinstance(request, Fill) else BEST_SCORE)[0]
    if verbosity.is_quiet() and not getattr(result, "is_found", True):
        sys.exit(1)  # there is no program to print
    save_and_show(request, result, str(result), place)
    if not (result.is_good if isinstance(request, Fill) else result.is_valid):
        sys.exit(1)
