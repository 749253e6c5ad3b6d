"""Value range analysis: finds the sums and products that cannot wrap around, and divisors that are never 0."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping
from dataclasses import replace
from typing import Any

from anc import isa
from anc.codegen.blocks import Block, Blocks
from anc.codegen.expressions import (
    COMPARISONS,
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

FEW_BITS = 16  # a number of two bytes, shifted by fewer, fits into four
_PATIENCE = 3  # changes at a loop header before its ranges are widened


def settle_wraps(blocks: Blocks, cells: Mapping[int, Range]) -> None:
    """Mark the values that cannot leave 0 to M - 1, and the operators whose second operand is harmless.

    `cells` are the initial ranges of cells, which are valid for cells that are never written.
    """
    M = blocks.M
    if blocks.lines is not None:  # a jump may go anywhere
        for block in blocks.blocks.values():
            _settle(block, {}, M)
        return
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
        _settle(block, dict(known.get(number, {})), M)


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
        case Test(Name(name) | Cell(Number(name)), op, Number(value)) if name in known:
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
        case Apply(row, (first, second)):
            return _applied(row.output, _range(first, known, M), _range(second, known, M), M)
    return 0, M - 1


def _applied(meaning: isa.Meaning, one: Range, two: Range, M: int) -> Range:
    """The range of an instruction's output."""
    low, high = one
    least, most = two
    match meaning:
        case isa.smaller | isa.larger:
            return meaning(low, least, M), meaning(high, most, M)
        case isa.divide:
            return (low // most, high // least) if least else (0, high)
        case isa.remain:
            return (low, high) if high < least else (0, min(high, most - 1) if least else high)
        case isa.bits_and:
            return 0, min(high, most)
        case isa.shift_right:
            return low >> most, high >> least
        case _ if meaning in COMPARISONS:
            return 0, 1
    highest = _highest(meaning, one, two)
    if highest is None or highest >= M:
        return 0, M - 1
    match meaning:
        case isa.multiply:
            return low * least, highest
        case isa.shift_left:
            return low << least, highest
        case isa.bits_or:
            return max(low, least), highest
    return 0, highest


def _highest(meaning: isa.Meaning, one: Range, two: Range) -> int | None:
    """The greatest value that an operator may compute, before it is reduced modulo M; None: any."""
    high, most = one[1], two[1]
    match meaning:
        case isa.multiply:
            return high * most
        case isa.bits_or | isa.bits_xor:
            return (1 << max(high, most).bit_length()) - 1
        case isa.shift_left if most < FEW_BITS:
            return high << most
    return None


def _settled(value: Apply, known: Ranges, M: int) -> tuple[bool, bool]:
    """Whether an operator's value may be M or more, and whether its second operand may be a bad one."""
    first, second = (_range(operand, known, M) for operand in value.operands)
    highest = _highest(value.row.output, first, second)
    wraps = highest is None or highest >= M
    match value.row.output:
        case isa.divide | isa.remain:
            return wraps, second[0] == 0
        case isa.shift_left | isa.shift_right:
            return wraps, second[1] >= FEW_BITS
    return wraps, True


def _sum(total: Total, known: Ranges, M: int) -> Range:
    low = high = total.number
    if total.number == 0 and _never_below(total):
        return 0, max(_range(total.terms[0][1], known, M)[1], 0)
    for factor, term in total.terms:
        least, most = _range(term, known, M)
        low += factor * (least if factor > 0 else most)
        high += factor * (most if factor > 0 else least)
    return low, high


def _never_below(total: Total) -> bool:
    """Whether a sum is such as ``x - min(x, y)``, ``x - x % y`` or ``max(x, y) - y``."""
    match total.terms:
        case ((1, one), (-1, Apply(row, operands))):
            places = _AT_MOST.get(row.output, ())
            return any(operands[place] == one for place in places)
        case ((1, Apply(row, operands)), (-1, other)):
            return row.output is isa.larger and other in operands
    return False


_AT_MOST: dict[isa.Meaning, tuple[int, ...]] = {  # the operands that an output never exceeds
    isa.smaller: (0, 1),
    isa.bits_and: (0, 1),
    isa.divide: (0,),
    isa.remain: (0,),
    isa.shift_right: (0,),
}


def _settle(block: Block, known: Ranges, M: int) -> None:
    """Rewrite the sums of a block, given the ranges at its beginning."""

    def settled(value: Any) -> Any:
        new = with_parts(value, settled)
        if isinstance(value, Apply) and value.row.operands == 2:
            wraps, partial = _settled(value, known, M)
            return replace(new, wraps=wraps, partial=partial)
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
