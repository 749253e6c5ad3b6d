"""Elements, lengths and slices of sequences."""

from __future__ import annotations

import ast
from dataclasses import replace

from anc.compiler.graph import Constant, Operand
from anc.python.conditions import compared
from anc.python.exact import require, require_element
from anc.python.lowering import Lowering, value
from anc.python.operations import quotient
from anc.python.sequences import (
    CHANGING_KINDS,
    Binding,
    Cells,
    Row,
    Sequence,
    bound,
    in_words,
    known_length,
    numbers_of,
    wrapped,
)
from anc.python.tables import laid_out, selected


def cell_of(low: Lowering, values: Cells, index: Operand) -> Operand:
    """The address of an element."""
    return low.code.add(low.code.multiple(index, values.step), values.begin)


def element_at(low: Lowering, values: Sequence, index: Operand) -> Binding:
    """An element that certainly exists."""
    if isinstance(values, Cells):
        return wrapped(values, low.code.read(cell_of(low, values, index)))
    if isinstance(index, Constant):
        return values.items[index.value] if index.value < len(values.items) else Constant(0)
    return selected(low, values, index)


@value(ast.Subscript)
def element(low: Lowering, node: ast.Subscript) -> Binding:
    values = low.sequence(node.value, "only a list, a tuple, text or the tape has elements")
    if values is None:
        return Constant(0)
    if isinstance(node.slice, ast.Slice):
        return sliced(low, values, node.slice)
    index = index_of(low, node, values)
    return element_at(low, values, index)


def address_of(low: Lowering, node: ast.Subscript) -> Operand:
    """The cell of an element that is assigned. An unknown index wraps around at the end of the memory."""
    values = low.sequence(node.value, "only a list, a tuple, text or the tape has elements")
    if values is None:
        return Constant(0)
    if isinstance(node.slice, ast.Slice):
        low.wrong(node.slice, "a slice cannot be assigned", "assign its elements one by one")
    elif isinstance(values, Row) or values.kind not in CHANGING_KINDS:
        help = "take a list as an argument, or make one: list(...)"
        low.wrong(node, f"{in_words(values)} cannot be changed", help)
    else:
        return cell_of(low, values, index_of(low, node, values))
    return Constant(0)


def index_of(low: Lowering, node: ast.Subscript, values: Sequence) -> Operand:
    """The index of an element, which must exist in an exact program."""
    place, most = node.slice, bound(values)
    known = low.known(place)
    if known is not None:
        return _known_index(low, node, values, known)
    back = _from_the_end(place)
    if back is not None:
        behind = low.value(back)
        size = low.length(values)
        require(low, ast.NotEq(), behind, Constant(0))
        require(low, ast.GtE(), size, behind)
        return low.code.subtract(size, behind)
    index = low.value(place)
    if isinstance(values, Row):
        if most < low.M:
            require(low, ast.Lt(), index, Constant(most))
    else:
        require_element(low, values, index)
    return index


def _known_index(low: Lowering, node: ast.Subscript, values: Sequence, known: int) -> Operand:
    most, size = bound(values), known_length(values)
    if not -most <= known < most:
        low.wrong(
            node.slice,
            f"there is no element {known}: {in_words(values)} has"
            f" {'at most ' if size is None else ''}{most}",
            f"use an index from 0 to {most - 1}" if most else None,
        )
        return Constant(0)
    if size is not None:
        return low.code.number(known % size) if -size <= known < size else _missing(low)
    if known < 0:
        count = low.length(values)
        require(low, ast.GtE(), count, low.code.number(-known))
        return low.code.shifted(count, known)
    assert isinstance(values, Cells)
    require_element(low, values, low.code.number(known))
    return low.code.number(known)


def _missing(low: Lowering) -> Operand:
    """An element that certainly does not exist: an exact program leaves."""
    if low.is_exact:
        low.code.goto(low.code.failing)
    return Constant(0)


def _from_the_end(place: ast.expr) -> ast.expr | None:
    """What an index such as ``-x`` or ``-x - 1`` counts back from the end."""
    if isinstance(place, ast.UnaryOp) and isinstance(place.op, ast.USub):
        return place.operand
    if isinstance(place, ast.UnaryOp) and isinstance(place.op, ast.Invert):
        one = ast.copy_location(ast.Constant(1), place)
        return ast.copy_location(ast.BinOp(place.operand, ast.Add(), one), place)
    if isinstance(place, ast.BinOp) and isinstance(place.op, ast.Sub):
        first = _from_the_end(place.left)
        if first is not None:
            return ast.copy_location(ast.BinOp(first, ast.Add(), place.right), place)
    return None


