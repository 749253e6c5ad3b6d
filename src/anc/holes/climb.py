"""Climbing over fillings: the best choice of one hole after the other, until none is better.

Where not all fillings can be looked at, climbs begin again and again: at random, and at the best
filling with some of its holes changed.
"""

from __future__ import annotations

from collections.abc import Callable
from itertools import product

import numpy as np

from anc.holes.answers import Answers
from anc.holes.scoring import Scoring, Standing
from anc.holes.sketch import Filling

PATIENCE = 30  # climbs in a row that find nothing better, then it is over
SHAKEN = 0.3  # the share of the best filling's holes that a climb begins with other choices of


class Climber:
    """Tries fillings one by one and offers each of them, as long as it may go on."""

    def __init__(
        self,
        scoring: Scoring,
        answers: Answers[Standing],
        seed: int,
        may_go_on: Callable[[], bool],
    ) -> None:
        self.scoring, self.answers, self.may_go_on = scoring, answers, may_go_on
        self.random = np.random.default_rng([seed, 23])
        self.sizes = [len(hole.choices) for hole in scoring.sketch.holes]

    def climb(self, start: Filling, method: str = "search") -> None:
        """From a filling to one that no other choice of a single hole improves."""
        here = start
        self.answers.offer(here, method)
        is_better = True
        while is_better:
            is_better = False
            for hole in self.random.permutation(len(self.sizes)).tolist():
                for index in range(self.sizes[hole]):
                    if not self.may_go_on():
                        return
                    there = (*here[:hole], index, *here[hole + 1 :])
                    self.answers.offer(there, method)
                    judged = self.scoring.judged
                    if judged(there).rank < judged(here).rank:
                        here, is_better = there, True

    def climb_again(self) -> None:
        """Climbs from everywhere, until so many in a row have found nothing better."""
        waited, number = 0, 0
        while waited < PATIENCE and self.may_go_on():
            before = self.answers.grade
            self.climb(self.anywhere() if number % 2 else self.nearby())
            waited = 0 if self.answers.grade < before else waited + 1
            number += 1

    def anywhere(self) -> Filling:
        return tuple(int(self.random.integers(size)) for size in self.sizes)

    def nearby(self) -> Filling:
        """The best filling with some of its holes changed, one at least."""
        best, other = self.answers.best, self.anywhere()
        changed = self.random.random(len(best)) < SHAKEN
        changed[self.random.integers(len(best))] = True
        return tuple(
            new if is_new else old for old, new, is_new in zip(best, other, changed, strict=True)
        )

    def look_through(self) -> bool:
        """Every filling; whether there was time for all of them."""
        for filling in product(*map(range, self.sizes)):
            if not self.may_go_on():
                return False
            self.answers.offer(filling, "search")
        return True
