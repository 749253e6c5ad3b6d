"""The best fillings known so far, whoever found them."""

from __future__ import annotations

from anc.holes.machine import Ground, Judged
from anc.holes.sketch import Filling


class Answers:
    """Fillings with as few wrong cells as any known one, each with the method that found it."""

    def __init__(self, ground: Ground) -> None:
        self.ground = ground
        self.good: dict[Filling, tuple[Judged, str]] = {}

    def offer(self, filling: Filling | None, method: str) -> None:
        """Keep a filling that is as good as the best ones, and forget those that are worse."""
        if filling is None or filling in self.good:
            return
        judged = self.ground.judged(filling)
        if self.good and judged.wrong_cells > self.wrong:
            return
        if self.good and judged.wrong_cells < self.wrong:
            self.good.clear()
        self.good[filling] = judged, method

    @property
    def best(self) -> Filling:
        """The fewest steps among the best, then the choices that were named first."""
        return min(self.good, key=lambda filling: (self.good[filling][0].rank, filling))

    @property
    def wrong(self) -> int:
        """The wrong cells of the best."""
        return next(judged.wrong_cells for judged, _ in self.good.values())
