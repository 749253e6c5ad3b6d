"""Lowering of expressions: literals, names, elements of lists, arithmetic; and of assignment targets."""

from __future__ import annotations

import ast

from anc.compiler.graph import Constant, Operand, Variable
from anc.python.conditions import compared
from anc.python.exact import (
    added,
    multiplied,
    quotient,
    remainder,
    require,
    require_element,
    require_value,
    subtracted,
    times,
)
from anc.python.lowering import ListCells, Lowering, Row, inlined, value

LARGEST_POWER = 16


@value(ast.Constant)
def literal(low: Lowering, node: ast.Constant) -> Operand:
    if isinstance(node.value, int):
        return low.number(node, int(node.value))
    kind = {str: "text", float: "a number with a point", bytes: "bytes", type(None): "None"}.get(
        type(node.value), "this value"
    )
    return low.wrong(node, f"{kind} is not supported", "write a whole number")


@value(ast.Name)
def name(low: Lowering, node: ast.Name) -> Operand:
    found = low.binding(node)
    if isinstance(found, ListCells | tuple):
        what = "list" if isinstance(found, ListCells) else "tuple"
        return low.wrong(
            node, f"'{node.id}' is a {what}; a number is needed here", f"write {node.id}[0]"
        )
    require_value(low, node.id)
    return found


# -- elements --------------------------------------------------------------------------


@value(ast.Subscript)
def element(low: Lowering, node: ast.Subscript) -> Operand:
    found = low.list_of(node.value)
    if isinstance(found, tuple):
        return _of_row(low, node, found)
    address = address_of(low, node)
    return address if address is None else low.code.read(address)


def address_of(low: Lowering, node: ast.Subscript) -> Operand:
    """The cell of an element. An unknown index wraps around at the end of the memory."""
    found = low.list_of(node.value)
    if found is None:
        low.value(node.value)  # reports its own errors
        low.wrong(node, "only a list, a tuple or the tape has elements", "name one in front of [")
        return Constant(0)
    if isinstance(found, tuple):
        low.wrong(node, "a tuple cannot be changed", "take a list as an argument")
        return Constant(0)
    known = low.known(node.slice)
    if known is None:
        index = low.value(node.slice)
        require_element(low, found, index)
        return low.code.add(index, Constant(found.begin))
    if not -found.most <= known < found.most:
        low.wrong(
            node.slice,
            f"there is no element {known}: the list has at most {found.most}",
            f"use an index from 0 to {found.most - 1}",
        )
    if known < 0 and found.length is not None:
        length = low.code.read(Constant(found.length))
        require(low, ast.GtE(), length, low.code.number(-known))
        return low.code.add(low.code.add(length, Constant(found.begin)), low.code.number(known))
    require_element(low, found, low.code.number(known % found.most))
    return low.code.number(found.begin + (known % found.most))


def _of_row(low: Lowering, node: ast.Subscript, row: Row) -> Operand:
    """An element of a tuple, which is not on the tape: the index selects it by comparisons."""
    known = low.known(node.slice)
    if known is not None:
        if not -len(row) <= known < len(row):
            return low.wrong(node.slice, f"there is no element {known}: there are {len(row)}")
        return row[known]
    code, index = low.code, low.value(node.slice)
    if len(row) < low.M:
        require(low, ast.Lt(), index, Constant(len(row)))
    if isinstance(index, Constant):
        return row[index.value] if index.value < len(row) else Constant(0)

    result, done = Variable("element"), code.label()
    for place, each in enumerate(row):
        here, following = code.label(), code.label()
        code.fork(code.shifted(index, -place), here, following)
        code.place(here)
        code.assign(result, each)
        code.goto(done)
        code.place(following)
    code.assign(result, Constant(0))
    code.place(done)
    return result


# -- arithmetic ------------------------------------------------------------------------


@value(ast.UnaryOp)
def signed(low: Lowering, node: ast.UnaryOp) -> Operand:
    if isinstance(node.op, ast.USub) and isinstance(node.operand, ast.Constant):
        known = low.known(node)
        if known is not None:
            return low.number(node, known)
    operand, code = low.value(node.operand), low.code
    if isinstance(node.op, ast.UAdd):
        return operand
    if isinstance(node.op, ast.Not):
        return compared(code, ast.Eq(), operand, Constant(0))
    if isinstance(node.op, ast.Invert):
        return code.subtract(low.fitting(-1), operand)
    return subtracted(low, Constant(0), operand)


