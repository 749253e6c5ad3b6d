"""Successive halving: settings that look bad early are not trained to the end.

All settings are trained for an eighth of their iterations. The half of them that looks best goes on to a
quarter, a third of those to a half, and a half of those to the end: 0.27 of the work of training all of them.
(The first cut is a mild one: settings with a small rate may be the best, and have nothing to show yet.) These
*rungs* change nothing about a training itself: whatever depends on the number of iterations (a rate that
falls, a ramp) depends on all of them, and a member that stops and goes on is the same to the last bit.

What looks best? Early on few members succeed, so successes alone do not tell settings apart. Neither does the
loss: it is lowest where a program is right and stays as slow as it was. What does is the *promise* of
members (see `promise_of` of training). Both are of the cases that checkpoints are chosen with; test cases
are looked at only by those that reach the end.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from fractions import Fraction
from itertools import accumulate
from typing import NamedTuple

from anc.training.distributed.chunk import Chunk
from anc.training.result import Outcome
from anc.training.settings import TrainingSettings

SHARES = (
    Fraction(1, 8),
    Fraction(1, 4),
    Fraction(1, 2),
    Fraction(1),
)  # of the iterations, at rungs' ends
KEPT = (Fraction(1, 2), Fraction(1, 3), Fraction(1, 2))  # of the settings, from a rung to the next


class Score(NamedTuple):
    """How good a setting looks on its way; more is better."""

    successes: int
    promise: float

    @staticmethod
    def of(outcomes: Sequence[Outcome]) -> Score:
        """The score of a setting whose parts came to these outcomes.

        What was trained to the end has no promise any more, only successes.
        """
        successes = sum(int(outcome.succeeded.sum()) for outcome in outcomes)
        on_their_way = (outcome.moment for outcome in outcomes if outcome.moment is not None)
        promise = sum(float(moment.arrays["best_promise"].sum()) for moment in on_their_way)
        return Score(successes, promise)


class Rung(NamedTuple):
    """A rung that was climbed: the settings that were trained to its end, and how good they look.

    A setting without a score was not trained that far: somebody asked to stop.
    """

    number: int
    settings: list[int]
    scores: dict[int, Score]


def until(settings: TrainingSettings, rung: int) -> int:
    """The iteration where a rung ends: the last validation within its share, but at least the first."""
    whole, every = settings.iterations, settings.validate_every
    if SHARES[rung] == 1:
        return whole
    return min(whole, max(every, int(whole * SHARES[rung]) // every * every))


def sizes(count: int) -> list[int]:
    """How many of so many settings are trained on each rung."""
    return list(accumulate(KEPT, lambda some, share: math.ceil(some * share), initial=count))


def survivors(scores: Mapping[int, Score], share: Fraction) -> list[int]:
    """The settings that go on, in their order; of equals, the first ones."""
    best = sorted(scores, key=lambda number: (*(-x for x in scores[number]), number))
    return sorted(best[: math.ceil(len(scores) * share)])


def climb(count: int, train: Callable[[int, list[int]], Mapping[int, Score]]) -> Iterator[Rung]:
    """Train so many settings rung by rung; `train` trains some to the end of a rung and scores them."""
    settings = list(range(count))
    for number in range(len(SHARES)):
        rung = Rung(number, settings, dict(train(number, settings)))
        yield rung
        if len(rung.scores) < len(settings) or number == len(KEPT):
            return
        settings = survivors(rung.scores, KEPT[number])


@dataclass
class Halving:
    """Settings that are trained rung by rung, and what is known of each."""

    parts: Sequence[Sequence[Chunk]]  # of each setting, trained to the end
    train: Callable[[list[Chunk]], Iterable[tuple[Chunk, Outcome]]]
    rungs: dict[int, int] = field(default_factory=dict)  # the last one that each was chosen for
    outcomes: dict[int, list[Outcome]] = field(default_factory=dict)  # the latest of its parts

    def climb(self) -> Iterator[Rung]:
        """Train until one in twelve settings has reached the end, or somebody asks to stop."""
        return climb(len(self.parts), self._train)

    def _train(self, rung: int, numbers: list[int]) -> dict[int, Score]:
        self.rungs |= dict.fromkeys(numbers, rung)
        ends = {number: until(self.parts[number][0].members.shared, rung) for number in numbers}
        wanted = {n: self._chunks(n, end) for n, end in ends.items() if self._stands(n) < end}
        every = [chunk for chunks in wanted.values() for chunk in chunks]
        came = {chunk.key: outcome for chunk, outcome in self.train(every)}
        for number, chunks in wanted.items():
            found = [came[chunk.key] for chunk in chunks if chunk.key in came]
            if len(found) == len(chunks):
                self.outcomes[number] = found
        there = [number for number, end in ends.items() if self._stands(number) == end]
        return {number: Score.of(self.outcomes[number]) for number in there}

    def _stands(self, number: int) -> int:
        """The iteration to which a setting was trained."""
        return min((outcome.iteration for outcome in self.outcomes.get(number, ())), default=0)

    def _chunks(self, number: int, end: int) -> list[Chunk]:
        """The parts of a setting up to an iteration, from where they stand."""
        parts = self.parts[number]
        known = self.outcomes.get(number)
        begins = [None] * len(parts) if known is None else [outcome.moment for outcome in known]
        return [replace(part, until=end, begin=b) for part, b in zip(parts, begins, strict=True)]
