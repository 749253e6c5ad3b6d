"""The exact machine on programs with holes: it notes which holes a run has touched, and when.

A run that is wrong is wrong for every filling that agrees on the holes touched so far: that is what
makes looking through all fillings cheap.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import NamedTuple

import numpy as np

from anc.adaptation.holes.sketch import FIELDS, Filling, Sketch
from anc.machine.batch import Rules, output, run_encoded
from anc.machine.cases import Cases
from anc.machine.compiled import lean, lean_inner
from anc.machine.encoded import Encoded, encode
from anc.search.moves import FIRST, OP, SECOND
from anc.support.clock import ENDLESS, Clock

RUN = 0.03  # evaluations that a run on one case is worth


class HoleArrays(NamedTuple):
    """The holes as arrays: what they are, their choices, and where they are looked for."""

    field: np.ndarray  # (H,) OP, FIRST, SECOND or VALUE
    at: np.ndarray  # (H,) the line, or the register
    sizes: np.ndarray  # (H,) how many choices there are
    choices: np.ndarray  # (H, K) uint16
    on_line: np.ndarray  # (L, 3) the hole in each field of a line, or -1
    on_value: np.ndarray  # (R + 1,) the hole that is a register's first value, or -1
    operands: np.ndarray  # (N,) how many each instruction takes

    @classmethod
    def of(cls, sketch: Sketch) -> HoleArrays:
        H, program = len(sketch.holes), sketch.program
        field = np.array([FIELDS.index(hole.field) for hole in sketch.holes], np.int64)
        at = np.array([hole.at for hole in sketch.holes], np.int64)
        sizes = np.array([len(hole.choices) for hole in sketch.holes], np.int64)
        choices = np.zeros((H, int(sizes.max())), np.uint16)
        on_line = np.full((program.L, 3), -1, np.int64)
        on_value = np.full(program.R + 1, -1, np.int64)
        for number, hole in enumerate(sketch.holes):
            choices[number, : len(hole.choices)] = hole.choices
            if hole.field == "value":
                on_value[hole.at] = number
            else:
                on_line[hole.at, field[number]] = number
        operands = np.array([row.operands for row in program.instructions], np.int64)
        return cls(field, at, sizes, choices, on_line, on_value, operands)


class Room(NamedTuple):
    """What a run works in, and the holes in the order in which they were first touched."""

    registers: np.ndarray
    fresh: np.ndarray  # (R + 1,) whether a register still holds its first value
    tape: np.ndarray
    stack: np.ndarray  # (H,) the holes touched so far
    on_stack: np.ndarray  # (H,) whether each is among them
    depth: np.ndarray  # (1,) how many there are

    @classmethod
    def of(cls, sketch: Sketch) -> Room:
        H, R = len(sketch.holes), sketch.program.R
        registers, tape = np.zeros(R + 1, np.uint16), np.zeros(sketch.M + 1, np.uint16)
        fresh, on_stack = np.zeros(R + 1, np.bool_), np.zeros(H, np.bool_)
        return cls(registers, fresh, tape, np.zeros(H, np.int64), on_stack, np.zeros(1, np.int64))


@lean_inner
def _touch(hole, room):
    if hole >= 0 and not room.on_stack[hole]:
        room.on_stack[hole] = True
        room.stack[room.depth[0]] = hole
        room.depth[0] += 1


@lean_inner
def _operand(program, holes, room, here, place):
    """The value of an operand; its hole is touched, and the one in its register."""
    _touch(holes.on_line[here, place], room)
    register = program.lines[here, place]
    if room.fresh[register]:
        _touch(holes.on_value[register], room)
    return np.int64(room.registers[register])


@lean
def run_case(program, holes, cases, c, rules, room):
    """The steps of a run on one case, and how many cells it gets wrong.

    Of a run that does not stop, all cells that count are wrong.
    """
    M, L, codes = cases.inputs.shape[1], program.head[0], rules.codes
    registers, tape = room.registers, room.tape
    for r in range(registers.shape[0]):
        registers[r] = program.values[r]
        room.fresh[r] = True
    for cell in range(M):
        tape[cell] = cases.inputs[c, cell]
    here = np.int64(program.head[1])
    steps = np.int64(0)
    has_stopped = False
    while steps < rules.max_steps and not has_stopped:
        steps += 1
        _touch(holes.on_line[here, OP], room)
        op = np.int64(program.lines[here, OP])
        first = np.int64(0)
        second = np.int64(0)
        if holes.operands[op] > 0:
            first = _operand(program, holes, room, here, FIRST)
        if holes.operands[op] > 1:
            second = _operand(program, holes, room, here, SECOND)
        value = (
            np.int64(tape[first]) if op == codes.READ else output(op, first, second, M, rules.table)
        )
        if op == codes.WRITE:
            tape[first] = second
        out = program.lines[here, 3]
        registers[out] = value
        room.fresh[out] = False
        here = second if (op == codes.JUMP) & (first == 0) else here + 1
        has_stopped = op == codes.STOP
        if here >= L and not has_stopped:
            if L < M:
                break
            here = np.int64(0)
    bad = 0
    for cell in range(M):
        if cases.masks[c, cell] != 0 and (not has_stopped or tape[cell] != cases.outputs[c, cell]):
            bad += 1
    return steps, bad


@dataclass(frozen=True)
class Judged:
    """What a filling does on cases: wrong cells and wrong cases out of how many, and mean steps."""

    wrong_cells: int
    cells: int
    wrong_cases: int
    cases: int
    steps: float

    @property
    def grade(self) -> tuple[float, ...]:
        """The fewer wrong cells, the better."""
        return (self.wrong_cells,)

    @property
    def rank(self) -> tuple[float, ...]:
        """The fewest wrong cells first, then the fewest steps."""
        return self.wrong_cells, self.steps

    @property
    def is_right(self) -> bool:
        return self.wrong_cells == 0


class CaseJudge:
    """Judges fillings of a sketch by cases, and has the clock that searches look at."""

    def __init__(
        self, sketch: Sketch, cases: Cases, max_steps: int, clock: Clock = ENDLESS
    ) -> None:
        self.sketch, self.cases, self.max_steps, self.clock = sketch, cases, max_steps, clock
        self.arrays = HoleArrays.of(sketch)
        self.rules = Rules.of(sketch.program.instructions, sketch.M, max_steps)
        self.cells = float((cases.masks != 0).sum(axis=1) @ cases.counts)

    def encoded(self, filling: Filling) -> Encoded:
        return encode(self.sketch.filled(filling))

    def filling_of(self, program: Encoded) -> Filling:
        """The choices in an encoded program."""
        return tuple(
            hole.choices.index(
                int(
                    program.values[hole.at]
                    if hole.field == "value"
                    else program.lines[hole.at, FIELDS.index(hole.field)]
                )
            )
            for hole in self.sketch.holes
        )

    def ran(self, runs: int) -> None:
        """So many runs on single cases were made."""
        self.clock.did(RUN * runs)

    def wrong_by_case(self, filling: Filling) -> tuple[np.ndarray, np.ndarray]:
        """The steps and the wrong cells on each case; of a run that does not stop, all cells."""
        cases = self.cases
        runs = run_encoded(self.encoded(filling), cases.inputs, self.rules)
        wrong = (runs.tapes != cases.outputs) | ~runs.stopped[:, None]
        return runs.steps, (wrong & (cases.masks != 0)).sum(axis=1)

    def judged(self, filling: Filling) -> Judged:
        steps, bad = self.wrong_by_case(filling)
        counts = self.cases.counts
        total = float(counts.sum())
        return Judged(
            int(bad @ counts), int(self.cells), int((bad > 0) @ counts), int(total),
            float(steps @ counts / total),
        )  # fmt: skip
