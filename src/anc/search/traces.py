"""Execution traces of a program on some cases: lines, jumps, memory accesses and values."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace

import numpy as np

from anc.compiler.graph import WRITE
from anc.isa import InstructionSet
from anc.machine.batch import TABLE_LIMIT
from anc.machine.encoded import Cases, encode, output_table
from anc.program import Program
from anc.support.clock import look

MAX_BYTES = 200_000_000  # of cell liveness


@dataclass(frozen=True)
class Traces:
    """The runs side by side: entry [t, c] is step t of the run on case c (line -1: it has ended).

    `wanted[t, c]` has a bit for each live cell: the run reads it from step t on before it writes it.
    """

    program: Program
    M: int
    counts: np.ndarray  # (C,) how often each case occurs
    lines: np.ndarray  # (T, C)
    jumped: np.ndarray  # (T, C) whether that step jumped
    cells: np.ndarray  # (T, C) the cell that a READ or WRITE touched, or -1
    wanted: np.ndarray  # (T + 1, C, bytes for M bits)
    values: tuple[np.ndarray, ...]  # three of (T, C): both operands and the output

    def left(self, weights: np.ndarray) -> np.ndarray:
        """(T + 1, C): what each run still costs from a step on, with the weight of each line."""
        paid = np.where(self.lines >= 0, weights[self.lines], 0.0)
        left = np.zeros((len(paid) + 1, paid.shape[1]))
        left[:-1] = paid[::-1].cumsum(axis=0)[::-1]
        return left

    @property
    def total(self) -> float:
        """The weight of a line that every run executes once."""
        return float(self.counts.sum())

    def first(self, n: int) -> Traces:
        """Those of the first n cases."""
        parts = {
            name: getattr(self, name)[:, :n] for name in ("lines", "jumped", "cells", "wanted")
        }
        values = tuple(value[:, :n] for value in self.values)
        return replace(self, counts=self.counts[:n], values=values, **parts)

    def written(self, line: int | None = None) -> frozenset[int]:
        """The cells that were written, in this line or in any."""
        writes = np.array([each.op == WRITE for each in self.program.lines])
        chosen = writes[self.lines] if line is None else self.lines == line
        return frozenset(np.unique(self.cells[chosen & (self.lines >= 0)]).tolist())

    def passes(self) -> np.ndarray:
        """(L,): how often each line fell through."""
        weights = np.broadcast_to(self.counts, self.lines.shape)
        chosen = (self.lines >= 0) & ~self.jumped
        return np.bincount(self.lines[chosen], weights[chosen], self.program.L)

    def varying(self) -> frozenset[int]:
        """The lines that both jumped and fell through."""
        jumps = set(np.unique(self.lines[self.jumped]).tolist())
        return frozenset(jumps & set(np.flatnonzero(self.passes()).tolist()))

    def cells_wanted(self, steps: np.ndarray, cases: np.ndarray) -> int:
        """The cells that are live in any of these runs at these steps, as a bit mask."""
        bits = np.bitwise_or.reduce(self.wanted[steps, cases], axis=0)
        return int.from_bytes(bits.tobytes(), "little")


def record(program: Program, cases: Cases, max_steps: int) -> Traces | None:
    """The traces of these cases; None if a run does not stop in time."""
    M, C, instructions = cases.M, cases.C, program.instructions
    encoded = encode(program)
    ops, first, second, out = encoded.lines.astype(np.int64).T
    registers = np.tile(encoded.values.astype(np.int64), (C, 1))
    tape, output = cases.inputs.astype(np.int64), _outputs(instructions, M)
    here, running = np.full(C, program.start), np.arange(C)
    history: list[tuple[np.ndarray, ...]] = []
    while running.size:
        look()
        if len(history) == max_steps:
            return None
        line = here[running]
        op, a, b = ops[line], registers[running, first[line]], registers[running, second[line]]
        reads, writes = op == instructions.READ, op == instructions.WRITE
        value = np.where(reads, tape[running, a], output(op, a, b))
        registers[running, out[line]] = value
        # A WRITE of the value that is there is redundant only while that is known.
        keeps = writes & (tape[running, a] == b)
        tape[running[writes], a[writes]] = b[writes]
        jumps = (op == instructions.JUMP) & (a == 0)
        cell = np.where(reads | writes, a, -1)
        history.append((running, line, jumps, cell, reads | keeps, writes, a, b, value))
        here[running] = np.where(jumps, b, (line + 1) % M)
        over = here[running] >= program.L
        if (over & (op != instructions.STOP)).any():
            return None
        running = running[op != instructions.STOP]
    return _side_by_side(program, cases, history)


def _side_by_side(program: Program, cases: Cases, history: list[tuple[np.ndarray, ...]]) -> Traces:
    T, C, M = len(history), cases.C, cases.M
    lines, cells = np.full((T, C), -1), np.full((T, C), -1)
    jumped = np.zeros((T, C), np.bool_)
    values = tuple(np.zeros((T, C), np.int64) for _ in range(3))
    size = (M + 7) // 8
    is_small = (T + 1) * C * size <= MAX_BYTES
    wanted = np.zeros((T + 1, C, size) if is_small else (1, 1, size), np.uint8)
    if not is_small:
        wanted = np.broadcast_to(~wanted, (T + 1, C, size))
    for t in range(T - 1, -1, -1):
        look()
        running, line, jumps, cell, uses, writes, *computed = history[t]
        lines[t, running], jumped[t, running], cells[t, running] = line, jumps, cell
        for table, column in zip(values, computed, strict=True):
            table[t, running] = column
        if is_small:
            wanted[t] = wanted[t + 1]
            bit = (1 << (cell & 7)).astype(np.uint8)
            for chosen, is_use in ((writes, False), (uses, True)):
                place = t, running[chosen], cell[chosen] >> 3
                old = wanted[place]
                wanted[place] = old | bit[chosen] if is_use else old & ~bit[chosen]
    return Traces(program, M, cases.counts, lines, jumped, cells, wanted, values)


def _outputs(
    instructions: InstructionSet, M: int
) -> Callable[[np.ndarray, np.ndarray, np.ndarray], np.ndarray]:
    """The vectorised outputs of instructions."""
    if M <= TABLE_LIMIT:
        table = output_table(instructions, M)
        return lambda op, a, b: table[(op * M + a) * M + b].astype(np.int64)
    rows = [row.output for row in instructions]
    one = np.frompyfunc(lambda op, a, b: rows[op](a, b, M), 3, 1)
    return lambda op, a, b: one(op, a, b).astype(np.int64)
