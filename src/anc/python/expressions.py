"""Lowering of expressions: literals, names, elements of lists, arithmetic; and of assignment targets."""

from __future__ import annotations

import ast
from collections.abc import Callable

from anc import isa
from anc.compiler.graph import Constant, Operand, Variable
from anc.python.concatenation import joined
from anc.python.conditions import compare, compared
from anc.python.elements import address_of
from anc.python.exact import (
    added,
    different_bits,
    either_bits,
    known_power,
    require,
    require_value,
    shifted_left,
    subtracted,
    times,
)
from anc.python.lowering import Lowering, inlined, value
from anc.python.operations import common_bits, output, quotient, remainder, shifted_right
from anc.python.sequences import Binding, Cells, Row, Sequence, in_words, known_length
from anc.python.storage import copied, item, keeper_of, kept

LARGEST_POWER = 16


@value(ast.Constant)
def literal(low: Lowering, node: ast.Constant) -> Binding:
    if isinstance(node.value, int):
        return low.number(node, int(node.value))
    if isinstance(node.value, str):
        return low.constant(node, node.value)
    if isinstance(node.value, bytes):
        return Row(tuple(low.number(node, each) for each in node.value), "bytes")
    kind = {float: "a number with a point", type(None): "None"}.get(type(node.value), "this value")
    return low.wrong(node, f"{kind} is not supported", "write a whole number")


@value(ast.Name)
def name(low: Lowering, node: ast.Name) -> Binding:
    found = low.binding(node)
    require_value(low, node.id)
    return found


@value(ast.Tuple, ast.List)
def several(low: Lowering, node: ast.Tuple | ast.List) -> Sequence:
    kind = "tuple" if isinstance(node, ast.Tuple) else "list"
    return Row(tuple(low.result(each) for each in node.elts), kind)


# -- arithmetic ------------------------------------------------------------------------


@value(ast.UnaryOp)
def signed(low: Lowering, node: ast.UnaryOp) -> Operand:
    if isinstance(node.op, ast.USub) and isinstance(node.operand, ast.Constant):
        known = low.known(node)
        if known is not None:
            return low.number(node, known)
    if isinstance(node.op, ast.Not):
        return compared(low.code, ast.Eq(), low.truth_of(low.result(node.operand)), Constant(0))
    operand, code = low.value(node.operand), low.code
    if isinstance(node.op, ast.UAdd):
        return operand
    if isinstance(node.op, ast.Invert):
        return code.subtract(low.fitting(-1), operand)
    return subtracted(low, Constant(0), operand)


@value(ast.BinOp)
def arithmetic(low: Lowering, node: ast.BinOp) -> Binding:
    known = low.known(node) if low.is_exact else None
    if known is not None:
        return low.fitting(known)  # only the result must fit, as that of len(tape) - 1 does
    if isinstance(node.op, ast.Pow):
        return power(low, low.value(node.left), node.right)
    if isinstance(node.op, ast.Mod | ast.FloorDiv | ast.BitAnd) and not low.wrap:
        found = _by_large_number(low, node)
        if found is not None:
            return found
    if isinstance(node.op, ast.Mod) and not low.wrap and (parts := _difference(node.left)):
        return _remainder_of(low, parts, low.value(node.right))
    left = low.result(node.left)
    right = low.result(node.right)
    if isinstance(left, Row | Cells) or isinstance(right, Row | Cells):
        return joined(low, node, left, right)
    return combined(low, node.op, left, right)


def _by_large_number(low: Lowering, node: ast.BinOp) -> Binding | None:
    """``x % c`` and ``x // c`` where c is M or more; modulo M itself, sums and products need no check."""
    by, M = low.known(node.right), low.M
    is_mask = isinstance(node.op, ast.BitAnd) and by == M - 1 and M & (M - 1) == 0
    if is_mask or (isinstance(node.op, ast.Mod) and by == M):
        return _modulo_memory(low, node.left)
    if by is None or by < M or isinstance(node.op, ast.BitAnd):
        return None
    left = low.value(node.left)
    return left if isinstance(node.op, ast.Mod) else Constant(0)


def _modulo_memory(low: Lowering, node: ast.expr) -> Operand:
    """A number modulo M, which is what the machine computes."""
    known = low.known(node)
    if known is not None:
        return low.code.number(known)
    match node:
        case ast.BinOp(one, ast.Add() | ast.Sub() | ast.Mult() as op, other):
            left, right = _modulo_memory(low, one), _modulo_memory(low, other)
            if isinstance(op, ast.Mult):
                return output(low, isa.multiply, left, right)
            return (
                low.code.add(left, right)
                if isinstance(op, ast.Add)
                else low.code.subtract(left, right)
            )
        case ast.UnaryOp(ast.USub(), operand):
            return low.code.subtract(Constant(0), _modulo_memory(low, operand))
    return low.value(node)


def _difference(node: ast.expr) -> tuple[ast.expr, ast.expr] | None:
    """The sides of a difference; of ``-b``, 0 and b."""
    if isinstance(node, ast.BinOp) and isinstance(node.op, ast.Sub):
        return node.left, node.right
    if isinstance(node, ast.UnaryOp) and isinstance(node.op, ast.USub):
        return ast.copy_location(ast.Constant(0), node), node.operand
    return None


