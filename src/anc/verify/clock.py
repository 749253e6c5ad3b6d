"""A time budget that long computations look at."""

from __future__ import annotations

import time
from collections.abc import Callable
from dataclasses import dataclass, field


@dataclass
class Clock:
    """How much of a budget of seconds is gone; it is also over when somebody asks to stop."""

    budget: float
    asked_to_stop: Callable[[], bool] = lambda: False
    begin: float = field(default_factory=lambda: time.monotonic())

    @property
    def seconds(self) -> float:
        return time.monotonic() - self.begin

    @property
    def left(self) -> float:
        return self.until(1.0)

    @property
    def over(self) -> bool:
        return self.left <= 0

    def until(self, share: float) -> float:
        """Seconds left until this share of the budget is gone."""
        return 0.0 if self.asked_to_stop() else max(0.0, share * self.budget - self.seconds)


ENDLESS = Clock(float("inf"))
