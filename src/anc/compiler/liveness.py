"""Liveness: which units hold a value that is still wanted, before and after each line."""

from __future__ import annotations

from dataclasses import dataclass

from anc.compiler.flow import Flow
from anc.compiler.names import Code, Unit


@dataclass(frozen=True)
class Liveness:
    """Sets of units as bit masks, bit i for unit i of the code."""

    before: tuple[int, ...]
    after: tuple[int, ...]
    at_start: int
    bit: dict[Unit, int]


def liveness(code: Code, flow: Flow) -> Liveness:
    """The usual backward data flow: before = reads | (after & ~written), to a fixed point."""
    bit = {unit: 1 << index for index, unit in enumerate(code.units)}
    L = len(code.commands)
    reads, writes = [0] * L, [0] * L
    for number, command in enumerate(code.commands):
        for unit in command.operands:
            reads[number] |= bit[unit]
        if command.out is not None:
            writes[number] = bit[command.out]
    before, after = list(reads), [0] * L
    anything = 0  # alive before some line: what a computed jump keeps alive
    changed = True
    while changed:
        changed = False
        for number in range(L - 1, -1, -1):
            alive = anything if flow.anywhere[number] else 0
            if not flow.anywhere[number]:
                for follower in flow.successors[number]:
                    alive |= before[follower]
            wanted = reads[number] | (alive & ~writes[number])
            if alive != after[number] or wanted != before[number]:
                after[number], before[number] = alive, wanted
                changed = True
            if wanted & ~anything:
                anything |= wanted
                changed = True
    return Liveness(tuple(before), tuple(after), before[code.start], bit)
