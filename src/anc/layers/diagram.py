"""Decision diagrams: a program as a function of unknown inputs, built by symbolic execution.

The program runs with unknown inputs, all runs side by side. Where they compute with an input, each branches
into its values. Runs that then wait at the same line and agree in everything that the rest depends on are
merged. The diagram of a count over 8 digits therefore has about 40 states instead of 10**8 runs, and the
sum of two digits has the states 1, 10 and 19.

A diagram that emits goes further: an output cell that nothing reads or writes any more is no part of the
state. Its value is written on the branch instead. The sum of two numbers of N digits then
keeps two carries for each digit.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field, replace
from typing import NamedTuple

import numpy as np

from anc.layers.liveness import Guess, guess, live_registers
from anc.layers.table import (
    DEAD,
    EMITTED,
    NOTHING,
    PAST_END,
    STOPPED,
    Forgotten,
    Machine,
    Table,
)
from anc.layers.unknowns import Sizes, Unknowns
from anc.program import Program
from anc.support import resources
from anc.support.diagnostics import AncError

LIMIT = 8_000_000  # the most branches that are kept of a diagram
WIDEST = 4_000_000  # the most branches on one input
NOTHING_EMITTED, NEVER = (
    -1,
    -2,
)  # instead of an output's value on a branch; runs that emit NEVER do not count
SPARSE = 1 << 16  # codes up to this many, or a few times the rows, are found without sorting


class DiagramTooLarge(AncError):
    """The diagram is too large."""


@dataclass(frozen=True, eq=False)
class Level:
    """The states before an input's value is known: those that read it, then those that pass.

    A branch is a reading state with a value, in this order, or a passing state. It leads to a state
    of the next level.
    """

    input: int
    values: int
    reading: int
    states: int
    size: int  # states of the next level
    branches_to: np.ndarray | None  # (branches,); None if there is a shift
    shift: np.ndarray | None  # (values,): all states read, and state s goes to s + shift[value]
    emitted: tuple[
        tuple[int, np.ndarray], ...
    ]  # an output's number, and its value on each branch or -1
    steps: np.ndarray | None  # (branches,), if they were asked for

    @property
    def branches(self) -> int:
        return self.reading * self.values + self.states - self.reading

    @property
    def targets(self) -> np.ndarray:
        """(branches,): where each leads."""
        if self.branches_to is not None:
            return self.branches_to
        assert self.shift is not None
        return (np.arange(self.reading)[:, None] + self.shift).reshape(-1)

    def back(self, branch: int, found: dict[int, int]) -> tuple[int, dict[int, int]]:
        """The state that a branch comes from, and values of inputs with that of the level's own."""
        if branch >= self.reading * self.values:
            return branch - self.reading * (self.values - 1), found
        state, value = divmod(branch, self.values)
        return state, {self.input: value} | found


class Leaf(NamedTuple):
    """The end of a run: the values of the outputs that were not emitted, and how it ended."""

    values: tuple[int, ...]
    stopped: bool
    is_past_end: bool


