"""The paper's figures, its three types, and its appendix C."""

from dataclasses import replace

import numpy as np
import pytest

import anc
from anc import isa
from anc.machine import exact
from anc.machine.interpretability import read_back
from anc.machine.soft import command_at
from anc.machine.softrun import run_soft
from anc.machine.text import figure
from anc.machine.weights import Weights, soften

FIGURE = """\
R1 = 0 (0.88)
R2 = 1 (0.88)
R3 = 2 (0.88)
R4 = 6 (0.88)
R5 = 0 (0.88)
R6 = 2 (0.88)
R7 = - (0.05)

Initial State: 0 (0.88)

0:  R2 (0.96)  = READ  (0.93) [ R2 (0.96) , R- (0.14)  ]
1:  R3 (0.96)  = READ  (0.93) [ R3 (0.96) , R- (0.14)  ]
2:  R1 (0.96)  = READ  (0.93) [ R1 (0.96) , R- (0.14)  ]
3:  R2 (0.96)  = DEC   (0.93) [ R2 (0.96) , R- (0.14)  ]
4:  R7 (0.96)  = JEZ   (0.93) [ R2 (0.96) , R4 (0.96)  ]
5:  R7 (0.96)  = JEZ   (0.93) [ R5 (0.96) , R6 (0.96)  ]
6:  R1 (0.96)  = INC   (0.93) [ R1 (0.96) , R- (0.14)  ]
7:  R1 (0.96)  = READ  (0.93) [ R1 (0.96) , R- (0.14)  ]
8:  R7 (0.96)  = WRITE (0.93) [ R3 (0.96) , R1 (0.96)  ]
9:  R7 (0.96)  = STOP  (0.93) [ R- (0.14) , R- (0.14)  ]"""


def test_listk_prints_as_in_the_paper():
    text = figure(soften(anc.load("listk"), 20, 5))
    assert text.startswith(FIGURE + "\n10: R- (0.1")
    rest = text.split("\n")[20:]
    assert len(rest) == 10
    assert all("NOP" in line and line.count("R-") == 3 for line in rest)


TAPES = [
    [3, 2, 2, 9, 15, 0, 0, 0, 1, 15, 17, 7, 13, 0, 0, 11, 10, 0, 0, 0],
    [3, 1, 2, 5, 4, 7, 5, 9, 6, 0, 7, 0, 0, 0, 0, 0, 0, 0, 0, 0],
]


def test_type_1_gives_the_exact_program_back():
    reading = read_back(soften(anc.load("listk"), 20, 12), TAPES)
    assert reading.kind == 1
    assert reading.program == anc.load("listk")
    assert reading.lines == tuple(range(10))
    assert reading.confidence > 0.99


def test_lines_that_the_cases_do_not_visit_are_not_listed():
    reading = read_back(soften(anc.load("listk"), 20, 12), TAPES[1:])
    assert reading.lines == (0, 1, 2, 3, 4, 6, 7, 8, 9)


def test_blurred_weights_are_type_3_and_say_where():
    reading = read_back(soften(anc.load("listk"), 20, 5), TAPES)
    assert reading.kind == 3
    assert reading.program is None
    assert reading.confidence < 0.9


def test_a_soft_write_is_type_3_with_the_operand_named():
    program = anc.compile("var a = 0\nvar b = 3\nWRITE(a, 1)\nWRITE(b, 2)\nSTOP()", memory=5)
    weights = soften(program, 5, 30)
    first = weights.first.copy()
    first[0, program.lines[0].first] = first[0, program.lines[1].first] = 30
    reading = read_back(replace(weights, first=first), [[0] * 5])
    assert reading.kind == 3
    assert reading.softness == ("line 0: first operand of WRITE (0.50)",)


def test_a_program_that_does_not_stop_is_said_to():
    reading = read_back(soften(anc.compile("l: JEZ(0, l)\nSTOP()"), 4, 30), [[0] * 4], 50)
    assert reading.kind == 3
    assert "do not stop" in reading.reason


# -- appendix C ------------------------------------------------------------------------------


