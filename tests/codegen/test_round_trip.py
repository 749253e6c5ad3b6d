"""A program as Python, read again, is a program that does the same."""

from __future__ import annotations

from random import Random

import pytest
from codegen.emitted import any_program, finished_runs
from python.random_functions import random_function
from python.test_meaning import function_of, random_tape

from anc.codegen import to_python
from anc.data import programs, tasks
from anc.data.loading import load
from anc.language.source import Source
from anc.machine.exact import Stop, run
from anc.program import Program
from anc.python.function import read
from anc.python.source import parse
from anc.support.diagnostics import AncError


def read_again(program: Program, M: int) -> Program:
    """Numbers go round at M where the text says so, and `% M` is no change."""
    module = parse(Source(to_python(program, M, "f"), "f.py"))
    return read(module, module.functions["f"], M, wrap=True).program


@pytest.mark.parametrize("name", programs.names())
def test_shipped_programs_come_back_as_they_were(name):
    program = load(name).program
    again = read_again(program, program.memory)
    before = after = 0
    for case in tasks.get(name).draw(False, 10, 1):
        wanted, found = run(program, case.input, 10_000), run(again, case.input, 10_000)
        assert (found.stop, found.tape) == (wanted.stop, wanted.tape)
        before, after = before + wanted.steps, after + found.steps
    assert after <= before


def test_random_programs_come_back_unless_they_run_past_their_end():
    compared = 0
    for seed in range(30):
        random = Random(seed)
        program = any_program(random, random.choice((8, 12, 20)))
        M = program.memory or 20
        try:
            again = read_again(program, M)
        except AncError as problem:
            assert "raise is not supported" in str(problem) or "does not fit" in str(problem)
            continue
        for tape, wanted in finished_runs(program, M, random, 6):
            if wanted.stop is Stop.STOPPED:
                found = run(again, tape, 20_000)
                assert (found.stop, found.tape) == (wanted.stop, wanted.tape), seed
                compared += 1
    assert compared > 40


def test_functions_come_back():
    compared = 0
    for seed in range(12):
        random = Random(f"round/{seed}")
        function = function_of(random_function(random, 64))
        try:
            program = function.program
            again = read_again(program, 64)
        except AncError as problem:
            assert "does not fit" in str(problem)
            continue
        for _ in range(3):
            tape = random_tape(random, function)
            wanted, found = run(program, tape, 20_000), run(again, tape, 20_000)
            if wanted.stop is Stop.STOPPED:
                assert (found.stop, found.tape) == (wanted.stop, wanted.tape), seed
                compared += 1
    assert compared > 10
