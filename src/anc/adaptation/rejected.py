"""Candidates that became no answer: why, and on which tape they fail, if one is known."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable
from dataclasses import dataclass
from enum import Enum

from anc.adaptation.evidence import Evidence
from anc.search import Found


class Why(Enum):
    """Why a program that is right on all samples became no answer."""

    WRONG = "wrong on other cases"
    REFUTED = "refuted"
    UNPROVED = "not proved"
    SLOWER = "no better than the generic program"


@dataclass(frozen=True)
class Dropped:
    """A program that was right on all samples, and why it became no answer."""

    found: Found
    why: Why
    reason: str
    counterexample: tuple[int, ...] | None = None
    seed: int | None = None  # of the search that found it, where there were several

    @staticmethod
    def unproved(found: Found, evidence: Evidence) -> Dropped:
        """One that has no proof, while another without one is at least as good."""
        verdict = evidence.verdict
        why = Why.REFUTED if verdict.refuted else Why.UNPROVED
        return Dropped(found, why, verdict.reason, verdict.counterexample)


def summary(dropped: Iterable[Dropped]) -> str:
    """How many there are of each kind, in words."""
    counts = Counter(each.why for each in dropped)
    n = sum(counts.values())
    kinds = ", ".join(f"{counts[why]} {why.value}" for why in Why if counts[why])
    return f"{n} candidate{'s' * (n != 1)} dropped: {kinds}" if n else ""
