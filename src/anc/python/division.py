"""Division: subtracting again and again, or, by a known number, twice as much each time."""

from __future__ import annotations

import ast

from anc.compiler.graph import Constant, Operand, Variable
from anc.python.conditions import compare
from anc.python.inlining import inlined
from anc.python.lowering import Lowering

FEW = 8  # a quotient below this is found as fast by subtracting again and again


def quotient(low: Lowering, left: Operand, right: Operand) -> Operand:
    """left // right, and 0 if right is 0."""
    if isinstance(left, Constant) and isinstance(right, Constant):
        return Constant(left.value // right.value if right.value else 0)
    if isinstance(right, Constant) and right.value < 2:
        return left if right.value else Constant(0)
    if isinstance(right, Constant) and _is_halved(low, right.value):
        return _halving(low, left, right.value)[0]
    return inlined(low, "quotient", left, right)


def remainder(low: Lowering, left: Operand, right: Operand) -> Operand:
    """left % right, and left if right is 0."""
    if isinstance(left, Constant) and isinstance(right, Constant):
        return Constant(left.value % right.value if right.value else left.value)
    if isinstance(right, Constant) and right.value < 2:
        return Constant(0) if right.value else left
    if isinstance(right, Constant) and _is_halved(low, right.value):
        return _halving(low, left, right.value)[1]
    return inlined(low, "remainder", left, right)


def _is_halved(low: Lowering, divisor: int) -> bool:
    return low.is_roomy and (low.M - 1) // divisor >= FEW


def _halving(low: Lowering, left: Operand, divisor: int) -> tuple[Operand, Operand]:
    """The quotient's binary digits one by one, the first ones first."""
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
