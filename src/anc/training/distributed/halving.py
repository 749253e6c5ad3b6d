"""Successive halving: settings that look bad early are not trained to the end.

All settings are trained for an eighth of their iterations. The best half of them continues to a quarter, a third of
those to a half, and half of those to the end: 0.27 of the work of training all. (The first cut is mild because settings
with a small rate may be the best and have nothing to show yet.) These *rungs* do not change a training: whatever
depends on the number of iterations (a falling rate, a ramp) uses the full number, and a member that stops and resumes
is the same bit for bit.

Which settings are best? Early on few members succeed, so the number of successes does not distinguish settings. Nor
does the loss, which is lowest for a program that is right and still slow. The *promise* of members does (see
`promise_of`). Both are measured on the cases that checkpoints are chosen with; only trainings that reach the
end look at the test cases.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from fractions import Fraction
from itertools import accumulate
from typing import NamedTuple

from anc.training.distributed.chunk import Chunk
from anc.training.result import TrainingOutcome
from anc.training.settings import TrainingSettings

# shares of the iterations, at the ends of rungs
SHARES = (Fraction(1, 8), Fraction(1, 4), Fraction(1, 2), Fraction(1))
# shares of the settings, from each rung to the next
KEPT = (Fraction(1, 2), Fraction(1, 3), Fraction(1, 2))


class SettingScore(NamedTuple):
    """The score of a setting before the end; larger is better."""

    successes: int
    promise: float

    @staticmethod
    def of(outcomes: Sequence[TrainingOutcome]) -> SettingScore:
        """The score of a setting from the outcomes of its parts.

        Parts trained to the end have no promise, only successes.
        """
        successes = sum(int(outcome.succeeded.sum()) for outcome in outcomes)
        on_their_way = (
            outcome.checkpoint for outcome in outcomes if outcome.checkpoint is not None
        )
        promise = sum(float(checkpoint.arrays["best_promise"].sum()) for checkpoint in on_their_way)
        return SettingScore(successes, promise)


class Rung(NamedTuple):
    """A finished rung: its settings and the scores of those trained to its end.

    A setting without a score was interrupted.
    """

    number: int
    settings: list[int]
    scores: dict[int, SettingScore]


def until(settings: TrainingSettings, rung: int) -> int:
    """The iteration at which a rung ends: the last validation within its share, or the first one."""
    whole, every = settings.iterations, settings.validate_every
    if SHARES[rung] == 1:
        return whole
    return min(whole, max(every, int(whole * SHARES[rung]) // every * every))


def sizes(count: int) -> list[int]:
    """The number of settings on each rung, of `count` in all."""
    return list(accumulate(KEPT, lambda some, share: math.ceil(some * share), initial=count))


def survivors(scores: Mapping[int, SettingScore], share: Fraction) -> list[int]:
    """The settings that continue, in order; of equals, the first ones."""
    best = sorted(scores, key=lambda number: (*(-x for x in scores[number]), number))
    return sorted(best[: math.ceil(len(scores) * share)])


def climb(
    count: int, train: Callable[[int, list[int]], Mapping[int, SettingScore]]
) -> Iterator[Rung]:
    """Train `count` settings rung by rung. `train` trains settings to the end of a rung and scores them."""
    settings = list(range(count))
    for number in range(len(SHARES)):
        rung = Rung(number, settings, dict(train(number, settings)))
        yield rung
        if len(rung.scores) < len(settings) or number == len(KEPT):
            return
        settings = survivors(rung.scores, KEPT[number])


@dataclass
class Halving:
    """Settings that are trained rung by rung, and their state."""

    parts: Sequence[Sequence[Chunk]]  # of each setting, to the end
    train: Callable[[list[Chunk]], Iterable[tuple[Chunk, TrainingOutcome]]]
    rungs: dict[int, int] = field(default_factory=dict)  # the last rung of each setting
    outcomes: dict[int, list[TrainingOutcome]] = field(
        default_factory=dict
    )  # the latest outcomes of its parts

    def climb(self) -> Iterator[Rung]:
        """Train until one in twelve settings has reached the end, or until a stop is requested."""
        return climb(len(self.parts), self._train)

    def _train(self, rung: int, numbers: list[int]) -> dict[int, SettingScore]:
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
        return {number: SettingScore.of(self.outcomes[number]) for number in there}

    def _stands(self, number: int) -> int:
        """The iteration to which a setting has been trained."""
        return min((outcome.iteration for outcome in self.outcomes.get(number, ())), default=0)

    def _chunks(self, number: int, end: int) -> list[Chunk]:
        """The parts of a setting up to an iteration, from their checkpoints."""
        parts = self.parts[number]
        known = self.outcomes.get(number)
        begins = [None] * len(parts) if known is None else [outcome.checkpoint for outcome in known]
        return [replace(part, until=end, begin=b) for part, b in zip(parts, begins, strict=True)]
