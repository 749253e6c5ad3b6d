"""Iterables: lists, tuples, ranges, and enumerate, zip and reversed of them.

All but tuples are arithmetic progressions: the cells of a list's elements, the numbers of a range. The
elements of a tuple are operands, so that a loop over it is unrolled.
"""

from __future__ import annotations

import ast
from dataclasses import dataclass, replace

from anc.compiler.graph import Constant, Operand, Variable
from anc.python.conditions import compare, compared
from anc.python.exact import added, require
from anc.python.lowering import Lowering, is_call
from anc.python.operations import quotient
from anc.python.sequences import TEXT, Binding, Cells, Row, Sequence, known_length, numbers_of
from anc.python.storage import copied
from anc.python.tables import laid_out


@dataclass(frozen=True)
class Progression:
    """An arithmetic progression: it grows by `slope` per iteration. It may be a cell's address."""

    begin: Operand
    slope: int
    is_cell: bool = False
    last: int | None = None  # its last number, if that is known
    text: bool = False  # whether the cell holds a character
    by: Operand | None = None  # the slope, if it is known only when it runs


Values = tuple[Binding, ...]  # one value per iteration, so that the loop is unrolled
Shape = Progression | Values | list["Shape"]


@dataclass(frozen=True)
class Items:
    """An iterable: its number of iterations (`certain`: at least one), and its elements.

    A list of shapes yields a tuple per iteration, as zip and enumerate do.
    """

    rounds: int | Operand
    shape: Shape
    certain: bool = False


NOTHING = Items(0, ())
UNROLLED = 16  # elements of a table; a loop over a longer one goes through the memory


def items_of(low: Lowering, node: ast.expr) -> Items:
    """The iterable of a `for`."""
    for name, rule in RULES.items():
        if is_call(node, name):
            assert isinstance(node, ast.Call)
            if any(isinstance(each, ast.Starred) for each in node.args) or node.keywords:
                low.wrong(node, f"{name}() takes plain arguments only", f"write {name}(values)")
                return NOTHING
            return rule(low, node)
    found = low.result(node)
    if isinstance(found, Row | Cells):
        return items_in(low, found)
    low.wrong(
        node,
        "this is not iterable",
        "use a list, a tuple, text, the tape, range(), enumerate(), zip() or reversed()",
    )
    return NOTHING


def items_in(low: Lowering, values: Sequence) -> Items:
    """The elements of a sequence."""
    if isinstance(values, Row):
        numbers = numbers_of(values)
        constant = numbers and all(isinstance(each, Constant) for each in numbers)
        if not constant or len(values.items) <= UNROLLED:
            row = tuple(_copied(low, each) for each in values.items)
            if values.kind == TEXT:
                row = tuple(each if isinstance(each, Row) else Row((each,), TEXT) for each in row)
            return Items(len(row), row, bool(row))
        values = laid_out(low, values)
    if low.snapshots and not values.fresh and (not values.whole or low.is_replaced(values)):
        values = copied(low, values)
    size = known_length(values)
    shape = Progression(values.begin, values.step, True, text=values.kind == TEXT)
    if size is not None:
        return Items(size, shape, size > 0)
    return Items(low.code.copied(low.length(values), "length"), shape)


def _copied(low: Lowering, value: Binding) -> Binding:
    if isinstance(value, Row):
        return Row(tuple(_copied(low, each) for each in value.items), value.kind)
    return value if isinstance(value, Cells) else low.code.copied(value, "element")


def _range(low: Lowering, node: ast.Call) -> Items:
    if not 1 <= len(node.args) <= 3:
        low.wrong(node, f"range() takes 1 to 3 arguments, found {len(node.args)}")
        return NOTHING
    bounds = node.args[:2] if len(node.args) > 1 else [ast.Constant(0), node.args[0]]
    step = low.known(node.args[2]) if len(node.args) > 2 else 1
    if step == 0:
        low.wrong(node.args[2], "the step of a range must not be 0")
        return NOTHING
    if step is None:
        return _in_steps(low, *(low.code.copied(low.value(each), "end") for each in node.args))
    known = [low.known(bound) for bound in bounds]
    first, end = known
    if isinstance(first, int) and isinstance(end, int):
        numbers = range(first, end, step)
        if numbers and not (0 <= numbers[0] < low.M and 0 <= numbers[-1] < low.M):
            low.wrong(node, f"this range leaves the numbers from 0 to {low.M - 1}")
            numbers = numbers[: low.M]  # errors in the body are reported, too
        return Items(len(numbers), Progression(low.code.number(first), step), bool(numbers))
    begin = low.code.copied(_bound(low, bounds[0], first), "begin")
    if end is not None and end < 0 and step < 0:
        return _down_to_zero(low, node, begin, end, step)
    return _between(low, begin, low.code.copied(_bound(low, bounds[1], end), "end"), step)


def _bound(low: Lowering, node: ast.expr, known: int | None) -> Operand:
    if known is not None and known < 0:
        low.wrong(node, "a range cannot begin below 0, or go up to a number below 0")
    return low.value(node) if known is None or known < low.M else low.number(node, known)


