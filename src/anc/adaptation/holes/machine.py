"""The exact machine for programs with holes: it records the holes that a run touches, in order.

A run that is wrong is wrong for every filling that agrees on the holes touched so far, which is what makes branch
and bound cheap.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import NamedTuple

import numpy as np

from anc.adaptation.holes.sketch import FIELDS, Filling, Sketch
from anc.machine.batch import Rules, output, run_encoded
from anc.machine.compiled import lean, lean_inner
from anc.machine.encoded import Cases, Encoded, encode
from anc.search.moves import FIRST, OP, SECOND
from anc.support.clock import ENDLESS, Clock

RUN = 0.03  # evaluations charged for a run on one case


class HoleArrays(NamedTuple):
    """The holes of a sketch as arrays: their places, their choices, and the hole at each place."""

    field: np.ndarray  # (H,) OP, FIRST, SECOND or VALUE
    at: np.ndarray  # (H,) the line, or the register
    sizes: np.ndarray  # (H,) number of choices
    choices: np.ndarray  # (H, K) uint16
    on_line: np.ndarray  # (L, 3) the hole in each field of a line, or -1
    on_value: np.ndarray  # (R + 1,) the hole that is a register's initial value, or -1
    operands: np.ndarray  # (N,) number of operands of each instruction

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
    """The buffers of a run, and the stack of holes in the order in which they were first touched."""

    registers: np.ndarray
    fresh: np.ndarray  # (R + 1,) whether a register still holds its initial value
    tape: np.ndarray
    stack: np.ndarray  # (H,) the holes touched so far
    on_stack: np.ndarray  # (H,) whether each is on the stack
    depth: np.ndarray  # (1,) size of the stack

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
    """The value of an operand; touches its hole, and the hole in its register."""
    _touch(holes.on_line[here, place], room)
    register = program.lines[here, place]
    if room.fresh[register]:
        _touch(holes.on_value[register], room)
    return np.int64(room.registers[register])


@lean
def run_case(program, holes, cases, c, rules, room):
    """The steps of a run on one case, and the number of wrong cells.

    If the run does not stop, all cells that count are wrong.
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
class JudgedFilling:
    """The standing of a filling by cases: wrong cells and wrong cases, the totals, and mean steps."""

    wrong_cells: int
    cells: int
    wrong_cases: int
    cases: int
    steps: float

    @property
    def grade(self) -> tuple[float, ...]:
        """The number of wrong cells."""
        return (self.wrong_cells,)

    @property
    def rank(self) -> tuple[float, ...]:
        """The number of wrong cells, then the mean steps."""
        return self.wrong_cells, self.steps

    @property
    def is_right(self) -> bool:
        return self.wrong_cells == 0


class CaseJudge:
    """Judges fillings of a sketch by cases, and holds the clock of the search."""

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
        """Charge runs on single cases to the clock."""
        self.clock.did(RUN * runs)

    def wrong_by_case(self, filling: Filling) -> tuple[np.ndarray, np.ndarray]:
        """The steps and the wrong cells on each case; all cells if the run does not stop."""
        cases = self.cases
        runs = run_encoded(self.encoded(filling), cases.inputs, self.rules)
        wrong = (runs.tapes != cases.outputs) | ~runs.stopped[:, None]
        return runs.steps, (wrong & (cases.masks != 0)).sum(axis=1)

    def judged(self, filling: Filling) -> JudgedFilling:
        steps, bad = self.wrong_by_case(filling)
        counts = self.cases.counts
        total = float(counts.sum())
        return JudgedFilling(
            int(bad @ counts), int(self.cells), int((bad > 0) @ counts), int(total),
            float(steps @ counts / total),
        )  # fmt: skip
