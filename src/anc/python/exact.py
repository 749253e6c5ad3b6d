"""Checked arithmetic: in an exact program, every overflow is a failure.

A number outside of 0..M-1, an index out of range and a division by zero make the program leave its last
line. If it stops, its result is Python's. A loop of `arithmetic.py` checks its own additions.
"""

from __future__ import annotations

import ast
from bisect import bisect_right
from math import isqrt

from anc import isa
from anc.compiler.graph import Constant, Operand
from anc.python.conditions import compare
from anc.python.lowering import Lowering
from anc.python.operations import common_bits, output, quotient, shifted_right
from anc.python.sequences import Cells, known_length


def require(low: Lowering, op: ast.cmpop, left: Operand, right: Operand) -> None:
    """In an exact program, continue only if a comparison holds."""
    if not low.is_exact:
        return
    holds = low.code.label()
    compare(low.code, op, left, right, holds, low.code.failing, True)
    low.code.place(holds)


def require_value(low: Lowering, name: str) -> None:
    """Continue only if a name has a value."""
    if name in low.scope.assigned:
        holds = low.code.label()
        low.code.fork(low.scope.assigned[name], low.code.failing, holds)
        low.code.place(holds)


def added(low: Lowering, left: Operand, right: Operand) -> Operand:
    code, M = low.code, low.M
    if isinstance(left, Constant):
        left, right = right, left
    if isinstance(left, Constant) and isinstance(right, Constant):
        return low.fitting(left.value + right.value)
    if isinstance(right, Constant):
        require(low, ast.LtE(), left, Constant(M - 1 - right.value))
        return code.add(left, right)
    total = code.add(left, right)
    require(low, ast.GtE(), total, left)
    return total


def subtracted(low: Lowering, left: Operand, right: Operand) -> Operand:
    require(low, ast.GtE(), left, right)
    return low.code.subtract(left, right)


def times(low: Lowering, left: Operand, right: Operand) -> Operand:
    """left * right: at most M-1 if left is at most (M-1) // right."""
    code = low.code
    if isinstance(left, Constant):
        left, right = right, left
    if isinstance(right, Constant):
        return multiplied(low, left, right.value)
    if low.is_exact and code.has(isa.multiply):
        if left is right:
            require(low, ast.LtE(), left, Constant(isqrt(low.M - 1)))
        else:
            divisor = code.larger(right, Constant(1))
            require(low, ast.LtE(), left, quotient(low, Constant(low.M - 1), divisor))
    return output(low, isa.multiply, left, right)


def multiplied(low: Lowering, operand: Operand, factor: int) -> Operand:
    """An operand times a known number of any size."""
    if factor:
        require(low, ast.LtE(), operand, Constant((low.M - 1) // factor))
    return low.code.multiple(operand, factor % low.M)


def shifted_left(low: Lowering, left: Operand, right: Operand) -> Operand:
    if isinstance(right, Constant):
        return multiplied(low, left, 2**right.value)
    if low.is_exact and low.code.has(isa.shift_left):
        most = shifted_right(low, Constant(low.M - 1), right)
        require(low, ast.LtE(), left, most)
    return output(low, isa.shift_left, left, right)


def either_bits(low: Lowering, left: Operand, right: Operand) -> Operand:
    """left | right: without M, which an overflow takes from it, it is smaller than both."""
    code = low.code
    if code.has(isa.bits_or):
        result = code.compute(isa.bits_or, left, right)
        _require_bits(low, result, left)
        return result
    both = common_bits(low, left, right)
    if low.is_exact:
        return added(low, code.subtract(left, both), right)
    return code.subtract(code.add(left, right), both)


def different_bits(low: Lowering, left: Operand, right: Operand) -> Operand:
    """left ^ right: without M, it is smaller than the part of it that comes from `left`."""
    code = low.code
    if code.has(isa.bits_xor):
        result = code.compute(isa.bits_xor, left, right)
        if low.is_exact:
            both = common_bits(low, left, right)
            _require_bits(low, result, code.subtract(left, both))
        return result
    both = common_bits(low, left, right)
    if low.is_exact:
        return added(low, code.subtract(left, both), code.subtract(right, both))
    return code.subtract(code.add(left, right), code.add(both, both))


def _require_bits(low: Lowering, result: Operand, part: Operand) -> None:
    """Continue only if the result of a bit operation, of which this is a part, fits."""
    if low.M & (low.M - 1):  # below a power of two, every result fits
        require(low, ast.GtE(), result, part)


def known_power(low: Lowering, base: Operand, exponent: int) -> Operand:
    """base ** exponent: if it fits, so do the products on the way."""
    if exponent > 1:
        root = bisect_right(range(low.M), low.M - 1, key=lambda each: each**exponent) - 1
        require(low, ast.LtE(), base, Constant(root))
    one = Constant(1 % low.M)
    result: Operand = one
    for digit in bin(exponent)[2:]:
        if result != one:
            result = output(low, isa.multiply, result, result)
        if digit == "1":
            result = base if result == one else output(low, isa.multiply, result, base)
    return result


def require_element(low: Lowering, cells: Cells, index: Operand) -> None:
    """Continue only if a list has an element with this index."""
    if not low.is_exact:
        return
    if known_length(cells) is None or cells.most < low.M:
        require(low, ast.Lt(), index, low.length(cells))
