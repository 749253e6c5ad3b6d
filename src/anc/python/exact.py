"""Numbers as Python has them: in an exact program, whatever the machine would do otherwise is no answer.

Every number that leaves 0..M-1, every index beyond a list and every division by zero lets the program
leave its last line. Where it stops, it does what Python does.
"""

from __future__ import annotations

import ast

from anc.compiler.graph import Constant, Operand
from anc.python.code import kept
from anc.python.conditions import compare
from anc.python.inlining import inlined
from anc.python.lowering import Cells, Lowering


def require(low: Lowering, op: ast.cmpop, left: Operand, right: Operand) -> None:
    """In an exact program, go on only if a comparison holds."""
    if not low.is_exact:
        return
    holds = low.code.label()
    compare(low.code, op, kept(left, "left"), kept(right, "right"), holds, low.code.failing, True)
    low.code.place(holds)


def require_value(low: Lowering, name: str) -> None:
    """That a name has a value."""
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
    if low.is_exact:
        left, right = kept(left, "one"), kept(right, "other")
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
    """An operand times a number of any size."""
    if factor:
        require(low, ast.LtE(), operand, Constant((low.M - 1) // factor))
    return low.code.multiple(operand, factor % low.M)


def require_element(low: Lowering, cells: Cells, index: Operand) -> None:
    """That a list has an element with this index."""
    if low.is_exact and cells.length is not None:
        require(low, ast.Lt(), index, low.code.read(Constant(cells.length)))
    elif cells.most < low.M:
        require(low, ast.Lt(), index, Constant(cells.most))
