"""A run packed small: every distribution that it meets once, and which ones change at which step.

The state of a run is a list of *rows*, each a distribution: the line, the command's four choices,
the registers, the cells. A step changes few of them, and the same distributions come again and again,
so a packed run is

- a pool of different distributions, each as its likely values and their probabilities in units of 1/10000;
- for each step the rows that changed, and the number in the pool that each changed to;
- the stop probability of each step.

A reader goes through the changes once and keeps whole states now and then (keyframes) to jump
between. All numbers are written as planes of bytes, compressed (zlib) and written as base64.
"""

from __future__ import annotations

import base64
import math
import zlib
from collections.abc import Iterable, Iterator, Sequence
from typing import Any

import numpy as np

from anc.machine.weights import Array

UNITS = 10_000  # probabilities are kept in these units

# layout: [name, length, bytes of a number] of each array; data: their bytes
Packed = dict[str, Any]
Likely = tuple[bytes, bytes]  # the likely values of a distribution, and their units
Changes = tuple[
    float, Iterable[tuple[int, Likely]]
]  # a stop probability, and the rows that changed
State = tuple[float, Sequence[Array]]  # a stop probability, and matrices: their rows are the rows


class TooLargeError(Exception):
    """A run meets more distributions than a page may hold."""


def pack_run(run: Iterable[Changes], most_bytes: float = math.inf) -> Packed:
    """A run as its changes, step by step, beginning with all rows of the initial state.

    `most_bytes` bounds the pool before it is compressed: a run with more is given up at once.
    """
    pool: dict[Likely, int] = {}
    size = 0
    stops: list[float] = []
    counts: list[int] = []
    rows: list[int] = []
    ids: list[int] = []
    for stop, changes in run:
        before = len(rows)
        for row, likely in changes:
            rows.append(row)
            if likely not in pool:
                pool[likely] = len(pool)
                size += len(likely[0]) + len(likely[1])
            ids.append(pool[likely])
        if size > most_bytes:
            raise TooLargeError
        stops.append(stop)
        counts.append(len(rows) - before)
    return pack(
        counts=np.array([len(values) // 2 for values, _ in pool], "<u2"),
        values=np.frombuffer(b"".join(values for values, _ in pool), "<u2"),
        units=np.frombuffer(b"".join(units for _, units in pool), "<u2"),
        changes=np.array(counts, "<u4"),
        rows=np.array(rows, "<u4"),
        ids=np.array(ids, "<u4"),
        stop=np.rint(np.array(stops) * 1e9).astype("<u4"),
    )


def certain(value: int | None) -> Likely:
    """One value for certain, or (None) no distribution at all."""
    values = np.array([] if value is None else [value], "<u2")
    return values.tobytes(), np.full(len(values), UNITS, "<u2").tobytes()


def changes_of(states: Iterable[State], tolerance: float) -> Iterator[Changes]:
    """The rows of each state that moved by more than `tolerance` since a reader last saw them."""
    shown: list[np.ndarray] = []
    for stop, matrices in states:
        shown = shown or [np.full(matrix.shape, -1.0) for matrix in matrices]
        changes: list[tuple[int, Likely]] = []
        first_row = 0
        for on_screen, matrix in zip(shown, matrices, strict=True):
            moved = np.flatnonzero(np.abs(matrix - on_screen).max(axis=1) > tolerance)
            changes += [(first_row + int(row), _likely(matrix[row])) for row in moved]
            on_screen[moved] = matrix[moved]
            first_row += len(matrix)
        yield stop, changes


def _likely(probabilities: Array) -> Likely:
    units = np.rint(probabilities * UNITS).astype("<u2")
    values = np.flatnonzero(units)
    return values.astype("<u2").tobytes(), units[values].tobytes()


def pack(**arrays: np.ndarray) -> Packed:
    """Arrays of whole numbers (<u2 or <u4), flattened, for a page."""
    flat = {name: np.ascontiguousarray(array).reshape(-1) for name, array in arrays.items()}
    data = b"".join(_planes(array) for array in flat.values())
    layout = [[name, len(array), array.dtype.itemsize] for name, array in flat.items()]
    return {"layout": layout, "data": base64.b64encode(zlib.compress(data, 9)).decode("ascii")}


def _planes(array: np.ndarray) -> bytes:
    """First the low byte of every number, then the next one ...: like bytes compress together."""
    return array.view(np.uint8).reshape(len(array), -1).T.tobytes()
