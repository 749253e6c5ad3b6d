"""Compact encoding of runs: a pool of distinct distributions, and the changes at each step.

The state of a run is a list of *rows*, each a distribution: the line, the command's four choices, the
registers, the cells. A step changes few of them, and the same distributions recur. A packed run is

- a pool of distinct distributions, each as its likely values and their probabilities in units of
1/10000; - for each step the rows that changed, and the index in the pool that each changed to; - the
stop probability of each step.

A reader replays the changes once and stores full states at intervals (keyframes) to jump between.
Numbers are split into planes of bytes, compressed (zlib) and encoded as base64.
"""

from __future__ import annotations

import base64
import math
import zlib
from collections.abc import Iterable, Iterator, Sequence
from typing import Any

import numpy as np

from anc.machine.weights import Array

UNITS = 10_000  # probabilities are stored in these units

# layout: [name, length, bytes per number] of each array; data: their bytes
Packed = dict[str, Any]
Likely = tuple[bytes, bytes]  # the likely values of a distribution, and their units
Changes = tuple[
    float, Iterable[tuple[int, Likely]]
]  # a stop probability, and the rows that changed
State = tuple[float, Sequence[Array]]  # a stop probability, and matrices of rows


class TooLargeError(Exception):
    """A run has more distributions than a page may hold."""


def pack_run(run: Iterable[Changes], most_bytes: float = math.inf) -> Packed:
    """Pack a run, given as its changes step by step, starting with all rows of the initial state.

    `most_bytes` bounds the uncompressed pool: a larger run is given up at once.
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
    """A single certain value, or (None) no distribution at all."""
    values = np.array([] if value is None else [value], "<u2")
    return values.tobytes(), np.full(len(values), UNITS, "<u2").tobytes()


def changes_of(states: Iterable[State], tolerance: float) -> Iterator[Changes]:
    """The rows of each state that differ by more than `tolerance` from what was last shown."""
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
    """Pack arrays of whole numbers (<u2 or <u4), flattened, for a page."""
    flat = {name: np.ascontiguousarray(array).reshape(-1) for name, array in arrays.items()}
    data = b"".join(_planes(array) for array in flat.values())
    layout = [[name, len(array), array.dtype.itemsize] for name, array in flat.items()]
    return {"layout": layout, "data": base64.b64encode(zlib.compress(data, 9)).decode("ascii")}


def _planes(array: np.ndarray) -> bytes:
    """The low byte of every number, then the next byte of every number, ...: this compresses better."""
    return array.view(np.uint8).reshape(len(array), -1).T.tobytes()
