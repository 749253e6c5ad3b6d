"""From a program to the statements of a function: one short function that names its passes."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Sequence

from anc.codegen.blocks import Block, Blocks, blocks_of
from anc.codegen.expressions import Both, Condition, joined, negated
from anc.codegen.ranges import settle_wraps
from anc.codegen.statements import Body, mentioned
from anc.codegen.structure import structured
from anc.program import Program
from anc.proof.facts import Fact
from anc.proof.sampler import Tapes

_LONGEST = 4  # tests per condition


def body_of(
    program: Program, M: int, taken: Iterable[str] = (), facts: Sequence[Fact] = ()
) -> Body:
    """The statements of a program on M cells, for tapes of which the facts hold.

    Its variables have none of the taken names.
    """
    domains = [values.tolist() for values in Tapes(facts, M).domains] if facts else []
    cells = {cell: values for cell, values in enumerate(domains) if values}
    blocks = blocks_of(program, M, taken, cells)
    settle_wraps(blocks, {cell: (min(values), max(values)) for cell, values in cells.items()})
    join_conditions(blocks)
    statements = structured(blocks)
    used = mentioned(statements)  # ranges may have settled all that a variable was used for
    return Body(statements, {name: v for name, v in blocks.first_values.items() if name in used})


def join_conditions(blocks: Blocks) -> None:
    """Join the test of a block with that of a successor that only it leads to and that only tests."""
    changed = blocks.lines is None  # otherwise every block may be entered from anywhere
    while changed:
        entered = Counter(way for block in blocks.blocks.values() for way in block.ways)
        entered[blocks.start] += 1
        changed = False
        for number, block in list(blocks.blocks.items()):
            for way in block.ways if block.condition is not None else ():
                new = _joined(block, way, blocks.blocks) if entered[way] == 1 else None
                if new is not None and number in blocks.blocks and way != number:
                    blocks.blocks[number] = new
                    del blocks.blocks[way]
                    changed = True
                    break
            if changed:
                break


def _joined(block: Block, way: int, blocks: dict[int, Block]) -> Block | None:
    """The block with the test of its successor joined by `and` or `or`, if both share a successor."""
    if way not in blocks:
        return None
    following = blocks[way]
    if following.statements or following.condition is None or block.condition is None:
        return None
    if _tests(block.condition) + _tests(following.condition) > _LONGEST:
        return None
    for other in (following, _turned(following)):
        assert other.condition is not None
        if way == block.ways[1] and other.ways[0] == block.ways[0]:
            both = joined("or", block.condition, other.condition)
            return Block(block.statements, (block.ways[0], other.ways[1]), both)
        if way == block.ways[0] and other.ways[1] == block.ways[1]:
            both = joined("and", block.condition, other.condition)
            return Block(block.statements, (other.ways[0], block.ways[1]), both)
    return None


def _turned(block: Block) -> Block:
    assert block.condition is not None
    return Block(block.statements, block.ways[::-1], negated(block.condition))


def _tests(condition: Condition) -> int:
    return sum(map(_tests, condition.parts)) if isinstance(condition, Both) else 1
