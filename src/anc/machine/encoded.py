"""Programs and cases encoded as arrays, and instruction outputs as tables, for compiled machines.

Row i of an encoded program's `lines` is ``(op, first, second, out)``. An unused operand refers to an
extra register after the last one, which always holds 0. Numbers have 16 bits.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from functools import cache
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from anc.isa import Effect, Instruction, InstructionSet
from anc.program import Line, Program
from anc.support.diagnostics import AncError

if TYPE_CHECKING:
    from anc.data.tasks.cases import Case


class Encoded(NamedTuple):
    """A program as arrays: its lines, the initial values of R registers and of the zero register, and (L, start)."""

    lines: np.ndarray  # (L or more, 4) uint16
    values: np.ndarray  # (R + 1,) uint16
    head: np.ndarray  # (2,) int64

    @property
    def L(self) -> int:
        return int(self.head[0])

    @property
    def R(self) -> int:
        return len(self.values) - 1


def encode(program: Program, spare: int = 0) -> Encoded:
    """Encode a program, with some spare registers."""
    R = program.R + spare
    code = program.instructions.code
    rows = [
        (
            code[line.op],
            R if line.first is None else line.first,
            R if line.second is None else line.second,
            line.out,
        )
        for line in program.lines
    ]
    values = [value or 0 for value in program.registers] + [0] * (spare + 1)
    head = np.array([program.L, program.start], np.int64)
    return Encoded(np.array(rows, np.uint16), np.array(values, np.uint16), head)


def decode(encoded: Encoded, instructions: InstructionSet, memory: int | None = None) -> Program:
    """Decode a program; every register has an initial value.

    >>> program = Program((Line("INC", 0, None, 0), Line("STOP", None, None, 0)), (3,))
    >>> decode(encode(program), program.instructions) == program
    True
    """
    lines = []
    for op, first, second, out in encoded.lines[: encoded.L].tolist():
        row = instructions[op]
        used_first = first if row.operands > 0 else None
        used_second = second if row.operands > 1 else None
        lines.append(Line(row.name, used_first, used_second, out))
    values = tuple(encoded.values[:-1].tolist())
    start = int(encoded.head[1])
    return Program(tuple(lines), values, start, memory=memory, instructions=instructions)


@cache
def outputs_of(row: Instruction, M: int) -> np.ndarray:
    """The outputs (M, M) of an instruction for all operands; READ counts as 0 here."""
    seconds = range(M if row.operands == 2 and row.effect is Effect.NONE else 1)
    table = np.array([[row.output(a, b, M) for b in seconds] for a in range(M)], np.int64)
    if table.min() < 0 or table.max() >= M:
        raise AncError(f"{row.name} outputs numbers beyond 0..{M - 1} with M = {M}")
    return np.broadcast_to(table, (M, M))


@cache
def output_table(instructions: InstructionSet, M: int) -> np.ndarray:
    """The outputs of a set as a flat array: entry (op * M + first) * M + second, for M up to 256."""
    return np.concatenate([outputs_of(row, M).astype(np.uint8).ravel() for row in instructions])


ALL_BITS = np.uint16(0xFFFF)


class Cases(NamedTuple):
    """C cases: input tapes, expected tapes, masks of the cells that count, and multiplicities."""

    inputs: np.ndarray  # (C, M) uint16
    outputs: np.ndarray  # (C, M) uint16
    masks: np.ndarray  # (C, M) uint16: 0xFFFF where a cell counts, else 0
    counts: np.ndarray  # (C,) float64

    @classmethod
    def of(cls, cases: Iterable[Case]) -> Cases:
        """A table with one row per case."""
        return cls._made(list(cases))

    @classmethod
    def distinct(cls, cases: Iterable[Case]) -> Cases:
        """A table with one row per distinct case, in order of first appearance, with its count."""
        counts: dict[Case, int] = {}
        for case in cases:
            counts[case] = counts.get(case, 0) + 1
        return cls._made(list(counts))._replace(counts=np.array(list(counts.values()), np.float64))

    @classmethod
    def _made(cls, cases: Sequence[Case]) -> Cases:
        columns = ("input", "output", "mask")
        tables = [np.array([getattr(c, name) for c in cases], np.uint16) for name in columns]
        return cls(tables[0], tables[1], tables[2] * ALL_BITS, np.ones(len(cases)))

    @property
    def C(self) -> int:
        return int(self.inputs.shape[0])

    @property
    def M(self) -> int:
        return int(self.inputs.shape[1])

    @property
    def change(self) -> np.ndarray:
        """The cells (C, M) that count and differ between input and output."""
        return (self.masks != 0) & (self.inputs != self.outputs)

    def choose(self, which: Sequence[int] | np.ndarray) -> Cases:
        """These cases, in this order."""
        chosen = np.asarray(which, np.int64)
        return Cases(*(part[chosen] for part in self))
