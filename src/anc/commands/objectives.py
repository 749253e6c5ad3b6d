"""Objectives, for programs without right answers: the fields of a score, and results by score."""

from __future__ import annotations

import sys
from dataclasses import KW_ONLY
from typing import TYPE_CHECKING, Any

from anc.commands import fields
from anc.commands.function import function, misplaced
from anc.commands.kinds import FileOr
from anc.commands.progress import worked
from anc.commands.request import OfProgram, R, Request, option, required, typed
from anc.commands.results import claim_folder, save_and_show
from anc.support import limits
from anc.support.folders import OBJECTIVE as KIND
from anc.support.job import Job

if TYPE_CHECKING:
    from anc.adaptation.objectives.scores import Described


class DescribeScore(Request["Described"], name="score"):
    """A score for `objective=` or `constraint=` that needs more than a program or a function.

    `cell` is the cell in which a program leaves the score (by default cell 0, or a Python function's result).
    `soft` marks a JAX function of soft tapes: (M,) numbers, (M, M) distributions -> a number.

    >>> import anc
    >>> anc.score("var x = READ(3); WRITE(5, x); STOP()", cell=5).cell
    5
    """

    what: Any = required()
    cell: int | None = option(None, kind=limits.CELL)
    soft: bool = option(False)

    def run(self, job: Job) -> Described:
        from anc.adaptation.objectives.scores import Described

        return Described(self.what, self.cell, self.soft)


score = function(DescribeScore)


class Nothing:
    """The absence of answers: with an objective there are none."""

    def check(self, value: object, name: str) -> None:
        if value is not None:
            raise misplaced(f"'{name}'", has_objective=True, is_typed=False)


NO_ANSWERS = option(None, kind=Nothing(), in_command=False)
PROPOSALS = option(
    None,
    "Stop the search for an objective after this many programs.",
    limits.PROPOSALS,
    section="Budget",
)
BEST_SCORE = "best mean score {:.3f}"
OBJECTIVE = option(
    None,
    "Minimise the score that this program computes from the final tape.",
    words="--objective",
    metavar="PROGRAM",
    section="Objective",
)
INPUTS: Any = option(fields.DATA, kind=FileOr())


class ByScore(OfProgram[R]):
    """A request whose results are compared by a score."""

    _: KW_ONLY
    objective: Any = required(OBJECTIVE)
    score_cell: int | None = typed(
        None, "Read the score from this cell.  [default: 0]", limits.CELL, section="Objective"
    )
    constraint: Any = option(
        None,
        "Call a result invalid if this program computes 0.",
        metavar="PROGRAM",
        section="Objective",
    )
    constraint_cell: int | None = typed(
        None,
        "Read the constraint's result from this cell.  [default: 0]",
        limits.CELL,
        section="Objective",
        needs="constraint",
    )
    maximise: bool = option(
        False, "Maximise the score instead of minimising it.", section="Objective"
    )

    def wanted(self) -> tuple[Any, Any, bool]:
        """The objective, the constraint, and whether the score is maximised."""
        if not self.is_typed:
            return self.objective, self.constraint, self.maximise
        from anc.adaptation.objectives.scores import Described

        goal = Described(self.objective, self.score_cell, naming="--score-cell N")
        bound = None
        if self.constraint is not None:
            bound = Described(self.constraint, self.constraint_cell, naming="--constraint-cell N")
        return goal, bound, self.maximise


def show_improved(request: Any) -> None:
    """Adapt to an objective, save the result and print it."""
    place = claim_folder(request, KIND)
    result, _ = worked(request, BEST_SCORE)
    save_and_show(request, result, str(result), place)
    if not result.improved:
        sys.exit(1)
