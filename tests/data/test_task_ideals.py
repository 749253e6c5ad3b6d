"""What `Task.ideal` claims: programs by hand are right on biased cases, in that many steps.

They also fit into the registers of the generic program, so that adapting it can find them.
"""

from __future__ import annotations

import re

import pytest

from anc.compiler import compile_source
from anc.data import tasks
from anc.language import Source
from anc.machine.exact import Stop, run

IDEALS = {
    "access": (3, "var v; v = READ(4); WRITE(0, v); STOP()"),
    "copy": (
        7,
        "var a; var b; var c; a = READ(1); b = READ(2); c = READ(3)"
        "; WRITE(8, a); WRITE(9, b); WRITE(10, c); STOP()",
    ),
    "reverse": (
        10,
        "var p; var v; p = READ(0); v = READ(3); WRITE(p, v); p = INC(p)"
        "; v = READ(2); WRITE(p, v); p = INC(p); v = READ(1); WRITE(p, v); STOP()",
    ),
    "permutation": (
        7,
        "var a; var b; var c; a = READ(5); b = READ(6); c = READ(4)"
        "; WRITE(0, a); WRITE(1, b); WRITE(2, c); STOP()",
    ),
    "swap": (5, "var a; var b; a = READ(2); b = READ(4); WRITE(2, b); WRITE(4, a); STOP()"),
    "listsearch": (
        6,
        "var a; var b; a = READ(1); b = READ(4); a = SUB(a, b); JEZ(a, l_first)"
        "; WRITE(2, 5); STOP(); l_first: WRITE(2, 3); STOP()",
    ),
    "listk": (
        6,
        "var k; var p; k = READ(1); p = ADD(k, k); p = ADD(p, 2); p = READ(p); WRITE(2, p); STOP()",
    ),
    "walkbst": (
        6,
        "var p; p = READ(6); p = ADD(p, 2); p = READ(p); p = READ(p); WRITE(1, p); STOP()",
    ),
    "merge": (
        11,
        "var a; var b; var c; var d; var e; a = READ(3); b = READ(4); c = READ(5); d = READ(7)"
        "; e = READ(8); WRITE(10, a); WRITE(11, b); WRITE(12, c); WRITE(13, d); WRITE(14, e)"
        "; STOP()",
    ),
    "dijkstra": (
        8,
        "var a; var b; var c; a = READ(6); b = READ(8); c = READ(11); WRITE(16, a)"
        "; a = ADD(a, c); a = MIN(a, b); WRITE(18, a); STOP()",
    ),
    "addition": (5, "var a; var b; a = READ(0); b = READ(1); a = ADD(a, b); WRITE(0, a); STOP()"),
    "sort": (
        7,
        "var a; var b; var c; a = READ(0); b = READ(1); c = MIN(a, b); b = MAX(a, b)"
        "; WRITE(0, c); WRITE(1, b); STOP()",
    ),
}


@pytest.mark.parametrize("name", IDEALS)
def test_a_program_by_hand(name: str) -> None:
    task = tasks.get(name)
    steps, text = IDEALS[name]
    program = compile_source(Source(text), memory=task.M).program
    assert program.R <= task.program.R
    assert re.findall(r"(\d+) steps", task.ideal)[0] == str(steps)
    for case in task.draw(True, 300, seed=9):
        result = run(program, case.input, 1_000)
        assert result.stop is Stop.STOPPED
        assert result.steps == steps
        assert case.is_right(result.tape), (case, result.tape)


def test_only_increment_has_no_ideal_program_here() -> None:
    assert {task.name for task in tasks.all_tasks()} - set(IDEALS) == {"increment"}
