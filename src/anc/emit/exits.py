"""Loops that are left for several places leave for one instead, with a note of where to go from there.

Python has no word for leaving two loops at once, or for going on in one of several places.
"""

from __future__ import annotations

from dataclasses import replace

from anc.emit.blocks import Block, Blocks
from anc.emit.expressions import Name, Number, Test, names_in
from anc.emit.names import identifier
from anc.emit.statements import Assign


def with_one_exit(blocks: Blocks, body: frozenset[int]) -> Blocks:
    """The same program, in which one loop (its blocks are given) is left for one place only."""
    found = dict(blocks.blocks)
    name = identifier("way", _names(blocks))
    new = max(found) + 1
    leaving: dict[int, int] = {}  # the new block for each place outside
    for number in sorted(body):
        ways = []
        for way in found[number].ways:
            if way >= 0 and way not in body:
                way = leaving.setdefault(way, new + len(leaving))
            ways.append(way)
        found[number] = replace(found[number], ways=tuple(ways))
    *others, last = leaving
    behind = new + len(leaving)
    for count, way in enumerate(leaving):
        note = Assign(name, Number(count % blocks.M))
        found[leaving[way]] = Block([note], (behind,))
    for count, way in enumerate(others):
        after = last if way == others[-1] else behind + 1
        found[behind] = Block([], (way, after), Test(Name(name), "==", Number(count % blocks.M)))
        behind += 1
    return replace(blocks, blocks=found)


def leaves_for_several(blocks: Blocks, body: frozenset[int]) -> bool:
    """Whether a loop is left for more than one place, and they can be told apart."""
    ways = {way for number in body for way in blocks.blocks[number].ways}
    return 1 < len({way for way in ways - body if way >= 0}) <= blocks.M


def _names(blocks: Blocks) -> set[str]:
    found = set(blocks.first_values)
    for block in blocks.blocks.values():
        for statement in block.statements:
            if isinstance(statement, Assign):
                found |= {statement.name} | names_in(statement.value)
        if block.condition is not None:
            found |= names_in(block.condition)
    return found
