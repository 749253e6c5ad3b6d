"""Something that is said of each number i of a list: its truth for all of them."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from anc.verify.facts.logic import Fact
from anc.verify.facts.moving import moved
from anc.verify.facts.terms import At, Index, Known, Sum


def about_one_cell(said: Fact) -> tuple[Fact, int] | None:
    """What is said of each i, as a fact about cell 0, and how far its only cell is from i.

    None if it speaks of more than one cell, or of i itself.
    """
    match [to for to in dict.fromkeys(said.pointers) if to != Index()]:
        case [At(Sum(((1, Index()),), offset))] if not said.cells:
            first, next_one = (said.numbered(number - offset) for number in (0, 1))
            return (first, offset) if moved(first, {0: 1}) == next_one else None
    return None


class Each:
    """A fact for each number; quick where each is about one cell, and all say the same of it."""

    def __init__(self, said: Fact, numbers: range) -> None:
        self.facts = tuple(said.numbered(number) for number in numbers)
        self._first: Fact | None = None
        offset = 0
        if (only := about_one_cell(said)) is not None:
            self._first, offset = only
        self._places = [number + offset for number in numbers]
        self._tables: dict[
            int, list[bool]
        ] = {}  # for memories, with which values of its cell it holds

    def truths(self, tapes: np.ndarray) -> np.ndarray:
        """(tapes, numbers): which of many tapes (n, M) satisfy it."""
        if self._first is None:
            return np.stack([fact.truths(tapes) for fact in self.facts], axis=1)
        table = _table(self._first, int(tapes.max(initial=0)) + 1)
        return table[tapes[:, self._places]]

    def verdicts(self, known: Known, M: int) -> list[bool | None]:
        """For each number, whether it holds, where the known cells settle that."""
        if self._first is None:
            return [fact.judge(known, M) for fact in self.facts]
        unknown = self._first.judge({}, M)
        values = [known.get(place) for place in self._places]
        table = self.table(M)
        return [unknown if value is None else table[value] for value in values]

    def beside(
        self, place: int, values: Sequence[int], known: Known, M: int
    ) -> dict[int, Sequence[bool | None]]:
        """For the numbers whose facts depend on one more cell, the verdicts with each of its values."""
        if self._first is not None:
            table = self.table(M)
            here = [number for number, other in enumerate(self._places) if other == place]
            return {number: [table[value] for value in values] for number in here}
        here = [n for n, fact in enumerate(self.facts) if fact.speaks_of(place, known, M)]
        trials = [{**known, place: value} for value in values]
        return {number: [self.facts[number].judge(t, M) for t in trials] for number in here}

    def table(self, M: int) -> list[bool]:
        """With which values of its cell a fact about one cell holds."""
        assert self._first is not None
        if M not in self._tables:
            self._tables[M] = _table(self._first, M).tolist()
        return self._tables[M]


def _table(first: Fact, M: int) -> np.ndarray:
    return first.truths(np.arange(M)[:, None])
