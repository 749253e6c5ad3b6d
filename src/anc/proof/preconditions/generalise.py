"""Generalising facts: what holds of one element of a list often holds of the others in the same way.

A learnt fact is translated to cells a little further on, all of its cells or only some: ``tape[21] == 35
implies tape[22] == tape[3]`` becomes ``tape[22] == 35 implies tape[23] == tape[3]``. Translations that hold
on all samples are siblings. If many in a row do, one quantified fact replaces them:
``all(tape[i] == 35 implies tape[i + 1] == tape[3] for i in range(20, 28))``.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from itertools import combinations

import numpy as np

from anc.proof.facts import Along, At, Count, Fact, index, moved

FURTHEST = 48  # the largest translation
MOST_CELLS = 5  # of a fact that is generalised
_FEW = 20  # samples that reject most proposals
_RECORDS = (1, 2, 3, 4)  # strides of lists
_ROW = 3  # siblings in a row from which on they are quantified


def siblings(
    fact: Fact, samples: np.ndarray, is_supported: Callable[[Fact], bool] = lambda fact: True
) -> Iterator[Fact]:
    """The translations of a fact that hold on all samples, and quantified facts for those in a row."""
    cells = sorted(fact.cells)
    if not cells or len(cells) > MOST_CELLS or isinstance(fact, Along | Count):
        return
    varying = (samples != samples[0]).any(axis=0)
    few = samples[:_FEW]
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
    """The subsets of cells to translate, largest first."""
    for size in range(len(cells), 0, -1):
        yield from combinations(cells, size)


def _distances(part: Sequence[int], cells: Sequence[int], M: int) -> Iterator[int]:
    """The translations that keep the cells on the tape and apart from the others."""
    others = set(cells) - set(part)
    for by in range(max(-FURTHEST, -part[0]), min(FURTHEST, M - 1 - part[-1]) + 1):
        if by and not others.intersection(cell + by for cell in part):
            yield by


def _in_a_row(distances: set[int]) -> range:
    """The longest arithmetic progression of distances around 0."""
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
    """The quantified fact; i is the first translated cell."""
    first = part[0]
    where = {cell: At(index(plus=cell - first)) for cell in part}
    numbers = range(first + row.start, first + row.stop, row.step)
    return Along("all", moved(fact, where), numbers)
