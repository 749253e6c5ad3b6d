"""Comparisons of sequences, and membership."""

from __future__ import annotations

import ast

from anc.compiler.graph import Constant, Operand, Variable
from anc.python.conditions import compare
from anc.python.lowering import Lowering
from anc.python.sequences import TEXT, Binding, Cells, Row, Sequence, known_length, numbers_of
from anc.python.storage import item, item_number

_BYTES = ("bytes", "bytearray")  # of these, equal numbers are enough
_ORDERS = ast.Lt | ast.LtE | ast.Gt | ast.GtE


def compare_results(
    low: Lowering,
    node: ast.Compare,
    op: ast.cmpop,
    left: Binding,
    right: Binding,
    ways: tuple[int, int, bool],
) -> None:
    """Branch to the first label if a comparison of any values holds, else to the second."""
    yes, no, falls = ways
    if isinstance(op, ast.In | ast.NotIn):
        if not isinstance(right, Row | Cells):
            low.wrong(node, "this is not iterable", "write ==, or name a list or tuple behind in")
        elif isinstance(op, ast.In):
            member(low, node, left, right, yes, no)
        else:
            member(low, node, left, right, no, yes)
    elif not isinstance(left, Row | Cells) and not isinstance(right, Row | Cells):
        compare(low.code, op, left, right, yes, no, falls)
    elif isinstance(op, ast.Eq):
        equal(low, left, right, yes, no)
    elif isinstance(op, ast.NotEq):
        equal(low, left, right, no, yes)
    else:
        _ordered(low, node, op, left, right, yes, no)


def equal(low: Lowering, left: Binding, right: Binding, yes: int, no: int) -> None:
    """Branch on whether two values are equal; of different kinds they are not."""
    code = low.code
    if not isinstance(left, Row | Cells) and not isinstance(right, Row | Cells):
        compare(code, ast.Eq(), left, right, yes, no, True)
        return
    if not isinstance(left, Row | Cells) or not isinstance(right, Row | Cells):
        code.goto(no)
        return
    sizes = known_length(left), known_length(right)
    alike = left.kind == right.kind or (left.kind in _BYTES and right.kind in _BYTES)
    if not alike or (None not in sizes and sizes[0] != sizes[1]):
        code.goto(no)
        return
    if None in sizes:
        same = code.label()
        compare(code, ast.Eq(), low.length(left), low.length(right), same, no, True)
        code.place(same)
    known = next((size for size in sizes if size is not None), None)
    if known is not None and (known <= 8 or isinstance(left, Row) or isinstance(right, Row)):
        for place in range(known):
            following = code.label()
            equal_items(low, left, right, place, following, no)
            code.place(following)
        code.goto(yes)
        return
    assert isinstance(left, Cells) and isinstance(right, Cells)
    _equal_cells(low, left, right, yes, no)


def equal_items(
    low: Lowering, left: Sequence, right: Sequence, place: int, yes: int, no: int
) -> None:
    if left.kind == TEXT:
        numbers = item_number(low, left, place), item_number(low, right, place)
        compare(low.code, ast.Eq(), *numbers, yes, no, True)
    else:
        equal(low, item(low, left, place), item(low, right, place), yes, no)


def _equal_cells(low: Lowering, left: Cells, right: Cells, yes: int, no: int) -> None:
    code, one, other, rest = low.code, Variable("at"), Variable("at"), Variable("rest")
    code.assign(one, left.begin)
    code.assign(other, right.begin)
    code.assign(rest, low.length(left))
    going_on, body, following = code.label(), code.label(), code.label()
    code.place(going_on)
    code.fork(rest, yes, body)
    code.place(body)
    compare(code, ast.Eq(), code.read(one), code.read(other), following, no, True)
    code.place(following)
    code.assign(one, code.shifted(one, left.step))
    code.assign(other, code.shifted(other, right.step))
    code.assign(rest, code.shifted(rest, -1))
    code.goto(going_on)


