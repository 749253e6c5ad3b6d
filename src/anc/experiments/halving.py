"""Successive halving: settings that look bad early are not trained to the end.

All settings are trained for a sixth of their iterations. The third of them that looks best goes on to a
third of the iterations, and the best third of those to the end: 0.3 of the work of training all of them.
These *rungs* change nothing about a training itself: whatever depends on the number of iterations (a rate
that falls, a ramp) depends on all of them, and a member that stops and goes on is the same to the last bit.

What looks best? Early on hardly any member succeeds, so successes alone do not tell settings apart. The
loss does not either: it is lowest where a program is right and stays as slow as it was. What does is how much of a
way a member has found, its *promise*: the share of cases that a checkpoint gets right times the share
of steps that it saves, at its best moment. Both are of the cases that checkpoints are chosen with; the test cases
are looked at only by those that reach the end.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from fractions import Fraction
from typing import NamedTuple

import numpy as np

from anc.learning.settings import TrainingSettings
from anc.spread.chunk import Chunk
from anc.spread.outcome import Outcome

SHARES = (Fraction(1, 6), Fraction(1, 3), Fraction(1))  # of the iterations, where rungs end
KEPT = Fraction(1, 3)  # of the settings, from a rung to the next


class Score(NamedTuple):
    """How good a setting looks on its way; more is better."""

    successes: int
    promise: float

    @staticmethod
    def of(outcomes: Sequence[Outcome]) -> Score:
        """The score of a setting whose members came to these outcomes."""
        successes = sum(int(outcome.succeeded.sum()) for outcome in outcomes)
        promise = np.concatenate([outcome.promise for outcome in outcomes])
        return Score(successes, float(promise.mean()))


def until(settings: TrainingSettings, rung: int) -> int:
    """The iteration where a rung ends: the last validation within its share, but at least the first."""
    whole, every = settings.iterations, settings.validate_every
    if SHARES[rung] == 1:
        return whole
    return min(whole, max(every, int(whole * SHARES[rung]) // every * every))


def survivors(scores: Mapping[int, Score]) -> list[int]:
    """The settings that go on, in their order; of equals, the first ones."""
    count = -int(-len(scores) * KEPT // 1)
    best = sorted(scores, key=lambda number: (*(-x for x in scores[number]), number))
    return sorted(best[:count])


def iterations_of(plans: Sequence[TrainingSettings]) -> int:
    """About how many iterations halving trains one member of each of the settings for, in all."""
    alive, total = len(plans), 0.0
    ...
    return int(total)
