"""How well the samples support a fact, and few well-supported facts that exclude all failing tapes.

What supports a fact is how rarely it would fail on inputs that nobody has seen. A proof is sound whatever
the facts are; luck decides only how many inputs satisfy them. Of facts that do the same job, those are
preferred that are unlikely to hold on all samples by accident, and small.
"""

from __future__ import annotations

from collections.abc import Sequence
from itertools import combinations

import numpy as np

from anc.proof.facts import NOTHING, Along, Fact, Member, moved
from anc.proof.presolve import allowed

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
        steps = fact.steps if isinstance(fact, Along) else ((NOTHING, fact),)
        if _are_alike([said for _, said in steps]):
            place, values = min(steps[0][1].cells), _elements(steps, self.samples)
            chance = self._of_values(values, ~allowed(steps[0][1], place, self.M))
            return min(1.0, chance * len(values) / self.n)
        fails = 1.0 - float(fact.truths(self.shuffled).mean())
        by_accident = self.accident(fact)
        return fails * by_accident / (1.0 + by_accident)

    def accident(self, fact: Fact) -> float:
        """The chance that all samples satisfy a fact though its cells have nothing to do with each other."""
        return float(fact.truths(self.shuffled).mean()) ** self.n

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


def _are_alike(facts: Sequence[Fact]) -> bool:
    """Whether each fact is about one cell, and the next says the same of another one."""
    if any(len(fact.cells) != 1 or fact.pointers for fact in facts):
        return False
    first, second = facts[0], facts[:2][-1]
    return moved(first, {min(first.cells): min(second.cells)}) == second


def _elements(steps: Sequence[tuple[Fact, Fact]], samples: np.ndarray) -> np.ndarray:
    """The values of the cells that the steps along a list speak of, in all samples."""
    found = []
    for going, said in steps:
        samples = samples[going.truths(samples)]
        found.append(samples[:, min(said.cells)])
    return np.concatenate(found)


class Excluding:
    """Facts with weights, failing tapes, and which fact excludes which tape: a weighted hitting set, greedily.

    A fact of little weight is taken rather than one of much weight.
    """

    def __init__(self, M: int) -> None:
        self.facts: list[Fact] = []
        self.weights = np.zeros(0)
        self.tapes = np.zeros((0, M), np.int64)
        self.excluded = np.zeros((0, 0), np.bool_)  # (facts, tapes)

    def add_facts(self, facts: Sequence[Fact], weights: Sequence[float]) -> None:
        """Facts that are there already are left out."""
        known = set(self.facts)
        new = {f: w for f, w in zip(facts, weights, strict=True) if f not in known}
        self.facts += new
        self.weights = np.append(self.weights, list(new.values()))
        self.excluded = np.concatenate([self.excluded, self.by(list(new), self.tapes)])

    def by(self, facts: Sequence[Fact], tapes: np.ndarray) -> np.ndarray:
        """(facts, tapes): whether the fact excludes the tape."""
        rows = [~fact.truths(tapes) for fact in facts]
        return np.array(rows, np.bool_).reshape(len(facts), len(tapes))

    def add_tapes(self, tapes: np.ndarray) -> np.ndarray:
        """Take tapes that some fact excludes; returns the others."""
        excluded = self.by(self.facts, tapes)
        some = excluded.any(axis=0)
        self.tapes = np.concatenate([self.tapes, tapes[some]])
        self.excluded = np.concatenate([self.excluded, excluded[:, some]], axis=1)
        return tapes[~some]

    def keep_tapes(self, which: np.ndarray) -> None:
        """Forget all other tapes."""
        self.tapes, self.excluded = self.tapes[which], self.excluded[:, which]

    def choose(self) -> list[Fact]:
        """Facts that together exclude all tapes; none of them can be spared."""
        missing = np.ones(len(self.tapes), np.bool_)
        chosen: list[int] = []
        while missing.any():
            gain = self.excluded[:, missing].sum(axis=1) / self.weights
            chosen.append(int(gain.argmax()))
            missing &= ~self.excluded[chosen[-1]]
        for i in sorted(chosen, key=lambda i: -self.weights[i]):
            if not self.only_by([i], chosen).any():
                chosen.remove(i)
        while self.improve(chosen):
            pass
        return [self.facts[i] for i in sorted(chosen, key=lambda i: (self.weights[i], i))]

    def only_by(self, some: Sequence[int], chosen: Sequence[int]) -> np.ndarray:
        """The tapes that only these of the chosen facts exclude."""
        others = [j for j in chosen if j not in some]
        return np.logical_not(self.excluded[others].any(axis=0))

    def improve(self, chosen: list[int]) -> bool:
        """Put one fact in the place of one or two that weigh more."""
        pairs = list(combinations(chosen, 2))
        for some in [*pairs, *((i,) for i in chosen)]:
            tapes = self.only_by(some, chosen)
            fits = np.array(self.excluded[:, tapes].all(axis=1))
            fits[chosen] = False
            fits &= self.weights < self.weights[list(some)].sum() - 1e-9
            if fits.any():
                best = np.flatnonzero(fits)[self.weights[fits].argmin()]
                chosen[:] = [*(j for j in chosen if j not in some), int(best)]
                return True
        return False
