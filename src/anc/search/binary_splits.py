"""What parts cases: questions about cells, and columns to jump by.

A question tells which of few results is wanted. Is a cell this number? Are two cells the same? Is one not
larger than the other? Each is a column that is 0 where the answer is yes. A jump to the line that belongs to
a column's value takes one step, however many values there are.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from itertools import combinations, permutations

import numpy as np

from anc.search.plans import Step, Test, Value

COMMON = 6  # values of a cell that are asked for
PAIRED = 12  # cells that are compared with each other
ASKED = 4  # questions that are handed on
HALVING = 3.0  # steps that halve the results that are possible
MOST_VALUES = 24
FEWEST = 3  # cases of each value: what is done for fewer might be right by chance
MOST = 3  # columns that are handed on
COMPUTED = 4.0  # steps that something takes that is neither a number nor a column at hand


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


@dataclass(frozen=True, eq=False)
class Column:
    """A value to part cases by, and the steps that compute it."""

    steps: list[Step]
    value: Value


def promising_columns(
    at_hand: Iterable[Column], results: np.ndarray, chosen: np.ndarray, counts: np.ndarray
) -> list[Column]:
    """The columns by whose values most of the results become numbers, as far as they are few.

    Of columns that tell the same cases apart, the one that takes the fewest steps is taken.
    """
    columns = list(at_hand)
    weights = counts[chosen] / counts[chosen].sum()
    results = results.reshape(-1, len(counts))[:, chosen]
    least: dict[bytes, tuple[float, int, Column]] = {}
    whole = _estimate(results, np.zeros(len(chosen), int), weights, columns, chosen)
    for number, column in enumerate(columns):
        _, group = np.unique(column.value.column[chosen], return_inverse=True)
        sizes = np.bincount(group, counts[chosen])
        if not 1 < len(sizes) <= MOST_VALUES or sizes.min() < FEWEST:
            continue
        cost = len(column.steps) + 1 + _estimate(results, group, weights, columns, chosen)
        first = np.unique(group, return_index=True)[1]
        key = np.argsort(np.argsort(first))[group].tobytes()
        if cost < whole and (key not in least or cost < least[key][0]):
            least[key] = cost, number, column
    ranked = sorted(least.values(), key=lambda each: each[:2])
    return [column for *_, column in ranked[:MOST]]


def _estimate(
    results: np.ndarray,
    group: np.ndarray,
    weights: np.ndarray,
    columns: list[Column],
    chosen: np.ndarray,
) -> float:
    """About how many steps it takes to have the results within each group."""
    cost = 0.0
    for number in range(group.max() + 1):
        mine = group == number
        at_hand = {column.value.column[chosen[mine]].tobytes() for column in columns}
        parts = results[:, mine]
        varying = parts[(parts != parts[:, :1]).any(axis=1)]
        steps = sum(1.0 if part.tobytes() in at_hand else COMPUTED for part in varying)
        cost += float(weights[mine].sum()) * steps
    return cost
