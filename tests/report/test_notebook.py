"""Displays in notebooks, and the tour that the tests run."""

from pathlib import Path

import pytest
from report.folders import adapt_folder

import anc
from anc.machine.softrun import trace_soft
from anc.program import Line, Program
from anc.report.adapt_data import read_adaptation
from anc.report.notebook import html_of, step_through

TOUR = Path(__file__).parents[2] / "examples" / "tour.ipynb"
TAPE = [3, 1, 2, 5, 4, 7, 5]


def test_each_thing_has_a_display(tmp_path):
    listk = anc.load("listk")
    weights = anc.soften(listk, sharpness=5)
    assert "JEZ(k, l_stop)" in html_of(listk)
    assert "READ 0.94" in html_of(weights)
    assert "tape[2] ← 4" in html_of(anc.run(listk, TAPE, trace=True))
    trace = trace_soft(weights, (*TAPE, *[0] * 13), 40)
    assert "stop probability" in html_of(trace)
    assert "tape[0] &lt; 18" in html_of(read_adaptation(adapt_folder(tmp_path)))
    with pytest.raises(anc.AncError, match="no display for a int"):
        html_of(3)


def test_names_are_shown_and_not_run():
    name = "<script>alert(1)</script>"
    program = Program((Line("STOP", None, None, 0),), (0,), names=(name,), memory=2)
    assert "<script" not in html_of(program)
    frame = step_through(program, [0, 0], title=name)._repr_html_()
    assert frame.startswith("<iframe srcdoc=")
    assert "<script" not in frame


def test_two_runs_share_the_tape_and_the_memory():
    stepper = step_through(anc.load("listk"), TAPE, compare=anc.load("listk"))
    first, second = stepper.recordings
    assert first.tape == second.tape


def test_the_tour_runs_in_a_kernel():
    nbclient = pytest.importorskip("nbclient")
    nbformat = pytest.importorskip("nbformat")
    pytest.importorskip("ipykernel")
    notebook = nbformat.read(TOUR, as_version=4)
    nbclient.NotebookClient(notebook, timeout=120, kernel_name="python3").execute()
    shown = [o for cell in notebook.cells for o in cell.get("outputs", [])]
    html = [o["data"]["text/html"] for o in shown if "text/html" in o.get("data", {})]
    assert any("srcdoc" in text for text in html)
    assert any("Program:" in text for text in html)
