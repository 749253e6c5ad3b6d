"""Sequences added to each other, and repeated."""

from __future__ import annotations

import ast

from anc.compiler.graph import Constant, Operand, Variable
from anc.python.exact import require
from anc.python.lowering import Lowering
from anc.python.sequences import Binding, Cells, Row, Sequence, bound, in_words, known_length
from anc.python.storage import FIXED, copy_to, empty, item_number

HINT = "write x: Annotated[list[int], anc.Size(up_to=8)] = ..., which says how long it can become"


def joined(low: Lowering, node: ast.BinOp, left: Binding, right: Binding) -> Binding:
    """``values + more``, ``[0] * 8`` and ``8 * "a"``."""
    if isinstance(node.op, ast.Add) and isinstance(left, Row | Cells):
        if isinstance(right, Row | Cells) and left.kind == right.kind:
            return concatenated(low, left, right)
        other = in_words(right) if isinstance(right, Row | Cells) else "a number"
        return low.wrong(node, f"{in_words(left)} and {other} cannot be added")
    if isinstance(node.op, ast.Mult):
        if isinstance(left, Row | Cells) and not isinstance(right, Row | Cells):
            return repeated(low, node, left, right)
        if isinstance(right, Row | Cells) and not isinstance(left, Row | Cells):
            return repeated(low, node, right, left)
    values = left if isinstance(left, Row | Cells) else right
    assert isinstance(values, Row | Cells)
    help = "write an f-string's text piece by piece" if values.kind == "str" else None
    return low.wrong(node, f"this cannot be done with {in_words(values)}", help)


def concatenated(low: Lowering, left: Sequence, right: Sequence) -> Sequence:
    if isinstance(left, Row) and isinstance(right, Row):
        return Row(left.items + right.items, left.kind)
    found = empty(low, bound(left) + bound(right), left.kind)
    extend(low, found, left)
    extend(low, found, right)
    return found


def extend(low: Lowering, found: Cells, more: Sequence) -> None:
    """Write elements behind those that memory of our own has; an exact program checks the room."""
    assert isinstance(found.count, Variable)
    length = low.code.copied(low.length(more), "more")
    total = low.code.copied(low.code.add(found.count, length), "length")
    require(low, ast.LtE(), total, low.code.number(found.most))
    copy_to(low, more, low.code.copied(low.code.add(found.count, found.begin), "end"))
    low.code.assign(found.count, total)


def repeated(low: Lowering, node: ast.BinOp, values: Sequence, times: Operand) -> Sequence:
    size = known_length(values)
    if isinstance(times, Constant) and isinstance(values, Row):
        row = values.items * times.value if bound(values) * times.value <= FIXED else ()
        if row or not times.value:
            return Row(row, values.kind)
    if isinstance(times, Constant):
        most = bound(values) * times.value
    elif low.wanted is not None:
        most = low.wanted
    else:
        low.wrong(node, "how long can this become?", HINT)
        most = 1
    if size != 1:
        return _repeated(low, values, times, most)
    found = empty(low, most, values.kind)
    if not isinstance(times, Constant):
        require(low, ast.LtE(), times, low.code.number(most))
    code, end, at = low.code, Variable("end"), Variable("at")
    value = code.copied(item_number(low, values, 0), "value")
    code.assign(end, code.add(times, found.begin))
    code.assign(at, found.begin)
    going_on, body, done = code.label(), code.label(), code.label()
    code.place(going_on)
    code.fork(code.subtract(end, at), done, body)
    code.place(body)
    code.write(at, value)
    code.assign(at, code.shifted(at, 1))
    code.goto(going_on)
    code.place(done)
    if isinstance(times, Constant):
        return Cells(found.begin, most, None, kind=found.kind, home=found.home, fresh=True)
    assert isinstance(found.count, Variable)
    code.assign(found.count, times)
    return found


def _repeated(low: Lowering, values: Sequence, times: Operand, most: int) -> Sequence:
    """A longer sequence, as often as a counter says."""
    code, found, rest = low.code, empty(low, most, values.kind), Variable("rest")
    code.assign(rest, times)
    going_on, body, done = code.label(), code.label(), code.label()
    code.place(going_on)
    code.fork(rest, done, body)
    code.place(body)
    extend(low, found, values)
    code.assign(rest, code.shifted(rest, -1))
    code.goto(going_on)
    code.place(done)
    return found
