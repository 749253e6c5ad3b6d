"""Symbolic execution with unknown cells, in segments without branches.

A state holds registers and cells as numbers; M + i stands for the unknown value of input i. Unknown
values are read, stored and written like others; a segment ends where the program computes with one. The
reads of a segment are recorded, because states that agree in them continue in the same way.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from anc.machine.batch import Rules, output
from anc.machine.compiled import lean
from anc.machine.encoded import encode
from anc.program import Program

STOPPED, UNSTOPPED, CHOICE, PAST_END = 0, 1, 2, 3
# line numbers of runs that ended without STOP: at the step limit, after the last line
ENDED, LEFT = -1, -2
READ_FIRST, WRITTEN = 1, 2  # bits for each register and cell in a segment


class Segment(NamedTuple):
    """The end of a segment: the end of the run, or a line that needs the unknown value at a `place`."""

    kind: int
    line: int
    place: int  # an index into the state
    steps: int
    depends_on: np.ndarray  # the registers and cells that the segment read first
    written: np.ndarray


class SegmentRunner:
    """Executes a program in segments; `size` is the length of a state."""

    def __init__(self, program: Program, M: int, outputs: tuple[int, ...], max_steps: int) -> None:
        program.check_fits(M)
        self.M, self.max_steps = M, max_steps
        self._program = encode(program)
        self._rules = Rules.of(program.instructions, M, max_steps)
        self._outputs = np.array(outputs, np.int64)
        self.registers = len(self._program.values)
        self.size = self.registers + M + 1
        self._touched = np.zeros(self.size, np.uint8)
        self.start = program.start

    def state(self, cells: np.ndarray) -> np.ndarray:
        """The state before the first step; a cell of M + i holds input i."""
        return np.concatenate([self._program.values, cells, [0]]).astype(np.int32)

    def place(self, cell: int) -> int:
        """The index of a cell in a state."""
        return self.registers + cell

    def run(self, state: np.ndarray, line: int) -> Segment:
        """Run until an unknown value is needed or the run ends; changes the state in place."""
        touched = self._touched
        touched[:] = 0
        kind, line, place, steps = _segment(
            self._program, self._rules, self._outputs, self.M, state, line, touched
        )
        read = (touched & READ_FIRST) != 0
        return Segment(kind, line, place, steps, read, (touched & WRITTEN) != 0)


@lean
def _segment(program, rules, outputs, M, state, line, touched):
    lines, L, codes = program.lines, program.head[0], rules.codes
    cells = state.shape[0] - M - 1
    here = np.int64(line)
    steps = np.int64(0)
    while here >= 0 and steps < rules.max_steps:
        op = np.int64(lines[here, 0])
        if op == codes.STOP:
            break
        a, b, out = np.int64(lines[here, 1]), np.int64(lines[here, 2]), np.int64(lines[here, 3])
        first, second = np.int64(state[a]), np.int64(state[b])
        touched[a] |= touched[a] == 0
        touched[b] |= touched[b] == 0
        if first >= M:
            return CHOICE, here, a, steps
        if second >= M:
            if op != codes.WRITE and not (op == codes.JUMP and first != 0):
                return CHOICE, here, b, steps
            value = np.int64(0)  # the output of WRITE and JEZ
        elif op == codes.READ:
            value = np.int64(state[cells + first])
            touched[cells + first] |= touched[cells + first] == 0
        else:
            value = output(op, first, second, M, rules.table)
        if op == codes.WRITE:
            state[cells + first] = second
            touched[cells + first] |= WRITTEN
        state[out] = value
        touched[out] |= WRITTEN
        steps += 1
        here = second if op == codes.JUMP and first == 0 else here + 1
        if here >= L:
            here = np.int64(0 if L == M else LEFT)  # after line M-1 comes line 0
    if here >= 0 and steps >= rules.max_steps:
        here = np.int64(ENDED)
    for i in range(outputs.shape[0]):
        place = cells + outputs[i]
        touched[place] |= touched[place] == 0
        if state[place] >= M:
            return CHOICE, here, place, steps
    if here < 0:
        return UNSTOPPED if here == ENDED else PAST_END, here, np.int64(0), steps
    return STOPPED, here, np.int64(0), steps + 1
