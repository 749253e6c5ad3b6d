"""Cleaning changes nothing that a program does, and never adds a step."""

from __future__ import annotations

from random import Random

from search.random_programs import random_program, random_tape

from anc.compiler import compile_source
from anc.data import programs, tasks
from anc.data.tasks.cases import Case
from anc.language import Source
from anc.machine import exact
from anc.machine.encoded import Cases
from anc.program import Program
from anc.search.clean import clean, clean_observed
from anc.search.cost import score


def compiled(text: str, M: int) -> Program:
    return compile_source(Source(text), memory=M).program


def same_and_not_slower(program: Program, cleaned: Program, tape: tuple[int, ...]) -> None:
    before, after = exact.run(program, tape, 150), exact.run(cleaned, tape, 150)
    if before.stop is exact.Stop.STEP_LIMIT:
        assert after.stop is exact.Stop.STEP_LIMIT
    else:
        assert (after.tape, after.stop) == (before.tape, before.stop)
        assert after.steps <= before.steps


def test_random_programs_do_the_same_on_random_tapes() -> None:
    random = Random(5)
    shorter = 0
    for _ in range(1_500):
        M = random.randint(2, 9)
        program = random_program(random, M)
        cleaned = clean(program, M)
        shorter += cleaned.L < program.L
        for _ in range(3):
            same_and_not_slower(program, cleaned, random_tape(random, M))
    assert shorter > 500


def test_cleaning_twice_is_cleaning_once() -> None:
    random = Random(6)
    for _ in range(300):
        M = random.randint(2, 9)
        once = clean(random_program(random, M), M)
        assert clean(once, M).L == once.L


def test_useless_lines_go() -> None:
    text = """
    var a = 3; var b; var c
    b = INC(a)
    c = ADD(b, b)
    JEZ(0, l_go)
    WRITE(1, 1)
    l_go: JEZ(0, l_on)
    WRITE(2, 2)
    l_on: WRITE(0, b)
    STOP()
    """
    cleaned = clean(compiled(text, 10), 10)
    assert [line.op for line in cleaned.lines] == ["WRITE", "STOP"]
    assert exact.run(cleaned, (0,) * 10, 9).tape[0] == 4


def test_a_program_that_computes_its_jumps_keeps_its_lines() -> None:
    text = "var a; a = READ(0); ZERO(); JEZ(0, a); WRITE(1, 1); STOP()"
    program = compiled(text, 8)
    assert [line.op for line in clean(program, 8).lines] == [line.op for line in program.lines]


def test_a_jump_target_that_is_also_a_number() -> None:
    text = "var dead; dead = INC(4); WRITE(0, 4); JEZ(0, 4); STOP(); WRITE(1, 4); STOP()"
    program = compiled(text, 8)
    cleaned = clean(program, 8)
    assert cleaned.L < program.L
    same_and_not_slower(program, cleaned, (0,) * 8)


def test_observed_cleaning_keeps_the_cases_right() -> None:
    for name in programs.names():
        task = tasks.get(name)
        cases = Cases.of(task.draw(True, 50, seed=3))
        cleaned = clean_observed(task.program, cases, 1_000)
        assert cleaned is not None
        found = score(cleaned, cases, 1_000)
        assert found.right
        assert found.steps <= score(task.program, cases, 1_000).steps


def test_observed_cleaning_of_random_programs() -> None:
    random = Random(7)
    cleaned_some = 0
    for _ in range(1_000):
        M = random.randint(2, 8)
        program = random_program(random, M)
        tapes = [random_tape(random, M) for _ in range(3)]
        runs = [exact.run(program, tape, 100) for tape in tapes]
        if any(run.stop is not exact.Stop.STOPPED for run in runs):
            continue
        pairs = zip(tapes, runs, strict=True)
        cases = Cases.of([Case(tape, run.tape, (True,) * M) for tape, run in pairs])
        cleaned = clean_observed(program, cases, 100)
        if cleaned is not None:
            cleaned_some += 1
            assert score(cleaned, cases, 100).right
    assert cleaned_some > 100
