"""Objectives and frozen lines: a search leaves them alone (gradient descent: see test_adapting)."""

import json

import pytest
from click.testing import CliRunner

import anc
from anc.commands.main import app
from anc.support.diagnostics import AncError

GENERIC = "memory 8\nvar x = READ(0)\n@frozen x = INC(x)\nWRITE(1, x)\nSTOP()\n"
DISTANCE = """memory 16
var a = READ(1)
var b = READ(11)
var c = MAX(a, b)
a = MIN(a, b)
c = SUB(c, a)
WRITE(0, c)
STOP()
"""
INPUTS = [[n % 8, 0, 0, n // 8] for n in range(60)]


def test_search_leaves_them_alone():
    program = anc.compile(GENERIC).with_frozen([2])
    wanted = {"inputs": INPUTS, "objective": lambda given, final: abs(final[1] - given[3])}
    result = anc.adapt(GENERIC, method="search", proposals=1500, freeze=[2], **wanted)
    assert result.program != program and result.program.frozen == (1, 2)
    assert program.keeps(result.program)
    assert result.comparison.adapted < result.comparison.generic
    free = anc.adapt(GENERIC.replace("@frozen ", ""), method="search", proposals=1500, **wanted)
    assert not program.keeps(free.program)


def test_the_command_freezes(tmp_path):
    texts = {"a.anc": GENERIC, "distance.anc": DISTANCE}
    texts["in.jsonl"] = "".join(json.dumps(tape) + "\n" for tape in INPUTS)
    for name, text in texts.items():
        (tmp_path / name).write_text(text)
    program, score, data = (str(tmp_path / name) for name in texts)
    words = ["adapt", program, "--data", data, "--objective", score, "--method", "search"]
    words += ["--proposals", "800", "--json", "--freeze"]
    done = CliRunner().invoke(app, [*words, "2-3"])
    found = anc.compile(json.loads(done.stdout)["program"])
    assert found.frozen == (1, 2, 3)
    done = CliRunner().invoke(app, [*words, "0-3"])
    assert "all lines are frozen" in str(done.exception)


def test_functions_have_no_lines_to_freeze():
    @anc.function(memory=20)
    def double(x: int) -> int:
        return x + x

    with pytest.raises(AncError, match="lines of a Python function cannot be frozen"):
        anc.adapt(double, inputs=[[1]], objective=lambda given, final: 0, freeze=[0])
