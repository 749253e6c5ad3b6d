"""Two answers: what is proved, what is faster without a proof, and what is said of both."""

from __future__ import annotations

import json

import pytest
from command_line import anc as run

from anc.adaptation import deployed
from anc.adaptation.conclude import conclude
from anc.adaptation.deployed import verdict_on_guard
from anc.adaptation.drawn import Drawn
from anc.adaptation.evidence import Evidence, Samples, check_assumed
from anc.adaptation.gradient import Gradient
from anc.adaptation.result import Adapted
from anc.cli.adapt import report
from anc.clock import Clock
from anc.compiler import compile_source
from anc.diagnostics import AncError
from anc.language import Source, read_source
from anc.learning.problem import Problem, from_cases
from anc.machine import exact
from anc.program import Program
from anc.search import Found
from anc.tasks import Case
from anc.verify import parse_fact
from anc.verify.verdict import proved, refuted, unknown

M = 8
GENERIC = "var x; x = READ(0); x = INC(x); x = INC(x); x = DEC(x); x = DEC(x); WRITE(1, x); STOP()"
MIDDLE = "var x; x = READ(0); x = INC(x); x = DEC(x); WRITE(1, x); STOP()"
FAST = "var x; x = READ(0); WRITE(1, x); STOP()"
WRONG = "WRITE(1, 3); STOP()"


def compiled(text: str) -> Program:
    return compile_source(Source(text), memory=M).program


