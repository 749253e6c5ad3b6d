"""Lowering of operations to instructions, and to other code where the instruction set has none for them.

An operation is named by the meaning of its instruction. Without one, it is a loop of `arithmetic.py`, or by a
known number a shorter code.
"""

from __future__ import annotations

import ast
from collections.abc import Callable

from anc import isa
from anc.compiler.graph import Constant, Operand, Variable
from anc.python.conditions import compare
from anc.python.lowering import Lowering, inlined

FEW = 8  # for a quotient below this, repeated subtraction is as fast


def output(low: Lowering, meaning: isa.Meaning, left: Operand, right: Operand) -> Operand:
    """What the instruction with this meaning outputs."""
    are_known = isinstance(left, Constant) and isinstance(right, Constant)
    if are_known or low.code.has(meaning):
        return low.code.compute(meaning, left, right)
    return _WITHOUT[meaning](low, left, right)


def quotient(low: Lowering, left: Operand, right: Operand) -> Operand:
    """left // right, and 0 if right is 0."""
    return output(low, isa.divide, left, right)


def remainder(low: Lowering, left: Operand, right: Operand) -> Operand:
    """left % right, and left if right is 0."""
    return output(low, isa.remain, left, right)


def shifted_right(low: Lowering, left: Operand, right: Operand) -> Operand:
    return output(low, isa.shift_right, left, right)


def common_bits(low: Lowering, left: Operand, right: Operand) -> Operand:
    """left & right."""
    return output(low, isa.bits_and, left, right)


def _times(low: Lowering, left: Operand, right: Operand) -> Operand:
    return inlined(low, "times", left, right)


def _doubled(low: Lowering, left: Operand, right: Operand) -> Operand:
    return inlined(low, "doubled", left, right)


# -- division: repeated subtraction; by a known number, binary long division -------------


def _quotient(low: Lowering, left: Operand, right: Operand) -> Operand:
    if isinstance(right, Constant) and right.value < 2:
        return left if right.value else Constant(0)
    if isinstance(right, Constant) and _is_halved(low, right.value):
        return _halving(low, left, right.value)[0]
    return inlined(low, "quotient", left, right)


def _remainder(low: Lowering, left: Operand, right: Operand) -> Operand:
    if isinstance(right, Constant) and right.value < 2:
        return Constant(0) if right.value else left
    if isinstance(right, Constant) and _is_halved(low, right.value):
        return _halving(low, left, right.value)[1]
    return inlined(low, "remainder", left, right)


def _halved(low: Lowering, left: Operand, right: Operand) -> Operand:
    if not isinstance(right, Constant):
        return inlined(low, "halved", left, right)
    power_of_two = 2 ** min(right.value, low.M.bit_length())
    return Constant(0) if power_of_two >= low.M else _quotient(low, left, Constant(power_of_two))


def _is_halved(low: Lowering, divisor: int) -> bool:
    return low.is_roomy and (low.M - 1) // divisor >= FEW


def _halving(low: Lowering, left: Operand, divisor: int) -> tuple[Operand, Operand]:
    """Binary long division: the quotient's bits, the highest first; returns quotient and rest."""
    code = low.code
    whole, rest = Variable("quotient"), Variable("rest")
    code.assign(rest, left)
    code.assign(whole, Constant(0))
    for digit in reversed(range(((low.M - 1) // divisor).bit_length())):
        yes, no = code.label(), code.label()
        part = code.number(divisor << digit)
        compare(code, ast.GtE(), rest, part, yes, no, True)
        code.place(yes)
        code.assign(rest, code.subtract(rest, part))
        code.assign(whole, code.add(whole, code.number(1 << digit)))
        code.place(no)
    return whole, rest


# -- bits: with a known number, remainders by powers of two --------------------------------


def _common_bits(low: Lowering, left: Operand, right: Operand) -> Operand:
    if isinstance(left, Constant):
        left, right = right, left
    if not isinstance(right, Constant):
        top = Constant(_top_bit(low.M))
        if 2 * top.value == low.M:
            digits = Constant((low.M - 1).bit_length())
            return inlined(low, "common_digits", left, right, top, digits)
        return inlined(low, "common_bits", left, right, top)
    code = low.code
    result: Operand = Constant(0)
    for place, bits in enumerate(bin(right.value)[:1:-1] + "0"):
        before = place and right.value >> (place - 1) & 1
        if before != int(bits):
            part = _below(low, left, 2**place)
            result = code.add(result, part) if before else code.subtract(result, part)
    return result


def _below(low: Lowering, operand: Operand, power_of_two: int) -> Operand:
    """The bits below a power of two."""
    if power_of_two >= low.M:
        return operand
    return remainder(low, operand, Constant(power_of_two))


def _top_bit(M: int) -> int:
    """The largest power of two below M."""
    return 2 ** max(0, (M - 1).bit_length() - 1) if M > 1 else 0


_WITHOUT: dict[isa.Meaning, Callable[[Lowering, Operand, Operand], Operand]] = {
    isa.multiply: _times,
    isa.divide: _quotient,
    isa.remain: _remainder,
    isa.shift_left: _doubled,
    isa.shift_right: _halved,
    isa.bits_and: _common_bits,
}
