"""The solver's meaning of instructions and programs, compared with the exact machine."""

from __future__ import annotations

import itertools
import os
import subprocess
import sys
from random import Random

import numpy as np
import pytest
import z3
from verify.random_programs import random_program

from anc import isa
from anc.machine import exact
from anc.machine.outputs import outputs_of
from anc.program import Line, Program
from anc.verify.symbolic import (
    FORMULAS,
    Running,
    looked_up,
    output,
    read,
    step,
    width,
    written,
)
from anc.verify.verdict import Undecided


class Specialised:
    """A symbolic run whose branches follow one tape."""

    def __init__(self, M: int, ctx: z3.Context, settled: float, random: Random) -> None:
        self.M, self.ctx, self.settled, self.random = M, ctx, settled, random
        self.cells = [z3.BitVec(f"x{i}", width(M), ctx) for i in range(M)]
        self.pairs: list[tuple[z3.BitVecRef, z3.BitVecRef]] = []

    def settle(self, value):
        return self.number(value) if self.random.random() < self.settled else value

    def number(self, value) -> int:
        return value_at(value, self.pairs)

    def run(self, program: Program, tape: tuple[int, ...], known: set[int], max_steps: int):
        vectors = [z3.BitVecVal(v, width(self.M), self.ctx) for v in tape]
        self.pairs = list(zip(self.cells, vectors, strict=True))
        start = [tape[i] if i in known else self.cells[i] for i in range(self.M)]
        run = Running.of(program, start)
        stop = exact.Stop.STEP_LIMIT
        while run.steps < max_steps:
            end = step(run, self.settle)
            if run.stopped:
                stop = exact.Stop.STOPPED
                break
            if end is not None:
                run.here = self.number(end.target) if self.number(end.zero) == 0 else end.after
            if run.past_end:
                stop = exact.Stop.PAST_END
                break
        return tuple(self.number(v) for v in run.tape), run.steps, stop


def check(formula, wanted: np.ndarray, M: int) -> None:
    """Compare a formula with a table: both operands bit-vectors, then each of them known."""
    ctx = z3.Context()
    a, b = (z3.BitVec(name, width(M), ctx) for name in "ab")
    numbers = [z3.BitVecVal(value, width(M), ctx) for value in range(M)]
    both = formula(a, b)
    for x in range(M):
        first_known, second_known = formula(x, b), formula(a, x)
        for y in range(M):
            at_x_y = [(a, numbers[x]), (b, numbers[y])]
            at_y_x = [(a, numbers[y]), (b, numbers[x])]
            assert value_at(both, at_x_y) == value_at(first_known, at_x_y) == wanted[x, y]
            assert value_at(second_known, at_y_x) == wanted[y, x]


def value_at(value, pairs) -> int:
    if isinstance(value, int):
        return value
    return z3.simplify(z3.substitute(value, *pairs)).as_long()


