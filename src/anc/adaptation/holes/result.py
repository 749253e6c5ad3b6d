"""The results of filling a sketch: the choice in each hole, equally good ones, and the quality of the filling.

A sketch is filled from cases or for an objective. Both results print and save themselves, and can start another
search.
"""

from __future__ import annotations

import math
from abc import abstractmethod
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import astuple, dataclass, field
from typing import TYPE_CHECKING, Annotated, Any, ClassVar

from anc.adaptation.holes.sketch import Filling, Hole, Sketch
from anc.adaptation.objectives.result import PairedComparison
from anc.language import self_contained
from anc.program import Program
from anc.support import folders
from anc.support.diagnostics import AncError
from anc.support.records import LARGE, Finite, record_of, stored

if TYPE_CHECKING:
    from anc.adaptation.holes.machine import JudgedFilling
    from anc.adaptation.objectives.objective import Objective, Standing

WHAT = "a result of anc fill"
SHOWN = 10  # most alternatives that are printed
CASES_SHOWN = 5  # most contradicting cases that are printed


@dataclass(frozen=True)
class SavedHole:
    """A hole, its choice, and equally good ones; `certain` if every filling was considered."""

    line: int
    column: int
    filled: str
    alternatives: tuple[str, ...]
    certain: bool


@dataclass(frozen=True)
class WrongCells:
    """The number of wrong cells from this time on."""

    seconds: float
    wrong_cells: int


@dataclass(frozen=True)
class MeanScore:
    """The score from this time on."""

    seconds: float
    score: float


@dataclass(frozen=True, kw_only=True)
class SavedFilling:
    """The record of a filling in result.json and --json; the program is the filled text."""

    problem: str
    provenance: Mapping[str, Any] = field(default_factory=dict)
    determined: bool
    holes: tuple[SavedHole, ...]
    fillings: Annotated[int, LARGE]
    fillings_as_good: Annotated[float, LARGE] | None
    method: str
    members: int
    members_as_good: int
    notes: tuple[str, ...]
    history: tuple[Any, ...] = ()
    seconds: float = stored(digits=2)
    evaluations: int | None
    stop: str
    program: str
    measure: ClassVar[str]

    @property
    def progress(self) -> list[tuple[float, float]]:
        """(seconds, wrong cells or score) of the best so far."""
        return [astuple(moment) for moment in self.history]


@dataclass(frozen=True, kw_only=True)
class SavedFilled(SavedFilling):
    """The record of a filling from cases."""

    measure: ClassVar[str] = "wrong cells"
    history: tuple[WrongCells, ...] = ()
    right: bool
    cases: int
    wrong_cases: int
    wrong_cells: int
    cells: int
    contradicting_cases: tuple[int, ...]
    steps: float = stored(digits=4)
    fresh_cases: int
    fresh_right: int


@dataclass(frozen=True, kw_only=True)
class SavedScored(SavedFilling):
    """The record of a filling for an objective."""

    measure: ClassVar[str] = "score"
    history: tuple[MeanScore, ...] = ()
    objective: str
    valid: bool
    improved: bool
    inputs: int
    violations: int
    fresh: bool
    score: Finite
    comparison: PairedComparison
    claim: str
    tried: int


@dataclass(frozen=True)
class Decided:
    """A hole with its choice, and the `others` that are equally good on the cases.

    Those in `alone` need no change in other holes. `is_certain` means that every filling was considered; otherwise
    others may have been missed.
    """

    hole: Hole
    index: int
    others: tuple[int, ...]
    alone: tuple[int, ...]
    is_certain: bool

    @property
    def word(self) -> str:
        return self.hole.words[self.index]

    @property
    def alternatives(self) -> tuple[str, ...]:
        return tuple(self.hole.words[index] for index in self.others)

    @property
    def is_determined(self) -> bool:
        return not self.others

    def __str__(self) -> str:
        if self.others:
            both = (self.alone, ""), (set(self.others).difference(self.alone), ", with others")
            parts = [
                f"{_listed([self.hole.words[k] for k in sorted(which)])} would do{how}"
                for which, how in both
                if which
            ]
            return f"{self.hole.name}: {self.word}, but {'; '.join(parts)}"
        doubt = "" if self.is_certain else ", as far as was searched"
        return f"{self.hole.name}: {self.word} (determined{doubt})"