# -- slices ------------------------------------------------------------------------------


def sliced(low: Lowering, values: Sequence, node: ast.Slice) -> Sequence:
    """A part of a sequence, which is not copied."""
    step = 1 if node.step is None else low.known(node.step)
    if not step:
        low.wrong(
            node.step or node,
            "the step of a slice must be a known number, and not 0",
            "write a while loop where it changes",
        )
        return Row((), values.kind)
    ends = [None if end is None else low.known(end) for end in (node.lower, node.upper)]
    is_known = all(
        end is None or known is not None
        for end, known in zip((node.lower, node.upper), ends, strict=True)
    )
    if isinstance(values, Row) and is_known:
        return Row(values.items[slice(ends[0], ends[1], step)], values.kind)
    if isinstance(values, Row):
        numbers = numbers_of(values)
        if numbers is None:
            low.wrong(node, "this slice must have known ends", "write values[1:3]")
            return Row((), values.kind)
        values = laid_out(low, values)
    if is_known and known_length(values) is not None:
        return _known_slice(low, values, slice(ends[0], ends[1], step))
    code, size = low.code, low.length(values)
    first, last = (node.lower, node.upper) if step > 0 else (node.upper, node.lower)
    shift = 0 if step > 0 else 1  # going down, both ends are included or not the other way round
    low_end = Constant(0) if first is None else _clamped(low, first, size, shift)
    high_end = size if last is None else _clamped(low, last, size, shift)
    count = code.subtract(code.larger(high_end, low_end), low_end)
    begin = low_end if step > 0 else code.shifted(high_end, -1)
    most = _most(values.most, ends, step)
    if abs(step) > 1:
        some = compared(code, ast.NotEq(), count, Constant(0))
        whole = quotient(low, code.shifted(count, -1), Constant(abs(step)))
        count = _zero_unless(low, some, code.shifted(whole, 1))
    count = code.copied(count, "count")
    begin = code.copied(cell_of(low, values, begin), "begin")
    return values.part(begin, most, count, values.step * step)


def _zero_unless(low: Lowering, some: Operand, number: Operand) -> Operand:
    """The number, or 0 if `some` is 0; else it is 1."""
    mask = low.code.subtract(Constant(0), some)
    return low.code.smaller(number, mask)


def _known_slice(low: Lowering, values: Cells, part: slice) -> Cells:
    places = range(known_length(values) or 0)[part]
    first = low.code.number(places[0] if places else 0)
    begin = low.code.copied(cell_of(low, values, first), "begin")
    found = values.part(begin, len(places), None, values.step * places.step)
    return found if places else replace(found, count=Constant(0))


def _clamped(low: Lowering, end: ast.expr, size: Operand, shift: int) -> Operand:
    """The end of a slice within a list: Python cuts off what lies outside."""
    code, known = low.code, low.known(end)
    if known is not None and known >= 0:
        return code.smaller(low.number(end, known + shift), size)
    back: Operand
    if known is not None:
        back = code.number(-known - shift)
    elif (node := _from_the_end(end)) is not None:
        back = low.value(node)
        require(low, ast.NotEq(), back, Constant(0))
        back = code.shifted(back, -shift)
    else:
        place = low.value(end)
        if shift:
            require(low, ast.NotEq(), place, code.number(-1))
        return code.smaller(code.shifted(place, shift), size)
    return code.subtract(code.larger(size, back), back)


def _most(most: int, ends: list[int | None], step: int) -> int:
    """The largest length of a slice of a sequence with at most this length."""
    first, last = ends if step > 0 else ends[::-1]
    shift = 0 if step > 0 else 1
    dropped = 0 if first is None or first < 0 else first + shift
    cut = most if last is None or last < 0 else min(most, last + shift)
    if last is not None and last < 0:
        cut = most + last + shift
    if first is not None and first < 0:
        cut = min(cut, -first - shift)
        dropped = 0
    return max(0, -(-(cut - dropped) // abs(step)))
