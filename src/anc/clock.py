"""Budgets that long computations look at: seconds that pass, or work that is done.

Everything that has to end in time looks at a `Clock`. Behind all clocks of one computation is one `Time`,
which shows the seconds of the world, or the work done so far. What works says how much it did, in
evaluations: one is about ten microseconds of a usual core, in which a candidate program of a hundred
steps is tried on the samples. So the same shares and limits hold for a budget of seconds and for one of
work, and with one of work nothing depends on the machine, on how many cores it has or on what else it
does.
"""

from __future__ import annotations

import time
from collections.abc import Callable
from dataclasses import dataclass, field
from math import ceil, floor, log10

from anc import limits

PER_SECOND = 100_000  # evaluations that stand for a second where work is counted


@dataclass
class Time:
    """What the clocks of one computation show: seconds, or the work that was done, as seconds."""

    counts_work: bool = False
    evaluations: float = 0.0  # done so far; they are counted in any case

    def now(self) -> float:
        return self.evaluations / PER_SECOND if self.counts_work else time.monotonic()

    def did(self, evaluations: float) -> None:
        """So much work was done."""
        self.evaluations += evaluations


@dataclass
class Clock:
    """How much of a budget (in seconds) is gone; it is also over when somebody asks to stop."""

    budget: float
    asked_to_stop: Callable[[], bool] = lambda: False
    time: Time = field(default_factory=Time)
    begin: float = field(init=False)

    def __post_init__(self) -> None:
        self.begin = self.time.now()

    @classmethod
    def of(
        cls, seconds: float, evaluations: int | None, asked_to_stop: Callable[[], bool]
    ) -> Clock:
        """A clock for a budget of seconds, or one that shows work if the budget is in evaluations."""
        if evaluations is None:
            return cls(seconds, asked_to_stop)
        check_evaluations(evaluations)
        return cls(evaluations / PER_SECOND, asked_to_stop, Time(counts_work=True))

    def part(self, seconds: float) -> Clock:
        """A clock for a part of the work, which begins now."""
        return Clock(seconds, self.asked_to_stop, self.time)

    @property
    def counts_work(self) -> bool:
        return self.time.counts_work

    def did(self, evaluations: float) -> None:
        """So much work was done."""
        self.time.did(evaluations)

    @property
    def seconds(self) -> float:
        return self.time.now() - self.begin

    @property
    def left(self) -> float:
        return self.until(1.0)

    @property
    def over(self) -> bool:
        return self.left <= 0

    @property
    def evaluations(self) -> int | None:
        """The work done on this clock, where that is what it shows."""
        return round(self.seconds * PER_SECOND) if self.counts_work else None

    @property
    def worth(self) -> int:
        """The evaluations that the budget is worth at the pace so far or at the usual one, if that is more.

        In round numbers: it is what people are told to give instead of seconds.
        """
        pace = max(PER_SECOND, self.time.evaluations / max(self.seconds, 1e-3))
        exact = min(limits.EVALUATIONS.most, max(1.0, pace * self.budget))
        unit = 10 ** max(0, floor(log10(exact)) - 1)
        return ceil(exact / unit) * unit

    def until(self, share: float) -> float:
        """Seconds left until this share of the budget is gone."""
        return 0.0 if self.asked_to_stop() else max(0.0, share * self.budget - self.seconds)


def check_evaluations(number: int) -> None:
    """Refuse what is no number of evaluations."""
    limits.EVALUATIONS.check(number)


ENDLESS = Clock(float("inf"))
