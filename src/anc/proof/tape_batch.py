"""Batches of partially known tapes, on which the enumeration runs programs."""

from __future__ import annotations

from dataclasses import dataclass, fields

import numpy as np

from anc import isa
from anc.isa import Effect
from anc.program import Program
from anc.proof.semantics import output

UNREAD = -1  # a cell without a value


class Columns:
    """Arithmetic modulo M on arrays."""

    def __init__(self, M: int) -> None:
        self.M = M

    def sum(self, a: np.ndarray, b: np.ndarray) -> np.ndarray:
        return (a + b) % self.M

    def difference(self, a: np.ndarray, b: np.ndarray) -> np.ndarray:
        return (a - b) % self.M

    smaller = staticmethod(np.minimum)
    larger = staticmethod(np.maximum)

    def looked_up(self, row: isa.Instruction, a: np.ndarray, b: np.ndarray) -> np.ndarray:
        """The outputs of an instruction without a vectorised form, one by one."""
        pairs = zip(a.tolist(), b.tolist(), strict=True)
        return np.array([row.output(x, y, self.M) for x, y in pairs], a.dtype)


@dataclass
class Block:
    """A batch of tapes in the same phase; `share` is the part of the whole enumeration that each stands for."""

    phase: int
    steps: np.ndarray  # (n,) of the current run
    here: np.ndarray  # (n,) the next line
    registers: np.ndarray  # (n, R + 1) of the current program, and one that is always 0
    tape: np.ndarray  # (n, M) the tape of the current run
    known: np.ndarray  # (n, M) the input, as far as it is known
    wanted: np.ndarray  # (n, M) the final tape of the generic program
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
    """Tapes that wait for values of a cell; those before `begin` are done."""

    block: Block
    cell: int
    values: np.ndarray
    begin: int = 0


def together(blocks: list[Block]) -> Block:
    columns = zip(*(block.arrays for block in blocks), strict=True)
    return Block(blocks[0].phase, *map(np.concatenate, columns))


class Stepper:
    """Runs one program on batches of tapes, up to a number of steps."""

    def __init__(self, program: Program, M: int, max_steps: int) -> None:
        self.program, self.max_steps, self.columns = program, max_steps, Columns(M)
        lines, R = program.lines, program.R
        self.first = np.array([R if line.first is None else line.first for line in lines])
        self.second = np.array([R if line.second is None else line.second for line in lines])
        self.out = np.array([line.out for line in lines])
        effects = [program.row(line).effect for line in lines]
        self.reads, self.writes, self.jumps, self.stops = (
            np.array([effect is each for effect in effects])
            for each in (Effect.READ, Effect.WRITE, Effect.JUMP, Effect.STOP)
        )
        rows = dict.fromkeys(program.row(line) for line in lines)
        self.computing = [
            (row, np.array([program.row(line) == row for line in lines]))
            for row in rows
            if row.output is not isa.zero
        ]
        self.registers = np.array([*(value or 0 for value in program.registers), 0], np.int32)

    def step(
        self,
        block: Block,
        active: np.ndarray,
        cells: np.ndarray,
        stopped: np.ndarray,
        lost: np.ndarray,
    ) -> np.ndarray:
        """One step of the active tapes; returns those that continue, and records why the others do not.

        `cells` receives the cell without a value that each waiting tape read.
        """
        here = block.here[active]
        first = block.registers[active, self.first[here]]
        read = np.where(self.reads[here], block.tape[active, first], 0)
        unread = read == UNREAD
        if unread.any():
            cells[active[unread]] = first[unread]
            going = ~unread
            active, here, first, read = active[going], here[going], first[going], read[going]
        second = block.registers[active, self.second[here]]
        value = read.astype(np.int32)
        for row, lines in self.computing:
            mine = lines[here]
            if mine.any():
                value[mine] = output(row, self.columns, first[mine], second[mine])
        block.registers[active, self.out[here]] = value
        writes = self.writes[here]
        block.tape[active[writes], first[writes]] = second[writes]
        after = np.where(self.jumps[here] & (first == 0), second, here + 1)
        after[after == self.columns.M] = 0
        stops = self.stops[here]
        block.here[active] = after
        block.steps[active] += 1
        late = block.steps[active] >= self.max_steps
        fails = ((after >= self.program.L) | late) & ~stops
        stopped[active[stops]] = True
        lost[active[fails]] = True
        return active[~(stops | fails)]
