from pathlib import Path

import pytest
from generated import programs, tapes
from hypothesis import given, settings
from hypothesis import strategies as st

import anc
import anc.data.programs
from anc import isa
from anc.compiler import compile_source, to_text
from anc.language import Source
from anc.machine.exact import run

LISTK = """
var p_out = 0
var p_current = 0
var val_current = 0
var k = 0

k = READ(1)
p_out = READ(2)
l_loop: p_current = READ(p_current)
k = DEC(k)
JEZ(k, l_stop)
JEZ(0, l_loop)
l_stop: p_current = INC(p_current)
p_current = READ(p_current)
WRITE(p_out, p_current)
STOP()
"""


def warnings(text: str) -> list[str]:
    return [w.message for w in compile_source(Source(text)).warnings]


def test_listk_takes_seven_registers_in_both_of_the_paper_s_versions():
    assert anc.compile(LISTK).R == 7
    assert anc.load("listk").registers == (0, 1, 2, 6, 0, 2, None)


def test_a_constant_that_nobody_writes_is_shared():
    program = anc.compile("var zero = 0\nl: WRITE(0, zero)\nWRITE(l, 0)\nSTOP()")
    assert program.R == 2  # one for all the zeros, one sink


def test_a_variable_may_take_over_the_register_of_a_constant_that_is_done_with():
    program = anc.compile("var k\nk = READ(1)\nWRITE(0, k)\nSTOP()")
    assert program.registers == (1, 0, None)


def test_but_not_while_the_constant_is_still_wanted():
    program = anc.compile("var k\nk = READ(1)\nWRITE(1, k)\nSTOP()")
    assert program.R == 3


def test_outputs_that_nobody_wants_go_to_one_register_that_nobody_reads():
    program = anc.compile("var x = 1\nx = INC(1)\nWRITE(0, 1)\nJEZ(0, 3)\nSTOP()")
    sinks = {line.out for line in program.lines}
    assert len(sinks) == 1
    assert not any(sinks & set(line.operands) for line in program.lines)


def test_spare_registers_have_no_value():
    assert anc.compile("STOP()", spare=3).registers == (None,) * 4


def test_names_r1_r2_choose_their_own_register():
    program = anc.compile("var R3 = 5\nvar a = 1\na = INC(R3)\nWRITE(a, 0)\nSTOP()")
    assert program.lines[0].first == 2
    assert program.registers[2] == 5


def test_warnings():
    assert warnings(LISTK) == ["variable 'val_current' is never used"]
    assert warnings("l: ZERO()\nJEZ(0, l)") == ["the program has no STOP: it never ends by itself"]
    assert warnings("l: JEZ(0, l)\nSTOP()") == [
        "no STOP can be reached: it never ends by itself",
        "this line is never reached",
    ]
    assert "these 2 lines, down to line 3, are never reached" in warnings(
        "JEZ(0, e)\nZERO()\nZERO()\ne: STOP()"
    )
    assert warnings("var x\nx = INC(1)\nSTOP()") == ["variable 'x' is assigned but never read"]
    assert warnings("var x\nWRITE(0, x)\nSTOP()") == [
        "variable 'x' may be read before it has a value"
    ]
    assert warnings("var x = 0\nx = READ(x)\nJEZ(0, x)\nZERO()\nSTOP()") == []  # a computed jump


@settings(deadline=None)
@given(programs())
def test_text_of_any_program_compiles_to_the_same_program(program):
    text = to_text(program)
    again = compile_source(Source(text)).program
    assert again == program
    assert again.memory == program.memory
    assert to_text(again) == text


@pytest.mark.parametrize("name", anc.data.programs.names())
def test_shipped_programs_print_with_their_names_and_no_warning(name):
    compilation = compile_source(anc.data.programs.source(name))
    assert compilation.warnings == ()
    text = to_text(compilation.program)
    assert compile_source(Source(text)).program == compilation.program
    assert "R1" not in text


@st.composite
def listings(draw):
    """A random listing: variables, numbers and labels in every place."""
    M = draw(st.integers(4, 9))
    L = draw(st.integers(1, M))
    variables = ["a", "b", "c", "d"][: draw(st.integers(1, 4))]
    operand = st.one_of(
        st.sampled_from(variables),
        st.integers(0, M - 1).map(str),
        st.integers(0, L - 1).map("l{}".format),
    )
    lines = [f"memory {M}"]
    for name in variables:
        lines.append(f"var {name} = {draw(st.integers(0, M - 1))}")
    for number in range(L):
        row = draw(st.sampled_from(isa.PAPER.rows))
        operands = ", ".join(draw(operand) for _ in range(row.operands))
        out = draw(st.one_of(st.just(""), st.sampled_from(variables).map("{} = ".format)))
        lines.append(f"l{number}: {out}{row.name}({operands})")
    return "\n".join(lines)


def naive(text: str, tape: tuple[int, ...], max_steps: int):
    """A second, independent reading of a listing: a dictionary of variables, no registers."""
    variables, code = {}, []
    for line in text.split("\n")[1:]:
        if line.startswith("var"):
            _, name, _, value = line.split()
            variables[name] = int(value)
        else:
            body = line.split(": ")[1]
            out, _, call = body.rpartition(" = ")
            op, _, rest = call.partition("(")
            code.append((out, op, [x for x in rest[:-1].split(", ") if x]))
    M, memory, here, steps = len(tape), list(tape), 0, 0

    def value(word):
        return int(word[1:]) if word[0] == "l" else int(word) if word.isdigit() else variables[word]

    while steps < max_steps:
        out, op, words = code[here]
        a, b = ([value(w) for w in words] + [0, 0])[:2]
        result = {
            "INC": a + 1, "DEC": a - 1, "ADD": a + b, "SUB": a - b, "MIN": min(a, b),
            "MAX": max(a, b), "READ": memory[a],
        }.get(op, 0) % M  # fmt: skip
        if op == "WRITE":
            memory[a] = b
        if out:
            variables[out] = result
        here = b if op == "JEZ" and a == 0 else (here + 1) % M
        steps += 1
        if op == "STOP" or here >= len(code):
            break
    return tuple(memory), steps


@settings(max_examples=250, deadline=None)
@given(st.data())
def test_register_allocation_never_changes_what_a_program_does(data):
    text = data.draw(listings())
    program = compile_source(Source(text)).program
    tape = data.draw(tapes(program.memory))
    result = run(program, tape, 40)
    assert (result.tape, result.steps) == naive(text, tape, 40)


@settings(max_examples=200, deadline=None)
@given(listings())
def test_no_two_registers_could_still_share(text):
    program = compile_source(Source(text)).program
    again = compile_source(Source(to_text(program))).program
    assert again.R == program.R
    assert again == program


def test_the_thirteen_programs_are_shipped_as_package_data():
    folder = Path(anc.data.programs.__file__).parent
    assert {path.stem for path in folder.glob("*.anc")} == set(anc.data.programs.names())
    assert len(anc.data.programs.names()) == 13
