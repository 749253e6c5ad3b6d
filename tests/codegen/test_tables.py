"""Jump tables in Python: a look-up where there are few answers, lines that are passed once elsewhere."""

from __future__ import annotations

from itertools import product
from random import Random

import pytest
from codegen.emitted import COMPILER, any_program, c_output

from anc.codegen import Fallback, Parameter, Signature, guarded_c, guarded_python
from anc.compiler import compile_source
from anc.language import Source
from anc.machine import exact
from anc.machine.exact import Stop
from anc.program import Program
from anc.proof import parse_fact
from anc.support.diagnostics import AncError

M = 40
ONE = Signature((Parameter("n", 0), Parameter("step", 1)), result=2)
FALLBACK = Fallback("g", "def g(n, step):\n    return -1\n")

# n times the step, for n up to 6: the jump goes into the middle of the additions
TIMES = """
memory 40
var n = READ(0); var step = READ(1); var sum = 0
n = SUB(10, n); JEZ(0, n)
sum = ADD(sum, step); sum = ADD(sum, step); sum = ADD(sum, step)
sum = ADD(sum, step); sum = ADD(sum, step); sum = ADD(sum, step)
WRITE(2, sum); STOP()
"""
# the squares of 0 to 3, each at the end of a jump of its own
SQUARES = """
memory 40
var n = READ(0)
n = ADD(n, n); n = ADD(n, 4); JEZ(0, n)
WRITE(2, 0); STOP(); WRITE(2, 1); STOP(); WRITE(2, 4); STOP(); WRITE(2, 9); STOP()
"""


def compiled(text: str) -> Program:
    return compile_source(Source(text)).program


def defined(program: Program, facts: list[str], signature: Signature = ONE) -> tuple[str, dict]:
    known = [parse_fact(fact, M) for fact in facts]
    text = guarded_python(program, program, known, M, "f", signature=signature, fallback=FALLBACK)
    space: dict = {}
    exec(text, space)
    return text, space


def answer(program: Program, n: int, step: int) -> int:
    run = exact.run(program, [n, step, *[0] * (M - 2)], 1_000)
    assert run.stop is Stop.STOPPED
    return run.tape[2]


def test_few_answers_are_a_look_up():
    text, space = defined(compiled(SQUARES), ["tape[0] <= 3"])
    assert "return (0, 1, 4, 9)[n]" in text
    assert [space["f"](n, 0) for n in range(-1, 5)] == [-1, 0, 1, 4, 9, -1]


def test_two_questions_are_two_levels():
    program = compiled(TIMES)
    text, space = defined(program, ["2 <= tape[0] <= 4", "tape[1] in (3, 5)"])
    assert ")[n][step]" in text
    for n, step in product((2, 3, 4), (3, 5)):
        assert space["f"](n, step) == answer(program, n, step) == n * step
    assert space["f"](2, 4) == space["f"](1, 3) == -1


def test_lines_that_no_jump_leads_back_to_are_passed_once():
    program = compiled(TIMES)
    text, space = defined(program, ["tape[0] <= 6"])
    assert "while" not in text and "line == " not in text
    assert "line = 10 - n" in text and "if line <= 9:" in text
    for n, step in product(range(7), (0, 1, 6, 39)):
        assert space["f"](n, step) == answer(program, n, step)


@pytest.mark.skipif(COMPILER is None, reason="there is no C compiler")
def test_in_c_it_is_one_switch(tmp_path):
    program = compiled(TIMES)
    text = guarded_c(program, program, [parse_fact("tape[0] <= 6", M)], M, "f", signature=ONE)
    assert "line = 10 - n;" in text
    calls = [
        f'if (f({n}, {step}) != {answer(program, n, step)}) puts("f({n}, {step})");'
        for n, step in product(range(7), (0, 1, 6, 39))
    ]
    main = ["int main(void) {", *calls, 'if (f(7, 1) != -1) puts("f(7, 1)");', "return 0; }"]
    assert c_output("\n".join(["#include <stdio.h>", text, *main]), tmp_path) == ""


def test_a_list_that_is_changed_is_no_look_up():
    lists = Signature((Parameter("pair", 0, 2, written=True),), result=2)
    program = compiled(SQUARES)
    known = [parse_fact("tape[0] <= 3", M)]
    text = guarded_python(program, program, known, M, "f", signature=lists, fallback=FALLBACK)
    assert "return (0," not in text


def test_random_programs_answer_as_the_machine_does():
    """Programs of two numbers, with jumps that are computed from them; both branches are common."""
    tables = 0
    for seed in range(60):
        random = Random(f"tables/{seed}")
        program = any_program(random, M)
        low = random.randrange(4)
        high, steps = low + random.choice((1, 3, 7)), random.choice((1, 3, 30))
        facts = [f"{low} <= tape[0] <= {high}", f"tape[1] < {steps}"]
        try:
            text, space = defined(program, facts)
        except AncError:  # a constant of 40 or more
            continue
        tables += ")[" in text
        if "while" in text:  # it may not end
            continue
        for n, step in product(range(low, high + 1), range(steps)):
            run = exact.run(program, [n, step, *[0] * (M - 2)], 2_000)
            if run.stop is Stop.STOPPED:
                assert space["f"](n, step) == run.tape[2], f"{seed}\n{text}"
    assert tables > 8
