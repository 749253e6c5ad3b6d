"""Which places matter after a choice: proved for registers, guessed for cells from runs on random inputs.

The guess about cells decides only how many states a diagram has. Growth notices if it was wrong, because
a cell that was forgotten is then read or written, and begins again with what it has learnt.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import NamedTuple

import numpy as np

from anc.isa import Effect
from anc.layers.table import Machine, Rows, Table

RUNS = 96  # on random inputs
PATIENCE = 4  # wrong guesses, after which all cells matter until the end

Key = tuple[int, int]  # the line of a choice and the input that it needs


def live_registers(machine: Machine) -> np.ndarray:
    """(lines, registers + 1): the registers that may be read before they are written, from each line on."""
    program = machine.program
    changed = {line.out for line in program.lines}
    L = program.L
    targets: list[list[int]] = []
    for number, line in enumerate(program.lines):
        after = [number + 1] if number + 1 < L else [0] if L == machine.M else []
        effect = program.row(line).effect
        if effect is Effect.STOP:
            after = []
        elif effect is Effect.JUMP:
            assert line.second is not None
            to = program.registers[line.second] or 0
            known = line.second not in changed
            after += ([to] if to < L else []) if known else list(range(L))
        targets.append(after)
    live = np.zeros((L, machine.registers), bool)
    changes = True
    while changes:
        changes = False
        for number in range(L - 1, -1, -1):
            line = program.lines[number]
            found = np.zeros(machine.registers, bool)
            for target in targets[number]:
                found |= live[target]
            found[line.out] = False
            found[list(line.operands)] = True
            if (found != live[number]).any():
                live[number], changes = found, True
    return live


class _Segment(NamedTuple):
    """A stretch of the sampled runs: where each began, and what they read and wrote."""

    lines: np.ndarray
    waits: np.ndarray
    events: list[tuple[bool, Rows, np.ndarray | int]]


@dataclass
class Guess:
    """What is known of the cells: what runs on random inputs did after each choice, and what was learnt."""

    cells: int
    outputs: tuple[int, ...]
    order: np.ndarray  # (inputs,) when runs need each input, on average
    live: dict[Key, np.ndarray]  # (cells,) read before they are written
    touched: dict[Key, np.ndarray]  # (cells,) read or written
    kept: set[int] = field(default_factory=set)  # always live
    late: set[int] = field(default_factory=set)  # outputs that are final only at the end
    mistakes: int = 0

    def is_live(self, key: Key) -> np.ndarray:
        """(cells,): what may be read before it is written, after a choice."""
        found = self._found(self.live, key).copy()
        found[list(self.kept)] = True
        return found

    def final(self, key: Key) -> np.ndarray:
        """(outputs,): which ones nothing reads or writes after a choice."""
        is_final = ~self._found(self.touched, key)[list(self.outputs)]
        for cell in self.late | self.kept:
            if cell in self.outputs:
                is_final[self.outputs.index(cell)] = False
        return is_final

    def learn(self, cell: int, is_written: bool) -> None:
        """A cell was forgotten, and then read or written."""
        self.mistakes += 1
        if self.mistakes > PATIENCE:
            self.kept, self.late = set(range(self.cells)), set(self.outputs)
        elif is_written:
            self.late.add(cell)
        else:
            self.kept.add(cell)

    def _found(self, of: dict[Key, np.ndarray], key: Key) -> np.ndarray:
        """What is known of a choice; of one that no run met, what is known of its input."""
        if key not in of:
            others = [each for (_, input), each in of.items() if input == key[1]]
            of[key] = np.any(others, axis=0) if others else np.ones(self.cells, bool)
        return of[key]


def guess(start: Table, outputs: Sequence[int]) -> Guess:
    """Run on random inputs, and look at the cells that matter after each choice."""
    machine = start.machine
    table = start.part(np.zeros(RUNS, np.int64))
    random = np.random.default_rng(0)
    counts = np.array(machine.unknowns.cell_sizes)
    drawn = random.integers(0, np.maximum(counts, 1), (RUNS, len(counts))).astype(np.int32)
    drawn[0], drawn[1] = 0, counts - 1  # and the extremes
    segments: list[_Segment] = []
    met: list[list[int]] = [[] for _ in machine.unknowns.sizes]
    while True:
        lines, waits = table.line.copy(), table.wait.copy()
        if segments:
            for input in np.unique(waits[waits >= 0]).tolist():
                met[input].append(len(segments))
            _reveal(table, drawn)
        table.events = []
        table.run(outputs)
        segments.append(_Segment(lines, waits, table.events))
        if (table.wait < 0).all():
            break
        table.settle(table.special)
    live, touched = _backwards(machine, segments, outputs)
    late = len(segments)
    order = np.array([max(each) if each else late for each in met])
    return Guess(machine.M, tuple(outputs), order, live, touched)


def _reveal(table: Table, drawn: np.ndarray) -> None:
    """Each waiting row gets the values of the unknown that it waits for."""
    M, of_cell = table.machine.M, table.machine.unknowns.of_cell
    awaited = np.flatnonzero(np.isin(of_cell, table.wait)) + M
    for place in np.flatnonzero(np.isin(table.base, awaited)).tolist():
        table.column(place)
    rows = np.arange(table.n)
    for place in table.special:
        column = table.columns[place]
        cells = np.clip(column - M, 0, None)
        is_awaited = (column >= M) & (of_cell[cells] == table.wait)
        table.columns[place] = np.where(is_awaited, drawn[rows, cells], column)


def _backwards(
    machine: Machine, segments: list[_Segment], outputs: Sequence[int]
) -> tuple[dict[Key, np.ndarray], dict[Key, np.ndarray]]:
    live = np.zeros((RUNS, machine.M), bool)
    touched = np.zeros((RUNS, machine.M), bool)
    of_live: dict[Key, np.ndarray] = {}
    of_touched: dict[Key, np.ndarray] = {}
    for segment in reversed(segments):
        for is_write, rows, cells in reversed(segment.events):
            live[rows, cells] = not is_write
            touched[rows, cells] = True
        waiting = segment.waits >= 0
        keys = np.stack([segment.lines, segment.waits], 1)
        for line, wait in np.unique(keys[waiting], axis=0).tolist():
            rows = (keys == (line, wait)).all(1)
            key = (line, wait)
            before = of_live.get(key, False), of_touched.get(key, False)
            of_live[key] = live[rows].any(0) | before[0]
            of_touched[key] = touched[rows].any(0) | before[1]
    return of_live, of_touched
