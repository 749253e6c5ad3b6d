import pytest
from generated import programs, tapes
from hypothesis import given
from hypothesis import strategies as st

import anc
from anc.machine.exact import Stop, run
from anc.support.diagnostics import AncError


def compiled(text, memory=None):
    return anc.compile(text, memory)


def test_a_program_shorter_than_its_memory_ends_past_its_last_line():
    result = run(compiled("var x = 0\nx = INC(x)\nx = INC(x)"), (0,) * 5, 100)
    assert (result.stop, result.steps) == (Stop.PAST_END, 2)


def test_a_program_of_m_lines_wraps_to_line_0():
    result = run(compiled("var x = 0\nx = INC(x)\nWRITE(0, x)"), (0, 0), 7, trace=True)
    assert [step.line for step in result.trace] == [0, 1, 0, 1, 0, 1, 0]
    assert result.stop is Stop.STEP_LIMIT


def test_a_jump_beyond_the_last_line_is_past_the_end():
    result = run(compiled("JEZ(0, 3)\nSTOP()"), (0,) * 5, 100)
    assert (result.stop, result.steps) == (Stop.PAST_END, 1)


def test_operands_are_read_before_anything_changes():
    result = run(compiled("var x = 3\nx = READ(x)\nWRITE(x, x)\nSTOP()"), (0, 0, 0, 1), 9)
    assert result.tape == (0, 1, 0, 1)


def test_arithmetic_is_modulo_m():
    text = "var x = 0\nx = DEC(x)\nWRITE(0, x)\nx = ADD(x, x)\nWRITE(1, x)\nSTOP()"
    assert run(compiled(text), (0,) * 7, 9).tape[:2] == (6, 5)


def test_start_names_the_first_line():
    text = "start l_begin\nSTOP()\nl_begin: WRITE(0, 2)\nSTOP()"
    result = run(compiled(text), (0, 0, 0), 9, trace=True)
    assert [step.line for step in result.trace] == [1, 2]


def test_trace_has_the_source_line_of_each_step():
    program = compiled("\n\nWRITE(0, 1)\n\nSTOP()")
    assert [line.source_line for line in program.lines] == [3, 5]


def test_a_tape_too_small_for_the_program_is_refused():
    with pytest.raises(AncError, match="at least 3"):
        run(compiled("WRITE(0, 2)\nSTOP()"), (0,), 9)


@given(st.data())
def test_every_value_stays_below_m_and_the_trace_agrees_with_the_result(data):
    program = data.draw(programs())
    tape = data.draw(tapes(program.memory))
    result = run(program, tape, 40, trace=True)
    assert len(result.trace) == result.steps <= 40
    assert result.trace[-1].tape == result.tape
    for step in result.trace:
        assert all(0 <= v < program.memory for v in (*step.registers, *step.tape))
