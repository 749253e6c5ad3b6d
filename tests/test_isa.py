"""The table against the paper's Figure 1b, written out by hand."""

import pytest

from anc import isa
from anc.machine.exact import run
from anc.program import Line, Program

M = 6
MEANING = {
    "STOP": lambda a, b, tape: 0,
    "ZERO": lambda a, b, tape: 0,
    "INC": lambda a, b, tape: (a + 1) % M,
    "DEC": lambda a, b, tape: (a - 1) % M,
    "ADD": lambda a, b, tape: (a + b) % M,
    "SUB": lambda a, b, tape: (a - b) % M,
    "MIN": lambda a, b, tape: min(a, b),
    "MAX": lambda a, b, tape: max(a, b),
    "READ": lambda a, b, tape: tape[a],
    "WRITE": lambda a, b, tape: 0,
    "JEZ": lambda a, b, tape: 0,
}


def test_the_table_has_the_paper_s_eleven():
    assert tuple(MEANING) == isa.NAMES


@pytest.mark.parametrize("op", isa.NAMES)
def test_output_and_effect_of_every_instruction_on_every_operand(op):
    row = isa.instruction(op)
    tape = (5, 3, 0, 1, 4, 2)
    operands = [(0, 1)[i] if i < row.operands else None for i in range(2)]
    for a in range(M):
        for b in range(M):
            lines = (Line(op, *operands, 2), *[Line("STOP", None, None, 3)] * (M - 1))
            result = run(Program(lines, (a, b, 5, 0)), tape, 1, trace=True)
            (step,) = result.trace
            first, second = (v if i < row.operands else 0 for i, v in enumerate((a, b)))
            assert step.registers[2] == MEANING[op](first, second, tape)
            changed = tuple(b if op == "WRITE" and i == a else v for i, v in enumerate(tape))
            assert result.tape == changed
            assert step.jumped == (op == "JEZ" and a == 0)
            assert (result.stop.value == "stopped") == (op == "STOP")


def test_formulas_for_the_documentation():
    assert isa.formula(isa.instruction("SUB")) == "first - second"
    assert isa.formula(isa.instruction("INC")) == "first + 1"
