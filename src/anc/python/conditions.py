"""Lowering of conditions: every comparison becomes a value that one JEZ tests.

Where an instruction compares, it makes that value; the paper's machine has MIN, MAX and SUB.
"""

from __future__ import annotations

import ast
from collections.abc import Callable

from anc import isa
from anc.compiler.graph import Constant, Operand, Variable
from anc.python.code import Code
from anc.python.lowering import Lowering, branch, value
from anc.python.sequences import Binding, Cells, Row


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
    from anc.python.comparing import compare_results

    left = low.result(node.left)
    for op, operand in zip(node.ops, node.comparators, strict=True):
        right = low.result(operand)
        if operand is node.comparators[-1]:
            compare_results(low, node, op, left, right, (yes, no, falls))
            return
        following = low.code.label()
        compare_results(low, node, op, left, right, (following, no, True))
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
    """Branch on left < right; the comparison that is made is 0 where the code does not come next.

    Without instructions for it, MAX(left, right) - left is 0 if it is false. With a constant moved by one,
    the difference is 0 if it is true, which is cheaper when the code at `no` comes next.
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
    elif falls and code.has(isa.less):
        code.fork(code.compute(isa.less, left, right), no, yes)
    elif not falls and code.has(isa.at_most):
        code.fork(code.compute(isa.at_most, right, left), yes, no)
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
    if len(node.ops) > 1 or isinstance(node.ops[0], ast.In | ast.NotIn):
        return chosen(low, node)
    left, right = low.result(node.left), low.result(node.comparators[0])
    if isinstance(left, Row | Cells) or isinstance(right, Row | Cells):
        return _held(low, node, left, right)
    return compared(low.code, node.ops[0], left, right)


def _held(low: Lowering, node: ast.Compare, left: Binding, right: Binding) -> Operand:
    from anc.python.comparing import compare_results

    def jump(yes: int, no: int) -> None:
        compare_results(low, node, node.ops[0], left, right, (yes, no, True))

    return held(low.code, jump)


COMPARED: dict[type[ast.cmpop], isa.Meaning] = {
    ast.Lt: isa.less, ast.Gt: isa.less, ast.LtE: isa.at_most, ast.GtE: isa.at_most,
    ast.Eq: isa.equal, ast.NotEq: isa.unequal,
}  # fmt: skip


def compared(code: Code, op: ast.cmpop, left: Operand, right: Operand) -> Operand:
    """1 if the comparison holds, else 0."""
    if isinstance(op, ast.Gt | ast.GtE):
        left, right = right, left
    meaning = COMPARED[type(op)]
    if code.has(meaning):
        return code.compute(meaning, left, right)
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
    return compared(code, ast.NotEq(), operand, Constant(0))


@value(ast.BoolOp)
def boolean_value(low: Lowering, node: ast.BoolOp) -> Binding:
    """The operand that decides, with short circuit as in Python."""
    from anc.python.storage import Choice

    code, result, done = low.code, Choice(low, "decided", node.values), low.code.label()
    for each in node.values:
        found = low.result(each)
        result.add(found)
        if each is not node.values[-1]:
            following = code.label()
            ways = (done, following) if isinstance(node.op, ast.And) else (following, done)
            code.fork(low.truth_of(found), *ways)
            code.place(following)
    code.place(done)
    return result.value()


@value(ast.IfExp)
def conditional_value(low: Lowering, node: ast.IfExp) -> Binding:
    from anc.python.storage import Choice

    code, result = low.code, Choice(low, "chosen", [node.body, node.orelse])
    yes, no, done = code.label(), code.label(), code.label()
    low.branch(node.test, yes, no, True)
    code.place(yes)
    result.add(low.result(node.body))
    code.goto(done)
    code.place(no)
    result.add(low.result(node.orelse))
    code.place(done)
    return result.value()


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
    return held(low.code, lambda yes, no: low.branch(node, yes, no, True))


def held(code: Code, jump: Callable[[int, int], None]) -> Operand:
    """1 if a branch goes to its first label, 0 if it goes to its second."""
    result, yes, done = Variable("holds"), code.label(), code.label()
    code.assign(result, Constant(0))
    jump(yes, done)
    code.place(yes)
    code.assign(result, Constant(1 % code.M))
    code.place(done)
    return result
