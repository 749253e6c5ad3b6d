"""Many runs of a program at once, with unknown inputs: symbolic execution in columns.

A row is the state of a run: registers, then cells. A number of M + i stands for the unknown value of input cell i.
Unknown values are read, stored and written like others; a row waits where it computes with one. What is the
same in all rows is kept once. Rows that are at the same line are executed together, and those that are
furthest behind go first, so that branches come together again.

A negative number has been forgotten (`DEAD`), or was an output's final value (`EMITTED`). Who reads one,
or writes over the latter, proves that forgetting it was wrong: `Forgotten`.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, field
from typing import Any, TypeAlias

import numpy as np

from anc.isa import Effect
from anc.layers.columns import Column, Operand, output
from anc.layers.unknowns import Unknowns
from anc.program import Program

DEAD, EMITTED = -1, -2
STOPPED, UNSTOPPED, PAST_END = -1, -2, -3  # the lines of runs that ended
NOTHING = -1  # the input on which a row waits that ended

Rows: TypeAlias = "slice | np.ndarray"  # which rows: all of them, or these


class Forgotten(Exception):
    """A cell that was forgotten is needed after all."""

    def __init__(self, cell: int, is_written: bool = False) -> None:
        super().__init__(cell)
        self.cell, self.is_written = cell, is_written


class Machine:
    """A program on M cells; the place of a cell in a row follows those of the registers."""

    def __init__(self, program: Program, M: int, max_steps: int, unknowns: Unknowns) -> None:
        program.check_fits(M)
        self.unknowns = unknowns
        self.M, self.max_steps, self.L = M, max_steps, program.L
        self.registers = (
            program.R + 1
        )  # the last one is read by operands that are not taken, and holds 0
        self.lines = [
            (
                program.row(line),
                program.R if line.first is None else line.first,
                program.R if line.second is None else line.second,
                line.out,
            )
            for line in program.lines
        ]
        self.program = program

    def start(self, cells: np.ndarray) -> Table:
        """One row before the first step; a cell of M + i holds input i."""
        values = [value or 0 for value in self.program.registers]
        base = np.concatenate([values, [0], cells]).astype(np.int32)
        line = np.array([self.program.start], np.int32)
        return Table(self, base, {}, line, np.full(1, NOTHING, np.int32), np.zeros(1, np.int64))


@dataclass
class _Group:
    """Rows at the same line; the steps that they took are a number if they are the same."""

    rows: Any  # Rows
    steps: Any

    def only(self, which: np.ndarray, n: int) -> _Group:
        rows = np.flatnonzero(which) if isinstance(self.rows, slice) else self.rows[which]
        return _Group(rows, self.steps[which] if isinstance(self.steps, np.ndarray) else self.steps)


@dataclass
class Table:
    """Rows of a machine: the places where all agree are in `base`, the others are columns."""

    machine: Machine
    base: np.ndarray  # (places,)
    columns: dict[int, Column]
    line: np.ndarray  # (n,) the next line, or how the run ended
    wait: np.ndarray  # (n,) the input that it needs there
    steps: np.ndarray  # (n,) since it last waited
    special: set[int] = field(
        default_factory=set
    )  # columns that may hold unknown or negative numbers
    written: set[int] = field(default_factory=set)  # cells
    events: list[tuple[bool, Rows, Operand]] | None = None  # reads and writes of cells, if recorded

    @property
    def n(self) -> int:
        return len(self.line)

    def column(self, place: int) -> Column:
        """A place as a column that may be changed."""
        if place not in self.columns:
            value = self.base[place]
            self.columns[place] = np.full(self.n, value, np.int32)
            if not 0 <= value < self.machine.M:
                self.special.add(place)
        return self.columns[place]

    def value(self, place: int, rows: Rows) -> Operand:
        found = self.columns.get(place)
        return int(self.base[place]) if found is None else found[rows]

    def put(self, place: int, rows: Rows, value: Operand, is_special: bool = False) -> None:
        if isinstance(rows, slice) and not isinstance(value, np.ndarray):
            self.base[place] = value
            self.columns.pop(place, None)
            self.special.discard(place)
            return
        if isinstance(rows, slice):
            self.columns[place] = value.copy()
            self.special.discard(place)
        else:
            self.column(place)[rows] = value
        if is_special:
            self.special.add(place)

    # -- runs ----------------------------------------------------------------------

    def run(self, outputs: Iterable[int] = ()) -> None:
        """Run every row that has a line to an unknown value that it needs, or to its end.

        A run that has ended needs the values of the output cells.
        """
        waiting: dict[int, list[_Group]] = {}
        lines = _kinds(self.line)
        self.steps[:] = 0
        self.wait[:] = NOTHING
        for line in lines[lines >= 0].tolist():
            rows = slice(None) if len(lines) == 1 else np.flatnonzero(self.line == line)
            waiting[line] = [_Group(rows, 0)]
        while waiting:
            line = min(waiting)
            self._stretch(line, _joined(waiting.pop(line), self.n), waiting)
        ended = self.line < 0
        for cell in outputs if ended.any() else ():
            place = self.machine.registers + cell
            if place in self.special or self.base[place] >= self.machine.M:
                values = self.value(place, slice(None))
                needs = ended & (self.wait == NOTHING) & (values >= self.machine.M)
                symbols = np.broadcast_to(values, (self.n,))[needs] - self.machine.M
                self.wait[needs] = self.machine.unknowns.of_cell[symbols]

    def _stretch(self, here: int, group: _Group, waiting: dict[int, list[_Group]]) -> None:
        """Run a group for as long as it stays together and no other is behind it."""
        machine = self.machine
        while True:
            most = group.steps if isinstance(group.steps, int) else int(group.steps.max())
            if most >= machine.max_steps:
                group = self._leave(group, group.steps >= machine.max_steps, UNSTOPPED)
                if not _size(group, self.n):
                    return
            row, a, b, out = machine.lines[here]
            if row.effect is Effect.STOP:
                group.steps = group.steps + 1
                self._leave(group, True, STOPPED)
                return
            group, first, second = self._operands(here, group, a, b, row.effect)
            if not _size(group, self.n):
                return
            group.steps = group.steps + 1
            goes_to: Any = here + 1
            rows = group.rows
            if row.effect is Effect.READ:
                value, is_special = self._read(first, rows)
                self.put(out, rows, value, is_special)
            else:
                if row.effect is Effect.WRITE:
                    self._write(first, second, rows, b)
                elif row.effect is Effect.JUMP:
                    goes_to = _next_line(first, second, here)
                self.put(out, rows, output(row.output, first, second, machine.M))
            if isinstance(goes_to, np.ndarray):
                for line in _kinds(goes_to).tolist():
                    self._go_on(group.only(goes_to == line, self.n), line, waiting)
                return
            if goes_to >= machine.L or (waiting and min(waiting) <= goes_to):
                self._go_on(group, goes_to, waiting)
                return
            here = goes_to

    def _go_on(self, group: _Group, line: int, waiting: dict[int, list[_Group]]) -> None:
        machine = self.machine
        if line >= machine.L:
            if machine.L != machine.M:
                self._leave(group, True, PAST_END)
                return
            line = 0  # after line M-1 comes line 0
        waiting.setdefault(line, []).append(group)

    def _leave(self, group: _Group, which: Any, line: int, wait: Any = NOTHING) -> _Group:
        """Rows of a group end, or wait; the rest of the group."""
        which = np.broadcast_to(which, (_size(group, self.n),))
        if not which.any():
            return group
        gone = group if which.all() else group.only(which, self.n)
        self.line[gone.rows], self.steps[gone.rows] = line, gone.steps
        if isinstance(wait, np.ndarray):
            wait = wait[which]
        self.wait[gone.rows] = wait if line < 0 else self.machine.unknowns.of_cell[wait]
        return group.only(~which, self.n)

    def _operands(
        self, here: int, group: _Group, a: int, b: int, effect: Effect
    ) -> tuple[_Group, Operand, Operand]:
        """The operands of the rows that know them; the others wait."""
        first = self.value(a, group.rows)
        if self._is_special(a, first):
            self._check_known(a, first)
            group = self._leave(group, first >= self.machine.M, here, first - self.machine.M)
            first = self.value(a, group.rows)
        second = self.value(b, group.rows)
        if effect is not Effect.WRITE and self._is_special(b, second):
            needed = True if effect is not Effect.JUMP else first == 0
            unknown = (second >= self.machine.M) & needed
            if np.any(unknown):
                group = self._leave(group, unknown, here, second - self.machine.M)
                first, second = self.value(a, group.rows), self.value(b, group.rows)
            self._check_known(b, second)
        return group, first, second

    def _is_special(self, place: int, value: Operand) -> bool:
        if isinstance(value, np.ndarray):
            return place in self.special and value.size > 0
        return not 0 <= value < self.machine.M

    def _check_known(self, place: int, value: Operand) -> None:
        if np.any(value < 0):
            raise Forgotten(place - self.machine.registers)

    def _read(self, address: Operand, rows: Rows) -> tuple[Operand, bool]:
        """What the cells at an address hold, and whether that may be unknown."""
        registers, M = self.machine.registers, self.machine.M
        if self.events is not None:
            self.events.append((False, rows, address))
        if not isinstance(address, np.ndarray):
            value = self.value(registers + address, rows)
            is_special = self._is_special(registers + address, value)
            if is_special:
                self._check_known(registers + address, value)
            return value, is_special
        found = self.base[registers + address]
        for cell in _kinds(address).tolist():
            if registers + cell in self.columns:
                which = address == cell
                found[which] = self.columns[registers + cell][rows][which]
        if (found < 0).any():
            raise Forgotten(int(address[found < 0][0]))
        return found, bool((found >= M).any())

    def _write(self, address: Operand, value: Operand, rows: Rows, place: int) -> None:
        registers = self.machine.registers
        if self.events is not None:
            self.events.append((True, rows, address))
        is_special = self._is_special(place, value)
        if is_special:
            self._check_known(place, value)
        if not isinstance(address, np.ndarray):
            self._check_open(registers + address, rows)
            self.written.add(address)
            self.put(registers + address, rows, value, is_special)
            return
        for cell in _kinds(address).tolist():
            which = address == cell
            some = np.flatnonzero(which) if isinstance(rows, slice) else rows[which]
            self._check_open(registers + cell, some)
            self.written.add(cell)
            part = value[which] if isinstance(value, np.ndarray) else value
            self.put(registers + cell, some, part, is_special)

    def _check_open(self, place: int, rows: Rows) -> None:
        """Refuse to write over the final value of an output."""
        value = self.value(place, rows)
        if self._is_special(place, value) and np.any(value == EMITTED):
            raise Forgotten(place - self.machine.registers, is_written=True)

    # -- rows ----------------------------------------------------------------------

    def part(self, rows: Rows) -> Table:
        """Some of the rows, as a table of their own."""
        columns = {place: column[rows] for place, column in self.columns.items()}
        line, wait, steps = (each[rows] for each in (self.line, self.wait, self.steps))
        return self._with(columns, line, wait, steps)

    def _with(
        self, columns: dict[int, np.ndarray], line: np.ndarray, wait: np.ndarray, steps: np.ndarray
    ) -> Table:
        """A table of other rows, with the same numbers in the cells that have no column."""
        base, special = self.base.copy(), set(self.special)
        return Table(self.machine, base, columns, line, wait, steps, special, self.written)

    def expanded(self, unknown: int) -> Table:
        """Every row with every value of an unknown, the values of the first row first."""
        unknowns, n = self.machine.unknowns, self.n
        values = unknowns.counts[unknown]
        columns = {place: np.repeat(column, values) for place, column in self.columns.items()}
        every = (self.line, self.wait, self.steps)
        line, wait, steps = (np.repeat(each, values) for each in every)
        found = self._with(columns, line, wait, steps)
        for cell, of_cell in unknowns.values(unknown, np.arange(values)).items():
            symbol, each = self.machine.M + cell, np.tile(of_cell.astype(np.int32), n)
            for place in found.special:
                column = columns[place]
                columns[place] = np.where(column == symbol, each, column)
            for place in np.flatnonzero(found.base == symbol).tolist():
                columns.setdefault(place, each.copy())
        return found

    def joined(self, other: Table) -> Table:
        """The rows of this table, then those of another."""
        if not other.n:
            return self
        places = {*self.columns, *other.columns, *np.flatnonzero(self.base != other.base).tolist()}
        columns = {
            place: np.concatenate([self.column(place), other.column(place)]) for place in places
        }
        line, wait, steps = (
            np.concatenate([getattr(self, name), getattr(other, name)])
            for name in ("line", "wait", "steps")
        )
        special = self.special | other.special
        return Table(self.machine, self.base, columns, line, wait, steps, special, self.written)

    def settle(self, places: Iterable[int] | None = None) -> None:
        """Keep columns whose rows agree as one number: all of them, or these."""
        M = self.machine.M
        for place in list(self.columns if places is None else places):
            column = self.columns[place]
            if (column == column[0]).all():
                self.base[place] = column[0]
                del self.columns[place]
                self.special.discard(place)
            elif place in self.special and column.min() >= 0 and column.max() < M:
                self.special.discard(place)


def _kinds(lines: np.ndarray) -> np.ndarray:
    """The different lines or cells: small numbers, so that counting is faster than sorting."""
    return np.flatnonzero(np.bincount(lines - PAST_END)) + PAST_END


def _size(group: _Group, n: int) -> int:
    return n if isinstance(group.rows, slice) else len(group.rows)


def _joined(groups: list[_Group], n: int) -> _Group:
    """Groups that came to the same line, as one; all rows of the table if they are all there."""
    if len(groups) == 1:
        return groups[0]
    rows = np.concatenate([group.rows for group in groups])
    steps: Any = groups[0].steps
    if any(not isinstance(g.steps, int) or g.steps != steps for g in groups):
        each = [np.broadcast_to(group.steps, (len(group.rows),)) for group in groups]
        steps = np.concatenate(each)
    if len(rows) < n:
        return _Group(rows, steps)
    if isinstance(steps, np.ndarray):
        steps = steps[np.argsort(rows)]
    return _Group(slice(None), steps)


def _next_line(first: Operand, second: Operand, here: int) -> Any:
    if isinstance(first, np.ndarray) or isinstance(second, np.ndarray):
        found = np.where(first == 0, second, here + 1)
        return int(found[0]) if (found == found[0]).all() else found
    return second if first == 0 else here + 1
