"""The outputs of instructions for whole columns of operands, in numpy.

A fast path belongs to a meaning, never to a name. An instruction without one is tabulated by its
meaning, for the pairs of operands that occur.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, TypeAlias

import numpy as np

from anc import isa
from anc.isa import Meaning

Column: TypeAlias = np.ndarray  # of int32
Operand: TypeAlias = Any  # a column, or a number that is the same in all rows


def _wrapped(sums: Any, M: int) -> Any:
    """Numbers from 0 to 2M - 1 modulo M."""
    return np.where(sums >= M, sums - M, sums)


def _divided(a: Operand, b: Operand, M: int) -> Any:
    return np.where(b == 0, 0, a // np.maximum(b, 1))


def _remaining(a: Operand, b: Operand, M: int) -> Any:
    return np.where(b == 0, a, a % np.maximum(b, 1))


_FAST: dict[Meaning, Callable[[Operand, Operand, int], Any]] = {
    isa.increment: lambda a, b, M: _wrapped(a + 1, M),
    isa.decrement: lambda a, b, M: _wrapped(a + (M - 1), M),
    isa.add: lambda a, b, M: _wrapped(a + b, M),
    isa.subtract: lambda a, b, M: _wrapped(a + (M - b), M),
    isa.smaller: lambda a, b, M: np.minimum(a, b),
    isa.larger: lambda a, b, M: np.maximum(a, b),
    isa.multiply: lambda a, b, M: np.multiply(a, b, dtype=np.int64) % M,
    isa.divide: _divided,
    isa.remain: _remaining,
    isa.less: lambda a, b, M: (a < b) * (1 % M),
    isa.at_most: lambda a, b, M: (a <= b) * (1 % M),
    isa.equal: lambda a, b, M: (a == b) * (1 % M),
    isa.unequal: lambda a, b, M: (a != b) * (1 % M),
    isa.bits_and: lambda a, b, M: a & b,
    isa.bits_or: lambda a, b, M: (a | b) % M,
    isa.bits_xor: lambda a, b, M: (a ^ b) % M,
    isa.shift_right: lambda a, b, M: a >> np.minimum(b, 31),
}


def output(meaning: Meaning, first: Operand, second: Operand, M: int) -> Operand:
    """An instruction's output for operands of which each is a number or a column."""
    if meaning is isa.zero:
        return 0
    if not (isinstance(first, np.ndarray) or isinstance(second, np.ndarray)):
        return meaning(first, second, M)
    if meaning in _FAST:
        return _FAST[meaning](first, second, M).astype(np.int32, copy=False)
    both = np.broadcast_arrays(first, second)
    pairs, places = np.unique(both[0].astype(np.int64) * M + both[1], return_inverse=True)
    found = [meaning(pair // M, pair % M, M) for pair in pairs.tolist()]
    return np.array(found, np.int32)[places.reshape(-1)]
