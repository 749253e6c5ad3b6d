"""Siblings: what holds of one element of a list often holds of the others in the same way.

A fact that was learnt about some cells is said again about cells a little further on, all of them or
only some: after ``tape[21] == 35 implies tape[22] == tape[3]`` comes ``tape[22] == 35 implies tape[23] ==
tape[3]``. What is true of all samples is a sibling. Where it is so of many in a row, one fact says it of
all of them: ``all(tape[i] == 35 implies tape[i + 1] == tape[3] for i in range(20, 28))``.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from itertools import combinations

import numpy as np

from anc.proof.facts import Along, At, Count, Fact, index, moved

FURTHEST = 48  # cells that a fact is moved by
MOST_CELLS = 5  # that a fact may speak of to have siblings
_FEW = 20
_RECORDS = (1, 2, 3, 4)  # cells from one element of a list to the next
_ROW = 3  # so many in a row are said as one fact


def siblings(
    fact: Fact, samples: np.ndarray, is_supported: Callable[[Fact], bool] = lambda fact: True
) -> Iterator[Fact]:
    """The facts of the same form, about cells as far from each other, that hold on all samples.

    Then those of many elements in a row, each of which the samples support.
    """
    cells = sorted(fact.cells)
    if not cells or len(cells) > MOST_CELLS or isinstance(fact, Along | Count):
        return
    varying = (samples != samples[0]).any(axis=0)
    few = samples[:_FEW]  # most proposals fail on these already
    for part in _parts(cells):
        distances = {0}
        for by in _distances(part, cells, samples.shape[1]):
            where = {cell: cell + by for cell in part}
            if varying[list(where.values())].any():
                other = moved(fact, where)
                good = other.truths(few).all() and other.truths(samples).all()
                if good and is_supported(other):
                    distances.add(by)
                    yield other
        row = _in_a_row(distances)
        if len(row) >= _ROW:
            yield _of_all(fact, part, row)


def _parts(cells: Sequence[int]) -> Iterator[tuple[int, ...]]:
    """The cells that are moved: all of them, or only some."""
    for size in range(len(cells), 0, -1):
        yield from combinations(cells, size)


def _distances(part: Sequence[int], cells: Sequence[int], M: int) -> Iterator[int]:
    """How far these cells can go, and not to where the others are."""
    others = set(cells) - set(part)
    for by in range(max(-FURTHEST, -part[0]), min(FURTHEST, M - 1 - part[-1]) + 1):
        if by and not others.intersection(cell + by for cell in part):
            yield by


def _in_a_row(distances: set[int]) -> range:
    """The most distances around 0 that are equally far from each other."""
    rows = []
    for step in _RECORDS:
        begin = end = 0
        while begin - step in distances:
            begin -= step
        while end + step in distances:
            end += step
        rows.append(range(begin, end + 1, step))
    return max(rows, key=len)


def _of_all(fact: Fact, part: Sequence[int], row: range) -> Along:
    """The fact of all elements in a row, i being the first of its cells that are moved."""
    first = part[0]
    where = {cell: At(index(plus=cell - first)) for cell in part}
    numbers = range(first + row.start, first + row.stop, row.step)
    return Along("all", moved(fact, where), numbers)
