"""Batches of partially known tapes, on which the enumeration runs programs."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, fields

import numpy as np

from anc import isa
from anc.isa import Effect
from anc.machine.columns import output_column
from anc.program import Program
from anc.proof.cfg import Flow
from anc.proof.facts import Columns, Fact
from anc.proof.verdict import Undecided

UNREAD = -1  # a cell without a value
_MOST_CELLS = 4_096  # of a memory whose cells all have a column


class Places:
    """The columns of the cells that matter: of all, or, if the memory is large, of those that are named.

    Those are the cells of facts and the addresses in programs, which then must not be computed.
    """

    def __init__(self, programs: Sequence[Program], facts: Iterable[Fact], M: int) -> None:
        cells: Iterable[int] = range(M)
        if M > _MOST_CELLS:
            named = [Flow(program, M).named_cells() for program in programs]
            if None in named or any(fact.pointers for fact in facts):
                raise Undecided(f"addresses among {M:,} cells are too many to enumerate")
            of_facts = {cell for fact in facts for cell in fact.cells}
            cells = sorted(of_facts.union(*filter(None, named)))
        self.M, self.cells = M, np.array(list(cells), np.int64)
        self.of = np.full(M, -1)
        self.of[self.cells] = np.arange(len(self.cells))

    def truths(self, fact: Fact, known: np.ndarray) -> np.ndarray:
        """On which tapes, whose columns are those of the cells, a fact holds."""
        _, holds = fact.truth(_Placed(known, self), self.M)
        return np.broadcast_to(holds, len(known))


class _Placed(Columns):
    """Tapes as cells; some have no column."""

    def __init__(self, tapes: np.ndarray, places: Places) -> None:
        super().__init__(tapes)
        self.places = places

    def __getitem__(self, place: int | np.ndarray) -> np.ndarray:
        column = self.places.of[place]
        return super().__getitem__(int(column) if isinstance(place, int) else column)

    def __len__(self) -> int:
        return self.places.M


@dataclass
class Block:
    """A batch of tapes in the same phase; `share` is the part of the whole enumeration that each stands for."""

    phase: int
    steps: np.ndarray  # (n,) of the current run
    here: np.ndarray  # (n,) the next line
    registers: np.ndarray  # (n, R + 1) of the current program, and one that is always 0
    tape: np.ndarray  # (n, columns) the tape of the current run
    known: np.ndarray  # (n, columns) the input, as far as it is known
    wanted: np.ndarray  # (n, columns) the final tape of the generic program
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

    def __init__(self, program: Program, places: Places, max_steps: int) -> None:
        self.program, self.max_steps = program, max_steps
        self.places, self.M = places, places.M
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
        read = np.where(self.reads[here], block.tape[active, self.places.of[first]], 0)
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
                value[mine] = output_column(row.output, first[mine], second[mine], self.M)
        block.registers[active, self.out[here]] = value
        writes = self.writes[here]
        block.tape[active[writes], self.places.of[first[writes]]] = second[writes]
        after = np.where(self.jumps[here] & (first == 0), second, here + 1)
        after[after == self.M] = 0
        stops = self.stops[here]
        block.here[active] = after
        block.steps[active] += 1
        late = block.steps[active] >= self.max_steps
        fails = ((after >= self.program.L) | late) & ~stops
        stopped[active[stops]] = True
        lost[active[fails]] = True
        return active[~(stops | fails)]
