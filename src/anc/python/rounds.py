"""Loops over items: one register counts, and what is in a round is worked out from it."""

from __future__ import annotations

import ast
from collections.abc import Callable
from dataclasses import dataclass

from anc.compiler.graph import Constant, Operand, Variable
from anc.python.items import Items, Leaf, Shape
from anc.python.lowering import Lowering
from anc.python.targets import store

Body = Callable[[int], None]  # is given the label of the next round


@dataclass(frozen=True)
class Wanted:
    """One number of each round, and the target that takes it."""

    target: ast.expr
    shape: Leaf | Operand


def go_through(low: Lowering, items: Items, target: ast.expr, exhausted: int, body: Body) -> None:
    """Run the body for each round, then go to `exhausted`."""
    if items.rounds == 0:
        low.code.goto(exhausted)
        return
    rows = _rows(items.shape)
    if rows:
        _unrolled(low, items, target, exhausted, body, min(map(len, rows)))
    else:
        _looped(low, items, target, exhausted, body)


def _rows(shape: Shape) -> list[tuple]:
    if isinstance(shape, list):
        return [row for each in shape for row in _rows(each)]
    return [shape] if isinstance(shape, tuple) else []


def _matched(low: Lowering, target: ast.expr, shape: Shape) -> list[Wanted]:
    """Targets and what they take; those that nobody reads are left out."""
    if isinstance(shape, list):
        if isinstance(target, ast.Tuple | ast.List) and len(target.elts) == len(shape):
            pairs = zip(target.elts, shape, strict=True)
            return [each for pair in pairs for each in _matched(low, *pair)]
        low.wrong(target, f"{len(shape)} names are needed here", "write: for a, b in ...")
        return []
    if isinstance(target, ast.Tuple | ast.List):
        low.wrong(target, "each round gives one number here", "write one name")
        return []
    if isinstance(target, ast.Name) and target.id not in low.scope.loaded:
        return []
    assert not isinstance(shape, tuple)
    return [Wanted(target, shape)]


# -- loops that stay loops ----------------------------------------------------------------


def _looped(low: Lowering, items: Items, target: ast.expr, exhausted: int, body: Body) -> None:
    code = low.code
    wanted = _matched(low, target, items.shape)
    leaves = [each.shape for each in wanted if isinstance(each.shape, Leaf)]
    first = next((leaf for leaf in leaves if leaf.is_cell), leaves[0] if leaves else None)
    if first is None:  # nobody looks: count down
        begin = items.rounds if not isinstance(items.rounds, int) else code.number(items.rounds)
        first = Leaf(begin, -1)
    cursors = {first: Variable("at")}
    for leaf in leaves:
        if _offset(first, leaf) is None:
            cursors.setdefault(leaf, Variable("at"))
    end = _end(low, items, first)
    for leaf, cursor in cursors.items():
        code.assign(cursor, leaf.begin)
    begin_label, following = code.label(), code.label()
    if not items.certain and not isinstance(items.rounds, int):
        code.fork(items.rounds, exhausted, begin_label)
    code.place(begin_label)
    for each in wanted:
        assert isinstance(each.shape, Leaf)
        offset = _offset(first, each.shape)
        if each.shape in cursors or offset is None:
            now: Operand = cursors[each.shape]
        else:
            now = code.shifted(cursors[first], offset)
        store(low, each.target, code.read(now) if each.shape.is_cell else now)
    body(following)
    code.place(following)
    main = cursors[first]
    last = _last(low, items, first)
    if last is not None and last % low.M == 0:
        going_on = code.label()
        code.fork(main, exhausted, going_on)
        code.place(going_on)
        _advance(low, cursors)
        code.goto(begin_label)
    else:
        _advance(low, cursors)
        code.fork(code.subtract(main, end), exhausted, begin_label)


def _advance(low: Lowering, cursors: dict[Leaf, Variable]) -> None:
    for leaf, cursor in cursors.items():
        low.code.assign(cursor, low.code.shifted(cursor, leaf.slope))


def _offset(first: Leaf, leaf: Leaf) -> int | None:
    """What must be added to the first leaf's number, if that is always the same."""
    if leaf.slope != first.slope:
        return None
    if leaf.begin == first.begin:
        return 0
    if isinstance(leaf.begin, Constant) and isinstance(first.begin, Constant):
        return leaf.begin.value - first.begin.value
    return None


def _end(low: Lowering, items: Items, leaf: Leaf) -> Operand:
    """The number behind the last one."""
    if isinstance(items.rounds, int):
        end = low.code.add(leaf.begin, low.code.number(items.rounds * leaf.slope))
    elif leaf.begin is items.rounds and leaf.slope == -1:
        return Constant(0)
    elif leaf.last is not None:
        return low.code.number(leaf.last + leaf.slope)
    else:
        end = low.code.add(leaf.begin, low.code.multiple(items.rounds, leaf.slope))
    return low.code.copied(end, "end")


def _last(low: Lowering, items: Items, leaf: Leaf) -> int | None:
    if leaf.last is not None:
        return leaf.last
    if isinstance(items.rounds, int) and isinstance(leaf.begin, Constant):
        return leaf.begin.value + (items.rounds - 1) * leaf.slope
    return None


# -- loops over numbers that are in the code -----------------------------------------------


def _unrolled(
    low: Lowering, items: Items, target: ast.expr, exhausted: int, body: Body, most: int
) -> None:
    code = low.code
    most = min(most, items.rounds) if isinstance(items.rounds, int) else most
    for number in range(most):
        if not isinstance(items.rounds, int) and not (number == 0 and items.certain):
            going_on = code.label()
            code.fork(code.shifted(items.rounds, -number), exhausted, going_on)
            code.place(going_on)
        for each in _matched(low, target, _in_round(low, items.shape, number)):
            now = each.shape.begin if isinstance(each.shape, Leaf) else each.shape
            is_cell = isinstance(each.shape, Leaf) and each.shape.is_cell
            store(low, each.target, code.read(now) if is_cell else now)
        following = code.label()
        body(following)
        code.place(following)
    code.goto(exhausted)


def _in_round(low: Lowering, shape: Shape, number: int) -> Shape:
    """What a shape is in one round."""
    if isinstance(shape, list):
        return [_in_round(low, each, number) for each in shape]
    if isinstance(shape, Leaf):
        begin = low.code.add(shape.begin, low.code.number(shape.slope * number))
        return Leaf(begin, shape.slope, shape.is_cell)
    return shape[number]  # type: ignore[return-value]
