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
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from dataclasses import dataclass, field
from math import ceil, floor, log10
from typing import Any

from anc.support import limits, resources

PER_SECOND = 100_000  # evaluations that stand for a second where work is counted
_LEAST = 1e-3  # with a smaller share done, nothing can be said of the time that is left
STARTING = 0.5  # seconds that a command may take to start before its budget runs


class _Still:
    """For how long clocks of seconds stood still, while machine code was made that is kept from then on."""

    def __init__(self) -> None:
        self.seconds, self.since, self.depth = 0.0, 0.0, 0

    def begin(self) -> None:
        self.depth += 1
        if self.depth == 1:
            self.since = time.monotonic()

    def end(self) -> None:
        self.depth -= 1
        if self.depth == 0:
            self.seconds += time.monotonic() - self.since


STILL = _Still()


def now() -> float:
    """Seconds of the world, without those that are spent once for an installation."""
    return (STILL.since if STILL.depth else time.monotonic()) - STILL.seconds


@dataclass
class Time:
    """What the clocks of one computation show: seconds, or the work that was done, as seconds."""

    counts_work: bool = False
    evaluations: float = 0.0  # done so far; they are counted in any case

    def now(self) -> float:
        return self.evaluations / PER_SECOND if self.counts_work else now()

    def did(self, evaluations: float) -> None:
        """So much work was done."""
        self.evaluations += evaluations


@dataclass
class Clock:
    """How much of a budget (in seconds) is gone.

    It is also over when somebody asks to stop, and while this process holds more memory than it may.
    """

    budget: float
    asked_to_stop: Callable[[], bool] = lambda: False
    time: Time = field(default_factory=Time)
    begin: float = field(init=False)

    def __post_init__(self) -> None:
        self.begin = self.time.now()

    @classmethod
    def of(
        cls,
        seconds: float,
        evaluations: int | None,
        asked_to_stop: Callable[[], bool],
        since: float | None = None,
    ) -> Clock:
        """A clock for a budget of seconds, or one that shows work if the budget is in evaluations.

        `since` is when somebody began to wait, by `now`. Work may begin a little later: there is room
        for that beside the budget, so that a short one is not over before anything has begun.
        """
        if evaluations is None:
            clock = cls(seconds, asked_to_stop)
            if since is not None:
                clock.begin = min(clock.begin, since + STARTING)
            return clock
        limits.EVALUATIONS.check(evaluations)
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
        if self.asked_to_stop() or resources.is_full():
            return 0.0
        return max(0.0, share * self.budget - self.seconds)

    @property
    def why_over(self) -> str:
        """What ended the work on this clock, as results say it."""
        if self.asked_to_stop():
            return "interrupted"
        if resources.is_full():
            return "out of memory"
        return "out of evaluations" if self.counts_work else "out of time"


class Cut(Exception):
    """Work was ended before its end; the text says why."""


_looking: ContextVar[Callable[[], None] | None] = ContextVar("looking", default=None)


@contextmanager
def looking(look: Callable[[], None]) -> Iterator[None]:
    """While this lasts, work that looks around calls this, which raises `Cut` to end it."""
    token = _looking.set(look)
    try:
        yield
    finally:
        _looking.reset(token)


def look() -> None:
    """Work that may take long, or much memory, looks around here, many times in a second."""
    asked = _looking.get()
    if asked is not None:
        asked()


ENDLESS = Clock(float("inf"))


class TimeLeft:
    """The time from now until all is done, if it goes on as it did since this was made."""

    def __init__(self, clock: Callable[[], float] = time.monotonic) -> None:
        self._clock, self._begin = clock, clock()

    def seconds(self, share: float) -> float | None:
        """Seconds, with such a share done; None: that cannot be said yet.

        Of a budget of seconds the share says exactly what is left of it.
        """
        if not share >= _LEAST:
            return None
        return (self._clock() - self._begin) * max(0.0, 1.0 - share) / share

    def words(self, share: float) -> str:
        """Such as ``7.2 s left``; nothing where that cannot be said."""
        seconds = self.seconds(share)
        return "" if seconds is None else f"{duration(seconds)} left"


def timed(
    tell: Callable[[str, Any], None], share: Callable[[], float]
) -> Callable[[str, Any], None]:
    """A `tell` that also says how much time is left, by the share that is done.

    >>> timed(lambda doing, best: print(doing, best), lambda: 1.0)("anneal", 3.0)
    anneal (0.0 s left) 3.0
    """
    left = TimeLeft()

    def told(doing: str, best: Any) -> None:
        words = left.words(share())
        tell(f"{doing} ({words})" if words else doing, best)

    return told


def duration(seconds: float) -> str:
    """Seconds for people.

    >>> duration(7.25), duration(125), duration(7300)
    ('7.2 s', '2 min 5 s', '2 h 1 min')
    """
    if seconds < 60:
        return f"{seconds:.1f} s"
    if seconds < 3600:
        return f"{int(seconds) // 60} min {int(seconds) % 60} s"
    return f"{int(seconds) // 3600} h {int(seconds) % 3600 // 60} min"
