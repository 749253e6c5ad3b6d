"""Objectives, where nothing says what is right: their fields, and what is to be adapted to one."""

from __future__ import annotations

import sys
from dataclasses import KW_ONLY
from typing import TYPE_CHECKING, Any, TypeVar

from anc.commands import fields
from anc.commands.arguments import checked_start
from anc.commands.function import function, misplaced
from anc.commands.kinds import FileOr
from anc.commands.request import OfProgram, Option, Request, option, required, typed
from anc.commands.results import claim_folder, keep_and_show
from anc.commands.working import working
from anc.support import limits
from anc.support.folders import OBJECTIVE as KIND

if TYPE_CHECKING:
    from anc.adaptation.objectives.adapt import Aimed
    from anc.adaptation.objectives.result import Improved
    from anc.adaptation.objectives.scores import Described
    from anc.program import Program
    from anc.support.job import Job

R = TypeVar("R", covariant=True)


class Score(Request["Described"], name="score"):
    """A score for `objective=` or `constraint=`, where the thing itself does not say all.

    `cell` is where a program leaves the score (else cell 0, or a Python function's result); `soft` says that
    a function is one of JAX on soft tapes: (M,) numbers, (M, M) distributions -> a number.

    >>> import anc
    >>> anc.score("var x = READ(3); WRITE(5, x); STOP()", cell=5).cell
    5
    """

    what: Any = required(Option())
    cell: int | None = option(default=None, kind=limits.CELL)
    soft: bool = option(default=False)

    def run(self, job: Job) -> Described:
        from anc.adaptation.objectives.scores import Described

        return Described(self.what, self.cell, self.soft)


score = function(Score)


class Nothing:
    """What there is not where there is an objective: answers."""

    def check(self, value: object, name: str) -> None:
        if value is not None:
            raise misplaced(f"'{name}'", has_objective=True, is_typed=False)


NO_ANSWERS: Any = Option(kind=Nothing(), in_command=False)
PROPOSALS: Any = Option(
    kind=limits.PROPOSALS,
    metavar="N",
    help="End a search for an objective after so many programs, if there is time for them.",
    section="Budget",
)
OBJECTIVE: Any = Option(
    words=("--objective",),
    metavar="PROGRAM",
    help="No answers: a program that computes a score of the final tape, to be minimised.",
    section="Objective",
)
INPUTS: Any = fields.DATA.but(kind=FileOr())


class ByScore(OfProgram[R]):
    """What is compared by a score, with the inputs that it is computed for."""

    _: KW_ONLY
    objective: Any = required(OBJECTIVE)
    score_cell: int | None = typed(
        Option(
            kind=limits.CELL,
            metavar="N",
            help="Where it leaves the score  [default: 0]",
            section="Objective",
        )
    )
    constraint: Any = option(
        default=None,
        metavar="PROGRAM",
        help="A program that computes 0 for what is not valid.",
        section="Objective",
    )
    constraint_cell: int | None = typed(
        Option(
            kind=limits.CELL,
            metavar="N",
            help="... and where  [default: 0]",
            section="Objective",
            needs="constraint",
        )
    )
    maximise: bool = option(
        default=False, help="Make the score large instead.", section="Objective"
    )

    def wanted(self) -> tuple[Any, Any, bool]:
        """The score, the constraint, and whether the score is to be large."""
        if not self.is_typed:
            return self.objective, self.constraint, self.maximise
        from anc.adaptation.objectives.scores import Described

        goal = Described(self.objective, self.score_cell, naming="--score-cell N")
        bound = None
        if self.constraint is not None:
            bound = Described(self.constraint, self.constraint_cell, naming="--constraint-cell N")
        return goal, bound, self.maximise


def earlier_program(start: Any, aimed: Aimed) -> Program | None:
    """The program of an earlier result: the result itself, or its folder."""
    from anc.adaptation.objectives.result import read_earlier

    return None if start is None else read_earlier(checked_start(start), aimed)


def show_improved(request: Any) -> None:
    """Adapt to an objective, keep the result and print it."""
    place = claim_folder(request, KIND)
    with working(request, progress) as (improve, _):
        result: Improved = improve()
    keep_and_show(result, str(result), place, request.as_json)
    if not result.improved:
        sys.exit(1)


def progress(doing: str, score: float | None) -> str:
    return doing if score is None else f"{doing}: best mean score {score:.3f}"
