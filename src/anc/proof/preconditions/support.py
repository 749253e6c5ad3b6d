"""Support of facts by samples, and the choice of few well-supported facts that exclude all failing tapes.

The support of a fact is how rarely it would fail on unseen inputs. A proof is sound whatever the facts are;
the support decides only how many inputs satisfy them. Among facts that do the same job, small ones that are
unlikely to hold by accident are preferred.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from itertools import combinations

import numpy as np

from anc.machine.batch import run_all
from anc.proof.claim import Claim
from anc.proof.facts import NOTHING, Along, Fact, Member, moved
from anc.proof.presolve import allowed

_ROWS = 2_000  # shuffled samples
_PER_TERM = 0.15  # weight of each term and constant beyond the first
_DOUBTED = 4.0  # weight of a fact that is expected to fail once per number of samples


class SupportStatistics:
    """Statistics of the samples, for facts that hold on all of them."""

    def __init__(self, samples: np.ndarray, M: int, seed: int = 0) -> None:
        self.samples, self.M, self.n = samples, M, len(samples)
        random = np.random.default_rng(seed)
        rows = random.integers(self.n, size=(min(_ROWS, 4 * self.n), samples.shape[1]))
        # each cell from another sample, as if cells were independent
        self.shuffled = np.take_along_axis(samples, rows, axis=0)

    def weight(self, fact: Fact) -> float:
        """The cost of a fact: low if it is small and well supported."""
        doubt = min(1.0, self.n * self.chance_of_failing(fact))
        return 1.0 + _PER_TERM * (fact.size - 1) + _DOUBTED * doubt

    def chance_of_failing(self, fact: Fact) -> float:
        """The estimated probability that an unseen input violates the fact."""
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
        """The probability that all samples satisfy the fact if its cells are independent."""
        return float(fact.truths(self.shuffled).mean()) ** self.n

    def _of_values(self, column: np.ndarray, wrong: np.ndarray) -> float:
        """The probability of an unseen value that is wrong (Good-Turing); new extremes are rarer."""
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
    """Good-Turing: the probability mass of unseen values is the share of those seen once."""
    n = int(counts.sum())
    return (int((counts == 1).sum()) + 0.5 / n) / n


def _are_alike(facts: Sequence[Fact]) -> bool:
    """Whether each fact is about one cell, and all are translations of the first."""
    if any(len(fact.cells) != 1 or fact.pointers for fact in facts):
        return False
    first, second = facts[0], facts[:2][-1]
    return moved(first, {min(first.cells): min(second.cells)}) == second


def _elements(steps: Sequence[tuple[Fact, Fact]], samples: np.ndarray) -> np.ndarray:
    """The values of the elements of a list, pooled over all samples."""
    found = []
    rows = np.arange(len(samples))
    for going, said in steps:
        rows = rows[going.truths(samples)[rows]]
        found.append(samples[rows, min(said.cells)])
    return np.concatenate(found)


class Excluding:
    """Weighted set cover: which facts exclude which failing tapes, and a cheap choice that excludes all."""

    def __init__(self, M: int) -> None:
        self.facts: list[Fact] = []
        self.weights = np.zeros(0)
        self.tapes = np.zeros((0, M), np.int64)
        self.excluded = np.zeros((0, 0), np.bool_)  # (facts, tapes)

    def add_facts(self, facts: Sequence[Fact], weights: Sequence[float]) -> None:
        """Add facts, without those that are known."""
        known = set(self.facts)
        new = {f: w for f, w in zip(facts, weights, strict=True) if f not in known}
        self.facts += new
        self.weights = np.append(self.weights, list(new.values()))
        self.excluded = np.concatenate([self.excluded, self.by(list(new), self.tapes)])

    def by(self, facts: Sequence[Fact], tapes: np.ndarray) -> np.ndarray:
        """Whether each fact excludes each tape: (facts, tapes)."""
        rows = [~fact.truths(tapes) for fact in facts]
        return np.array(rows, np.bool_).reshape(len(facts), len(tapes))

    def add_tapes(self, tapes: np.ndarray) -> np.ndarray:
        """Add the tapes that some fact excludes; return the others."""
        excluded = self.by(self.facts, tapes)
        some = excluded.any(axis=0)
        self.tapes = np.concatenate([self.tapes, tapes[some]])
        self.excluded = np.concatenate([self.excluded, excluded[:, some]], axis=1)
        return tapes[~some]

    def keep_tapes(self, which: np.ndarray) -> None:
        """Keep only these tapes."""
        self.tapes, self.excluded = self.tapes[which], self.excluded[:, which]

    def choose(self) -> list[Fact]:
        """An irredundant set of facts that exclude all tapes: greedy, then local search."""
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
        """Replace one or two chosen facts by a cheaper one."""
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


_CHANCE = 0.05


def at_least(successes: int, trials: int, candidates: int = 1) -> float:
    """The lower confidence bound of a success rate.

    >>> round(at_least(80, 80), 3), round(at_least(78, 80), 3), at_least(0, 0)
    (0.955, 0.913, 0.0)
    >>> round(at_least(80, 80, candidates=20), 3)
    0.893
    """
    from scipy.special import betaincinv  # takes a while

    if successes == 0:
        return 0.0
    return float(betaincinv(successes, trials - successes + 1, _chance(candidates)))


def at_most(failures: int, trials: int, candidates: int = 1) -> float:
    """The upper confidence bound of a failure rate.

    >>> round(at_most(0, 1000), 4), at_most(0, 0)
    (0.0037, 1.0)
    """
    return 1.0 - at_least(trials - failures, trials, candidates)


def cases_needed(rate: float) -> int:
    """How many held-out cases, all of them good, prove this rate for the first candidate.

    >>> cases_needed(0.95)
    72
    """
    return math.ceil(math.log(_chance(1)) / math.log(rate))


def _chance(candidates: int) -> float:
    """The error probability that the n-th candidate may use."""
    return _CHANCE / (candidates * (candidates + 1))


def failures(claim: Claim, tapes: np.ndarray) -> np.ndarray:
    """For each row of (n, M): whether the programs fail on it, as `claim.failure` says."""
    wanted = run_all(claim.generic, tapes, claim.max_steps)
    found = run_all(claim.adapted, tapes, claim.max_steps + claim.slack)
    counts = np.asarray(claim.mask, np.bool_)
    differ = (wanted.tapes != found.tapes)[:, counts].any(axis=1)
    return np.where(wanted.stopped, differ | ~found.stopped, not claim.partial)


def holding(facts: Sequence[Fact], tapes: np.ndarray) -> np.ndarray:
    """For each row of (n, M): whether it satisfies all of these facts."""
    all_of_them = np.ones(len(tapes), np.bool_)
    for fact in facts:
        all_of_them &= fact.truths(tapes)
    return all_of_them
