"""The batched machine means what the exact machine means."""

from __future__ import annotations

import pickle
from random import Random

import numpy as np
import pytest
from batched import run
from generated import programs, tapes
from hypothesis import given, settings
from hypothesis import strategies as st
from search.random_programs import random_program, random_tape

from anc import isa
from anc.compiler import compile_source
from anc.data import tasks
from anc.data.tasks.cases import Case
from anc.isa import PAPER, InstructionSet
from anc.language import Source
from anc.machine import exact
from anc.machine.batch import TABLE_LIMIT, Rules, evaluate_many, run_all
from anc.machine.codes import Codes
from anc.machine.encoded import Cases, decode, encode
from anc.program import Line, Program


def same(program: Program, tape: tuple[int, ...], max_steps: int) -> None:
    expected, found = exact.run(program, tape, max_steps), run(program, tape, max_steps)
    assert (found.tape, found.steps, found.stop) == (expected.tape, expected.steps, expected.stop)


@settings(deadline=None)  # the first example may compile
@given(st.data())
def test_any_program_runs_as_on_the_exact_machine(data: st.DataObject) -> None:
    program = data.draw(programs(full=data.draw(st.booleans())))
    assert program.memory is not None
    same(program, data.draw(tapes(program.memory)), 100)


def test_thousands_of_programs_run_as_on_the_exact_machine() -> None:
    random = Random(0)
    for _ in range(3_000):
        M = random.randint(1, 12)
        program = random_program(random, M)
        for max_steps in (0, 7, 60):
            same(program, random_tape(random, M), max_steps)


@pytest.mark.parametrize("M", [TABLE_LIMIT, TABLE_LIMIT + 1, 1000])
def test_large_memories(M: int) -> None:
    random = Random(M)
    edges = [0, 1, M // 2, M - 2, M - 1]
    for row in isa.PAPER.rows:
        for first in edges:
            operands = [i if i < row.operands else None for i in range(2)]
            lines = (
                Line(row.name, *operands, 2),
                Line("WRITE", 3, 2, 4),
                Line("STOP", None, None, 4),
            )
            program = Program(lines, (first, random.choice(edges), 5, 7, 0))
            same(program, random_tape(random, M), 10)


def test_encoding_goes_both_ways() -> None:
    random = Random(1)
    for _ in range(200):
        program = random_program(random, 8)
        filled = Program(program.lines, tuple(v or 0 for v in program.registers), program.start)
        assert decode(encode(program), program.instructions) == filled


def cases_of(program: Program, M: int, random: Random, n: int) -> list[Case]:
    found = []
    for _ in range(n):
        tape = random_tape(random, M)
        run = exact.run(program, tape, 50)
        wanted = list(run.tape)
        if random.random() < 0.2:
            wanted[random.randrange(M)] = random.randrange(M)
        found.append(Case(tape, tuple(wanted), tuple(random.random() < 0.5 for _ in range(M))))
    return found


def test_evaluation_of_many_programs_on_many_cases() -> None:
    random = Random(2)
    for _ in range(100):
        M = random.randint(2, 8)
        several = [random_program(random, M) for _ in range(4)]
        cases = cases_of(several[0], M, random, 6) * 2
        found = evaluate_many(
            [encode(program) for program in several], Cases.distinct(cases), Rules.of(PAPER, M, 50)
        )
        for i, program in enumerate(several):
            runs = [exact.run(program, case.input, 50) for case in cases]
            assert found.cost[i] == pytest.approx(np.mean([run.steps for run in runs]))
            assert found.right[i] == all(
                run.stop is exact.Stop.STOPPED and case.is_right(run.tape)
                for run, case in zip(runs, cases, strict=True)
            )


def test_a_bound_stops_early_and_never_accepts_what_is_dearer() -> None:
    task = tasks.get("listk")
    cases, rules = Cases.distinct(task.draw(True, 100, seed=0)), Rules.of(PAPER, task.M, 1_000)
    program = [encode(task.program)]
    whole = evaluate_many(program, cases, rules)
    assert whole.right[0]
    assert evaluate_many(program, cases, rules, bound=whole.cost[0]).right[0]
    cut = evaluate_many(program, cases, rules, bound=whole.cost[0] / 4)
    assert not cut.right[0]
    assert cut.steps[0] < whole.steps[0] / 3


def test_weights_of_instructions() -> None:
    task = tasks.get("access")
    weights = np.zeros(isa.PAPER.N)
    weights[isa.PAPER.READ] = 2.5
    cases = Cases.of(task.draw(True, 20, seed=0))
    found = evaluate_many([encode(task.program)], cases, Rules.of(PAPER, task.M, 10, weights))
    assert found.cost[0] == 5.0


def test_equal_cases_have_one_row() -> None:
    cases = tasks.get("increment").draw(True, 200, seed=0)
    table = Cases.distinct(cases)
    assert table.C == 5
    assert table.counts.sum() == 200
    assert table.choose([3, 1]).C == 2
    assert Cases.of(cases).C == 200


def test_sets_that_number_instructions_differently_share_a_process():
    """Kernels know the numbers as constants: the machine code of one numbering must not run another."""
    text = "memory 8; var x = READ(0); x = MAX(x, 3); WRITE(1, x); STOP()"
    tapes = np.array([[n, 0, 0, 0, 0, 0, 0, 0] for n in range(8)], np.uint16)
    for instructions in (PAPER, InstructionSet(PAPER.rows[::-1]), PAPER):
        program = compile_source(Source(text), 8, instructions).program
        found = run_all(program, tapes, 100)
        assert found.stopped.all()
        assert found.tapes[:, 1].tolist() == [max(n, 3) for n in range(8)]
        codes = Codes.of(instructions)
        assert pickle.loads(pickle.dumps(codes)) == codes
