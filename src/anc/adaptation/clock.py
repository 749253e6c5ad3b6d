"""A time budget that several methods share."""

from __future__ import annotations

import time
from collections.abc import Callable
from dataclasses import dataclass, field


@dataclass
class Clock:
    """How much of the budget is gone; it is also over when somebody asks to stop."""

    budget: float
    asked_to_stop: Callable[[], bool] = lambda: False
    begin: float = field(default_factory=time.perf_counter)

    @property
    def seconds(self) -> float:
        return time.perf_counter() - self.begin

    @property
    def left(self) -> float:
        return 0.0 if self.asked_to_stop() else max(0.0, self.budget - self.seconds)

    def until(self, share: float) -> float:
        """Seconds left until this share of the budget is gone."""
        return 0.0 if self.asked_to_stop() else max(0.0, share * self.budget - self.seconds)
