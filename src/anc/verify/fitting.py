"""Tapes that are known in part: which values a cell can have beside those that are known."""

from __future__ import annotations

import numpy as np

from anc.verify.facts import Fact, Member, conjuncts
from anc.verify.tapes import Tapes

UNREAD = -1  # a cell that has no value yet


class Fitting:
    """The values that leave tapes a chance to satisfy facts."""

    def __init__(self, tapes: Tapes) -> None:
        self.tapes, self.M = tapes, tapes.M
        facts = conjuncts(tapes.inputs.joint)
        self.joint = [fact for fact in facts if not fact.pointers]
        self.following = [fact for fact in facts if fact.pointers]
        self.words = [
            (fact, [place for term in fact.terms for place in term.read])
            for fact in self.joint
            if isinstance(fact, Member) and all(term.is_cell for term in fact.terms)
        ]

    def looked_at(self, cell: int) -> int:
        """How many cells and numbers `fits` looks at on each tape, about."""
        facts = [fact for fact in self.joint if cell in fact.cells] + self.following
        words = [len(fact.words) * len(places) for fact, places in self.words if cell in places]
        return sum(len(fact.cells) for fact in facts) + sum(words)

    def settled(self, fact: Fact, known: np.ndarray) -> np.ndarray:
        """For facts that follow pointers: on which tapes all the cells are known that they speak of."""
        sure = (known[:, sorted(fact.cells)] != UNREAD).all(axis=1)
        rows = np.arange(len(known))
        for pointer in fact.pointers:
            address = pointer.address.column(np.maximum(known, 0).astype(np.int64)) % self.M
            sure &= known[rows, address] != UNREAD
        return sure

    def values(self, cell: int) -> np.ndarray:
        """The values that a cell can have, whatever the others are."""
        found = np.asarray(self.tapes.domains[cell])
        for fact, places in self.words:
            if cell in places:
                found = found[np.isin(found, [word[places.index(cell)] for word in fact.words])]
        return found

    def fits(self, known: np.ndarray, cell: int) -> np.ndarray:
        """Whether each tape, with a new value in this cell, can still satisfy the precondition."""
        fits = np.ones(len(known), np.bool_)
        for other, more in self.tapes.inputs.tied_to(cell):
            there = known[:, other] != UNREAD
            fits &= ~there | (known[:, cell] == known[:, other] + more)
        for fact in self.joint:
            if cell in fact.cells:
                places = list(fact.cells)
                whole = fits & (known[:, places] != UNREAD).all(axis=1)
                if whole.any():
                    fits[whole] = fact.truths(known[whole].astype(np.int64))
        for fact in self.following:
            fits &= ~self.settled(fact, known) | fact.truths(np.maximum(known, 0).astype(np.int64))
        for words, places in self.words:
            if cell in places and fits.any():
                here = known[:, places][:, None, :]
                spelt = (here == np.array(words.words)) | (here == UNREAD)
                fits &= spelt.all(axis=2).any(axis=1)
        return fits
