"""Displays in notebooks, and the tour that the tests run."""

import re
from pathlib import Path

import pytest
from notebooks import executed, keep, outputs, texts
from pages.folders import adapt_folder, two_answers_folder

import anc
from anc.adaptation.result import Adapted, Answer
from anc.data.tasks import Case
from anc.machine.softrun import trace_soft
from anc.pages.adaptation import read_adaptation
from anc.pages.notebook import html_of, step_through
from anc.program import Line, Program
from anc.proof import Outcome, Verdict, parse_fact
from anc.proof.guards import Guarded
from anc.training.problem import Problem

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


def test_a_folder_with_two_answers_shows_both(tmp_path):
    html = html_of(read_adaptation(two_answers_folder(tmp_path)))
    assert "<b>generic: 10 lines" in html
    assert "<b>proved: 6 lines" in html
    assert "<b>unproved: 3 lines" in html
    assert "held on 78 of 80 held-out cases: at least 92.3 % of such inputs" in html
    assert "0 wrong of 1000 held-out cases: at most 0.3 % of such inputs" in html
    assert "3 1 2 5 6 (15 times 0)" in html  # the counter-example
    assert re.search(r"<span[^>]*>3</span> 6 2 5 1 <span[^>]*>0</span>", html)  # what is rejected


@pytest.mark.parametrize("trust", ["proof", "samples"])
def test_a_result_and_its_folder_look_the_same(tmp_path, trust):
    facts = (parse_fact("tape[0] == 1", 4),)
    proof = Verdict(Outcome.PROVED, "exhaustive", 64, seconds=0.5)
    proved = _answer("k = READ(1); WRITE(0, k); STOP()", proof, facts, rejected=(2, 0, 3, 0))
    wrong = Verdict(Outcome.REFUTED, "test", 1, (1, 3, 3, 3), "cell 0 is 3")
    unproved = _answer("k = READ(2); WRITE(1, k); STOP()", wrong)
    result = _adapted(proved, unproved, trust)
    result.save(tmp_path)
    html = html_of(result)
    assert html == html_of(read_adaptation(tmp_path))
    assert "tape[0] == 1" in html
    assert "1 3 3 3" in html


def _answer(text, verdict, facts=(), rejected=None):
    program = anc.compile("memory 4\nvar k = 0\n" + text.replace("; ", "\n"))
    return Answer(program, "traces", program.L, verdict, facts, rejected, 60, 60)


def _adapted(proved, unproved, trust):
    text = "memory 4\nvar k = 0\nk = READ(0)\nk = READ(k)\nWRITE(0, k)\nSTOP()\n"
    case = Case((1, 2, 0, 0), (2, 2, 0, 0), (True,) * 4)
    problem = Problem("access", anc.compile(text), text, 4, *[(case,)] * 4)
    guarded = Guarded(None, reason="nothing to guard")
    return Adapted(
        problem, proved, unproved, trust, 4.0, guarded, (), (), None, None, (), 1.0, "done"
    )


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
    pytest.importorskip("nbclient")
    nbformat = pytest.importorskip("nbformat")
    pytest.importorskip("ipykernel")
    notebook = executed(TOUR)
    html = [o["data"]["text/html"] for o in outputs(notebook) if "text/html" in o.get("data", {})]
    assert any("srcdoc" in text for text in html)
    assert any("Program:" in text for text in html)
    kept = nbformat.read(TOUR, as_version=4)
    keep(notebook)
    assert texts(notebook) == texts(kept), "run: python tools/notebooks.py"
    pictures = [o["data"]["image/png"] for o in outputs(kept) if "image/png" in o.get("data", {})]
    assert len(pictures) == 3 and TOUR.stat().st_size < 300_000


@pytest.mark.parametrize("machine", ["exact", "soft"])
def test_what_is_printed_as_a_table_is_shown_as_one(machine):
    trace = anc.trace("access", [3, 1, 2, 3, 4], machine=machine)
    assert "<pre>step  line" in html_of(trace) and "&lt;-" in html_of(trace)
    assert "<pre>R1 = 0" in html_of(anc.decompile("access"))
