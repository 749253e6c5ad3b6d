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
from collections.abc import Sequence
from dataclasses import dataclass, field

import numpy as np

from anc.machine.weights import Array

UNITS = 10_000  # probabilities are kept in these units


@dataclass
class Packer:
    """Collects the changes of a run, step by step, beginning with the initial state at step 0."""

    _pool: dict[tuple[bytes, bytes], int] = field(default_factory=dict)
    _counts: list[int] = field(default_factory=list)
    _values: list[np.ndarray] = field(default_factory=list)
    _units: list[np.ndarray] = field(default_factory=list)
    _changes: list[int] = field(default_factory=list)
    _rows: list[int] = field(default_factory=list)
    _ids: list[int] = field(default_factory=list)
    _stop: list[float] = field(default_factory=list)

    def step(self, stop: float) -> None:
        """Begin the next step, after which the stop probability is this."""
        self._changes.append(0)
        self._stop.append(stop)

    def certain(self, row: int, value: int | None) -> None:
        """The row is now one value for certain, or (None) no distribution at all."""
        values = np.array([] if value is None else [value], np.uint16)
        self._change(row, values, np.full(len(values), UNITS, np.uint16))

    def distribution(self, row: int, probabilities: Array) -> None:
        """The row is now this distribution."""
        units = np.rint(probabilities * UNITS).astype(np.uint16)
        values = np.flatnonzero(units).astype(np.uint16)
        self._change(row, values, units[values])

    def _change(self, row: int, values: np.ndarray, units: np.ndarray) -> None:
        key = (values.tobytes(), units.tobytes())
        number = self._pool.setdefault(key, len(self._pool))
        if number == len(self._counts):
            self._counts.append(len(values))
            self._values.append(values)
            self._units.append(units)
        self._rows.append(row)
        self._ids.append(number)
        self._changes[-1] += 1

    def packed(self) -> Packed:
        return pack(
            counts=np.array(self._counts, "<u2"),
            values=np.concatenate([np.array([], "<u2"), *self._values]).astype("<u2"),
            units=np.concatenate([np.array([], "<u2"), *self._units]).astype("<u2"),
            changes=np.array(self._changes, "<u4"),
            rows=np.array(self._rows, "<u4"),
            ids=np.array(self._ids, "<u4"),
            stop=np.rint(np.array(self._stop) * 1e9).astype("<u4"),
        )


@dataclass(frozen=True)
class Packed:
    """The packed form: [name, length, bytes of a number] of each array, and their bytes."""

    layout: list[list]
    data: str

    @property
    def size(self) -> int:
        return len(self.data)


def pack(**arrays: np.ndarray) -> Packed:
    """Arrays of whole numbers (<u2 or <u4), flattened, for a page."""
    flat = {name: np.ascontiguousarray(array).reshape(-1) for name, array in arrays.items()}
    data = b"".join(_planes(array) for array in flat.values())
    layout = [[name, len(array), array.dtype.itemsize] for name, array in flat.items()]
    return Packed(layout, base64.b64encode(zlib.compress(data, 9)).decode("ascii"))


def _planes(array: np.ndarray) -> bytes:
    """First the low byte of every number, then the next one ...: like bytes compress together."""
    return array.view(np.uint8).reshape(len(array), -1).T.tobytes()


class Shown:
    """What a reader has on the screen, so that only rows that differ from it are packed again."""

    def __init__(self, packer: Packer, tolerance: float) -> None:
        self.packer = packer
        self.tolerance = tolerance
        self._matrices: dict[int, np.ndarray] = {}

    def show(self, first_row: int, matrix: Array) -> None:
        """The rows from this one on are now the rows of the matrix."""
        matrix = np.asarray(matrix)
        if first_row not in self._matrices:
            self._matrices[first_row] = np.full(matrix.shape, -1.0)
        shown = self._matrices[first_row]
        moved = np.abs(matrix - shown).max(axis=1) > self.tolerance
        for row in np.flatnonzero(moved):
            self.packer.distribution(first_row + int(row), matrix[row])
        shown[moved] = matrix[moved]

    def hide(self, rows: Sequence[int]) -> None:
        for row in rows:
            self.packer.certain(row, None)
