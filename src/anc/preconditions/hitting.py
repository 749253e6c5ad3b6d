"""Few and well-supported facts that exclude every failing tape (a weighted hitting set, greedily)."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import combinations

import numpy as np

from anc.verify.facts import Fact


class Excluding:
    """Facts with weights, failing tapes, and which fact excludes which tape.

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