def _remainder_of(low: Lowering, parts: tuple[ast.expr, ast.expr], divisor: Operand) -> Operand:
    """``(a - b) % c`` is Python's also where the difference is negative: that of the remainders, plus c."""
    code, (one, other) = low.code, (low.value(each) for each in parts)
    require(low, ast.NotEq(), divisor, Constant(0))
    one = code.copied(remainder(low, one, divisor), "remainder")
    other = code.copied(remainder(low, other, divisor), "remainder")
    result, negative, done = Variable("remainder"), code.label(), code.label()
    code.assign(result, code.subtract(one, other))
    compare(code, ast.Lt(), one, other, negative, done, True)
    code.place(negative)
    code.assign(result, code.add(result, divisor))
    code.place(done)
    return result


def combined(low: Lowering, op: ast.operator, left: Operand, right: Operand) -> Operand:
    """The result of an operator, on operands from 0 to M-1."""
    if isinstance(op, ast.FloorDiv | ast.Mod):
        require(low, ast.NotEq(), right, Constant(0))
    return OPERATORS[type(op)](low, left, right)


OPERATORS: dict[type[ast.operator], Callable[[Lowering, Operand, Operand], Operand]] = {
    ast.Add: added,
    ast.Sub: subtracted,
    ast.Mult: times,
    ast.FloorDiv: quotient,
    ast.Mod: remainder,
    ast.LShift: shifted_left,
    ast.RShift: shifted_right,
    ast.BitAnd: common_bits,
    ast.BitOr: either_bits,
    ast.BitXor: different_bits,
}


def power(low: Lowering, base: Operand, exponent: ast.expr) -> Operand:
    known = low.known(exponent)
    if known is None or not 0 <= known <= LARGEST_POWER:
        return inlined(low, "power", base, low.value(exponent))
    return known_power(low, base, known)


# -- assignment targets ---------------------------------------------------------------


def store(low: Lowering, target: ast.expr, value: Binding) -> None:
    """Assign a value to a name, to an element, or to several of these."""
    if isinstance(target, ast.Name):
        _store_name(low, target, value)
    elif isinstance(target, ast.Tuple | ast.List):
        unpack(low, target.elts, target, value)
    elif not isinstance(target, ast.Subscript):
        low.wrong(target, "only names and elements can be assigned", "name one target for each")
    elif isinstance(value, Row | Cells):
        low.wrong(target, f"an element cannot be {in_words(value)}", "use one list for each column")
    else:
        low.code.write(address_of(low, target), value)


def unpack(low: Lowering, targets: list[ast.expr], node: ast.expr, value: Binding) -> None:
    """``a, b = b, a``: all values are read before any target is assigned."""
    if not isinstance(value, Row | Cells):
        low.wrong(node, "this cannot be unpacked", "write the values with commas between them")
        return
    size = known_length(value)
    if size is None and low.is_exact:
        require(low, ast.Eq(), low.length(value), low.code.number(len(targets)))
    if size not in (None, len(targets)):
        found = f"{size} value{'s' * (size != 1)}"
        wanted = f"{len(targets)} target{'s' * (len(targets) != 1)}"
        low.wrong(node, f"{wanted} for {found}", "give one to each")
        return
    stored = [low.scope.names.get(each.id) for each in targets if isinstance(each, ast.Name)]
    values = [item(low, value, place) for place in range(len(targets))]
    values = [_apart(low, each, stored) for each in values]
    for target, each in zip(targets, values, strict=True):
        store(low, target, each)


def _apart(low: Lowering, value: Binding, stored: list[Binding | None]) -> Binding:
    """A value that assigning the targets does not change."""
    if isinstance(value, Cells):
        homes = {each.home for each in stored if isinstance(each, Cells)}
        return copied(low, value) if value.home in homes and value.whole else value
    if isinstance(value, Row):
        items = (low.code.copied(e, "old") if isinstance(e, Variable) else e for e in value.items)
        return Row(tuple(items), value.kind)
    return low.code.copied(value, "old") if any(value is each for each in stored) else value


def _store_name(low: Lowering, target: ast.Name, value: Binding) -> None:
    scope, name = low.scope, target.id
    found = scope.names.get(name)
    if name in scope.assigned:
        low.code.assign(scope.assigned[name], Constant(1 % low.M))
    if isinstance(value, Row | Cells):
        if name in scope.numbers or found is None:
            low.wrong(target, f"'{name}' is a number elsewhere", "use a new name")
            return
        keeper = keeper_of(low, target)
        low.sequences.add(name)
        scope.names[name] = kept(low, keeper, found, value)
    elif isinstance(found, Variable):
        scope.numbers.add(name)
        low.code.assign(found, value)
    elif isinstance(found, Row | Cells):
        low.wrong(target, f"'{name}' is {in_words(found)} elsewhere", "use a new name")
    else:
        low.wrong(target, f"'{name}' cannot be assigned", "use a new name")
