"""What a guarded function is worth in Python: nanoseconds of a call, before and after.

They are a machine's and a moment's, so they stand in fields named `nanoseconds`; all else is the same
whenever a command is run again.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Annotated, Any

from anc.support.records import POSITIVE, plain, stored

CLOSE = 0.05  # a difference of so little is none
_Nanoseconds = Annotated[float, POSITIVE]


@dataclass(frozen=True)
class Taken:
    """What a call takes on average, of what was there before and of the guarded function, in ns."""

    before: _Nanoseconds = stored(key="original_nanoseconds")
    after: _Nanoseconds = stored(key="guarded_nanoseconds")

    def __str__(self) -> str:
        return f"{ns(self.after)} instead of {self.before:,.0f}"

    @property
    def rounded(self) -> Taken:
        return Taken(round(self.before, 1), round(self.after, 1))


@dataclass(frozen=True)
class Worth:
    """Of the calls seen, that is of the test cases, how many the check accepts; and what calls take.

    Where it accepts all of them, `example` is the call that stands for the others.
    """

    calls: int
    accepts: int
    accepted: Taken | None  # None: there is no such call
    others: Taken | None
    example: str | None = stored(key="others_example", default=None)

    def __post_init__(self) -> None:
        if not 0 < self.calls >= self.accepts:
            raise ValueError(f"{self.accepts} of {self.calls} calls")

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
        """For result.json: its fields, and before them what a call takes if calls go on as they were."""
        accepted, others = (each and plain(each.rounded) for each in (self.accepted, self.others))
        told = {"calls": self.calls, "accepts": self.accepts, "accepted": accepted}
        told |= {"others": others, "others_example": self.example}
        return plain(self.expected.rounded) | told


def ns(number: float) -> str:
    return f"{number:,.0f} ns"


def _times(number: float) -> str:
    return f"{number:.3g}" if number < 100 else f"{number:,.0f}"
