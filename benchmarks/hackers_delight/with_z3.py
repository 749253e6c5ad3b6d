"""The same problems by z3 alone: a straightforward encoding of straight-line programs, with counter-examples (CEGIS).

Every line has a number for its instruction and one for each operand; on every sample its value is chosen among the
outputs of all instructions. The number of lines grows from 1 until there is a program that is right on all inputs.
"""

from __future__ import annotations

import time
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
import z3

BITS = 8
FIRST = 4  # samples at first


def word(condition: z3.BoolRef) -> z3.BitVecRef:
    return z3.If(condition, z3.BitVecVal(1, BITS), z3.BitVecVal(0, BITS))


MEANINGS = {
    "ADD": lambda a, b: a + b,
    "SUB": lambda a, b: a - b,
    "MUL": lambda a, b: a * b,
    "AND": lambda a, b: a & b,
    "OR": lambda a, b: a | b,
    "XOR": lambda a, b: a ^ b,
    "NOT": lambda a, b: ~a,
    "NEG": lambda a, b: -a,
    "SHL": lambda a, b: a << b,
    "SHR": z3.LShR,
    "SAR": lambda a, b: a >> b,
    "EQ": lambda a, b: word(a == b),
    "NE": lambda a, b: word(a != b),
    "LT": lambda a, b: word(z3.ULT(a, b)),
    "LE": lambda a, b: word(z3.ULE(a, b)),
    "SLT": lambda a, b: word(a < b),
    "SLE": lambda a, b: word(a <= b),
}
Code = list[tuple[str, int, int]]


@dataclass(frozen=True)
class Found:
    """The program, if there is one, the seconds, and the lines that were excluded."""

    code: Code | None
    seconds: float
    excluded: int


def synthesise(
    inputs: np.ndarray, answers: np.ndarray, constants: Sequence[int], most: int, seconds: float
) -> Found:
    """The shortest program for inputs (n, k) and their answers (n,), all of 8 bits."""
    begin = time.monotonic()
    chosen = list(np.random.default_rng(0).permutation(len(inputs))[:FIRST])
    for lines in range(1, most + 1):
        solver = z3.Solver()
        program = _Lines(solver, lines, inputs.shape[1], constants)
        for number in chosen:
            program.require(inputs[number], int(answers[number]))
        while True:
            left = seconds - (time.monotonic() - begin)
            if left <= 0:
                return Found(None, seconds, lines - 1)
            solver.set("timeout", int(1000 * left) + 1)
            outcome = solver.check()
            if outcome == z3.unsat:
                break
            if outcome != z3.sat:
                return Found(None, time.monotonic() - begin, lines - 1)
            code = program.read(solver.model())
            wrong = np.flatnonzero(run(code, inputs, constants) != answers)
            if not len(wrong):
                return Found(code, time.monotonic() - begin, lines - 1)
            number = int(wrong[len(wrong) // 2])
            chosen.append(number)
            program.require(inputs[number], int(answers[number]))
    return Found(None, time.monotonic() - begin, most)


class _Lines:
    """The unknowns of a program, and what they mean on a sample."""

    def __init__(
        self, solver: z3.Solver, lines: int, arguments: int, constants: Sequence[int]
    ) -> None:
        self.solver, self.constants, self.arguments = solver, constants, arguments
        self.unknown = [[z3.BitVec(f"{part}{n}", 6) for part in "oab"] for n in range(lines)]
        base = arguments + len(constants)
        for n, (op, *operands) in enumerate(self.unknown):
            solver.add(z3.ULT(op, len(MEANINGS)), *(z3.ULT(each, base + n) for each in operands))

    def require(self, given: np.ndarray, answer: int) -> None:
        values = [z3.BitVecVal(int(each), BITS) for each in (*given, *self.constants)]
        for op, *operands in self.unknown:
            a, b = (_chosen(each, values) for each in operands)
            outputs = [meaning(a, b) for meaning in MEANINGS.values()]
            value = z3.FreshConst(z3.BitVecSort(BITS))
            self.solver.add(value == _chosen(op, outputs))
            values.append(value)
        self.solver.add(values[-1] == answer)

    def read(self, model: z3.ModelRef) -> Code:
        names = list(MEANINGS)
        rows = (
            [model.eval(x, model_completion=True).as_long() for x in row] for row in self.unknown
        )
        return [(names[op], a, b) for op, a, b in rows]


def _chosen(which: z3.BitVecRef, among: Sequence[z3.BitVecRef]) -> z3.BitVecRef:
    found = among[-1]
    for number in reversed(range(len(among) - 1)):
        found = z3.If(which == number, among[number], found)
    return found


def run(code: Code, inputs: np.ndarray, constants: Sequence[int]) -> np.ndarray:
    """The results of a program on all inputs."""
    values = [column.astype(np.int64) for column in inputs.T]
    values += [np.full(len(inputs), value) for value in constants]
    for name, a, b in code:
        values.append(PLAIN[name](values[a], values[b]) % 256)
    return values[-1]


def signed(a: np.ndarray) -> np.ndarray:
    return np.where(a > 127, a - 256, a)


def shifted(a: np.ndarray, b: np.ndarray) -> np.ndarray:
    return a >> np.minimum(b, 8)


PLAIN = {
    "ADD": lambda a, b: a + b,
    "SUB": lambda a, b: a - b,
    "MUL": lambda a, b: a * b,
    "AND": lambda a, b: a & b,
    "OR": lambda a, b: a | b,
    "XOR": lambda a, b: a ^ b,
    "NOT": lambda a, b: ~a,
    "NEG": lambda a, b: -a,
    "SHL": lambda a, b: a << np.minimum(b, 8),
    "SHR": shifted,
    "SAR": lambda a, b: shifted(signed(a), b),
    "EQ": lambda a, b: (a == b).astype(np.int64),
    "NE": lambda a, b: (a != b).astype(np.int64),
    "LT": lambda a, b: (a < b).astype(np.int64),
    "LE": lambda a, b: (a <= b).astype(np.int64),
    "SLT": lambda a, b: (signed(a) < signed(b)).astype(np.int64),
    "SLE": lambda a, b: (signed(a) <= signed(b)).astype(np.int64),
}
