"""What facts can speak of: the values of a term on all samples, and on a tape that is to be excluded."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from functools import cached_property

import numpy as np

from anc.verify.facts import Sum, at, cell


@dataclass(frozen=True, eq=False)
class Column:
    """A term: its value on each sample, and on the failing tape."""

    term: Sum
    values: np.ndarray  # (n,) int64
    found: int
    place: int | None  # the cell, if the term is just that

    @cached_property
    def seen(self) -> np.ndarray:
        """The distinct values on the samples, in order."""
        return np.unique(self.values)

    def where(self, rows: np.ndarray) -> Column:
        """The same term on some of the samples."""
        return Column(self.term, self.values[rows], self.found, self.place)


def columns(
    samples: np.ndarray,
    tape: np.ndarray,
    base: np.ndarray,
    cells: Iterable[int],
    pointers: Iterable[Sum],
) -> tuple[list[Column], list[Column]]:
    """The columns of these cells, and of the cells that the pointers point to.

    First those that tell the failing tape from `base`, a sample: a fact must speak of one of them.
    Then the others that are not the same on all samples.
    """
    telling, others = [], []
    places: list[tuple[Sum, int | None]] = [(cell(c), c) for c in cells]
    places += [(at(pointer), None) for pointer in pointers]
    ends = np.stack([tape, base])
    for term, place in places:
        found, old = map(int, term.column(ends))
        column = Column(term, term.column(samples), found, place)
        if found != old:
            telling.append(column)
        elif len(column.seen) > 1:
            others.append(column)
    return telling, others