def _ordered(
    low: Lowering,
    node: ast.Compare,
    op: ast.cmpop,
    left: Binding,
    right: Binding,
    yes: int,
    no: int,
) -> None:
    """Sequences of known length are ordered by their first elements that differ."""
    rows = [e for e in (left, right) if isinstance(e, Row | Cells) and known_length(e) is not None]
    if len(rows) < 2 or rows[0].kind != rows[1].kind or not isinstance(op, _ORDERS):
        low.wrong(
            node, "only sequences of one kind and of known length are ordered here", "write =="
        )
        return
    code, (one, other) = low.code, rows
    sizes = [known_length(each) or 0 for each in rows]
    for place in range(min(sizes)):
        numbers = item_number(low, one, place), item_number(low, other, place)
        differ, following = code.label(), code.label()
        if place == max(sizes) - 1:
            compare(code, op, *numbers, yes, no, True)
            return
        compare(code, ast.Eq(), *numbers, following, differ, False)
        code.place(differ)
        compare(code, op, *numbers, yes, no, True)
        code.place(following)
    compare(code, op, code.number(sizes[0]), code.number(sizes[1]), yes, no, True)


def member(
    low: Lowering, node: ast.AST, value: Binding, values: Sequence, yes: int, no: int
) -> None:
    """Branch on whether a sequence contains a value; a text, a character."""
    if values.kind == TEXT:
        if not isinstance(value, Row | Cells) or value.kind != TEXT or known_length(value) != 1:
            low.wrong(
                node, "only one character is looked for in text", "compare text piece by piece"
            )
            return
        value = item_number(low, value, 0)
    code = low.code
    if isinstance(values, Cells):
        if isinstance(value, Row | Cells):
            code.goto(no)  # the elements are numbers
        else:
            search(low, values, value, no)
            code.goto(yes)
        return
    numbers = numbers_of(values)
    if numbers is not None and not isinstance(value, Row | Cells):
        _among(low, value, numbers, yes, no)
        return
    for each in values.items:
        following = code.label()
        equal(low, value, each, yes, following)
        code.place(following)
    code.goto(no)


def _among(low: Lowering, value: Operand, numbers: tuple[Operand, ...], yes: int, no: int) -> None:
    """One comparison for each number; two for each range of constants."""
    code = low.code
    known = sorted({each.value for each in numbers if isinstance(each, Constant)})
    others: list[Operand] = [each for each in numbers if not isinstance(each, Constant)]
    while known:
        first = last = known.pop(0)
        while known and known[0] == last + 1:
            last = known.pop(0)
        following, above = code.label(), code.label()
        if last - first < 2:
            others += [Constant(number) for number in range(first, last + 1)]
            continue
        compare(code, ast.GtE(), value, Constant(first), above, following, True)
        code.place(above)
        compare(code, ast.LtE(), value, Constant(last), yes, following, False)
        code.place(following)
    for each in others:
        following = code.label()
        compare(code, ast.Eq(), value, each, yes, following, False)
        code.place(following)
    code.goto(no)


def search(low: Lowering, values: Cells, value: Operand, missing: int) -> tuple[Variable, Variable]:
    """Find the first element that is equal to a number: its address and its place.

    The code goes on where it is found, and jumps to `missing` otherwise.
    """
    code, at, place = low.code, Variable("at"), Variable("place")
    size = low.code.copied(low.length(values), "length")
    value = code.copied(value, "value")
    code.assign(at, values.begin)
    code.assign(place, Constant(0))
    going_on, body, following, found = (code.label() for _ in range(4))
    code.place(going_on)
    code.fork(code.subtract(size, place), missing, body)
    code.place(body)
    compare(code, ast.Eq(), code.read(at), value, found, following, False)
    code.place(following)
    code.assign(at, code.shifted(at, values.step))
    code.assign(place, code.shifted(place, 1))
    code.goto(going_on)
    code.place(found)
    return at, place
