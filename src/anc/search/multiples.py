"""Multiples in between: addresses that are some times another value plus a constant.

A program finds an entry of a table by a loop; where the entries lie in order and have the same size,
that is where it is.
"""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from anc.compiler.graph import READ
from anc.search.bridges import salt
from anc.search.hints import Hints
from anc.search.sums import Arithmetic, summed

LARGEST = 8
MOST = 40  # columns that are added


def addressed(hints: Hints, rows: np.ndarray, values: np.ndarray) -> list[np.ndarray]:
    """Columns that lead from these values to addresses that the program READs, and what is there.

    For each such address the multiple of a value (and what it takes), the address, the cell there.
    """
    if not len(values):
        return []
    M, factors = hints.cases.M, salt(len(rows))
    found: dict[bytes, np.ndarray] = {}

    def kept(column: np.ndarray) -> np.ndarray:
        return found.setdefault(column.tobytes(), column)

    arithmetic = Arithmetic(lambda a, b: kept((a + b) % M), lambda a, b: kept((a - b) % M))
    distances = {
        times: (times * (values - values[:, :1]) % M) @ factors for times in range(1, LARGEST + 1)
    }
    for address in _addresses(hints, rows):
        goal = ((address - address[0]) % M) @ factors
        for times, hashes in distances.items():
            places = np.flatnonzero(hashes == goal)
            if len(places):
                summed([(times, values[places[0]])], arithmetic)
                kept(address)
                kept(hints.inputs[rows, address])
                break
        if len(found) >= MOST:
            break
    return list(found.values())


def _addresses(hints: Hints, rows: np.ndarray) -> Iterator[np.ndarray]:
    """The addresses that all of these cases READ at, where they are not the same for all."""
    seen: set[bytes] = set()
    for visits in hints.visits(rows):
        if hints.program.lines[visits.line].op == READ:
            for address in visits.first[(visits.first != visits.first[:, :1]).any(axis=1)]:
                if address.tobytes() not in seen:
                    seen.add(address.tobytes())
                    yield address
