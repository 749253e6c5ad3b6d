"""How long work will still take, judged by the share of it that is done."""

from __future__ import annotations

import time
from collections.abc import Callable
from typing import Any

_LEAST = 1e-3  # with a smaller share done, nothing can be said


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
