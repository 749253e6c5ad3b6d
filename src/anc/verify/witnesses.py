"""Tapes that satisfy the precondition, and the values of terms on all of them at once."""

from __future__ import annotations

from random import Random

import numpy as np

from anc.clock import Clock
from anc.verify.claim import Claim
from anc.verify.tapes import Tapes
from anc.verify.terms import Node, Term, Value, evaluated, in_order
from anc.verify.verdict import Undecided

_DRAWN = 64
_DRAWING = 0.5  # seconds that this may take


def first_witnesses(claim: Claim, clock: Clock) -> np.ndarray:
    """Some tapes, at least one, to which a claim applies: its examples, and random ones."""
    random = Random(1)
    possible = Tapes(claim.precondition, claim.M)
    seconds = min(_DRAWING, clock.left / 10)
    tapes = possible.many(random, _DRAWN, clock.part(seconds)).astype(np.int64)
    known = claim.witnesses.astype(np.int64)
    if len(tapes) or len(known):
        return np.concatenate([tapes, known])
    found = possible.find(random, clock)
    if found is None:
        raise Undecided("no tape satisfies the precondition")
    return np.array([found])


class Witnesses:
    """Tapes (n, M); more can be added at any time."""

    def __init__(self, tapes: np.ndarray) -> None:
        self.tapes = np.asarray(tapes, np.int64)
        self._made: dict[int, np.ndarray] = {}

    def add(self, tape: tuple[int, ...]) -> int:
        """One more; returns its number."""
        self.tapes = np.concatenate([self.tapes, np.array([tape], np.int64)])
        return len(self.tapes) - 1

    def values(self, value: Value, which: np.ndarray) -> np.ndarray:
        """The numbers that a value is on some of the tapes."""
        if isinstance(value, int):
            return np.full(len(which), value)
        return self._all(value)[which]

    def holds(self, condition: Node, which: np.ndarray) -> np.ndarray:
        """On which of some tapes a condition holds."""
        return self._all(condition)[which]

    def _all(self, term: Term) -> np.ndarray:
        count, M = self.tapes.shape
        nothing = np.zeros(0, np.int64)
        for part in in_order(term, lambda t: len(self._made.get(t.id, nothing)) == count):
            before = self._made.get(part.id)
            missing = slice(0 if before is None else len(before), count)
            more = evaluated(
                part, self._made, M, lambda cell, m=missing: self.tapes[m, cell], missing
            )
            self._made[part.id] = more if before is None else np.concatenate([before, more])
        return self._made[term.id]
