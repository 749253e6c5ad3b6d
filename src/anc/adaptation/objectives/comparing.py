"""Two programs on the same instances: which is better, by how much, and how sure that is."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import TYPE_CHECKING

from anc.support.records import Finite

if TYPE_CHECKING:
    from anc.adaptation.objectives.objective import Judged, Objective


@dataclass(frozen=True)
class Comparison:
    """The adapted program against the generic one, on instances where both are valid."""

    instances: int
    generic: Finite  # mean scores
    adapted: Finite
    difference: Finite  # mean of adapted - generic, pair by pair
    low: Finite  # the 95 % interval of the mean difference, by Student's t
    high: Finite
    better: float  # shares of the instances
    equal: float
    worse: float
    violations_generic: int  # runs that do not stop or violate the constraint
    violations_adapted: int
    steps_generic: float
    steps_adapted: float

    @staticmethod
    def of(objective: Objective, generic: Judged, adapted: Judged) -> Comparison:
        from scipy.special import stdtrit  # takes a while

        both = generic.valid & adapted.valid
        n = int(both.sum())
        change = (adapted.scores - generic.scores)[both]
        mean = float(change.mean()) if n else math.nan
        half = math.inf
        if n > 3:
            from scipy.special import stdtrit

            half = float(stdtrit(n - 1, 0.975) * change.std(ddof=1)) / math.sqrt(n)
        gain = -objective.sign * change
        better, equal, worse = (
            float(test.mean()) if n else 0.0 for test in (gain > 0, gain == 0, gain < 0)
        )
        before, after = (
            float(each.scores[both].mean()) if n else math.nan for each in (generic, adapted)
        )
        return Comparison(
            len(both), before, after, mean, mean - half, mean + half, better, equal, worse,
            int((~generic.valid).sum()), int((~adapted.valid).sum()),
            float(generic.steps.mean()), float(adapted.steps.mean()),
        )  # fmt: skip

    def rows(
        self, are_fresh: bool, has_constraint: bool, other: str = "of the generic program"
    ) -> list[str]:
        """The numbers in words; `other` says whose those of the generic program are."""
        kind = "fresh instances" if are_fresh else "instances, which the search saw as well"
        what = "do not stop or violate the constraint" if has_constraint else "do not stop"
        return [
            f"on {self.instances} {kind}: mean score {self.adapted:.3f} instead of {self.generic:.3f},"
            f" difference {self.difference:+.3f} (95 % interval {self.low:+.3f} to {self.high:+.3f})",
            f"better on {100 * self.better:.1f} %, equal on {100 * self.equal:.1f} %, worse on"
            f" {100 * self.worse:.1f} %;"
            f" {self.violations_adapted} {what} ({other}: {self.violations_generic})",
            f"steps: {self.steps_adapted:.2f} instead of {self.steps_generic:.2f}",
        ]

    def claim(self, are_fresh: bool, has_constraint: bool) -> str:
        """What is claimed of the adapted program, and what is not."""
        checked = f"checked on {self.instances} {'fresh ' if are_fresh else ''}instances"
        valid = "that it stops and that the constraint holds" if has_constraint else "that it stops"
        return f"not proved: {valid} was only {checked}"

    @property
    def improved(self) -> bool:
        """Whether the whole interval is on the better side, at no more violations."""
        return self.violations_adapted <= self.violations_generic and self.is_gain

    @property
    def is_gain(self) -> bool:
        return self.better > self.worse and not (self.low <= 0 <= self.high)