@dataclass(frozen=True, eq=False)
class Diagram:
    """Levels from one state to the leaves, which are the states after the last one."""

    levels: tuple[Level, ...]
    leaves: tuple[Leaf, ...]
    begun: tuple[tuple[int, int], ...]  # outputs that are known before the first level, by number
    steps: int  # before the first level
    written: frozenset[int]  # the cells written by any run

    @property
    def longest(self) -> int:
        """The number of steps of the longest run."""
        most = np.zeros(1)
        for level in self.levels:
            assert level.steps is not None
            R, K = level.reading, level.values
            each = np.concatenate([np.repeat(most[:R], K), most[R:]]) + level.steps
            most = np.zeros(level.size)
            np.maximum.at(most, level.targets, each)
        return self.steps + int(most.max())

    def example(self, leaf: int) -> dict[int, int]:
        """Values of inputs that lead to a leaf; irrelevant inputs are omitted."""
        found: dict[int, int] = {}
        for level in reversed(self.levels):
            leaf, found = level.back(int(np.argmax(level.targets == leaf)), found)
        return found

    def example_emitting(self, limit: int) -> dict[int, int]:
        """Values of inputs of a run that emits a value from a limit up."""
        for number, level in enumerate(self.levels):
            for _, values in level.emitted:
                if values.max() >= limit:
                    state, found = level.back(int(values.argmax()), {})
                    before = replace(self, levels=self.levels[:number])
                    return before.example(state) | found
        return {}

    def largest_emitted(self, counts: Callable[[Leaf], bool]) -> int:
        """The largest value that is emitted by a run whose leaf counts."""
        largest = max((value for _, value in self.begun), default=0)
        alive = np.array([counts(leaf) for leaf in self.leaves])
        for level in reversed(self.levels):
            if level.emitted or not alive.all():
                reached = alive[level.targets]
                for _, values in level.emitted:
                    largest = max(largest, int(np.where(reached, values, -1).max()))
                R, K = level.reading, level.values
                read = reached[: R * K].reshape(R, K).any(1)
                alive = np.concatenate([read, reached[R * K :]])
            else:
                alive = np.ones(level.states, bool)
        return largest

    def emitting_below(self, limit: int) -> Diagram:
        """The same, where a run that emits a larger value never counts."""

        def cut(level: Level) -> Level:
            emitted = ((o, np.where(v < limit, v, NEVER)) for o, v in level.emitted)
            return replace(level, emitted=tuple(emitted)) if level.emitted else level

        begun = tuple((output, v if v < limit else NEVER) for output, v in self.begun)
        return replace(self, levels=tuple(map(cut, self.levels)), begun=begun)


def grow(
    program: Program,
    cells: np.ndarray,
    sizes: Sizes,
    outputs: Sequence[int],
    max_steps: int,
    *,
    emits: bool = False,
) -> Diagram:
    """Build the diagram of a program on a tape; a cell of M + i holds input cell i, `sizes` are those of the unknowns.

    With `emits`, outputs are emitted as soon as they are final; without, leaves hold their values.
    """
    machine = Machine(program, len(cells), max_steps, Unknowns(sizes))
    start = machine.start(cells)
    guessed = guess(machine.start(cells), outputs)
    live = live_registers(machine)
    while True:
        growth = _Growth(machine, tuple(outputs), emits, guessed, live)
        try:
            return growth.grown(start.part(np.zeros(1, np.int64)))
        except Forgotten as problem:
            guessed.learn(problem.cell, problem.is_written)


