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
import zlib
from collections.abc import Iterable, Sequence
from typing import Any

import numpy as np

from anc.machine.weights import Array

UNITS = 10_000  # probabilities are kept in these units

Packed = dict[
    str, Any
]  # layout: [name, length, bytes of a number] of each array; data: their bytes
State = tuple[float, Sequence[Array]]  # the stop probability, and matrices: their rows are the rows


def pack_run(states: Iterable[State], tolerance: float) -> Packed:
    """A run from its initial state on; a row is packed again when it moved by more than `tolerance`."""
    pool: dict[tuple[bytes, bytes], int] = {}  # likely values and their units
    stops: list[float] = []
    changes: list[int] = []
    rows: list[int] = []
    ids: list[int] = []
    shown: list[np.ndarray] = []  # what a reader has on the screen
    for stop, matrices in states:
        shown = shown or [np.full(matrix.shape, -1.0) for matrix in matrices]
        first_row, changed_before = 0, len(rows)
        for on_screen, matrix in zip(shown, matrices, strict=True):
            moved = np.flatnonzero(np.abs(matrix - on_screen).max(axis=1) > tolerance)
            rows += (first_row + moved).tolist()
            ids += [pool.setdefault(_likely(matrix[row]), len(pool)) for row in moved]
            on_screen[moved] = matrix[moved]
            first_row += len(matrix)
        stops.append(stop)
        changes.append(len(rows) - changed_before)
    return pack(
        counts=np.array([len(values) // 2 for values, _ in pool], "<u2"),
        values=np.frombuffer(b"".join(values for values, _ in pool), "<u2"),
        units=np.frombuffer(b"".join(units for _, units in pool), "<u2"),
        changes=np.array(changes, "<u4"),
        rows=np.array(rows, "<u4"),
        ids=np.array(ids, "<u4"),
        stop=np.rint(np.array(stops) * 1e9).astype("<u4"),
    )


def _likely(probabilities: Array) -> tuple[bytes, bytes]:
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
