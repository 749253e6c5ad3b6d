"""Dispatch loops: numbered lines, each of which names the next one, for unstructured control flow.

A chain of tests of a computed jump's target becomes one computed jump again. If no line jumps back, every
line runs at most once, and no loop is needed.
"""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass, replace

from anc.codegen.blocks import EXIT, Block, Blocks
from anc.codegen.expressions import Name, Number, Test
from anc.codegen.statements import Assign, Dispatch, Go, If, PastEnd, Return, Statement, Statements
from anc.compiler.graph import ANYWHERE, END

_FEWEST = 3  # targets of a jump; fewer are tested one by one


def dispatched(blocks: Blocks) -> Dispatch:
    """The dispatch of a program, with its first line in front."""
    found, targets = _with_switches(blocks)
    numbers = [blocks.start, *(number for number in found if number != blocks.start)]
    place = {number: i for i, number in enumerate(numbers)}
    is_forward = blocks.lines is None and all(
        way < 0 or place[way] > place[number]
        for number, block in found.items()
        for way in (*block.ways, *targets.get(number, ()))
    )
    cases = tuple(
        (number, (*found[number].statements, *_next(found[number]))) for number in numbers
    )
    return Dispatch(blocks.start, cases, blocks.lines, is_forward)


def _with_switches(blocks: Blocks) -> tuple[dict[int, Block], dict[int, tuple[int, ...]]]:
    """The blocks with chains of tests turned into computed jumps, and the targets of these."""
    found, targets = dict(blocks.blocks), dict[int, tuple[int, ...]]()
    entered = Counter(way for block in found.values() for way in block.ways)
    for number, block in blocks.blocks.items():
        row = _row(blocks, block) if number in found else None
        if row is not None and all(entered[test] == 1 for test in row.tests):
            targets[number] = row.targets
            for test in row.tests:
                del found[test]
            found[number] = Block(block.statements, (ANYWHERE,), computed=row.name)
            found[number] = _at_once(found, number, row.name)
    return found, targets


def _at_once(blocks: dict[int, Block], number: int, name: Name) -> Block:
    """Inline the target of a computed jump, if nothing else reads it."""
    block = blocks[number]
    times = sum(name.text in each.read for each in blocks.values())
    match block.statements:
        case [*others, Assign(text, value)] if text == name.text and times == 1:
            return replace(block, statements=others, computed=value)
    return block


@dataclass(frozen=True)
class _TestChain:
    """A chain of tests: its variable, the blocks of all tests but the first, and the targets."""

    name: Name
    tests: tuple[int, ...]
    targets: tuple[int, ...]


def _row(blocks: Blocks, block: Block) -> _TestChain | None:
    """The chain of tests that begins with a block, if it is known to be complete."""
    tests: list[int] = []
    numbers: list[int] = []
    names: set[Name] = set()
    while True:
        tested = _tested(block)
        if tested is None or len(names | {tested[0]}) > 1:
            return None
        names.add(tested[0])
        numbers.append(tested[1])
        way = block.ways[1]
        lasts = {row[-1] for row in blocks.switches if row[:-1] == tuple(numbers)}
        if lasts == {way} and len(numbers) + 1 >= _FEWEST:
            return _TestChain(names.pop(), tuple(tests), (*numbers, way))
        if way not in blocks.blocks or blocks.blocks[way].statements or way in tests:
            return None
        tests.append(way)
        block = blocks.blocks[way]


def _tested(block: Block) -> tuple[Name, int] | None:
    """The variable and the line of a block that jumps to the line with the variable's number."""
    match block.condition:
        case Test(Name() as name, "==", Number(number)) if block.ways[0] == number:
            return name, number
    return None


def _next(block: Block) -> Statements:
    def to(way: int) -> Statement:
        if way == ANYWHERE:
            assert block.computed is not None
            return Go(block.computed)
        return Return() if way == EXIT else PastEnd() if way == END else Go(Number(way))

    if block.condition is None:
        return (to(block.ways[0]),)
    then, otherwise = map(to, block.ways)
    return (If(block.condition, (then,), (otherwise,)),)
