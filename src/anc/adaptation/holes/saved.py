"""What result.json and --json hold of a filled sketch."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import astuple, dataclass, field
from typing import Annotated, Any, ClassVar

from anc.adaptation.objectives.comparing import Comparison
from anc.support.records import LARGE, Finite, stored

WHAT = "a result of anc fill"


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