@value(ast.BinOp)
def arithmetic(low: Lowering, node: ast.BinOp) -> Operand:
    known = low.known(node) if low.is_exact else None
    if known is not None:
        return low.fitting(known)  # only the result must fit, as that of len(tape) - 1 does
    if isinstance(node.op, ast.Pow):
        return power(low, low.value(node.left), node.right)
    left = low.value(node.left)
    return combined(low, node.op, left, low.value(node.right))


def combined(low: Lowering, op: ast.operator, left: Operand, right: Operand) -> Operand:
    """The result of an operator, on operands from 0 to M-1."""
    code, M = low.code, low.M
    if isinstance(op, ast.Add):
        return added(low, left, right)
    if isinstance(op, ast.Sub):
        return subtracted(low, left, right)
    if isinstance(op, ast.Mult):
        return times(low, left, right)
    if isinstance(op, ast.FloorDiv | ast.Mod):
        require(low, ast.NotEq(), right, Constant(0))
    if isinstance(op, ast.FloorDiv):
        return quotient(low, left, right)
    if isinstance(op, ast.Mod):
        return remainder(low, left, right)
    if isinstance(op, ast.LShift):
        if isinstance(right, Constant):
            return multiplied(low, left, 2**right.value)
        return inlined(low, "doubled", left, right)
    if isinstance(op, ast.RShift):
        if isinstance(right, Constant):
            power_of_two = 2 ** min(right.value, M.bit_length())
            if power_of_two >= M:
                return Constant(0)
            return quotient(low, left, Constant(power_of_two))
        return inlined(low, "halved", left, right)
    assert isinstance(op, ast.BitAnd | ast.BitOr | ast.BitXor)
    both = common_bits(low, left, right)
    if isinstance(op, ast.BitAnd):
        return both
    if low.is_exact:
        other = right if isinstance(op, ast.BitOr) else code.subtract(right, both)
        return added(low, code.subtract(left, both), other)
    rest = both if isinstance(op, ast.BitOr) else code.add(both, both)
    return code.subtract(code.add(left, right), rest)


def power(low: Lowering, base: Operand, exponent: ast.expr) -> Operand:
    known = low.known(exponent)
    if known is None or not 0 <= known <= LARGEST_POWER:
        return low.wrong(
            exponent,
            f"an exponent must be a known number from 0 to {LARGEST_POWER}",
            "write a loop that multiplies",
        )
    result: Operand = Constant(1 % low.M)

    for digit in bin(known)[2:]:
        if result != Constant(1 % low.M):
            result = times(low, result, result)
        if digit == "1":
            result = base if result == Constant(1 % low.M) else times(low, result, base)
    return result


def common_bits(low: Lowering, left: Operand, right: Operand) -> Operand:
    """left & right; with a constant, as remainders by powers of two."""
    if isinstance(left, Constant):
        left, right = right, left
    if isinstance(left, Constant) and isinstance(right, Constant):
        return Constant(left.value & right.value)
    if not isinstance(right, Constant):
        top = Constant(top_bit(low.M))
        if 2 * top.value == low.M:
            return inlined(low, "common_digits", left, right, top, _digits(low.M))
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


def _digits(M: int) -> Constant:
    return Constant((M - 1).bit_length())


def top_bit(M: int) -> int:
    """The largest power of two below M."""
    return 2 ** max(0, (M - 1).bit_length() - 1) if M > 1 else 0


@value(ast.Tuple, ast.List)
def several(low: Lowering, node: ast.Tuple | ast.List) -> Operand:
    return low.wrong(
        node,
        "expected a number, found several values",
        "assign them to as many names, or iterate over them with for",
    )


@value(ast.GeneratorExp, ast.ListComp)
def comprehension(low: Lowering, node: ast.GeneratorExp | ast.ListComp) -> Operand:
    return low.wrong(
        node,
        "expected a number, found a comprehension",
        "put it into sum(), any(), all(), min() or max()",
    )


# -- assignment targets ---------------------------------------------------------------


def store(low: Lowering, target: ast.expr, value: Operand) -> None:
    """Assign a value to a name or an element."""
    if isinstance(target, ast.Name):
        _store_name(low, target, value)
    elif isinstance(target, ast.Subscript):
        low.code.write(address_of(low, target), value)
    else:
        low.wrong(target, "only names and elements can be assigned", "name one target for each")


def _store_name(low: Lowering, target: ast.Name, value: Operand) -> None:
    found = low.scope.names.get(target.id)
    if isinstance(found, Variable):
        low.code.assign(found, value)
        if target.id in low.scope.assigned:
            low.code.assign(low.scope.assigned[target.id], Constant(1 % low.M))
        return
    low.wrong(target, f"'{target.id}' is a list, which cannot be replaced", "use a new name")
