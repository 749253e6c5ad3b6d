"""The solver's meaning of instructions and programs, compared with the exact machine."""

from __future__ import annotations

import itertools
from random import Random

import pytest
import z3
from verify.random_programs import random_program

from anc import isa
from anc.machine import exact
from anc.program import Line, Program
from anc.verify.symbolic import BitVectors, Jump, Running, Stopped, step, width


class Specialised:
    """A symbolic run whose branches follow one tape."""

    def __init__(self, M: int, ctx: z3.Context, settled: float, random: Random) -> None:
        self.M, self.ctx, self.settled, self.random = M, ctx, settled, random
        self.cells = [z3.BitVec(f"x{i}", width(M), ctx) for i in range(M)]
        self.algebra = BitVectors(M, ctx, self.settle)
        self.pairs: list[tuple[z3.BitVecRef, z3.BitVecRef]] = []

    def settle(self, value):
        return self.number(value) if self.random.random() < self.settled else value

    def number(self, value) -> int:
        if isinstance(value, int):
            return value
        return z3.simplify(z3.substitute(value, *self.pairs)).as_long()

    def run(self, program: Program, tape: tuple[int, ...], known: set[int], max_steps: int):
        vectors = [z3.BitVecVal(v, width(self.M), self.ctx) for v in tape]
        self.pairs = list(zip(self.cells, vectors, strict=True))
        start = [tape[i] if i in known else self.cells[i] for i in range(self.M)]
        run = Running.of(program, start)
        stop = exact.Stop.STEP_LIMIT
        while run.steps < max_steps:
            end = step(run, self.algebra)
            if isinstance(end, Stopped):
                stop = exact.Stop.STOPPED
                break
            if isinstance(end, Jump):
                run.here = self.number(end.target) if self.number(end.zero) == 0 else end.after
            if run.past_end:
                stop = exact.Stop.PAST_END
                break
        return tuple(self.number(v) for v in run.tape), run.steps, stop


@pytest.mark.parametrize("M", [1, 2, 3, 4, 5, 7, 8])
@pytest.mark.parametrize("row", isa.INSTRUCTIONS, ids=isa.NAMES)
def test_every_instruction_on_all_values(row: isa.Instruction, M: int) -> None:
    """Operands as numbers, as bit-vectors and mixed; the values of all cells, too."""
    ctx = z3.Context()
    a, b = (z3.BitVec(name, width(M), ctx) for name in "ab")
    tape = tuple((3 * i + 1) % M for i in range(M))
    algebra = BitVectors(M, ctx, lambda value: value)
    formulas = {}
    for kind in itertools.product((True, False), repeat=2):
        algebra.tape = [z3.BitVecVal(v, width(M), ctx) if i % 2 else v for i, v in enumerate(tape)]
        formulas[kind] = [
            [row.output(algebra, a if kind[0] else x, b if kind[1] else y) for y in range(M)]
            for x in range(M)
        ]
    for x, y in itertools.product(range(M), repeat=2):
        line = Line(row.name, *[i if i < row.operands else None for i in range(2)], 2)
        program = Program((line,), (x, y, None))
        wanted = exact.run(program, tape, 1, trace=True).trace[0]
        pairs = [(a, z3.BitVecVal(x, width(M), ctx)), (b, z3.BitVecVal(y, width(M), ctx))]
        for table in formulas.values():
            found = table[x][y]
            if not isinstance(found, int):
                found = z3.simplify(z3.substitute(found, *pairs)).as_long()
            assert found == wanted.value
        if row.effect is isa.Effect.WRITE:
            algebra.tape = list(tape)
            for cell, old in enumerate(algebra.written(a, b)):
                value = z3.simplify(z3.substitute(old, *pairs)).as_long()
                assert value == wanted.tape[cell]


def test_random_programs_specialised_to_a_tape() -> None:
    random = Random(1)
    ctx = z3.Context()
    stops = []
    for _ in range(2000):
        M = random.randint(1, 7)
        program = random_program(random, M)
        machine = Specialised(M, ctx, random.choice([0.0, 0.5]), random)
        tape = tuple(random.randrange(M) for _ in range(M))
        known = {c for c in range(M) if random.random() < 0.4}
        wanted = exact.run(program, tape, 12)
        assert machine.run(program, tape, known, 12) == (wanted.tape, wanted.steps, wanted.stop)
        stops.append(wanted.stop)
    assert min(stops.count(stop) for stop in exact.Stop) > 100


def test_a_full_program_wraps() -> None:
    M = 3
    lines = (Line("STOP", None, None, 0), Line("INC", 1, None, 1), Line("WRITE", 0, 1, 0))
    program = Program(lines, (0, 1), start=1)
    machine = Specialised(M, z3.Context(), 0.0, Random(0))
    assert machine.run(program, (0, 0, 0), set(), 9) == ((2, 0, 0), 3, exact.Stop.STOPPED)