@dataclass
class _Growth:
    machine: Machine
    outputs: tuple[int, ...]
    emits: bool
    guessed: Guess
    live: np.ndarray  # registers, by line
    levels: list[Level] = field(default_factory=list)
    kept: int = 0  # branches

    def grown(self, table: Table) -> Diagram:
        table.run(self.outputs)
        steps = int(table.steps[0])
        begun = tuple((number, int(value[0])) for number, value in self._emit(table))
        table, _ = self._merged(table)
        while table.wait[0] != NOTHING:
            table = self._level(table)
        places = [self.machine.registers + cell for cell in self.outputs]
        ends = [np.broadcast_to(table.value(place, slice(None)), (table.n,)) for place in places]
        leaves = []
        for row, line in enumerate(table.line.tolist()):
            values = () if self.emits else tuple(int(end[row]) for end in ends)
            leaves.append(Leaf(values, line == STOPPED, line == PAST_END))
        return Diagram(tuple(self.levels), tuple(leaves), begun, steps, frozenset(table.written))

    def _level(self, table: Table) -> Table:
        """Branch on the input of the first rows, and run on to the next states."""
        input = int(table.wait[0])
        K, reading = self.machine.unknowns.counts[input], int((table.wait == input).sum())
        self._check_size(reading * K + table.n - reading)
        grown = table.part(slice(0, reading)).expanded(input)
        grown.run(self.outputs)
        grown.settle()
        passing = table.part(slice(reading, None))
        passing.steps[:] = 0
        every = grown.joined(passing)
        steps = None if self.outputs else every.steps.astype(np.float32)
        emitted = tuple(self._emit(every))
        merged, targets = self._merged(every)
        shift = None
        if reading == table.n and not emitted and steps is None:
            shift = _shift(targets.reshape(reading, K))
        if shift is None:
            self.kept += len(targets)
        self.levels.append(
            Level(
                input,
                K,
                reading,
                table.n,
                merged.n,
                None if shift is not None else targets,
                shift,
                emitted,
                steps,
            )
        )
        return merged

    def _check_size(self, branches: int) -> None:
        done = f"after {len(self.levels)} of {len(self.guessed.order)} inputs"
        if branches > min(WIDEST, LIMIT) or self.kept + branches > LIMIT:
            raise DiagramTooLarge(
                f"the runs of this program branch more than {min(WIDEST, LIMIT)} times"
                f" on one input, or {LIMIT} times in all, {done}"
            )
        if resources.is_full():
            raise DiagramTooLarge(
                f"the diagram of this program's runs is too large: {resources.why_full()}, {done}"
            )

    def _emit(self, table: Table) -> list[tuple[int, np.ndarray]]:
        """Take final outputs out of the rows: their numbers, and their values or -1 for each row."""
        if not self.emits or not self.outputs:
            return []
        found: dict[int, np.ndarray] = {}
        places = self.machine.registers + np.array(self.outputs)
        varying = np.isin(places, list(table.columns))
        for line, wait, rows in _keys(table):
            which = (table.base[places] >= 0) | varying
            if wait != NOTHING:
                which &= self.guessed.final((line, wait))
            for number in np.flatnonzero(which).tolist():
                place = int(places[number])
                value = table.value(place, rows)
                is_known = (value >= 0) & (value < self.machine.M)
                if not np.any(is_known):
                    continue
                some = rows if np.all(is_known) else np.arange(table.n)[rows][is_known]
                each = found.setdefault(number, np.full(table.n, NOTHING_EMITTED, np.int32))
                each[some] = table.value(place, some)
                table.put(place, some, EMITTED, is_special=True)
        return sorted(found.items())

    def _merged(self, table: Table) -> tuple[Table, np.ndarray]:
        """The distinct rows, those that wait for the next input first, and which of them each row is."""
        registers = self.machine.registers
        for line, wait, rows in _keys(table):
            live = np.zeros(registers + self.machine.M, bool)
            if wait != NOTHING:
                if line >= 0:
                    live[:registers] = self.live[line]
                live[registers:] = self.guessed.is_live((line, wait))
            live[[registers + cell for cell in self.outputs]] = True
            for place in list(table.columns):
                if not live[place]:
                    table.put(place, rows, DEAD, is_special=True)
        table.settle()
        rank = np.where(
            table.wait >= 0,
            self.guessed.order[table.wait] * len(self.guessed.order) + table.wait,
            1 << 30,
        )
        columns = [rank, table.line, *(table.columns[place] for place in sorted(table.columns))]
        first, targets = distinct(columns)
        return table.part(first), targets


def _keys(table: Table) -> list[tuple[int, int, slice | np.ndarray]]:
    """The rows by the line and the input for which they wait."""
    codes = (table.line.astype(np.int64) + 4) << 32 | (table.wait + 1)
    if (codes == codes[0]).all():
        return [(int(table.line[0]), int(table.wait[0]), slice(None))]
    return [
        (int(code >> 32) - 4, int(code & 0xFFFFFFFF) - 1, np.flatnonzero(codes == code))
        for code in np.unique(codes).tolist()
    ]


def distinct(columns: Sequence[np.ndarray]) -> tuple[np.ndarray, np.ndarray]:
    """The first of each kind of equal rows, in the order of their values, and the kind of each row."""
    n = len(columns[0])
    codes, bound = np.zeros(n, np.int64), 1
    for column in columns:
        low = int(column.min())
        width = int(column.max()) - low + 1
        if width == 1:
            continue
        if bound * width >= 1 << 62:
            codes = np.unique(codes, return_inverse=True)[1].reshape(-1)
            bound = n
        codes = codes * width + (column - low)
        bound *= width
    if bound > max(SPARSE, 4 * n):
        _, first, kinds = np.unique(codes, return_index=True, return_inverse=True)
        return first, kinds.reshape(-1).astype(np.int32)
    first = np.full(bound, -1, np.int64)
    first[codes[::-1]] = np.arange(n - 1, -1, -1)
    places = np.cumsum(first >= 0) - 1
    return first[first >= 0], places[codes].astype(np.int32)


def _shift(targets: np.ndarray) -> np.ndarray | None:
    """What each value adds to the number of the state, if that is all that it does."""
    shift = targets[0]
    is_shift = (targets == np.arange(len(targets))[:, None] + shift).all()
    return shift.astype(np.int64) if is_shift else None
