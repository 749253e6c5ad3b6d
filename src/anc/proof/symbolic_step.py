"""One step of a run on terms: what it changes, and where runs part because the tape decides."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field, replace

import numpy as np

from anc import isa
from anc.program import Program
from anc.proof.cfg import Flow
from anc.proof.path_state import Path, Simplified
from anc.proof.semantics import output
from anc.proof.smt_queries import Questions
from anc.proof.space import Space
from anc.proof.terms import Condition, Node, Value
from anc.proof.verdict import Undecided

Way = tuple[int, Path]  # a line, and the part of the path on which a run goes on there

STEP = 2  # evaluations that a step on terms is worth, beside the terms


@dataclass
class State:
    """A run in the middle, on all tapes of its path at once.

    `least` and `most` are the steps taken: runs that were joined may have taken different ways.
    """

    program: Program
    here: int
    registers: list[Value]
    path: Path
    written: dict[int, Value] = field(default_factory=dict)  # cells that differ from the input
    least: int = 0
    most: int = 0
    stopped: bool = False
    waits: bool = False  # it is where it met others, and must go on before it meets them again

    @staticmethod
    def beginning(program: Program, path: Path) -> State:
        return State(program, program.start, [value or 0 for value in program.registers], path)

    def is_like(self, other: State) -> bool:
        """Whether both go on in the same way, on the tapes that they have in common."""
        return (self.here, self.registers, self.written) == (
            other.here, other.registers, other.written,
        )  # fmt: skip

    def parted(self, path: Path, here: int) -> State:
        """The same run on a part of its path, going on at a line."""
        return replace(
            self, here=here, registers=list(self.registers), written=dict(self.written), path=path
        )


class Machine:
    """Steps of the runs of one program."""

    def __init__(
        self, space: Space, questions: Questions, flow: Flow, cell: Callable[[int], Value]
    ) -> None:
        self.space, self.questions, self.flow, self.cell = space, questions, flow, cell
        self.witnesses = questions.witnesses

    def step(self, state: State) -> list[Way]:
        """Execute one instruction; the ways on if the run parts there, which then has not gone on."""
        line = state.program.lines[state.here]
        row, registers = state.program.row(line), state.registers
        first = registers[line.first] if line.first is not None else 0
        second = registers[line.second] if line.second is not None else 0
        ways = [((state.here + 1) % self.space.M, state.path)]
        value: Value = 0
        if row.effect is isa.Effect.NONE:
            value = output(row, self.space, first, second)
        elif row.effect is isa.Effect.STOP:
            state.stopped = True
        elif row.effect is isa.Effect.JUMP:
            ways = self.jump(state.path, first, second, ways[0][0])
        else:
            cells = self.cells_at(state.path, first)
            if row.effect is isa.Effect.READ:
                value = self.read(state, first, cells)
            else:
                self.write(state, first, cells, second)
        registers[line.out] = value
        state.least += 1
        state.most += 1
        if len(ways) > 1:
            return ways
        ((state.here, state.path),) = ways
        return []

    # -- the tape ------------------------------------------------------------------

    def cells_at(self, path: Path, value: Value) -> list[int]:
        """The cells that an address may be."""
        if isinstance(value, int):
            return [value]
        numbers = path.values(self.space, value).tolist()
        if len(numbers) == 1:
            return numbers
        seen = np.unique(self.witnesses.values(value, path.alive)).tolist()
        if len(seen) == 1:
            other = self.space.opposite(self.space.zero(self.space.difference(value, seen[0])))
            if not isinstance(other, Node) or self.questions.possible(path, other) is None:
                return seen
        return numbers

    def _content(self, state: State, cell: int) -> Value:
        return state.written[cell] if cell in state.written else self.cell(cell)

    def read(self, state: State, address: Value, cells: list[int]) -> Value:
        if len(cells) == 1:
            return self._content(state, cells[0])
        assert not isinstance(address, int)
        return self.space.select(address, {cell: self._content(state, cell) for cell in cells})

    def write(self, state: State, address: Value, cells: list[int], value: Value) -> None:
        if len(cells) == 1:
            state.written[cells[0]] = value
            return
        for cell in cells:
            here = self.space.zero(self.space.difference(address, cell))
            state.written[cell] = self.space.choice(here, value, self._content(state, cell))

    # -- jumps ---------------------------------------------------------------------

    def jump(self, path: Path, zero: Value, target: Value, after: int) -> list[Way]:
        """The ways on from a jump."""
        ways: list[Way] = []
        taken, stays = self.sides(path, self.space.zero(zero))
        if stays is not None:
            ways.append((after, stays))
        if taken is not None and isinstance(target, int):
            ways.append((target, taken))
        elif taken is not None:
            for number in taken.values(self.space, target).tolist():
                there = self.space.zero(self.space.difference(target, number))
                side = self.side(taken, there)
                if side is not None:
                    ways.append((number, side))
        if not ways:
            raise Undecided("a path that was possible goes nowhere")
        return ways

    def sides(self, path: Path, condition: Condition) -> tuple[Path | None, Path | None]:
        """The parts of a path on which a condition holds and does not; None where there is none."""
        decided = path.decided(self.space, condition)
        if decided is None and isinstance(condition, Node) and path.settles(condition):
            condition = Simplified(self.space, path).condition(condition)
            decided = path.decided(self.space, condition)
        if decided is not None:
            return (path, None) if decided else (None, path)
        opposite = self.space.opposite(condition)
        assert isinstance(condition, Node) and isinstance(opposite, Node)
        holds = self.witnesses.holds(condition, path.alive)
        yes, no = path.alive[holds], path.alive[~holds]
        if not len(yes):
            number = self.questions.possible(path, condition)
            if number is None:
                return None, path.knowing(self.space, opposite)
            yes = np.array([number])
        if not len(no):
            number = self.questions.possible(path, opposite)
            if number is None:
                return path.knowing(self.space, condition), None
            no = np.array([number])
        return (
            path.assuming(self.space, condition, yes),
            path.assuming(self.space, opposite, no),
        )

    def side(self, path: Path, condition: Condition) -> Path | None:
        """The part of a path on which a condition holds; None if it holds nowhere there."""
        decided = path.decided(self.space, condition)
        if decided is not None:
            return path if decided else None
        assert isinstance(condition, Node)
        number = self.questions.possible(path, condition)
        if number is None:
            return None
        holds = self.witnesses.holds(condition, path.alive)
        alive = path.alive[holds] if holds.any() else np.array([number])
        return path.assuming(self.space, condition, alive)
