"""Value range analysis: finds the sums that cannot wrap around."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping
from dataclasses import replace
from typing import Any

from anc import isa
from anc.codegen.blocks import Block, Blocks
from anc.codegen.expressions import (
    OPPOSITE,
    Apply,
    Cell,
    Condition,
    Expression,
    Name,
    Number,
    Test,
    Total,
    with_parts,
)
from anc.codegen.statements import Assign, Store, with_values
from anc.compiler.dataflow import fixpoint, walk

Range = tuple[int, int]
Ranges = dict[str | int, Range]  # of variables, and of cells

_PATIENCE = 3  # changes at a loop header before its ranges are widened


def settle_wraps(blocks: Blocks, cells: Mapping[int, Range]) -> None:
    """Mark the sums that cannot leave 0 to M - 1.

    `cells` are the initial ranges of cells, which are valid for cells that are never written.
    """
    if blocks.lines is not None:
        return
    M = blocks.M
    kept = _never_written(blocks, cells)
    heads = walk(blocks.edges(), blocks.start).bodies
    changes: Counter[int] = Counter()

    def transfer(number: int, known: Ranges) -> Iterable[tuple[int, Ranges]]:
        block = blocks.blocks[number]
        after = dict(known)
        for statement in block.statements:
            if isinstance(statement, Assign):
                after[statement.name] = _range(statement.value, after, M)
        changes[number] += 1
        for place, way in enumerate(block.ways):
            if way in blocks.blocks:
                state = dict(after)
                if block.condition is not None:
                    _learn(state, block.condition, place == 0)
                if way in heads and changes[way] > _PATIENCE:
                    state = {name: _widened(state[name], M) for name in state} | kept
                yield way, state

    first: Ranges = {name: (value, value) for name, value in blocks.first_values.items()}
    first |= kept
    known = fixpoint({blocks.start: first}, transfer, _join)
    for number, block in blocks.blocks.items():
        if number in known:
            _settle(block, dict(known[number]), M)


def _never_written(blocks: Blocks, cells: Mapping[int, Range]) -> Ranges:
    stores = [
        statement.address
        for block in blocks.blocks.values()
        for statement in block.statements
        if isinstance(statement, Store)
    ]
    if not all(isinstance(address, Number) for address in stores):
        return {}
    return {cell: cells[cell] for cell in cells if Number(cell) not in stores}


def _widened(found: Range, M: int) -> Range:
    """Widening: a range keeps only whether it excludes 0."""
    return min(found[0], 1), M - 1


def _join(one: Ranges, two: Ranges) -> Ranges:
    """The join of two states; a variable that only one of them has is dead."""
    return {
        name: (min(one[name][0], two[name][0]), max(one[name][1], two[name][1]))
        for name in one
        if name in two
    }


def _learn(known: Ranges, condition: Condition, holds: bool) -> None:
    """Narrow the range of a tested variable."""
    match condition:
        case Test(Name(name), op, Number(value)) if name in known:
            low, high = known[name]
            match op if holds else OPPOSITE[op]:
                case "==":
                    low = high = value
                case "!=":
                    low, high = low + (low == value), high - (high == value)
                case "<":
                    high = min(high, value - 1)
                case "<=":
                    high = min(high, value)
                case ">":
                    low = max(low, value + 1)
                case ">=":
                    low = max(low, value)
            if low <= high:  # else the branch is unreachable
                known[name] = low, high


def _range(value: Expression, known: Ranges, M: int) -> Range:
    match value:
        case Number(number):
            return number, number
        case Name(text):
            return known.get(text, (0, M - 1))
        case Cell(Number(number)):
            return known.get(number, (0, M - 1))
        case Total():
            low, high = _sum(value, known, M)
            return (low % M, high % M) if low // M == high // M else (0, M - 1)
        case Apply(row, (first, second)) if row.output in (isa.smaller, isa.larger):
            one, two = _range(first, known, M), _range(second, known, M)
            return row.output(one[0], two[0], M), row.output(one[1], two[1], M)
    return 0, M - 1


def _sum(total: Total, known: Ranges, M: int) -> Range:
    low = high = total.number
    if total.number == 0 and _never_below(total):
        return 0, M - 1
    for sign, term in total.terms:
        least, most = _range(term, known, M)
        low += sign * (least if sign > 0 else most)
        high += sign * (most if sign > 0 else least)
    return low, high


def _never_below(total: Total) -> bool:
    """Whether a sum is ``x - min(x, y)`` or ``max(x, y) - y``."""
    match total.terms:
        case ((1, one), (-1, Apply(row, operands))):
            return row.output is isa.smaller and one in operands
        case ((1, Apply(row, operands)), (-1, other)):
            return row.output is isa.larger and other in operands
    return False


def _settle(block: Block, known: Ranges, M: int) -> None:
    """Rewrite the sums of a block, given the ranges at its beginning."""

    def settled(value: Any) -> Any:
        new = with_parts(value, settled)
        if isinstance(new, Total):
            low, high = _sum(value, known, M)
            if low // M == high // M:
                return replace(new, number=new.number - low // M * M, wraps=False)
        return new

    for place, statement in enumerate(block.statements):
        block.statements[place] = new = with_values(statement, settled)
        if isinstance(new, Assign):
            known[new.name] = _range(new.value, known, M)
    if block.condition is not None:
        block.condition = settled(block.condition)
