"""Forms: which instructions are worth trying on values, derived from the instruction table.

Two forms that output the same for all operands are one, and what only repeats a value or a constant
is none.
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import cache
from typing import NamedTuple

import numpy as np

from anc.isa import Effect, InstructionSet
from anc.machine.batch import TABLE_LIMIT
from anc.machine.outputs import outputs_of

ZERO = -1  # as an operand
Coded = tuple[int, int, int]  # operation and operands: a value's number, or -1 - constant


class Forms(NamedTuple):
    """Operations with what is done to their operands; `True` puts the newer value (or c) first."""

    single: tuple[int, ...]  # op(x), or op(x, x)
    pairs: tuple[tuple[int, bool], ...]  # op(older, newer), op(newer, older)
    constant: tuple[tuple[int, bool], ...]  # op(x, c), op(c, x)
    instructions: InstructionSet

    def candidates(
        self, values: int, cells: Sequence[int], constants: Sequence[int]
    ) -> tuple[np.ndarray, np.ndarray]:
        """All instructions on so many values, by their newest operand, and where each value's end.

        Those before ``ends[n]`` only need the first n values: READs of some cells come first.
        """
        found: list[Coded] = [(self.instructions.READ, -1 - cell, ZERO) for cell in cells]
        ends = [len(found)]
        for new in range(values):
            for op in self.single:
                found.append((op, new, new if self.instructions[op].operands == 2 else ZERO))
            for old in range(new):
                found += [(op, new, old) if swap else (op, old, new) for op, swap in self.pairs]
            for c in constants:
                found += [(op, -1 - c, new) if s else (op, new, -1 - c) for op, s in self.constant]
            ends.append(len(found))
        return np.array(found, np.int64).reshape(-1, 3), np.array(ends, np.int64)


@cache
def forms(instructions: InstructionSet, M: int) -> Forms:
    """The forms for M cells (for more than a table of outputs can have, those of the largest table).

    A family op(x, c) of all c from 1 is left out where earlier ones have all its members, as ADD(x, c)
    has those of SUB(x, c); so is INC(x).
    """
    M = min(M, TABLE_LIMIT)
    rows = enumerate(instructions)
    tables = {op: outputs_of(op, M) for op, row in rows if row.effect is Effect.NONE}
    two = {op: table for op, table in tables.items() if instructions[op].operands == 2}
    seen = {bytes(np.full(M, c)) for c in range(M)} | {bytes(np.arange(M))}
    constant = []
    for op, table in two.items():
        for swapped, vectors in ((False, table.T), (True, table)):
            family = {vector.tobytes() for vector in vectors[1:]}
            if not family <= seen:
                constant.append((op, swapped))
                seen |= family
    single = [instructions.READ]
    for op, table in tables.items():
        vector = table.diagonal().tobytes()
        if vector not in seen:
            single.append(op)
            seen.add(vector)
    pairs = []
    for op, table in two.items():
        if (table == table[:1]).all() or (table == table[:, :1]).all():
            continue  # it takes note of one operand only
        for swapped in (False,) if (table == table.T).all() else (True, False):
            outputs = (table.T if swapped else table).tobytes()
            if outputs not in seen:
                pairs.append((op, swapped))
                seen.add(outputs)
    return Forms(tuple(single), tuple(pairs), tuple(constant), instructions)


def shortest(instruction: Coded, instructions: InstructionSet, M: int) -> Coded:
    """The same with an instruction of one operand, where there is one: INC(x) for ADD(x, 1)."""
    op, a, b = instruction
    row = instructions[op]
    if row.operands == 2 and min(a, b) < 0:
        outputs = [row.output(*((x, -1 - b) if a >= 0 else (-1 - a, x)), M) for x in range(M)]
        for other, one in enumerate(instructions):
            is_plain = one.operands == 1 and one.effect is Effect.NONE
            if is_plain and outputs == [one.output(x, 0, M) for x in range(M)]:
                return other, max(a, b), ZERO
    return instruction