def test_the_paper_s_controller_weights_choose_another_register_in_a_distributed_state():
    first = np.array([[20.0, 5, -20], [-20, 5, 20]])
    zeros = np.zeros((2, 3))
    weights = Weights(
        np.zeros(2), np.zeros((3, 2)), np.zeros((2, isa.PAPER.N)), first, zeros, zeros, 2
    )
    one, two, both = (
        np.asarray(command_at(weights, np.array(line)).first)
        for line in ([1, 0], [0, 1], [0.5, 0.5])
    )
    assert one == pytest.approx([0.9999997, 3e-7, 4e-18], rel=0.1)
    assert two == pytest.approx([4e-18, 3e-7, 0.9999997], rel=0.1)
    # the paper prints softmax([0, 10, 0]); the mean of the two rows is [0, 5, 0]
    assert both.argmax() == 1
    assert both[1] == pytest.approx(np.exp(5) / (np.exp(5) + 2))


def distributed_example() -> Weights:
    """The paper's example program, its second instruction half JEZ and half ZERO, made to stop.

    0: R1 = READ(R1)   1: JEZ(R1, R3) or ZERO   2, 3: WRITE in one way or another   4: ...
    Where JEZ would jump, the state is spread over line 2 and the target; the mixed rows then choose
    what neither line would alone.
    """
    program = anc.compile(
        """
        var R1 = 0
        var R2 = 1
        var R3 = 4
        var R4 = 0
        var R5 = 2
        R1 = READ(R1)
        R4 = JEZ(R1, R3)
        R4 = WRITE(R2, R3)
        R4 = STOP()
        R4 = WRITE(R2, R5)
        R4 = STOP()
        """,
        memory=8,
    )
    weights = soften(program, 8, 40)
    op = weights.op.copy()
    op[1, isa.PAPER.code["ZERO"]] = op[1, isa.PAPER.code["JEZ"]]  # half JEZ, half ZERO
    second = weights.second.copy()
    second[2] = [-40, 20, 40, -40, -80]  # alone: R3
    second[4] = [-40, 20, -80, -40, 40]  # alone: R5; together: R2
    return replace(weights, op=op, second=second)


def test_a_distributed_state_is_type_2_and_becomes_lines_of_its_own():
    weights = distributed_example()
    tapes = [[0, 7, 7, 7, 7, 7, 7, 7], [5, 7, 7, 7, 7, 7, 7, 7]]
    soft = run_soft(weights, tapes, 50)
    # cell 0 is zero: the mixed state writes R2 = 1, which neither line would; else line 2 writes 4
    assert [run.tape[1] for run in soft] == [1, 4]
    reading = read_back(weights, tapes)
    assert reading.kind == 2
    assert reading.program is not None
    for tape, run in zip(tapes, soft, strict=True):
        result = exact.run(reading.program, tape, 50)
        assert (result.tape, result.steps) == (run.tape, run.steps)
    assert exact.run(anc.harden(weights), tapes[0], 50).tape != soft[0].tape


def test_type_2_with_a_loop_keeps_the_number_of_steps():
    """The loop's exit test is half JEZ, half ZERO; weightier rows decide what the spread state does."""
    program = anc.compile(
        """
        memory 14
        var n = 0
        var x = 3
        n = READ(0)
        l: x = INC(x)
        n = DEC(n)
        JEZ(n, out)
        JEZ(0, l)
        out: WRITE(1, x)
        STOP()
        """
    )
    weights = soften(program, 14, 40)
    arrays = {name: array.copy() for name, array in weights.arrays().items()}
    arrays["op"][3, isa.PAPER.code["ZERO"]] = arrays["op"][3, isa.PAPER.code["JEZ"]]
    for line, weight in ((5, 3), (6, 9)):
        for name in ("op", "first", "second", "out"):
            arrays[name][line] *= weight
    spread = replace(weights, **arrays)
    tapes = [[n] + [0] * 13 for n in (1, 2, 5)]
    soft = run_soft(spread, tapes, 60)
    assert [run.tape[1] for run in soft] == [4, 5, 8]
    reading = read_back(spread, tapes, 60)
    assert reading.kind == 2
    for tape, run in zip(tapes, soft, strict=True):
        result = exact.run(reading.program, tape, 60)
        assert (result.tape, result.steps) == (run.tape, run.steps)
