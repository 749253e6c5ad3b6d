"""Emitted functions do on every tape what the exact machine does."""

from __future__ import annotations

from random import Random

import pytest
from codegen.emitted import COMPILER, any_program, c_output, c_unit, finished_runs, python_run
from generated import programs as any_programs
from generated import tapes
from hypothesis import given, settings
from hypothesis import strategies as st
from suite import entries

from anc import isa
from anc.codegen import to_c, to_python
from anc.codegen.c_text import c_function
from anc.compiler import compile_source
from anc.data import programs
from anc.data.loading import load
from anc.language import Source
from anc.machine import exact
from anc.machine.exact import Stop
from anc.program import Line, Program

MEMORIES = (2, 3, 5, 7, 10, 16, 24)


@pytest.mark.parametrize("seed", range(120))
def test_python_ends_as_the_exact_machine_does(seed):
    random = Random(seed)
    program = any_program(random, random.choice(MEMORIES), (isa.PAPER, isa.WIDE)[seed % 2])
    M = max(program.memory or 0, program.smallest_memory)
    text = to_python(program, M, "f")
    for tape, run in finished_runs(program, M, random, 6):
        assert python_run(text, "f", tape) == (run.tape, run.stop), f"{program}\n{tape}\n{text}"


@given(st.data())
@settings(max_examples=40, deadline=None)
def test_python_of_any_program(data):
    program = data.draw(any_programs())
    tape = data.draw(tapes(program.memory))
    run = exact.run(program, tape, 300)
    if run.stop is not Stop.STEP_LIMIT:
        assert python_run(to_python(program, name="f"), "f", tape) == (run.tape, run.stop)


@pytest.mark.skipif(COMPILER is None, reason="there is no C compiler")
@pytest.mark.parametrize("optimised", ["-O0", "-O2"])
def test_c_ends_as_the_exact_machine_does(tmp_path, optimised):
    functions = []
    for seed in range(9 if optimised == "-O2" else 27):
        random = Random(f"{optimised}/{seed}")
        M = random.choice((*MEMORIES, 256, 300)) if seed % 4 else 24
        program = any_program(random, M, (isa.PAPER, isa.WIDE)[seed % 2])
        M = max(program.memory or 0, program.smallest_memory)
        name = f"f{seed}"
        lines = c_function(program, M, name, ["A random program."])
        functions.append((name, M, lines, finished_runs(program, M, random, 6)))
    assert c_output(c_unit(functions), tmp_path, optimised, "-DNDEBUG") == ""


@pytest.mark.parametrize("name", programs.names())
def test_shipped_programs_have_loops_and_no_dispatch(name):
    loaded = load(name)
    text = to_python(loaded.program, name=name)
    assert "line" not in text
    for example in loaded.examples:
        tape = loaded.filled(example.input)
        after = loaded.filled(example.output)
        assert python_run(text, name, tape) == (after, Stop.STOPPED)


@pytest.mark.parametrize("entry", entries(), ids=lambda entry: entry.name)
def test_programs_as_people_bring_them(entry):
    for program in (entry.program, entry.reference):
        text = to_python(program, entry.M, "f")
        for case in entry.cases(2, seed=3):
            run = exact.run(program, case.input, 20_000)
            assert python_run(text, "f", case.input) == (run.tape, Stop.STOPPED)


def compiled(text: str, M: int = 10) -> Program:
    return compile_source(Source(text), memory=M).program


def python_of(text: str, M: int = 16) -> str:
    """The statements of a listing's function."""
    lines = to_python(compiled(text, M), name="f").splitlines()[2:]
    return "\n".join(line[4:] for line in lines)


def test_a_difference_is_a_comparison():
    text = """
    var a = READ(0); var b = READ(1); var c = MIN(a, b); c = SUB(a, c)
    JEZ(c, l_stop); WRITE(2, a); l_stop: STOP()
    """
    assert python_of(text) == "a = tape[0]\nif a > tape[1]:\n    tape[2] = a"


def test_a_sum_that_cannot_go_round_has_no_modulo():
    text = "var a = READ(0); l: JEZ(a, e); a = DEC(a); WRITE(a, 7); JEZ(0, l); e: STOP()"
    assert python_of(text) == "a = tape[0]\nwhile a:\n    a -= 1\n    tape[a] = 7"


WIDE = "instructions wide; var a = READ(0); var b = READ(1);"


