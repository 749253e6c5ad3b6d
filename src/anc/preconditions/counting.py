"""How often a value occurs: exactly once among some cells, at most twice in a list.

Cells that hold a value on some samples and not on others play the same part for it, where they lie side
by side: together they may hold it always equally often. A list is counted as far as it goes.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace

import numpy as np

from anc.preconditions.columns import Column
from anc.preconditions.lists import Listed, Pool
from anc.verify.facts import Count, at, compare, how_often, index

_VALUES = 4  # of a cell that are looked at: those of the tape and of its neighbour, and common ones
_LEAST = 2  # cells or elements in which a value must occur on some sample


def counts(
    telling: Sequence[Column],
    lists: Sequence[Listed],
    samples: np.ndarray,
    tape: np.ndarray,
    base: np.ndarray,
) -> Iterator[Count]:
    """How often values occur on all samples, where that is not so on the tape; `base` is close to it."""
    places = [x.place for x in telling if x.place is not None]
    for value in _values(places, samples, tape, base):
        held = samples == value
        varies = held.any(axis=0) & ~held.all(axis=0)
        for cells in _runs(varies):
            if any(place in cells for place in places):
                yield from _compared(how_often(value, cells, "==", 0), samples, tape)
        for listed in lists:
            pool = Pool(listed, samples)
            numbers = pool.seen_numbers
            if varies[numbers.start : numbers.stop : numbers.step].sum() >= _LEAST:
                counted = compare(at(index()), "==", value)
                fact = Count(counted, pool.numbers(0, 0), listed.going, "==", 0)
                yield from _compared(fact, samples, tape)


def _values(
    places: Sequence[int], samples: np.ndarray, tape: np.ndarray, base: np.ndarray
) -> list[int]:
    """The values that may occur too often or too rarely on the tape."""
    found: dict[int, None] = {}
    for place in places:
        values, often = np.unique(samples[:, place], return_counts=True)
        common = values[np.argsort(-often, kind="stable")[: _VALUES - 2]]
        found |= dict.fromkeys([int(tape[place]), int(base[place]), *common.tolist()])
    return list(found)


def _runs(varies: np.ndarray) -> Iterator[range]:
    """The cells side by side of which all vary."""
    edges = np.flatnonzero(np.diff(np.concatenate([[0], varies.astype(np.int8), [0]])))
    for begin, end in zip(edges[::2].tolist(), edges[1::2].tolist(), strict=True):
        if end - begin >= _LEAST:
            yield range(begin, end)


def _compared(fact: Count, samples: np.ndarray, tape: np.ndarray) -> Iterator[Count]:
    """The count, compared with what it is on the samples, so that it does not hold on the tape."""
    totals, here = fact.totals(samples), int(fact.totals(tape[None])[0])
    low, high = int(totals.min()), int(totals.max())
    if low == high != here:
        yield replace(fact, number=low)
    elif here < low:
        yield replace(fact, op=">=", number=low)
    elif here > high:
        yield replace(fact, op="<=", number=high)
