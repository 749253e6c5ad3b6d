"""Siblings: what holds of one element of a list often holds of the others in the same way.

A fact that was learnt about some cells is said again about cells a little further on, all of them or
only some: after ``tape[21] == 35 implies tape[22] == tape[3]`` comes ``tape[22] == 35 implies tape[23] ==
tape[3]``. What is true of all samples is a sibling.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import combinations

import numpy as np

from anc.verify.facts import Along, Fact
from anc.verify.facts.moving import moved

FURTHEST = 48  # cells that a fact is moved by
MOST_CELLS = 5  # that a fact may speak of to have siblings
_FEW = 20


def siblings(fact: Fact, samples: np.ndarray) -> Iterator[Fact]:
    """The facts of the same form, about cells as far from each other, that hold on all samples."""
    cells = sorted(fact.cells)
    varying = (samples != samples[0]).any(axis=0)
    if not cells or len(cells) > MOST_CELLS or isinstance(fact, Along):
        return
    few = samples[:_FEW]  # most proposals fail on these already
    for where in _moves(cells, samples.shape[1]):
        if varying[list(where.values())].any():
            other = moved(fact, where)
            if other.truths(few).all() and other.truths(samples).all():
                yield other


def _moves(cells: Sequence[int], M: int) -> Iterator[dict[int, int]]:
    """Where cells go when all of them, or only some, are moved by the same distance."""
    for size in range(len(cells), 0, -1):
        for part in combinations(cells, size):
            left = set(cells) - set(part)
            for by in range(max(-FURTHEST, -part[0]), min(FURTHEST, M - 1 - part[-1]) + 1):
                where = {cell: cell + by for cell in part}
                if by and not left.intersection(where.values()):
                    yield where
