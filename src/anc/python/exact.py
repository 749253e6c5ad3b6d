"""Checked arithmetic: in an exact program, every overflow is a failure.

A number outside of 0..M-1, an index out of range and a division by zero make the program leave its last
line. If it stops, its result is Python's.
"""

from __future__ import annotations

import ast

from anc.compiler.graph import Constant, Operand, Variable
from anc.python.conditions import compare
from anc.python.lowering import ListCells, Lowering, inlined


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
    if isinstance(left, Constant):
        left, right = right, left
    if isinstance(right, Constant):
        return multiplied(low, left, right.value)
    return inlined(low, "times", left, right)


def multiplied(low: Lowering, operand: Operand, factor: int) -> Operand:
    """An operand times a known number of any size."""
    if factor:
        require(low, ast.LtE(), operand, Constant((low.M - 1) // factor))
    return low.code.multiple(operand, factor % low.M)


def require_element(low: Lowering, cells: ListCells, index: Operand) -> None:
    """Continue only if a list has an element with this index."""
    if low.is_exact and cells.length is not None:
        require(low, ast.Lt(), index, low.code.read(Constant(cells.length)))
    elif cells.most < low.M:
        require(low, ast.Lt(), index, Constant(cells.most))


# -- division: repeated subtraction; by a known number, binary long division -------------


FEW = 8  # for a quotient below this, repeated subtraction is as fast


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
