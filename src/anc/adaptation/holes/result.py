"""What filling a sketch ends with: its holes, its text, what might stand there too, and how good it is.

A sketch is filled from cases, or for an objective. Another filling can begin with either.
"""

from __future__ import annotations

import math
from abc import abstractmethod
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import astuple, dataclass, field
from typing import TYPE_CHECKING, Annotated, Any, ClassVar

from anc.adaptation.holes.sketch import Filling, Hole, Sketch
from anc.adaptation.objectives.result import Comparison
from anc.program import Program
from anc.support import folders
from anc.support.diagnostics import AncError
from anc.support.records import LARGE, Finite, record_of, stored

if TYPE_CHECKING:
    from anc.adaptation.holes.machine import Judged
    from anc.adaptation.objectives.objective import Objective, Standing

WHAT = "a result of anc fill"
SHOWN = 10  # alternatives that are named to people
CASES_SHOWN = 5  # contradicting cases that are named


@dataclass(frozen=True)
class SavedHole:
    """A hole, what stands in it, and what is as good; `certain` if every filling was looked at."""

    line: int
    column: int
    filled: str
    alternatives: tuple[str, ...]
    certain: bool


@dataclass(frozen=True)
class WrongCells:
    """How many cells were wrong from a moment on."""

    seconds: float
    wrong_cells: int


@dataclass(frozen=True)
class MeanScore:
    """What the score was from a moment on."""

    seconds: float
    score: float


@dataclass(frozen=True, kw_only=True)
class SavedFilling:
    """What result.json and --json hold of a filling; the program is the sketch's text, filled."""

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
    """... of one from cases."""

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
    """... of one for an objective."""

    measure: ClassVar[str] = "score"
    history: tuple[MeanScore, ...] = ()
    objective: str
    valid: bool
    improved: bool
    inputs: int
    violations: int
    fresh: bool
    score: Finite
    comparison: Comparison
    claim: str
    tried: int


@dataclass(frozen=True)
class Decided:
    """One hole with what was put there, and what else might stand there, as good on the cases.

    `alone` are those of the others that need no change elsewhere. `is_certain` says that every filling
    was looked at; else it is as far as was searched.
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
    """Some of the words, and how many more there are."""
    left = len(words) - SHOWN
    return " or ".join([*words[:SHOWN], *([f"{left} more"] if left > 0 else [])])


@dataclass(frozen=True)
class Completed(folders.Result):
    """A filled sketch, and how it was found; `moment` is what its history is told in."""

    kind: ClassVar[folders.Kind] = folders.FILLING
    moment: ClassVar[type]
    name: str
    sketch: Sketch
    filling: Filling
    holes: tuple[Decided, ...]
    fillings: float | None  # how many are as good, if all were looked through
    method: str  # that found it
    members: int  # of gradient descent
    members_right: int  # of them, as good as this filling
    notes: tuple[str, ...]
    seconds: float
    stop: str
    made: Mapping[str, Any]  # seed, budget, version, command, ...
    history: tuple[tuple[float, float], ...]  # seconds, and the wrong cells or score from then on
    evaluations: int | None = field(default=None, kw_only=True)  # done, where the budget was work

    @property
    def spent(self) -> str:
        """The time or the work that was spent, for people."""
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
        """Whether there certainly is no other filling as good."""
        return all(decided.is_determined and decided.is_certain for decided in self.holes)

    @abstractmethod
    def record(self, **common: Any) -> SavedFilling:
        """What result.json holds, of its kind."""

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
        return {f"filled{suffix}": self.text}

    def opening(self) -> str:
        """How many holes were filled, and by what, for people."""
        holes = len(self.holes)
        return f"{holes} hole{'s' * (holes != 1)} filled by {self.method}"

    def closing(self, judges: str) -> Iterator[str]:
        """What is in the holes, how many fillings are as good on these `judges`, and the text."""
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
        """What was found, for people."""

    def __str__(self) -> str:
        return "\n".join(self.rows())


@dataclass(frozen=True)
class Filled(Completed):
    """A filled sketch, and how good it is on cases."""

    moment: ClassVar[type] = WrongCells
    judged: Judged  # on the cases
    contradicting: tuple[int, ...]  # the numbers of the cases that it gets wrong
    fresh: Judged | None  # on cases that were not looked at

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
            yield f"right on {right} of {self.fresh.cases} cases that were not looked at"
        yield from self.closing("cases")
        yield f"{self.judged.steps:.2f} steps in the mean; {self.spent}, {self.stop}"


@dataclass(frozen=True)
class Scored(Completed):
    """A filled sketch, compared with the sketch whose holes have their first choices."""

    moment: ClassVar[type] = MeanScore
    objective: Objective
    standing: Standing  # on the inputs that were looked at
    inputs: int  # that were looked at
    comparison: Comparison  # the first choices are the generic program
    score: float  # mean on the inputs of the comparison, where it is valid; NaN if nowhere
    are_fresh: bool
    tried: int  # fillings

    @property
    def is_valid(self) -> bool:
        """Whether it stops, and the constraint holds, on all inputs that were looked at."""
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
                "fresh instances" if self.are_fresh else "instances, which the search saw as well"
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
    """The filling of an earlier result, or of its folder, if it is one of the same sketch."""
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
