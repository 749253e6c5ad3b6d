"""How well the samples support a fact: how often it would fail on inputs that nobody has seen.

A proof is sound whatever the facts are; luck decides only how many inputs satisfy them. Of facts that
do the same job, those are preferred that are unlikely to hold on all samples by accident, and small.
"""

from __future__ import annotations

from collections import Counter

import numpy as np

from anc.verify.facts import Fact, Member

_ROWS = 2_000  # of shuffled samples
_PER_TERM = 0.15  # weight of each term and constant beyond the first
_DOUBTED = 4.0  # weight of a fact that is expected to fail once in as many inputs as were seen


class Support:
    """What samples say about facts that hold on all of them."""

    def __init__(self, samples: np.ndarray, M: int, seed: int = 0) -> None:
        self.samples, self.M, self.n = samples, M, len(samples)
        random = np.random.default_rng(seed)
        rows = random.integers(self.n, size=(min(_ROWS, 4 * self.n), samples.shape[1]))
        # each cell from another sample: as if cells had nothing to do with each other
        self.shuffled = np.take_along_axis(samples, rows, axis=0)

    def weight(self, fact: Fact) -> float:
        """Small for a small fact that the samples support well."""
        doubt = min(1.0, self.n * self.chance_of_failing(fact))
        return 1.0 + _PER_TERM * (fact.size - 1) + _DOUBTED * doubt

    def chance_of_failing(self, fact: Fact) -> float:
        """An estimate of how many of the inputs to come will not satisfy the fact."""
        if isinstance(fact, Member) and len(fact.terms) > 1:
            spelt = np.stack([term.column(self.samples) for term in fact.terms], axis=1)
            return self._unseen(list(map(tuple, spelt.tolist())))
        if len(fact.cells) == 1 and not fact.pointers:
            return self._of_one_cell(fact, next(iter(fact.cells)))
        fails = 1.0 - float(fact.truths(self.shuffled).mean())
        by_accident = self.accident(fact)
        return fails * by_accident / (1.0 + by_accident)

    def accident(self, fact: Fact) -> float:
        """The chance that all samples satisfy a fact though its cells have nothing to do with each other."""
        return float(fact.truths(self.shuffled).mean()) ** self.n

    def _of_one_cell(self, fact: Fact, place: int) -> float:
        """New values are as likely as values seen once were (Good and Turing), new extremes rarer."""
        column = self.samples[:, place]
        seen = np.unique(column)
        low, high = int(seen[0]), int(seen[-1])
        values = np.arange(self.M)
        tapes = np.zeros((self.M, self.samples.shape[1]), np.int64)
        tapes[:, place] = values
        wrong = ~fact.truths(tapes)
        inside = (values > low) & (values < high) & ~np.isin(values, seen)
        outside = (values < low) | (values > high)
        chance = 0.0
        if inside.any():
            chance += self._unseen(column.tolist()) * float(wrong[inside].mean())
        if outside.any():
            extremes = (int((column == low).sum() == 1) + int((column == high).sum() == 1)) / self.n
            chance += max(extremes, 0.5 / self.n**2) * float(wrong[outside].mean())
        return chance

    def _unseen(self, what: list) -> float:
        """The estimated mass of what was not seen yet: the share of what was seen once."""
        once = sum(count == 1 for count in Counter(what).values())
        return (once + 0.5 / self.n) / self.n
