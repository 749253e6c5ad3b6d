"""Operations of two values that have no normal form, and their terms in the solver.

Each belongs to the meaning of an instruction. `arithmetic` builds terms of them.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from functools import reduce
from typing import TYPE_CHECKING, Any

import numpy as np
import z3  # type: ignore[import-untyped]

from anc import isa
from anc.compiler.ranges import Range, range_of
from anc.machine.columns import output_column

if TYPE_CHECKING:
    from anc.proof.semantics import Vectors


@dataclass(frozen=True, eq=False)
class Operation:
    """A meaning; `vectors` has two bit-vectors and the largest product that they may have."""

    meaning: isa.Meaning
    vectors: Callable[[Vectors, Any, Any, int], z3.BitVecRef]

    def column(self, operands: list[Any], M: int) -> np.ndarray:
        """The outputs for columns of the operands; more than two are combined from the left."""
        return reduce(lambda a, b: output_column(self.meaning, a, b, M), operands)

    def bounds(self, a: Range, b: Range, M: int) -> Range:
        return range_of(self.meaning, a, b, M)


def _multiplied(vectors: Vectors, a: Any, b: Any, largest: int) -> z3.BitVecRef:
    if vectors.wraps or largest < vectors.M:
        return a * b
    more = largest.bit_length() - vectors.width
    product = z3.ZeroExt(more, a) * z3.ZeroExt(more, b)
    return z3.Extract(vectors.width - 1, 0, z3.URem(product, vectors.M))


def _divided(vectors: Vectors, a: Any, b: Any, largest: int) -> z3.BitVecRef:
    if z3.is_bv_value(b) and b.as_long():
        return z3.UDiv(a, b)
    return z3.If(b == 0, vectors.number(0), z3.UDiv(a, b))


def _shifted_left(vectors: Vectors, a: Any, b: Any, largest: int) -> z3.BitVecRef:
    """By squaring, as the meaning does it; the solver has bits for numbers below M only."""
    if vectors.wraps:
        return a << b
    result, power, M = a, 2 % vectors.M, vectors.M
    for place in range(vectors.width):
        moved = _multiplied(vectors, result, vectors.number(power), (M - 1) * power)
        result = z3.If(z3.Extract(place, place, b) == 1, moved, result)
        power = power * power % M
    return result


MULTIPLY = Operation(isa.multiply, _multiplied)
DIVIDE = Operation(isa.divide, _divided)
REMAIN = Operation(isa.remain, lambda vectors, a, b, largest: z3.URem(a, b))
AND = Operation(isa.bits_and, lambda vectors, a, b, largest: a & b)
OR = Operation(isa.bits_or, lambda vectors, a, b, largest: vectors.reduced(a | b))
XOR = Operation(isa.bits_xor, lambda vectors, a, b, largest: vectors.reduced(a ^ b))
SHIFT_LEFT = Operation(isa.shift_left, _shifted_left)
SHIFT_RIGHT = Operation(isa.shift_right, lambda vectors, a, b, largest: z3.LShR(a, b))

OPERATIONS: dict[isa.Meaning, Operation] = {
    each.meaning: each for each in (MULTIPLY, DIVIDE, REMAIN, AND, OR, XOR, SHIFT_LEFT, SHIFT_RIGHT)
}
