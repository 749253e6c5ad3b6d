"""How well the samples support a fact: how often it would fail on inputs that nobody has seen.

A proof is sound whatever the facts are; luck decides only how many inputs satisfy them. Of facts that
do the same job, those are preferred that are unlikely to hold on all samples by accident, and small.
"""

from __future__ import annotations

import numpy as np

from anc.verify.facts import Along, Fact, Member, about_one_cell

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
            return _unseen(np.unique(spelt, axis=0, return_counts=True)[1])
        if len(fact.cells) == 1 and not fact.pointers:
            (place,) = fact.cells
            return self._of_values(self.samples[:, place], self._wrong(fact, place))
        only = None
        if isinstance(fact, Along) and isinstance(fact.element, Fact):
            only = about_one_cell(fact.element)
        if isinstance(fact, Along) and only is not None:
            of_first, offset = only
            values = _elements(fact, offset, self.samples)
            chance = self._of_values(values, self._wrong(of_first, 0))
            return min(1.0, chance * len(values) / self.n)
        fails = 1.0 - float(fact.truths(self.shuffled).mean())
        by_accident = self.accident(fact)
        return fails * by_accident / (1.0 + by_accident)

    def accident(self, fact: Fact) -> float:
        """The chance that all samples satisfy a fact though its cells have nothing to do with each other."""
        return float(fact.truths(self.shuffled).mean()) ** self.n

    def _wrong(self, fact: Fact, place: int) -> np.ndarray:
        """For which values of its only cell a fact does not hold."""
        tapes = np.zeros((self.M, self.samples.shape[1]), np.int64)
        tapes[:, place] = np.arange(self.M)
        return ~fact.truths(tapes)

    def _of_values(self, column: np.ndarray, wrong: np.ndarray) -> float:
        """New values are as likely as values seen once were (Good and Turing), new extremes rarer."""
        n = len(column)
        seen, counts = np.unique(column, return_counts=True)
        low, high = int(seen[0]), int(seen[-1])
        values = np.arange(self.M)
        inside = (values > low) & (values < high) & ~np.isin(values, seen)
        outside = (values < low) | (values > high)
        chance = 0.0
        if inside.any():
            chance += _unseen(counts) * float(wrong[inside].mean())
        if outside.any():
            extremes = (int(counts[0] == 1) + int(counts[-1] == 1)) / n
            chance += max(extremes, 0.5 / n**2) * float(wrong[outside].mean())
        return chance


def _unseen(counts: np.ndarray) -> float:
    """The estimated mass of what was not seen yet: the share of what was seen once."""
    n = int(counts.sum())
    return (int((counts == 1).sum()) + 0.5 / n) / n


def _elements(fact: Along, offset: int, samples: np.ndarray) -> np.ndarray:
    """The values of the cells that a fact along a list speaks of, in all samples."""
    found = []
    for number, (going, _) in zip(fact.numbers, fact.steps, strict=True):
        samples = samples[going.truths(samples)]
        found.append(samples[:, number + offset])
    return np.concatenate(found)
