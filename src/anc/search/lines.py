"""Which line belongs to which value of a variable that is jumped to.

The values themselves are the lines. What does not fit into the gap up to the next of them is cut by
a jump to the rest of it, which costs less than a step in the mean: less than it takes to make larger
numbers of the values. Only where a line is taken already, a number is added to all of them.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np


@dataclass(frozen=True)
class Lines:
    """The line of each value, what is added to have it, and the mean steps of that and of cuts."""

    at: tuple[int, ...]
    added: int
    cost: float


def lines_for(
    values: Sequence[int], sizes: Sequence[int], shares: Sequence[float], taken: np.ndarray
) -> Lines | None:
    """The cheapest lines for blocks of these sizes; None if some line is always taken.

    >>> taken = np.zeros(10, np.bool_)
    >>> lines_for([1, 2, 4], [2, 2, 2], [0.5, 0.25, 0.25], taken)
    Lines(at=(1, 2, 4), added=0, cost=0.5)
    >>> taken[:3] = True
    >>> lines_for([1, 2, 4], [2, 2, 2], [0.5, 0.25, 0.25], taken)
    Lines(at=(3, 4, 6), added=2, cost=1.5)
    """
    M = len(taken)
    added = np.arange(M)
    at = (np.array(values)[None, :] + added[:, None]) % M
    order = np.argsort(at, axis=1)
    lines = np.take_along_axis(at, order, axis=1)
    gaps = np.minimum(np.diff(lines, axis=1, append=M), _room(taken)[lines])
    cut = np.array(sizes)[order] > gaps
    cost = (added != 0) + (cut * np.array(shares)[order]).sum(axis=1)
    cost[(gaps == 0).any(axis=1)] = np.inf
    best = int(np.lexsort((lines[:, -1], cost.round(9)))[0])
    if np.isinf(cost[best]):
        return None
    return Lines(tuple(at[best].tolist()), best, float(cost[best]))


def _room(taken: np.ndarray) -> np.ndarray:
    """How many lines are free from each line on."""
    room = np.zeros(len(taken), np.int64)
    count = 0
    for line in reversed(range(len(taken))):
        count = 0 if taken[line] else count + 1
        room[line] = count
    return room
