"""A deadline that long computations look at."""

from __future__ import annotations

import time


class Clock:
    """Counts seconds from its making towards a limit."""

    def __init__(self, limit: float) -> None:
        self.start = time.monotonic()
        self.limit = limit

    @property
    def seconds(self) -> float:
        return time.monotonic() - self.start

    @property
    def left(self) -> float:
        return self.limit - self.seconds

    @property
    def over(self) -> bool:
        return self.left <= 0
