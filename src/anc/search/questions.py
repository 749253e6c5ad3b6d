"""Questions about cells that tell which of few results is wanted.

Is a cell this number? Are two cells the same? Is one not larger than the other? Each is a column that
is 0 where the answer is yes.
"""

from __future__ import annotations

from collections.abc import Iterator
from itertools import combinations, permutations

import numpy as np

from anc.search.plans import Test

COMMON = 6  # values of a cell that are asked for
PAIRED = 12  # cells that are compared with each other
ASKED = 4  # questions that are handed on
HALVING = 3.0  # steps that halve the results that are possible


def telling(inputs: np.ndarray, chosen: np.ndarray, kinds: np.ndarray) -> list[Test]:
    """The questions that say most about the kinds of the chosen cases, for the steps they take."""
    best: dict[bytes, tuple[float, int, Test]] = {}
    for number, (steps, column) in enumerate(_questions(inputs, chosen)):
        jumps = column[chosen] == 0
        if jumps.all() or not jumps.any():
            continue
        left = sum(part.mean() * entropy(kinds[part]) for part in (jumps, ~jumps))
        rank, key = HALVING * left + steps, jumps.tobytes()
        if key not in best or rank < best[key][0]:
            best[key] = rank, number, Test(jumps, column)
    return [test for *_, test in sorted(best.values(), key=lambda each: each[:2])[:ASKED]]


def _questions(inputs: np.ndarray, chosen: np.ndarray) -> Iterator[tuple[int, np.ndarray]]:
    """The steps that a question takes, and its column over all cases."""
    M = inputs.shape[1]
    mine = inputs[chosen]
    cells = np.flatnonzero((mine != mine[0]).any(axis=0)).tolist()
    for cell in cells:
        values, counts = np.unique(mine[:, cell], return_counts=True)
        for value in values[np.argsort(-counts)][:COMMON].tolist():
            yield 2, (inputs[:, cell] - value) % M
    for a, b in combinations(cells[:PAIRED], 2):
        yield 3, (inputs[:, a] - inputs[:, b]) % M
    for a, b in permutations(cells[:PAIRED], 2):
        yield 4, np.maximum(inputs[:, a], inputs[:, b]) - inputs[:, b]


def entropy(kinds: np.ndarray) -> float:
    """How many bits it takes to say which kind it is."""
    shares = np.bincount(kinds) / len(kinds)
    shares = shares[shares > 0]
    return float(-(shares * np.log2(shares)).sum())