def _listed(words: Sequence[str]) -> str:
    """Some of the words, and the number of the rest."""
    left = len(words) - SHOWN
    return " or ".join([*words[:SHOWN], *([f"{left} more"] if left > 0 else [])])


@dataclass(frozen=True)
class Completed(folders.Result):
    """A filled sketch, and how it was found; `moment` is what its history is told in."""

    kind: ClassVar[folders.ResultKind] = folders.FILLING
    moment: ClassVar[type]
    name: str
    sketch: Sketch
    filling: Filling
    holes: tuple[Decided, ...]
    fillings: float | None  # number of equally good ones, if all were considered
    method: str  # which found it
    members: int  # of gradient descent
    members_right: int  # number of members that found an equally good filling
    notes: tuple[str, ...]
    seconds: float
    stop: str
    made: Mapping[str, Any]  # seed, budget, version, command, ...
    history: tuple[tuple[float, float], ...]  # seconds, and the wrong cells or score from then on
    evaluations: int | None = field(
        default=None, kw_only=True
    )  # done, if the budget was in evaluations

    @property
    def spent(self) -> str:
        """The time or the work that was spent, in words."""
        if self.evaluations is not None:
            return f"{self.evaluations:,} evaluations"
        return f"{self.seconds:.1f} s"

    @property
    def text(self) -> str:
        """The sketch's text with its holes filled."""
        return self.sketch.text(self.filling)

    @property
    def program(self) -> Program:
        return self.sketch.finished(self.filling)

    @property
    def is_determined(self) -> bool:
        """Whether certainly no other filling is as good."""
        return all(decided.is_determined and decided.is_certain for decided in self.holes)

    @abstractmethod
    def record(self, **common: Any) -> SavedFilling:
        """The record in result.json, with its specific fields."""

    @property
    def saved(self) -> SavedFilling:
        return self.record(
            problem=self.name,
            provenance=self.made,
            determined=self.is_determined,
            holes=tuple(
                SavedHole(
                    decided.hole.span.line,
                    decided.hole.span.column,
                    decided.word,
                    decided.alternatives,
                    decided.is_certain,
                )
                for decided in self.holes
            ),
            fillings=self.sketch.size,
            fillings_as_good=self.fillings,
            members_as_good=self.members_right,
            history=tuple(self.moment(round(at, 3), value) for at, value in self.history),
            program=self.text,
        )

    def files(self) -> dict[str, str]:
        suffix = ".py" if self.sketch.source.name.endswith(".py") else ".anc"
        return self_contained({f"filled{suffix}": self.text}, self.sketch.program.instructions)

    def opening(self) -> str:
        """The number of filled holes, and the method, in words."""
        holes = len(self.holes)
        return f"{holes} hole{'s' * (holes != 1)} filled by {self.method}"

    def closing(self, judges: str) -> Iterator[str]:
        """The rows about the holes, the number of fillings that are equally good on these `judges`, and the text."""
        yield ""
        yield from map(str, self.holes)
        if self.fillings is not None:
            n, size = self.fillings, self.sketch.size
            verb = "is" if n == 1 else "are"
            yield f"{n:,.0f} of {size:,} fillings {verb} as good on these {judges}"
        if self.members:
            found = f"{self.members_right} of {self.members} members found one as good"
            yield f"gradient descent: {found}"
        yield from self.notes
        yield ""
        yield self.text.strip("\n")
        yield ""

    @abstractmethod
    def rows(self) -> Iterator[str]:
        """The rows of the printed report."""

    def __str__(self) -> str:
        return "\n".join(self.rows())


