"""The results of filling a sketch: the choice in each hole, equally good ones, and the quality of the filling.

A sketch is filled from cases or for an objective. Both results print and save themselves, and can start another
search.
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import astuple, dataclass, field
from typing import Annotated, Any, ClassVar

from anc.adaptation.holes.sketch import Filling, Sketch
from anc.adaptation.objectives.result import PairedComparison
from anc.language import self_contained
from anc.program import Program
from anc.support import folders
from anc.support.diagnostics import AncError, counted
from anc.support.records import LARGE, Finite, added, stored, unsaved

WHAT = "a result of anc fill"
SHOWN = 10  # most alternatives that are printed
CASES_SHOWN = 5  # most contradicting cases that are printed


@dataclass(frozen=True, kw_only=True)
class Decided:
    """A hole with its choice, and the `alternatives` that are equally good on the cases.

    Those in `alone` need no change in other holes, which a result that was read does not know. `is_certain` means
    that every filling was considered; otherwise others may have been missed.
    """

    line: int
    column: int
    word: str = stored(key="filled")
    alternatives: tuple[str, ...]
    is_certain: bool = stored(key="certain")
    alone: tuple[str, ...] | None = unsaved()

    @property
    def is_determined(self) -> bool:
        return not self.alternatives

    def __str__(self) -> str:
        name = f"line {self.line}, column {self.column}: {self.word}"
        if self.is_determined:
            return f"{name} (determined{'' if self.is_certain else ', as far as was searched'})"
        alone, how = self.alone or (), ", alone or " if self.alone is None else ", "
        rest = [word for word in self.alternatives if word not in alone]
        both = (alone, ""), (rest, f"{how}with others")
        parts = [f"{_listed(words)} would do{how}" for words, how in both if words]
        return f"{name}, but {'; '.join(parts)}"


def _listed(words: Sequence[str]) -> str:
    """Some of the words, and the number of the rest."""
    left = len(words) - SHOWN
    return " or ".join([*words[:SHOWN], *([f"{left} more"] if left > 0 else [])])


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
class Completed(folders.Result):
    """A filled sketch, and how it was found; `history` is in wrong cells or in scores.

    `sketch` and `filling` are unknown to a result that was read.
    """

    kind: ClassVar[folders.ResultKind] = folders.FILLING
    measure: ClassVar[str]
    name: str = stored(key="problem")
    provenance: Mapping[str, Any] = field(default_factory=dict)  # seed, budget, command, ...
    is_determined: bool = stored(key="determined")  # certainly no other filling is as good
    holes: tuple[Decided, ...]
    size: Annotated[int, LARGE] = stored(key="fillings")
    fillings: Annotated[float, LARGE] | None = stored(key="fillings_as_good")  # if all were tried
    method: str  # which found it
    members: int  # of gradient descent
    members_right: int = stored(key="members_as_good")  # found an equally good filling
    notes: tuple[str, ...]
    history: tuple[Any, ...] = ()
    seconds: float = stored(digits=2)
    evaluations: int | None  # done, if the budget was in evaluations
    stop: str
    text: str = stored(key="program")  # the sketch's text with its holes filled
    sketch: Sketch = unsaved()
    filling: Filling = unsaved()

    @property
    def progress(self) -> list[tuple[float, float]]:
        """(seconds, wrong cells or score) of the best so far."""
        return [astuple(moment) for moment in self.history]

    @property
    def spent(self) -> str:
        """The time or the work that was spent, in words."""
        if self.evaluations is not None:
            return f"{self.evaluations:,} evaluations"
        return f"{self.seconds:.1f} s"

    @property
    def program(self) -> Program:
        return self.sketch.finished(self.filling)

    @property
    def file(self) -> str:
        """The file of the filled text."""
        return "filled.py" if "anc.function" in self.text else "filled.anc"

    def files(self) -> dict[str, str]:
        return self_contained({self.file: self.text}, self.sketch.program.instructions)

    def opening(self) -> str:
        """The number of filled holes, and the method, in words."""
        holes = len(self.holes)
        return f"{holes} hole{'s' * (holes != 1)} filled by {self.method}"

    def closing(self, judges: str) -> Iterator[str]:
        """The rows about the holes, the number of fillings that are equally good on these `judges`, and the text."""
        if self.holes:
            yield ""
        yield from map(str, self.holes)
        if self.fillings is not None:
            n, size = self.fillings, self.size
            verb = "is" if n == 1 else "are"
            yield f"{n:,.0f} of {size:,} fillings {verb} as good on these {judges}"
        if self.members:
            found = f"{self.members_right} of {self.members} members found one as good"
            yield f"gradient descent: {found}"
        yield from self.notes
        yield ""
        yield self.text.strip("\n")
        yield ""

    def rows(self) -> Iterator[str]:
        """The rows of the printed report."""
        raise NotImplementedError

    def __str__(self) -> str:
        return "\n".join(self.rows())


@dataclass(frozen=True)
class InputProof:
    """The comparison of a filling with its specification."""

    specification: str
    outcome: str  # proved, refuted or unknown
    how: str
    about: str  # the inputs, in words
    inputs: int | None  # compared, if all were enumerated
    size: int | None  # the number of inputs, also of those without an answer
    refuted: int  # fillings on the way, each by a counter-example

    @property
    def is_proved(self) -> bool:
        return self.outcome == "proved"

    def rows(self) -> Iterator[str]:
        if not self.is_proved:
            word = "wrong" if self.outcome == "refuted" else "not proved"
            yield f"{word}: {self.how} (compared with {self.specification})"
            return
        if self.inputs is None:
            on, how = self.about, self.how
        elif self.inputs == self.size:
            on, how = f"all {self.inputs:,} inputs ({self.about})", "every one was run"
        else:
            on = f"all {self.inputs:,} inputs with an answer, of {self.size:,} ({self.about})"
            how = "every one was run"
        yield f"proved for all inputs: equal to {self.specification} on {on}; {how}"
        if self.refuted:
            many = "filling was" if self.refuted == 1 else "fillings were"
            yield f"{self.refuted} {many} refuted by counter-examples on the way"


@dataclass(frozen=True, kw_only=True)
class ShortestLines:
    """The result of an exhaustive search for the fewest unknown lines, and its model."""

    lines: int | None  # that are needed; None if no program was found
    most: int
    is_wanted: bool = stored(key="wanted")  # no other answer is good
    excluded: int  # lines up to which no program is right
    visited: tuple[int, ...]  # programs, by their number of lines
    samples: int
    instructions: tuple[str, ...]
    operands: tuple[str, ...]

    @property
    def is_proved(self) -> bool:
        return self.lines is not None and self.excluded >= self.lines - 1

    def rows(self) -> Iterator[str]:
        if self.is_proved and self.lines:
            yield f"proved shortest: no program of fewer than {counted(self.lines, 'line')} is right"
        elif self.excluded >= 0 and not self.is_proved:
            yield f"no program of up to {counted(self.excluded, 'line')} is right"
        if not self.is_wanted:
            return
        counts = enumerate(self.visited[1:], start=1)
        shown = ", ".join(f"{count:,} of {lines}" for lines, count in counts)
        yield f"  programs visited, whole and begun, by lines: {shown or 'none'}; on {self.samples} samples"
        yield f"  model: a line is one of {', '.join(self.instructions)},"
        yield f"  with operands among {', '.join(self.operands)} and the results of lines before it"


@dataclass(frozen=True, kw_only=True)
class Filled(Completed):
    """The result of filling a sketch from cases or from a specification."""

    measure: ClassVar[str] = "wrong cells"
    history: tuple[WrongCells, ...] = ()
    is_right: bool = stored(key="right")  # on all cases
    cases: int
    wrong_cases: int
    wrong_cells: int
    cells: int
    contradicting: tuple[int, ...] = stored(key="contradicting_cases")  # their numbers
    steps: float = stored(digits=4)
    fresh_cases: int
    fresh_right: int
    proof: InputProof | None = added()
    shortest: ShortestLines | None = added()  # of unknown lines

    @property
    def is_good(self) -> bool:
        """Whether it is right on all cases, proved if there is a specification, and shortest if it must be."""
        is_short = self.shortest is None or not self.shortest.is_wanted or self.shortest.is_proved
        return self.is_right and is_short and (self.proof is None or self.proof.is_proved)

    @property
    def is_found(self) -> bool:
        """Whether there is a filling at all."""
        return self.shortest is None or self.shortest.lines is not None

    @property
    def program(self) -> Program:
        if not self.is_found:
            raise AncError("no program was found that is right on all cases")
        return super().program

    def files(self) -> dict[str, str]:
        return super().files() if self.is_found else {}

    def opening(self) -> str:
        if self.shortest is None:
            return super().opening()
        lines, most = self.shortest.lines, self.shortest.most
        used = f"{lines} of {most} unknown lines are" if most > 1 else "the unknown line is"
        return f"{used} enough, by {self.method}"

    @property
    def claims(self) -> tuple[str, ...]:
        """What is proved about it, line by line."""
        parts = (self.proof, self.shortest)
        return tuple(row for part in parts if part is not None for row in part.rows())

    def closing(self, judges: str) -> Iterator[str]:
        yield from self.claims
        yield from super().closing(judges)

    def rows(self) -> Iterator[str]:
        found = self.opening()
        if self.shortest is not None and not self.is_found:
            yield f"{self.name}: no program was found that is right on all {self.cases} cases"
            yield from self.shortest.rows()
            yield f"{self.spent}, {self.stop}"
            return
        if self.is_right:
            every = "the one case" if self.cases == 1 else f"all {self.cases} cases"
            yield f"{self.name}: {found}, right on {every}"
        else:
            yield (
                f"{self.name}: no filling was found that is right on all cases; this is the best"
                f" ({found})"
            )
            numbers = ", ".join(map(str, self.contradicting[:CASES_SHOWN]))
            more = ", ..." if len(self.contradicting) > CASES_SHOWN else ""
            yield (
                f"{self.wrong_cells} of {self.cells} cells are wrong, in {self.wrong_cases} of"
                f" {self.cases} cases (number {numbers}{more})"
            )
        if self.fresh_cases:
            yield f"right on {self.fresh_right} of {self.fresh_cases} held-out cases"
        yield from self.closing("cases")
        yield f"{self.steps:.2f} steps in the mean; {self.spent}, {self.stop}"


@dataclass(frozen=True, kw_only=True)
class Scored(Completed):
    """The result of filling a sketch for an objective, compared with the first choices of all holes."""

    measure: ClassVar[str] = "score"
    history: tuple[MeanScore, ...] = ()
    objective: str
    is_valid: bool = stored(key="valid")  # on all inputs of the search
    improved: bool  # certainly better than the first choices
    inputs: int  # of the search
    violations: int  # on them
    are_fresh: bool = stored(key="fresh")
    score: Finite  # mean over the valid inputs of the comparison; NaN if there are none
    comparison: PairedComparison  # the first choices are the generic program
    claim: str
    tried: int  # number of fillings

    @property
    def has_constraint(self) -> bool:
        """Whether the objective has one, as the claim says."""
        return "constraint" in self.claim

    def rows(self) -> Iterator[str]:
        yield f"{self.name}: {self.objective}: {self.opening()}"
        if not self.is_valid:
            yield (
                f"no filling was found that is valid on all inputs; this one is not on"
                f" {self.violations} of {self.inputs}"
            )
        comparison = self.comparison
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
            yield from comparison.rows(
                self.are_fresh, self.has_constraint, "with the first choices"
            )
            if comparison.violations_generic:
                yield f"mean score {self.score:.3f} on all instances where it is valid"
        yield self.claim
        yield from self.closing("inputs")
        yield f"{self.tried:,} fillings tried, {self.seconds:.1f} s, {self.stop}"


def read_earlier(start: Any, sketch: Sketch) -> Filling:
    """Read the filling of an earlier result for the same sketch, or of its folder."""
    told, name = folders.earlier_result(start, Completed, "anc fill", WHAT)
    try:
        pairs = zip(sketch.holes, told.holes, strict=True)
        filling = tuple(hole.words.index(each.word) for hole, each in pairs)
    except ValueError:
        filling = None
    if filling is None or sketch.text(filling) != told.text:
        raise AncError(
            f"{name} is about another sketch", help="start from a result for the same one"
        )
    return filling
