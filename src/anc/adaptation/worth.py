"""What a guarded function is worth in Python: nanoseconds of a call, before and after.

They are a machine's and a moment's, so they stand in fields named `nanoseconds`; all else is the same
whenever a command is run again.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

CLOSE = 0.05  # a difference of so little is none
BEFORE, AFTER = "original_nanoseconds", "guarded_nanoseconds"


@dataclass(frozen=True)
class Taken:
    """What a call takes on average, of what was there before and of the guarded function, in ns."""

    before: float
    after: float

    def __str__(self) -> str:
        return f"{ns(self.after)} instead of {self.before:,.0f}"

    def to_dict(self) -> dict[str, float]:
        return {BEFORE: round(self.before, 1), AFTER: round(self.after, 1)}


@dataclass(frozen=True)
class Worth:
    """Of the calls seen, that is of the test cases, how many the check accepts; and what calls take.

    Where it accepts all of them, `example` is the call that stands for the others.
    """

    calls: int
    accepts: int
    accepted: Taken | None  # None: there is no such call
    others: Taken | None
    example: str | None = None

    @property
    def share(self) -> float:
        """How many of the calls seen are accepted."""
        return self.accepts / self.calls

    @property
    def expected(self) -> Taken:
        """What a call takes if calls go on as they were."""
        parts = ((self.accepted, self.share), (self.others, 1 - self.share))
        known = [(taken, share) for taken, share in parts if taken is not None and share]
        return Taken(
            sum(taken.before * share for taken, share in known),
            sum(taken.after * share for taken, share in known),
        )

    @property
    def is_faster(self) -> bool:
        return self.expected.before > (1 + CLOSE) * self.expected.after

    @property
    def is_slower(self) -> bool:
        return self.expected.after > (1 + CLOSE) * self.expected.before

    @property
    def words(self) -> str:
        """Whether it pays."""
        before, after = self.expected.before, self.expected.after
        if self.is_faster:
            return f"{_times(before / after)} times faster in Python"
        if self.is_slower:
            return f"{_times(after / before)} times slower in Python"
        return "as fast in Python as before"

    @property
    def rows(self) -> list[str]:
        """What is accepted, and what calls take, in words."""
        seen = f"accepts {self.accepts:,} of {self.calls:,} calls seen ({self.share:.0%})"
        rows = [seen if self.accepted is None else f"{seen}: {self.accepted}"]
        if self.accepts < self.calls:
            return [*rows, f"the others: {self.others}"]
        if self.others is None:
            return [*rows, "the others: none was seen, and there is no example to measure"]
        return [*rows, f"the others: none was seen; {self.example} takes {self.others}"]

    def __str__(self) -> str:
        return f"{self.words}: {self.expected} a call, with the check"

    def to_dict(self) -> dict[str, Any]:
        """For result.json."""
        return {
            **self.expected.to_dict(),
            "calls": self.calls,
            "accepts": self.accepts,
            "accepted": self.accepted and self.accepted.to_dict(),
            "others": self.others and self.others.to_dict(),
            "others_example": self.example,
        }

    @staticmethod
    def from_dict(told: Mapping[str, Any]) -> Worth:
        """What a result.json tells."""
        accepted, others = (
            each and Taken(float(each[BEFORE]), float(each[AFTER]))
            for each in (told["accepted"], told["others"])
        )
        found = Worth(told["calls"], told["accepts"], accepted, others, told.get("others_example"))
        if not 0 < found.calls >= found.accepts:
            raise ValueError(f"{found.accepts} of {found.calls} calls")
        return found


def ns(number: float) -> str:
    return f"{number:,.0f} ns"


def _times(number: float) -> str:
    return f"{number:.3g}" if number < 100 else f"{number:,.0f}"
