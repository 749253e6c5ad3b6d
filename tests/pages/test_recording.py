"""A packed run holds what the machines did, step by step."""

from dataclasses import replace

import numpy as np
import pytest
from generated import programs, tapes
from hypothesis import given, settings
from hypothesis import strategies as st
from pages.unpacking import states, unpack

import anc
from anc import isa
from anc.data.loading import load
from anc.data.programs import source
from anc.language import Source
from anc.machine import exact
from anc.machine.softrun import trace_soft
from anc.machine.weights import soften
from anc.pages import recording as recording_module
from anc.pages.recording import MOST_BYTES, record, record_exact, record_soft
from anc.program import Line, Program

TAPE = (3, 2, 2, 9, 15, 0, 0, 0, 1, 15, 17, 7, 13, 0, 0, 11, 10, 0, 0, 0)


@settings(max_examples=40, deadline=None)
@given(st.data())
def test_an_exact_recording_is_the_run(data):
    program = data.draw(programs())
    tape = data.draw(tapes(program.memory))
    recording = record_exact(program, tape, 30)
    run = exact.run(program, tape, 30, trace=True)
    shown = list(states(recording))
    assert recording.steps == run.steps == len(shown) - 1
    assert recording.stop == run.stop.value
    assert [list(row) for row in shown[0][5 + program.R :]] == [[value] for value in tape]
    for rows, step in zip(shown[1:], run.trace, strict=True):
        line = program.lines[step.line]
        assert list(rows[0]) == [step.line]
        assert list(rows[1]) == [isa.PAPER.code[step.op]]
        assert list(rows[2]) == [r for r in [line.first] if r is not None]
        assert list(rows[3]) == [r for r in [line.second] if r is not None]
        assert list(rows[4]) == [step.out]
        assert [next(iter(row)) for row in rows[5 : 5 + program.R]] == list(step.registers)
        assert [next(iter(row)) for row in rows[5 + program.R :]] == list(step.tape)


def test_a_soft_recording_is_compared_with_the_exact_run():
    spin = load("memory 6\nloop: WRITE(0, 1)\nJEZ(0, loop)\n")  # it never stops
    found = record(spin, [0], "spin", "soft", 20.0, 30)
    assert (found.exact.stop, found.exact.wrong) == ("step-limit", 0)
    found = record(load("listk"), [3, 3, 2, 5, 4, 7, 5, 9, 6, 0, 7], "listk", "soft", 4.0)
    assert found.exact.cells == ((2, 2, 6),) and (found.exact.steps, found.exact.wrong) == (17, 1)
    assert (found.sharpness, found.summary[:13]) == (4.0, "listk: fetch ")
    assert record(load("listk"), TAPE, "listk", "soft").sharpness == 20.0
    assert record(load(soften(anc.load("listk"), 20)), TAPE, "weights").exact is None


@pytest.mark.parametrize(
    ("text", "summary"),
    [
        ("# two lines\n// of it\n#\n# more\nSTOP()", "two lines of it"),
        ("\n\n# said\nSTOP()", "said"),
        ("# run: 1 -> 1\nWRITE(0, 1)", ""),
        ("STOP()  # the end", ""),
        ("", ""),
    ],
)
def test_a_program_says_what_it_does_in_its_first_comment(text, summary):
    assert Source(text).summary == summary


def test_a_function_says_what_it_does_in_its_docstring(tmp_path):
    text = "import anc\n\n@anc.function(memory=9)\ndef f(x: int) -> int:\n    {}\n    return x\n"
    for doc, summary in (
        ('"""Give it back.\n\n    >>> f(3)\n    3\n    """', "Give it back."),
        ('""">>> f(3)\n    3\n    """', ""),
        ("x = x", ""),
    ):
        (tmp_path / "f.py").write_text(text.format(doc))
        assert load(f"{tmp_path}/f.py:f").summary == summary


def _dense(row, width):
    return np.array([row.get(value, 0.0) for value in range(width)])


@pytest.mark.parametrize("sharpness", [3.0, 6.0, 20.0])
def test_a_soft_recording_is_the_trace_within_its_tolerance(sharpness):
    program = anc.load("listk")
    weights = soften(program, 20, sharpness)
    recording = record_soft(weights, TAPE, 60, program=program)
    trace = trace_soft(weights, TAPE, 60)
    shown = list(states(recording))
    stops = unpack(recording.packed)["stop"] / 1e9
    near = recording.tolerance + 1e-4
    assert len(shown) == len(trace.steps) + 1
    for rows, step, stop in zip(shown[1:], trace.steps, stops[1:], strict=True):
        parts = [step.line, step.op, step.first, step.second, step.out]
        parts += [*step.registers, *step.memory]
        for row, part in zip(rows, parts, strict=True):
            assert np.abs(_dense(row, len(part)) - part).max() <= near
        assert stop == pytest.approx(min(1, step.stop), abs=1e-6)


def test_a_long_soft_run_with_much_memory_stays_small():
    """500 steps, 100 cells, and weights that never come to a decision: the worst there is."""
    program = anc.load("dijkstra")
    weights = soften(program, 100, 6.0)
    random = np.random.default_rng(0)
    noisy = {
        name: (array + random.normal(scale=1.5, size=array.shape)).astype(np.float32)
        for name, array in weights.arrays().items()
    }
    noisy["op"][:, isa.PAPER.STOP] = -20
    recording = record_soft(replace(weights, **noisy), (0,) * 100, 500)
    assert recording.steps == 500
    assert len(recording.packed["data"]) < MOST_BYTES
    assert recording.tolerance <= 0.07


def test_a_run_with_too_many_distributions_is_given_up_and_shown_less_exactly(monkeypatch):
    weights = soften(anc.load("listk"), 20, 4.0)
    exactly = record_soft(weights, TAPE, 60)
    monkeypatch.setattr(recording_module, "_HOPELESS", 30_000)
    roughly = record_soft(weights, TAPE, 60)
    assert roughly.tolerance > exactly.tolerance
    assert (roughly.steps, roughly.stop) == (exactly.steps, exactly.stop)
    sizes = [sum(unpack(run.packed)["counts"]) for run in (exactly, roughly)]
    assert 4 * sizes[1] <= 30_000 < 4 * sizes[0]


def test_the_lines_are_those_of_the_source():
    recording = record_exact(anc.load("listk"), TAPE, source=source("listk"))
    assert recording.lines[2].labels == ("l_loop",)
    assert recording.lines[4].text == "JEZ(k, l_stop)"


def test_the_lines_of_a_program_without_a_source_are_printed():
    program = Program((Line("INC", 0, None, 0), Line("STOP", None, None, 1)), (0, None), memory=4)
    recording = record_exact(program, (0,) * 4)
    assert [line.text for line in recording.lines] == ["R1 = INC(R1)", "R2 = STOP()"]


def test_rows_of_weights_that_choose_nothing_say_nothing():
    weights = soften(anc.load("listk"), 20, 5.0)
    lines = record_soft(weights, TAPE).lines
    assert lines[0].text == "k = READ(k)"
    assert lines[15].text == ""
    assert lines[15].is_spare
    assert lines[0].choices[1] == ("op", "READ", pytest.approx(0.9369, abs=1e-3))
