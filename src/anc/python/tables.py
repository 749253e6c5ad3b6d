"""Tables: rows of constants that an index selects from, in the code or laid out in the memory.

A short row is selected by comparisons. A longer one is written to cells when the program begins, once
for all places that use it.
"""

from __future__ import annotations

import ast

from anc.compiler.graph import Constant, Operand, Variable
from anc.python.conditions import compare
from anc.python.lowering import Lowering
from anc.python.sequences import Binding, Cells, Row, Sequence, bound, numbers_of

FEW = 4  # elements that are compared with one after the other
SOME = 16  # elements that are found by binary search


def selected(low: Lowering, row: Row, index: Operand) -> Binding:
    """The element of a row with an index that is known only when it runs."""
    if not row.items:
        return Constant(0)
    numbers = numbers_of(row)
    if numbers is None:
        return _selected_row(low, row, index)
    few = FEW if low.depth else SOME
    if len(numbers) > few and _are_constants(numbers):
        cells = laid_out(low, row)
        found: Operand = low.code.read(low.code.add(index, cells.begin))
    else:
        found = _searched(low, numbers, index)
    return Row((found,), "str") if row.kind == "str" else found


def _are_constants(numbers: tuple[Operand, ...]) -> bool:
    return all(isinstance(each, Constant) for each in numbers)


def _searched(low: Lowering, numbers: tuple[Operand, ...], index: Operand) -> Operand:
    """By comparisons: with one place after the other, or by binary search."""
    code, result, done = low.code, Variable("element"), low.code.label()
    if len(numbers) > FEW:
        _halved(low, numbers, code.copied(index, "index"), 0, result, done)
        code.place(done)
        return result
    for place, number in enumerate(numbers):
        here, following = code.label(), code.label()
        code.fork(code.shifted(index, -place), here, following)
        code.place(here)
        code.assign(result, number)
        code.goto(done)
        code.place(following)
    code.assign(result, Constant(0))  # beyond the end of a short row there is 0
    code.place(done)
    return result


def _halved(
    low: Lowering,
    numbers: tuple[Operand, ...],
    index: Operand,
    first: int,
    result: Variable,
    done: int,
) -> None:
    code, middle = low.code, len(numbers) // 2
    if len(set(numbers)) == 1:
        code.assign(result, numbers[0])
        code.goto(done)
        return
    lower, upper = code.label(), code.label()
    compare(code, ast.Lt(), index, code.number(first + middle), lower, upper, True)
    code.place(lower)
    _halved(low, numbers[:middle], index, first, result, done)
    code.place(upper)
    _halved(low, numbers[middle:], index, first + middle, result, done)


def _selected_row(low: Lowering, row: Row, index: Operand) -> Binding:
    """A row of a table, whose rows lie one behind the other."""
    parts = [each for each in row.items if isinstance(each, Row)]
    flat = [numbers_of(each) for each in parts]
    kinds = {each.kind for each in parts}
    if len(parts) < len(row.items) or None in flat or len(kinds) != 1:
        low.problem("a table must hold numbers, or rows of numbers of one kind")
        return Constant(0)
    width = max(bound(each) for each in parts)
    padded = tuple(
        number
        for numbers in flat
        for number in (*(numbers or ()), *(Constant(0),) * (width - len(numbers or ())))
    )
    cells = laid_out(low, Row(padded, parts[0].kind))
    count: Operand | None = None
    if any(bound(each) != width for each in parts):
        sizes = tuple(low.code.number(bound(each)) for each in parts)
        size = selected(low, Row(sizes), index)
        assert not isinstance(size, Row | Cells)
        count = size
    begin = low.code.add(low.code.multiple(index, width), cells.begin)
    return cells.part(low.code.copied(begin, "row"), width, count, 1)


def laid_out(low: Lowering, row: Row) -> Cells:
    """A row in the memory: constants are written once, when the program begins."""
    numbers = numbers_of(row)
    assert numbers is not None
    if _are_constants(numbers):
        values = tuple(each.value for each in numbers if isinstance(each, Constant))
        begin = low.tables.get(values)
        if begin is None:
            begin = low.tables[values] = low.room_for(len(values))
    else:
        begin = low.room_for(len(numbers))
        for place, number in enumerate(numbers):
            low.code.write(low.code.number(begin + place), number)
    return Cells(low.code.number(begin), len(numbers), kind=row.kind, home=begin)


def write_tables(low: Lowering) -> None:
    """Write all tables of constants behind the entry of the program."""
    code = low.code
    if not low.tables:
        return
    here, first = code.here, code.graph.nodes[code.entry]
    after = first.after
    code.here = code.entry
    for values, begin in low.tables.items():
        for place, number in enumerate(values):
            code.write(code.number(begin + place), Constant(number))
    code.goto(after)
    code.here = here


def row_or_cells(low: Lowering, values: Sequence) -> Cells:
    """A sequence of numbers in the memory."""
    return laid_out(low, values) if isinstance(values, Row) else values