@pytest.mark.parametrize(
    ("lines", "expected"),
    [
        ("a = MUL(a, 10); a = ADD(a, b); WRITE(2, a)", "tape[2] = (10 * tape[0] + tape[1]) % 100"),
        ("a = DIV(a, 7); b = MOD(b, 5); a = ADD(a, b); WRITE(2, a)", "tape[2] = tape[0] // 7 + tape[1] % 5"),
        ("a = MOD(a, 9); b = MOD(b, 9); a = MUL(a, b); WRITE(2, a)", "tape[2] = tape[0] % 9 * (tape[1] % 9)"),
        ("a = LT(a, b); JEZ(a, e); WRITE(2, 1); e: STOP()", "if tape[0] < tape[1]:\n    tape[2] = 1"),
        ("a = LE(a, 5); b = EQ(b, 3); a = ADD(a, b); WRITE(2, a)",
         "tape[2] = (tape[0] <= 5) + (tape[1] == 3)"),
        ("a = NE(a, b); WRITE(2, a)", "tape[2] = 1 if tape[0] != tape[1] else 0"),
        ("a = SHR(a, 2); a = AND(a, 3); a = SHL(a, 1); WRITE(2, a)", "tape[2] = 2 * ((tape[0] >> 2) & 3)"),
        ("b = MOD(b, 4); b = INC(b); a = DIV(a, b); WRITE(2, a)", "tape[2] = tape[0] // (tape[1] % 4 + 1)"),
        ("a = DIV(a, b); WRITE(2, a)", "tape[2] = tape[0] // tape[1] if tape[1] else 0"),
        ("b = DIV(a, b); a = MOD(a, b); WRITE(2, a)", "a = tape[0]\ntape[2] ="
         " a % (a // tape[1] if tape[1] else 0) if (a // tape[1] if tape[1] else 0) else a"),
        ("b = LT(a, b); a = DIV(a, b); WRITE(2, a)", "a = tape[0]\n"
         "tape[2] = a // (a < tape[1]) if (a < tape[1]) else 0"),
        ("a = XOR(a, b); WRITE(2, a)", "tape[2] = (tape[0] ^ tape[1]) % 100"),
    ],
)  # fmt: skip
def test_wide_instructions_are_operators(lines, expected):
    assert python_of(f"{WIDE} {lines}; STOP()", 100) == expected


def test_conditions_in_a_row_are_one():
    text = """
    var a = READ(0); JEZ(a, l_yes); a = READ(1); JEZ(a, l_yes); STOP(); l_yes: WRITE(2, 1); STOP()
    """
    assert python_of(text) == "if not tape[0] or not tape[1]:\n    tape[2] = 1"


def test_a_jump_out_of_two_loops_is_noted():
    text = """
    var a = 0; var b; var c
    outer: a = INC(a); b = READ(a); JEZ(b, e)
    inner: b = INC(b); c = READ(b); JEZ(c, outer); c = DEC(c); JEZ(c, out); JEZ(0, inner)
    out: WRITE(0, b); JEZ(0, outer)
    e: STOP()
    """
    found = python_of(text)
    assert "line" not in found
    assert found.count("while") == 2


def test_computed_jumps_and_loops_with_two_entries_are_dispatched():
    computed = "var a = READ(0); JEZ(0, a); WRITE(1, 1); STOP(); WRITE(2, 2); STOP()"
    assert "while line < 6:" in python_of(computed)
    two_entries = """
    var a = READ(0); var b
    JEZ(a, l_two)
    l_one: b = READ(1); JEZ(b, e); WRITE(1, a)
    l_two: b = READ(2); JEZ(b, e); WRITE(2, a); JEZ(0, l_one)
    e: STOP()
    """
    assert "while True:\n    if line == " in python_of(two_entries)


def test_a_jump_through_a_register_with_few_values_is_no_dispatch():
    text = """
    var to = READ(1); to = MIN(to, 1); to = ADD(to, 5)
    JEZ(0, to); STOP()
    WRITE(0, 1)
    WRITE(1, 2)
    STOP()
    """
    assert "line" not in python_of(text)


def test_a_jump_through_a_register_may_leave_the_program():
    text = "var to = READ(0); to = MIN(to, 1); to = ADD(to, 5); JEZ(0, to); STOP(); WRITE(1, 2)"
    program = compiled(text, 8)
    emitted = to_python(program, name="f")
    assert "line <" not in emitted
    for first in (0, 1):  # line 5, and line 6, which is no line of its six
        tape = (first, *[0] * 7)
        run = exact.run(program, tape, 50)
        assert run.stop is Stop.PAST_END
        assert python_run(emitted, "f", tape) == (run.tape, run.stop)


def test_names_are_the_programs_own_unless_a_language_needs_them():
    text = """
    var min = READ(0); var p_out = 3
    l: WRITE(p_out, min); p_out = INC(p_out); min = DEC(min); JEZ(min, e); JEZ(0, l)
    e: STOP()
    """
    found = python_of(text)
    assert "min_ = tape[0]" in found
    assert "tape[p_out] = min_" in found


@pytest.mark.skipif(COMPILER is None, reason="there is no C compiler")
def test_a_header_tests_itself(tmp_path):
    text = to_c(load("sort").program, name="sort")
    said = c_output(text, tmp_path, "-DSORT_SELF_TEST")
    assert said == "sort: 0 of 8 examples are wrong\n"
    wrong = text.replace("if (left > right)", "if (left >= right + 1000)")
    assert wrong != text
    with pytest.raises(AssertionError):
        c_output(wrong, tmp_path, "-DSORT_SELF_TEST")


def test_a_new_instruction_is_looked_up():
    row = isa.Instruction("MUL", 2, lambda a, b, M: a * b % M)
    instructions = isa.InstructionSet((*isa.PAPER, row))
    lines = ["READ", "READ", "MUL", "WRITE", "STOP"]
    operands = [(2, None, 0), (3, None, 1), (0, 1, 0), (4, 0, 5), (None, None, 5)]
    program = Program(
        tuple(Line(op, *rest) for op, rest in zip(lines, operands, strict=True)),
        (None, None, 0, 1, 2, None),
        instructions=instructions,
    )
    assert python_run(to_python(program, 7, "f"), "f", (5, 6, 0, 0, 0, 0, 0))[0][2] == 5 * 6 % 7