@dataclass(frozen=True)
class Filled(Completed):
    """The result of filling a sketch from cases."""

    moment: ClassVar[type] = WrongCells
    judged: JudgedFilling  # on the cases
    contradicting: tuple[int, ...]  # numbers of the cases on which it is wrong
    fresh: JudgedFilling | None  # on held-out cases

    @property
    def is_right(self) -> bool:
        """Whether it is right on all cases."""
        return self.judged.is_right

    def record(self, **common: Any) -> SavedFilling:
        fresh = self.fresh
        return record_of(
            SavedFilled,
            self,
            **common,
            **vars(self.judged),
            right=self.is_right,
            contradicting_cases=self.contradicting,
            fresh_cases=fresh.cases if fresh else 0,
            fresh_right=fresh.cases - fresh.wrong_cases if fresh else 0,
        )

    def rows(self) -> Iterator[str]:
        judged, found = self.judged, self.opening()
        if judged.is_right:
            every = "the one case" if judged.cases == 1 else f"all {judged.cases} cases"
            yield f"{self.name}: {found}, right on {every}"
        else:
            yield (
                f"{self.name}: no filling was found that is right on all cases; this is the best"
                f" ({found})"
            )
            numbers = ", ".join(map(str, self.contradicting[:CASES_SHOWN]))
            more = ", ..." if len(self.contradicting) > CASES_SHOWN else ""
            yield (
                f"{judged.wrong_cells} of {judged.cells} cells are wrong, in {judged.wrong_cases} of"
                f" {judged.cases} cases (number {numbers}{more})"
            )
        if self.fresh is not None:
            right = self.fresh.cases - self.fresh.wrong_cases
            yield f"right on {right} of {self.fresh.cases} held-out cases"
        yield from self.closing("cases")
        yield f"{self.judged.steps:.2f} steps in the mean; {self.spent}, {self.stop}"


@dataclass(frozen=True)
class Scored(Completed):
    """The result of filling a sketch for an objective, compared with the first choices of all holes."""

    moment: ClassVar[type] = MeanScore
    objective: Objective
    standing: Standing  # on the inputs of the search
    inputs: int  # of the search
    comparison: PairedComparison  # the first choices are the generic program
    score: float  # mean over the valid inputs of the comparison; NaN if there are none
    are_fresh: bool
    tried: int  # number of fillings

    @property
    def is_valid(self) -> bool:
        """Whether it stops, and the constraint holds, on all inputs of the search."""
        return self.standing.violations == 0

    @property
    def improved(self) -> bool:
        """Whether it is certainly better than the first choices."""
        return self.comparison.improved

    def record(self, **common: Any) -> SavedFilling:
        return record_of(
            SavedScored,
            self,
            **common,
            objective=str(self.objective),
            valid=self.is_valid,
            violations=self.standing.violations,
            fresh=self.are_fresh,
            claim=self.comparison.claim(self.are_fresh, self.objective.constraint is not None),
        )

    def rows(self) -> Iterator[str]:
        yield f"{self.name}: {self.objective}: {self.opening()}"
        if not self.is_valid:
            yield (
                f"no filling was found that is valid on all inputs; this one is not on"
                f" {self.standing.violations} of {self.inputs}"
            )
        comparison, bound = self.comparison, self.objective.constraint is not None
        if math.isnan(comparison.generic):
            kind = (
                "held-out instances" if self.are_fresh else "instances, which the search also saw"
            )
            yield (
                f"on {comparison.instances} {kind}: mean score {self.score:.3f}, valid on"
                f" {comparison.instances - comparison.violations_adapted}; with the first choices, on"
                f" {comparison.instances - comparison.violations_generic}"
            )
        else:
            yield from comparison.rows(self.are_fresh, bound, "with the first choices")
            if comparison.violations_generic:
                yield f"mean score {self.score:.3f} on all instances where it is valid"
        yield comparison.claim(self.are_fresh, bound)
        yield from self.closing("inputs")
        yield f"{self.tried:,} fillings tried, {self.seconds:.1f} s, {self.stop}"


def read_earlier(start: Any, sketch: Sketch) -> Filling:
    """Read the filling of an earlier result for the same sketch, or of its folder."""
    told, name = folders.earlier_result(start, SavedFilling, "anc fill", WHAT)
    try:
        pairs = zip(sketch.holes, told.holes, strict=True)
        filling = tuple(hole.words.index(each.filled) for hole, each in pairs)
    except ValueError:
        filling = None
    if filling is None or sketch.text(filling) != told.program:
        raise AncError(
            f"{name} is about another sketch", help="start from a result for the same one"
        )
    return filling
