"""Lowering of conditions: every comparison becomes a value that one JEZ tests."""

from __future__ import annotations

import ast

from anc.compiler.graph import Constant, Operand, Variable
from anc.python.code import Code
from anc.python.lowering import Lowering, branch, value


@branch(ast.BoolOp)
def both_or_either(low: Lowering, node: ast.BoolOp, yes: int, no: int, falls: bool) -> None:
    *first, last = node.values
    for each in first:
        following = low.code.label()
        if isinstance(node.op, ast.And):
            low.branch(each, following, no, True)
        else:
            low.branch(each, yes, following, False)
        low.code.place(following)
    low.branch(last, yes, no, falls)


@branch(ast.UnaryOp)
def negation(low: Lowering, node: ast.UnaryOp, yes: int, no: int, falls: bool) -> None:
    if isinstance(node.op, ast.Not):
        low.branch(node.operand, no, yes, not falls)
    else:
        low.code.fork(low.value(node), no, yes)


@branch(ast.Compare)
def comparisons(low: Lowering, node: ast.Compare, yes: int, no: int, falls: bool) -> None:
    """``a < b < c``: each operand is evaluated once, from left to right, with short circuit."""
    left = low.value(node.left)
    for op, operand in zip(node.ops, node.comparators, strict=True):
        right = low.value(operand)
        if operand is node.comparators[-1]:
            compare(low.code, op, left, right, yes, no, falls)
            return
        following = low.code.label()
        compare(low.code, op, left, right, following, no, True)
        low.code.place(following)
        left = right


def compare(
    code: Code, op: ast.cmpop, left: Operand, right: Operand, yes: int, no: int, falls: bool
) -> None:
    """Branch to yes if the comparison holds, else to no."""
    if isinstance(op, ast.Gt | ast.GtE):
        left, right = right, left
    if isinstance(op, ast.Eq | ast.NotEq):
        ways = (yes, no) if isinstance(op, ast.Eq) else (no, yes)
        code.fork(difference(code, left, right), *ways)
    elif isinstance(op, ast.Lt | ast.Gt):
        _less(code, left, right, yes, no, falls)
    else:
        _less(code, right, left, no, yes, not falls)


def difference(code: Code, left: Operand, right: Operand) -> Operand:
    """A value that is 0 if and only if both operands are equal."""
    if isinstance(left, Constant):
        left, right = right, left
    return code.subtract(left, right)


def _less(code: Code, left: Operand, right: Operand, yes: int, no: int, falls: bool) -> None:
    """Branch on left < right.

    MAX(left, right) - left is 0 if it is false. With a constant moved by one, the difference is 0 if it
    is true, which is cheaper when the code at `no` comes next.
    """
    last = code.M - 1
    if left == right or right == Constant(0) or left == Constant(last):
        code.goto(no)
    elif right == Constant(1):
        code.fork(left, yes, no)
    elif left == Constant(0):
        code.fork(right, no, yes)
    elif right == Constant(last) or left == Constant(last - 1):
        ways = (no, yes) if right == Constant(last) else (yes, no)
        code.fork(code.shifted(left if ways[0] == no else right, 1), *ways)
    elif not falls and isinstance(right, Constant):
        code.fork(_excess(code, left, Constant(right.value - 1)), yes, no)
    elif not falls and isinstance(left, Constant):
        code.fork(_excess(code, Constant(left.value + 1), right), yes, no)
    else:
        code.fork(_excess(code, right, left), no, yes)


def _excess(code: Code, one: Operand, two: Operand) -> Operand:
    """A value that is 0 if and only if one <= two."""
    return code.subtract(code.larger(one, two), two)


# -- conditions as values -------------------------------------------------------------


@value(ast.Compare)
def comparison_value(low: Lowering, node: ast.Compare) -> Operand:
    if len(node.ops) > 1:
        return chosen(low, node)
    return compared(low.code, node.ops[0], low.value(node.left), low.value(node.comparators[0]))


def compared(code: Code, op: ast.cmpop, left: Operand, right: Operand) -> Operand:
    """1 if the comparison holds, else 0."""
    if isinstance(op, ast.Gt | ast.GtE):
        left, right = right, left
    if isinstance(op, ast.Eq | ast.NotEq):
        excess = difference(code, left, right)
    elif isinstance(op, ast.Lt | ast.Gt):
        excess = _excess(code, right, left)
    else:
        excess = _excess(code, left, right)
    differs = code.smaller(excess, Constant(1 % code.M))
    if isinstance(op, ast.NotEq | ast.Lt | ast.Gt):
        return differs
    return code.subtract(Constant(1 % code.M), differs)


def truth(code: Code, operand: Operand) -> Operand:
    """1 unless the operand is 0."""
    return code.smaller(operand, Constant(1 % code.M))


@value(ast.BoolOp)
def boolean_value(low: Lowering, node: ast.BoolOp) -> Operand:
    """The operand that decides, with short circuit as in Python."""
    code = low.code
    result, done = Variable("decided"), code.label()
    for each in node.values:
        code.assign(result, low.value(each))
        if each is not node.values[-1]:
            following = code.label()
            ways = (done, following) if isinstance(node.op, ast.And) else (following, done)
            code.fork(result, *ways)
            code.place(following)
    code.place(done)
    return result


@value(ast.IfExp)
def conditional_value(low: Lowering, node: ast.IfExp) -> Operand:
    code = low.code
    result, yes, no, done = Variable("chosen"), code.label(), code.label(), code.label()
    low.branch(node.test, yes, no, True)
    code.place(yes)
    code.assign(result, low.value(node.body))
    code.goto(done)
    code.place(no)
    code.assign(result, low.value(node.orelse))
    code.place(done)
    return result


@branch(ast.IfExp)
def conditional(low: Lowering, node: ast.IfExp, yes: int, no: int, falls: bool) -> None:
    first, second = low.code.label(), low.code.label()
    low.branch(node.test, first, second, True)
    low.code.place(first)
    low.branch(node.body, yes, no, falls)
    low.code.place(second)
    low.branch(node.orelse, yes, no, falls)


def chosen(low: Lowering, node: ast.expr) -> Operand:
    """A condition as 1 or 0, by a branch."""
    code = low.code
    result, yes, done = Variable("holds"), code.label(), code.label()
    code.assign(result, Constant(0))
    low.branch(node, yes, done, True)
    code.place(yes)
    code.assign(result, Constant(1 % code.M))
    code.place(done)
    return result
