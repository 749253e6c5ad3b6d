"""What result.json and --json hold of an adaptation to an objective."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any, ClassVar

from anc.adaptation.objectives.comparing import Comparison
from anc.support.records import Finite, stored

WHAT = "a result of anc adapt --objective"


@dataclass(frozen=True)
class Moment:
    """A new best while the work went on."""

    seconds: float
    tried: int  # proposals of the search and iterations of gradient descent so far
    score: float  # mean, on the instances of the search


@dataclass(frozen=True, kw_only=True)
class SavedImproved:
    """What result.json and --json hold of it; programs are listings."""

    name: str
    objective: str
    provenance: Mapping[str, Any] = field(default_factory=dict)
    improved: bool
    method: str
    fresh: bool
    comparison: Comparison
    claim: str
    program: str
    generic: str | None = None
    memory: int | None = None
    history: tuple[Moment, ...] = ()
    members: tuple[Finite, ...] = ()
    tried: int
    seconds: float = stored(digits=2)
    stop: str
    notes: tuple[str, ...] = ()
    measure: ClassVar[str] = "score"

    @property
    def progress(self) -> list[tuple[float, float]]:
        """(seconds, score) of the best so far."""
        return [(moment.seconds, moment.score) for moment in self.history]