def problem(n: int = 400) -> Problem:
    generic = compiled(GENERIC)
    tapes = [(i % 6, 0, i // 6 % 8, i // 48 % 8, i // 384, 0, 0, 0) for i in range(n)]
    cases = [Case(tape, exact.run(generic, tape, 99).tape, (True,) * M) for tape in tapes]
    return from_cases("copying", generic, GENERIC, cases)


def found(text: str) -> Found:
    program = compiled(text)
    return Found(program, float(program.L), float(program.L), "plans", 0.5)


def concluded(
    candidates: list[tuple[str, Evidence]], trust: str = "proof", n: int = 400
) -> Adapted:
    given, clock = problem(n), Clock(10)
    pairs = [(found(text), evidence) for text, evidence in candidates]
    history = {one.program: one for one, _ in pairs}
    gradient = Gradient(given, clock, 1.0, 0, lambda doing, steps: None)
    drawn = Drawn(given, Samples.of(given.looked_at), (), clock)
    return conclude(given, pairs, history, gradient, (), trust, clock, drawn)


FACTS = (parse_fact("tape[0] <= 5"),)
PROVED = Evidence(proved("paths", 3), FACTS, rejected=(7, *[0] * 7))
REFUTED = Evidence(refuted("test", 1, (7, *[0] * 7), "cell 1 is 0"), counterexample=None)


def test_the_proved_answer_comes_first_and_the_faster_one_is_kept(tmp_path) -> None:
    result = concluded([(FAST, REFUTED), (MIDDLE, PROVED)])
    assert result.program == compiled(MIDDLE) and result.verdict.proved
    assert result.unproved is not None and result.unproved.program == compiled(FAST)
    assert result.unproved.facts == ()  # nothing is right "whenever" without a proof
    data = result.to_dict()
    assert data["unproved"]["file"] == "unproved.anc"
    assert data["unproved"]["counterexample"] == [7, *[0] * 7]
    assert 0 < data["unproved"]["wrong_at_most"] < 0.05
    assert data["support"]["held"] == data["support"]["fresh"] == result.cases_tested == 80
    assert data["support"]["at_least"] == pytest.approx(0.963, abs=1e-3)
    result.save(tmp_path)
    for name, text in (("adapted", MIDDLE), ("unproved", FAST)):
        assert compile_source(read_source(tmp_path / f"{name}.anc")).program == compiled(text)
    assert json.loads((tmp_path / "result.json").read_text()) == json.loads(json.dumps(data))
    shown = report(result)
    assert "right whenever\n  tape[0] <= 5" in shown
    assert "held on 80 of 80 fresh cases: at least 96.3 % of such inputs" in shown
    assert "faster, but not proved: 3.00 steps" in shown
    assert "tape: 7 0 0 0 0 0 0 0" in shown


def test_a_proved_answer_is_also_a_function_that_checks_its_precondition(tmp_path) -> None:
    result = concluded([(MIDDLE, PROVED)])
    result.save(tmp_path)
    space: dict = {}
    exec((tmp_path / "adapted.py").read_text(), space)
    for first in range(M):
        tape = [first, *[0] * 7]
        space["copying"](tape)
        assert tuple(tape) == exact.run(result.problem.program, (first, *[0] * 7), 99).tape
    text = (tmp_path / "adapted.h").read_text()
    assert "if (tape[0] <= 5) {" in text
    assert "{{7, 0, 0, 0, 0, 0, 0, 0}, {7, 7, 0, 0, 0, 0, 0, 0}}," in text  # what it rejects
    concluded([(FAST, REFUTED)]).save(tmp_path)
    assert not (tmp_path / "adapted.py").exists()


def test_a_check_that_costs_more_than_it_saves_is_said(monkeypatch) -> None:
    result = concluded([(MIDDLE, PROVED)])
    for times, words in (
        ([100.0, 90.0], ""),
        ([100.0, 130.0], "130 ns a call, with the check, instead of 100"),
    ):
        monkeypatch.setattr(deployed, "nanoseconds", lambda result, times=times: times)
        assert words in verdict_on_guard(result)
        assert bool(words) == bool(verdict_on_guard(result))


def test_samples_can_be_trusted(tmp_path) -> None:
    concluded([(FAST, REFUTED), (MIDDLE, PROVED)]).save(tmp_path)
    result = concluded([(FAST, REFUTED), (MIDDLE, PROVED)], "samples")
    assert result.program == compiled(FAST) and not result.facts
    assert result.guarded.program is None  # a guard is written under a proof only
    result.save(tmp_path)
    assert not (tmp_path / "unproved.anc").exists()  # of the earlier result
    assert compile_source(read_source(tmp_path / "proved.anc")).program == compiled(MIDDLE)
    assert result.to_dict()["unproved"]["file"] == "adapted.anc"
    assert "with a proof: 5.00 steps" in report(result)


def test_without_a_proof_the_generic_program_is_the_proved_answer() -> None:
    result = concluded([(FAST, Evidence(unknown("the time is over")))])
    assert result.program == compiled(GENERIC) and not result.improved
    assert result.unproved is not None and result.unproved.steps == 3
    assert "nothing faster was proved" in report(result)
    assert "right whenever" not in report(result)


def test_what_is_wrong_on_a_test_case_is_no_answer_and_is_said() -> None:
    result = concluded([(WRONG, Evidence(unknown("the time is over"))), (MIDDLE, PROVED)])
    assert result.program == compiled(MIDDLE) and result.unproved is None
    assert any("it is no answer" in note for note in result.notes)


def test_too_few_cases_are_said_to_be() -> None:
    result = concluded([(FAST, PROVED)], n=40)
    assert result.cases_tested == 8
    assert any("few fresh cases (8)" in note and "about 295" in note for note in result.notes)


def test_a_case_that_contradicts_an_assumption_is_named_before_anything_starts(tmp_path) -> None:
    cases = problem().everything
    check_assumed(cases, [parse_fact("tape[0] <= 5")])
    with pytest.raises(AncError, match=r"'tape\[0\] == 5': in the first, tape\[0\] is"):
        check_assumed(cases, [parse_fact("tape[0] == 5")])
    (tmp_path / "p.anc").write_text(f"memory 8; {GENERIC}\n")
    data = "".join(
        json.dumps({"input": [4, i % 8, i // 8, 0, 0, 0, 0, 0]}) + "\n" for i in range(40)
    )
    (tmp_path / "d.jsonl").write_text(data)
    words = ["adapt", "p.anc", "--data", "d.jsonl", "--assume", "tape[0] == 5", "-o", "r"]
    done = run(*words, cwd=tmp_path)
    assert done.returncode == 2
    assert "40 of 40 distinct cases contradict" in done.stderr
    assert not (tmp_path / "r").exists()


def test_samples_are_distinct() -> None:
    cases = problem().pool
    samples = Samples.of([*cases, *cases])
    assert len(samples.cases) == len(set(cases)) == len(samples.inputs)
    assert all(fact.truths(samples.inputs).all() for fact in samples.facts)
