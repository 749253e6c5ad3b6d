"""Columns to jump by: their values tell cases apart that want different things done.

A jump to the line that belongs to a value takes one step, however many values there are.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

import numpy as np

from anc.search.plans import Step, Value

MOST_VALUES = 24
FEWEST = 3  # cases of each value: what is done for fewer might be right by chance
MOST = 3  # columns that are handed on
COMPUTED = 4.0  # steps that something takes that is neither a number nor a column at hand


@dataclass(frozen=True, eq=False)
class Column:
    """A value to jump by, and the steps that compute it."""

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
