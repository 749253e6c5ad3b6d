"""Tapes side by side: what an exhaustive walk runs programs on."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, fields

import numpy as np

from anc import isa
from anc.program import Program

Outputs = Callable[[np.ndarray, np.ndarray, int], np.ndarray]
OUTPUTS: dict[isa.Meaning, Outputs] = {  # of many operands at once; other meanings go one by one
    isa.increment: lambda a, b, M: (a + 1) % M,
    isa.decrement: lambda a, b, M: (a - 1) % M,
    isa.add: lambda a, b, M: (a + b) % M,
    isa.subtract: lambda a, b, M: (a - b) % M,
    isa.smaller: lambda a, b, M: np.minimum(a, b),
    isa.larger: lambda a, b, M: np.maximum(a, b),
}


def outputs(row: isa.Instruction, first: np.ndarray, second: np.ndarray, M: int) -> np.ndarray:
    """What an instruction that does not READ puts out, for many operands."""
    meaning = OUTPUTS.get(row.output)
    if meaning is not None:
        return meaning(first, second, M)
    pairs = zip(first.tolist(), second.tolist(), strict=True)
    return np.array([row.output(a, b, M) for a, b in pairs], first.dtype)


@dataclass
class Block:
    """Tapes side by side, all in the same phase; `share` is each one's part of all there is to walk."""

    phase: int
    steps: np.ndarray  # (n,) of the run at hand
    here: np.ndarray  # (n,) the line that comes next
    registers: np.ndarray  # (n, R) of the program at hand, and one more that is always 0
    tape: np.ndarray  # (n, M) what the run at hand has made of the tape
    known: np.ndarray  # (n, M) the input, as far as it has values
    wanted: np.ndarray  # (n, M) what the generic program left
    share: np.ndarray  # (n,)

    def take(self, rows: np.ndarray) -> Block:
        return Block(self.phase, *(array[rows] for array in self.arrays))

    @property
    def arrays(self) -> list[np.ndarray]:
        return [getattr(self, each.name) for each in fields(self)[1:]]

    def __len__(self) -> int:
        return len(self.here)


@dataclass
class Waiting:
    """Tapes that wait for values of a cell; those before `begin` have had theirs."""

    block: Block
    cell: int
    values: np.ndarray
    begin: int = 0


def together(blocks: list[Block]) -> Block:
    columns = zip(*(block.arrays for block in blocks), strict=True)
    return Block(blocks[0].phase, *map(np.concatenate, columns))


class Decoded:
    """What a step needs of each line of a program."""

    def __init__(self, program: Program) -> None:
        self.program, self.L, R = program, program.L, program.R
        lines = program.lines
        self.op = np.array([isa.INDEX[line.op] for line in lines])
        self.first = np.array([R if line.first is None else line.first for line in lines])
        self.second = np.array([R if line.second is None else line.second for line in lines])
        self.out = np.array([line.out for line in lines])
        self.computing = [
            number
            for number in sorted(set(self.op.tolist()))
            if isa.INSTRUCTIONS[number].output is not isa.zero
        ]
        self.registers = np.array([*(value or 0 for value in program.registers), 0], np.int32)