MEANINGS = {
    "product": lambda a, b, M: a * b % M,
    "first": lambda a, b, M: a,
    "second": lambda a, b, M: b,
    "square of the first": lambda a, b, M: a * a % M,
    "is it less": lambda a, b, M: int(a < b),
    "anything": lambda a, b, M: (7 * a * a + 3 * b * a + b * b * b + a // 2) % M,
}


def taken(row: isa.Instruction, *operands):
    """The operands, with 0 for those that the instruction does not take."""
    return (value if i < row.operands else 0 for i, value in enumerate(operands))


@pytest.mark.parametrize("M", range(1, 8))
def test_every_formula_against_the_table(M: int) -> None:
    """The formula of each meaning, and the look-up that every meaning has without one."""
    rows = [row for row in isa.INSTRUCTIONS if row.effect is isa.Effect.NONE]
    assert set(FORMULAS) <= {row.output for row in rows}
    for row in rows:
        table = outputs_of(isa.INDEX[row.name], M)
        check(lambda a, b, row=row: output(row, *taken(row, a, b), M), table, M)
        check(lambda a, b, table=table: looked_up(table, a, b), table, M)
    for meaning in MEANINGS.values():
        table = np.array([[meaning(a, b, M) for b in range(M)] for a in range(M)])
        check(lambda a, b, table=table: looked_up(table, a, b), table, M)


def test_a_look_up_is_no_larger_than_it_must_be() -> None:
    M = 6
    a, b = (z3.BitVec(name, width(M)) for name in "ab")
    product, square = (
        np.array([[MEANINGS[name](x, y, M) for y in range(M)] for x in range(M)])
        for name in ("product", "square of the first")
    )
    assert looked_up(product, a, 0) == 0 and looked_up(product, 1, b) is b
    choices = {str(x.decl()) for x in subterms(looked_up(square, a, b)) if z3.is_const(x)}
    assert "b" not in choices
    with pytest.raises(Undecided, match="too large"):
        looked_up(np.zeros((300, 300), np.int64), a, b)


def subterms(term):
    yield term
    for child in term.children():
        yield from subterms(child)


@pytest.mark.parametrize("M", [1, 2, 3, 4, 5, 7, 8])
def test_cells_are_read_and_written_at_any_address(M: int) -> None:
    ctx = z3.Context()
    a, b = (z3.BitVec(name, width(M), ctx) for name in "ab")
    numbers = [z3.BitVecVal(value, width(M), ctx) for value in range(M)]
    tape = tuple((3 * i + 1) % M for i in range(M))
    mixed = [numbers[v] if i % 2 else v for i, v in enumerate(tape)]
    for x, y in itertools.product(range(M), repeat=2):
        pairs = [(a, numbers[x]), (b, numbers[y])]
        wanted = exact.run(Program((Line("WRITE", 0, 1, 2),), (x, y, None)), tape, 1).tape
        for address, value in itertools.product((a, x), (b, y)):
            assert value_at(read(mixed, address), pairs) == tape[x]
            cells = written(mixed, address, value)
            assert tuple(value_at(cell, pairs) for cell in cells) == wanted


def test_an_instruction_of_ones_own_is_proved_and_refuted(tmp_path) -> None:
    """MUL has no formula here; a process with a table of its own proves claims about it."""
    table = tmp_path / "mul.py"
    table.write_text(
        "from anc.isa import PAPER, Instruction\n"
        'INSTRUCTIONS = (*PAPER, Instruction("MUL", 2, lambda a, b, M: a * b % M))\n'
    )
    script = """
from anc.compiler import compile_source
from anc.language import Source
from anc.verify import Claim, parse_fact, prove
from anc.verify.clock import Clock
from anc.verify.inquiry import Inquiry
from anc.verify.paths import Paths

def program(text):
    return compile_source(Source("var a; var b; a = READ(0); b = READ(1); " + text), 8).program

product = program("a = MUL(a, b); WRITE(2, a); STOP()")
turned = program("a = MUL(b, a); WRITE(2, a); STOP()")
double = program("a = ADD(b, b); WRITE(2, a); STOP()")
for method in ("auto", "exhaustive", "paths"):
    twice = [parse_fact("tape[0] == 2")]
    print(prove(Claim(product, turned, 8, [True] * 8), 20.0, method).outcome.value)
    print(prove(Claim(product, double, 8, [True] * 8, twice), 20.0, method).outcome.value)
wrong = Claim(product, double, 8, [True] * 8)
for found in (prove(wrong), Paths(Inquiry(wrong, Clock(20.0)), Clock(20.0)).run()):
    a, b = found.counterexample[:2]
    print(found.outcome.value, found.how, a * b % 8 != 2 * b % 8)
"""
    environment = {**os.environ, "ANC_INSTRUCTIONS": str(table)}
    done = subprocess.run(
        [sys.executable, "-c", script], capture_output=True, text=True, env=environment
    )
    assert done.stderr == ""
    refuted = ["refuted test True", "refuted paths True"]
    assert done.stdout.splitlines() == ["proved"] * 6 + refuted


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