def _between(low: Lowering, begin: Operand, end: Operand, step: int) -> Items:
    code = low.code
    low_end, high_end = (begin, end) if step > 0 else (end, begin)
    distance = code.copied(code.subtract(code.larger(low_end, high_end), low_end), "distance")
    if abs(step) > 1:
        some = compared(code, ast.NotEq(), distance, Constant(0))
        whole = quotient(low, code.subtract(distance, some), code.number(abs(step)))
        rounds = code.add(whole, some)
    else:
        rounds = distance
    rounds = code.copied(rounds, "rounds")
    if isinstance(rounds, Constant):
        return Items(rounds.value, Progression(begin, step), bool(rounds.value))
    return Items(rounds, Progression(begin, step))


def _in_steps(low: Lowering, begin: Operand, end: Operand, step: Operand) -> Items:
    """A range whose step is a variable, which is larger than 0."""
    require(low, ast.NotEq(), step, Constant(0))
    code, rounds, some, none = low.code, Variable("rounds"), low.code.label(), low.code.label()
    code.assign(rounds, Constant(0))
    compare(code, ast.Lt(), begin, end, some, none, True)
    code.place(some)
    whole = quotient(low, code.shifted(code.subtract(end, begin), -1), step)
    code.assign(rounds, code.shifted(whole, 1))
    code.place(none)
    return Items(rounds, Progression(begin, 0, by=step))


def _down_to_zero(low: Lowering, node: ast.Call, begin: Operand, end: int, step: int) -> Items:
    """``range(n, -1, -1)``: the machine has no -1, but the last number is 0."""
    if end < -1 or step < -1:
        low.wrong(
            node,
            "a range that counts down past 0 must end at -1, in steps of 1",
            "write range(n, -1, -1)",
        )
        return NOTHING
    rounds = low.code.copied(low.code.shifted(begin, 1), "rounds")
    return Items(rounds, Progression(begin, -1, last=0), True)


def _enumerate(low: Lowering, node: ast.Call) -> Items:
    if not 1 <= len(node.args) <= 2:
        low.wrong(node, f"enumerate() takes 1 or 2 arguments, found {len(node.args)}")
        return NOTHING
    inner = items_of(low, node.args[0])
    begin = low.code.copied(low.value(node.args[1]), "count") if len(node.args) > 1 else Constant(0)
    if low.is_exact and begin != Constant(0):  # the last number must fit, or the one after it
        if not isinstance(inner.rounds, int):
            added(low, begin, inner.rounds)
        elif inner.rounds:
            require(low, ast.LtE(), begin, low.code.number(low.M - inner.rounds))
    return Items(inner.rounds, [Progression(begin, 1), inner.shape], inner.certain)


def _zip(low: Lowering, node: ast.Call) -> Items:
    if not node.args:
        low.wrong(node, "zip() needs arguments", "name what to iterate over")
        return NOTHING
    parts = [items_of(low, each) for each in node.args]
    known = [part.rounds for part in parts if isinstance(part.rounds, int)]
    others = [part.rounds for part in parts if not isinstance(part.rounds, int)]
    shape = [_without_end(part.shape) if len(parts) > 1 else part.shape for part in parts]
    if not others:
        return Items(min(known), shape, all(part.certain for part in parts))
    rounds = others[0]
    for each in others[1:]:
        rounds = low.code.smaller(rounds, each)
    if known and min(known) < low.M:
        rounds = low.code.smaller(rounds, Constant(min(known)))
    if isinstance(rounds, Constant):
        return Items(rounds.value, shape, bool(rounds.value))
    return Items(low.code.copied(rounds, "rounds"), shape, all(part.certain for part in parts))


def _without_end(shape: Shape) -> Shape:
    """The shape of an iterable that may not be exhausted."""
    if isinstance(shape, list):
        return [_without_end(each) for each in shape]
    return replace(shape, last=None) if isinstance(shape, Progression) else shape


def _reversed(low: Lowering, node: ast.Call) -> Items:
    if len(node.args) != 1 or is_call(node.args[0], "enumerate", "zip", "reversed"):
        low.wrong(node, "only a list, a tuple, the tape or a range can be reversed")
        return NOTHING
    inner = items_of(low, node.args[0])
    shape = inner.shape
    if isinstance(shape, tuple):
        return Items(inner.rounds, shape[::-1], inner.certain)
    assert isinstance(shape, Progression)
    if shape.by is not None:
        low.wrong(node, "a range with a variable step cannot be reversed", "write a while loop")
        return NOTHING
    if isinstance(inner.rounds, int):
        begin = low.code.add(shape.begin, low.code.number(shape.slope * (inner.rounds - 1)))
    else:
        way = low.code.multiple(low.code.shifted(inner.rounds, -1), shape.slope)
        begin = low.code.add(shape.begin, way)
    first = shape.begin.value if isinstance(shape.begin, Constant) else None
    leaf = Progression(
        low.code.copied(begin, "begin"), -shape.slope, shape.is_cell, first, shape.text
    )
    return Items(inner.rounds, leaf, inner.certain)


RULES = {"range": _range, "enumerate": _enumerate, "zip": _zip, "reversed": _reversed}
