"""The outputs of instructions for whole columns of operands, with numpy.

Each function belongs to a meaning; any other meaning is computed one by one.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import lru_cache
from typing import Any

import numpy as np

from anc import isa

Column = Any  # a number or an array of them, with 64 bits: products of two values need them


@lru_cache(maxsize=64)
def powers_of_two(M: int) -> np.ndarray:
    """2 ** b modulo M for each b below M."""
    return np.array([pow(2, b, M) for b in range(M)], np.int64)


def _product(a: Column, b: Column, M: int) -> Column:
    return a * b % M


def _quotient(a: Column, b: Column, M: int) -> Column:
    return np.where(b == 0, 0, a // np.maximum(b, 1))


def _remainder(a: Column, b: Column, M: int) -> Column:
    return np.where(b == 0, a, a % np.maximum(b, 1))


_COLUMNS: dict[isa.Meaning, Callable[[Column, Column, int], Column]] = {
    isa.zero: lambda a, b, M: 0 * (a + b),
    isa.increment: lambda a, b, M: (a + 1) % M,
    isa.decrement: lambda a, b, M: (a - 1) % M,
    isa.add: lambda a, b, M: (a + b) % M,
    isa.subtract: lambda a, b, M: (a - b) % M,
    isa.smaller: lambda a, b, M: np.minimum(a, b),
    isa.larger: lambda a, b, M: np.maximum(a, b),
    isa.multiply: _product,
    isa.divide: _quotient,
    isa.remain: _remainder,
    isa.less: lambda a, b, M: (a < b) % M,
    isa.at_most: lambda a, b, M: (a <= b) % M,
    isa.equal: lambda a, b, M: (a == b) % M,
    isa.unequal: lambda a, b, M: (a != b) % M,
    isa.bits_and: lambda a, b, M: a & b,
    isa.bits_or: lambda a, b, M: (a | b) % M,
    isa.bits_xor: lambda a, b, M: (a ^ b) % M,
    isa.shift_left: lambda a, b, M: a * powers_of_two(M)[b] % M,
    isa.shift_right: lambda a, b, M: a >> np.minimum(b, 62),
}


def output_column(meaning: isa.Meaning, a: Column, b: Column, M: int) -> np.ndarray:
    """The output for each pair of operands; one of them may be a number."""
    a, b = np.asarray(a, np.int64), np.asarray(b, np.int64)
    found = _COLUMNS.get(meaning)
    if found is not None:
        return np.asarray(found(a, b, M), np.int64)
    a, b = np.broadcast_arrays(a, b)
    pairs = zip(a.ravel().tolist(), b.ravel().tolist(), strict=True)
    return np.array([meaning(x, y, M) for x, y in pairs], np.int64).reshape(a.shape)
