"""Budgets of long computations, in seconds or in work.

Everything that must end in time checks a `Clock`. All clocks of one computation share one `Time`, which
shows either wall-clock seconds or the work done so far. Code that works reports its work in
evaluations. One evaluation is about ten microseconds of a typical core: a candidate program of a
hundred steps is tried on the samples. The same shares and limits thus apply to both kinds of budget. A
budget of work gives the same result on every machine.
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

PER_SECOND = 100_000  # evaluations that count as one second
_LEAST = 1e-3  # below this share no estimate is possible
STARTING = 0.5  # seconds in which a command may start before its budget runs


class _Still:
    """How long the clocks of seconds have been paused, while machine code was compiled that is cached."""

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
    """Wall-clock seconds, less the time spent once per installation."""
    return (STILL.since if STILL.depth else time.monotonic()) - STILL.seconds


@dataclass
class Time:
    """The time that the clocks of one computation show: seconds, or work converted to seconds."""

    counts_work: bool = False
    evaluations: float = 0.0  # done so far; counted with both kinds of budget

    def now(self) -> float:
        return self.evaluations / PER_SECOND if self.counts_work else now()

    def did(self, evaluations: float) -> None:
        """Add work that was done."""
        self.evaluations += evaluations


@dataclass
class Clock:
    """A budget in seconds, and how much of it is used.

    It also ends when a stop is requested, and while this process holds more memory than it may.
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
        """A clock for a budget of seconds or of evaluations.

        `since` is when the caller began to wait, by `now`. A short start-up time is added to the
        budget, so that a short budget does not end before the work begins.
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
        """Add work that was done."""
        self.time.did(evaluations)

    def restart(self) -> None:
        """Begin now: what came before was preparation."""
        self.begin = self.time.now()

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
        """The work done on this clock; None if it shows seconds."""
        return round(self.seconds * PER_SECOND) if self.counts_work else None

    @property
    def worth(self) -> int:
        """The budget in evaluations, at the pace so far or at the usual one, whichever is larger.

        It is rounded: messages suggest this number in place of seconds.
        """
        pace = max(PER_SECOND, self.time.evaluations / max(self.seconds, 1e-3))
        exact = min(limits.EVALUATIONS.most, max(1.0, pace * self.budget))
        unit = 10 ** max(0, floor(log10(exact)) - 1)
        return ceil(exact / unit) * unit

    def until(self, share: float) -> float:
        """Seconds left until this share of the budget is used."""
        if self.asked_to_stop() or resources.is_full():
            return 0.0
        return max(0.0, share * self.budget - self.seconds)

    @property
    def why_over(self) -> str:
        """Why the work ended, as results say it."""
        if self.asked_to_stop():
            return "interrupted"
        if resources.is_full():
            return "out of memory"
        return "out of evaluations" if self.counts_work else "out of time"


class Cut(Exception):
    """Work was stopped early; the text says why."""


_looking: ContextVar[Callable[[], None] | None] = ContextVar("looking", default=None)


@contextmanager
def looking(look: Callable[[], None]) -> Iterator[None]:
    """Within this context, `look` calls this function, which raises `Cut` to stop the work."""
    token = _looking.set(look)
    try:
        yield
    finally:
        _looking.reset(token)


def look() -> None:
    """Long work calls this many times per second; it may raise `Cut`."""
    asked = _looking.get()
    if asked is not None:
        asked()


ENDLESS = Clock(float("inf"))


class TimeLeft:
    """Estimates the remaining time, assuming the pace since this object was made."""

    def __init__(self, clock: Callable[[], float] = time.monotonic) -> None:
        self._clock, self._begin = clock, clock()

    def seconds(self, share: float) -> float | None:
        """The remaining seconds once this share is done; None if no estimate is possible yet.

        For a budget of seconds the estimate is exact.
        """
        if not share >= _LEAST:
            return None
        return (self._clock() - self._begin) * max(0.0, 1.0 - share) / share

    def words(self, share: float) -> str:
        """The remaining time, such as ``7.2 s left``; empty if no estimate is possible."""
        seconds = self.seconds(share)
        return "" if seconds is None else f"{duration(seconds)} left"


def timed(
    tell: Callable[[str, Any], None], share: Callable[[], float]
) -> Callable[[str, Any], None]:
    """Wrap a `tell` so that it also says the remaining time, from the share that is done.

    >>> timed(lambda doing, best: print(doing, best), lambda: 1.0)("anneal", 3.0)
    anneal (0.0 s left) 3.0
    """
    left = TimeLeft()

    def told(doing: str, best: Any) -> None:
        words = left.words(share())
        tell(f"{doing} ({words})" if words else doing, best)

    return told


def duration(seconds: float) -> str:
    """A duration for people.

    >>> duration(7.25), duration(125), duration(7300)
    ('7.2 s', '2 min 5 s', '2 h 1 min')
    """
    if seconds < 60:
        return f"{seconds:.1f} s"
    if seconds < 3600:
        return f"{int(seconds) // 60} min {int(seconds) % 60} s"
    return f"{int(seconds) // 3600} h {int(seconds) % 3600 // 60} min"
