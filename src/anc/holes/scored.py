"""What filling a sketch for an objective ends with: the filling, and scores on fresh inputs."""

from __future__ import annotations

import math
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any, ClassVar

from anc.holes.completed import Completed
from anc.objectives.comparing import Comparison
from anc.objectives.objective import Objective, Standing


@dataclass(frozen=True)
class Scored(Completed):
    """A filled sketch, compared with the sketch whose holes have their first choices."""

    measure: ClassVar[str] = "score"
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

    def to_dict(self) -> dict[str, Any]:
        return super().to_dict() | {
            "objective": str(self.objective),
            "valid": self.is_valid,
            "improved": self.improved,
            "inputs": self.inputs,
            "violations": self.standing.violations,
            "fresh": self.are_fresh,
            "score": None if math.isnan(self.score) else self.score,
            "comparison": self.comparison.to_dict(),
            "claim": self.comparison.claim(self.are_fresh, self.objective.constraint is not None),
            "tried": self.tried,
        }

    def __str__(self) -> str:
        return "\n".join(_report(self))


def _report(result: Scored) -> Iterator[str]:
    yield f"{result.name}: {result.objective}: {result.opening()}"
    if not result.is_valid:
        yield (
            f"no filling was found that is valid on all inputs; this one is not on"
            f" {result.standing.violations} of {result.inputs}"
        )
    comparison, bound = result.comparison, result.objective.constraint is not None
    if math.isnan(comparison.generic):
        kind = "fresh instances" if result.are_fresh else "instances, which the search saw as well"
        yield (
            f"on {comparison.instances} {kind}: mean score {result.score:.3f}, valid on"
            f" {comparison.instances - comparison.violations_adapted}; with the first choices, on"
            f" {comparison.instances - comparison.violations_generic}"
        )
    else:
        yield from comparison.rows(result.are_fresh, bound, "with the first choices")
        if comparison.violations_generic:
            yield f"mean score {result.score:.3f} on all instances where it is valid"
    yield comparison.claim(result.are_fresh, bound)
    yield from result.closing("inputs")
    yield f"{result.tried:,} fillings tried, {result.seconds:.1f} s, {result.stop}"
