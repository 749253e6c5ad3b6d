"""Programs and cases as small arrays, for machines that run many of them.

Row i of an encoded program's `lines` is ``(op, first, second, out)``; an unused operand points at one
more register behind the last, which always holds 0. Numbers are stored in 16 bits.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from anc import isa
from anc.program import Line, Program

if TYPE_CHECKING:
    from anc.tasks.cases import Case


@dataclass(frozen=True)
class Encoded:
    """A program as arrays: lines (L, 4), values of R registers and one that stays 0, first line."""

    lines: np.ndarray
    values: np.ndarray
    start: int

    @property
    def L(self) -> int:
        return len(self.lines)

    @property
    def R(self) -> int:
        return len(self.values) - 1


def encode(program: Program, spare: int = 0) -> Encoded:
    """The arrays of a program, with some spare registers."""
    R = program.R + spare
    rows = [
        (
            isa.INDEX[line.op],
            R if line.first is None else line.first,
            R if line.second is None else line.second,
            line.out,
        )
        for line in program.lines
    ]
    values = [value or 0 for value in program.registers] + [0] * (spare + 1)
    return Encoded(np.array(rows, np.uint16), np.array(values, np.uint16), program.start)


def decode(encoded: Encoded, memory: int | None = None) -> Program:
    """The program of these arrays; every register has an initial value.

    >>> program = Program((Line("INC", 0, None, 0), Line("STOP", None, None, 0)), (3,))
    >>> decode(encode(program)) == program
    True
    """
    lines = []
    for op, first, second, out in encoded.lines.tolist():
        row = isa.INSTRUCTIONS[op]
        used_first = first if row.operands > 0 else None
        used_second = second if row.operands > 1 else None
        lines.append(Line(row.name, used_first, used_second, out))
    values = tuple(encoded.values[:-1].tolist())
    return Program(tuple(lines), values, encoded.start, memory=memory)


@dataclass(frozen=True)
class CaseArrays:
    """Distinct cases as arrays: tapes (C, M), how often each occurs, and the cells that count.

    The cells that count in case c are `cells[first_cell[c]:first_cell[c + 1]]`, their expected
    values stand at the same places of `wanted`.
    """

    inputs: np.ndarray
    counts: np.ndarray
    cells: np.ndarray
    wanted: np.ndarray
    first_cell: np.ndarray

    @property
    def M(self) -> int:
        return int(self.inputs.shape[1])

    def __len__(self) -> int:
        return len(self.inputs)

    def choose(self, which: Sequence[int]) -> CaseArrays:
        """These cases, in this order."""
        ranges = [range(self.first_cell[c], self.first_cell[c + 1]) for c in which]
        places = np.array([place for places in ranges for place in places], np.int64)
        first_cell = np.cumsum([0, *map(len, ranges)]).astype(np.int64)
        chosen = np.array(which, np.int64)
        inputs, counts = self.inputs[chosen], self.counts[chosen]
        return CaseArrays(inputs, counts, self.cells[places], self.wanted[places], first_cell)


def pack_cases(cases: Iterable[Case]) -> CaseArrays:
    """The distinct cases, in order of first appearance, as arrays."""
    counts: dict[Case, int] = {}
    for case in cases:
        counts[case] = counts.get(case, 0) + 1
    cells = [[cell for cell, counted in enumerate(case.mask) if counted] for case in counts]
    wanted = [[case.output[cell] for cell in row] for case, row in zip(counts, cells, strict=True)]
    return CaseArrays(
        np.array([case.input for case in counts], np.uint16),
        np.array(list(counts.values()), np.float64),
        np.array([cell for row in cells for cell in row], np.uint16),
        np.array([value for row in wanted for value in row], np.uint16),
        np.cumsum([0, *map(len, cells)]).astype(np.int64),
    )
