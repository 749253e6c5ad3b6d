"""Two answers: what is proved, what is faster without a proof, and what is said of both."""

from __future__ import annotations

import json
import re

import pytest
from adaptation.copying import (
    FAST,
    GENERIC,
    LATE,
    MIDDLE,
    PROVED,
    REFUTED,
    WITHOUT_DEC,
    WRONG,
    M,
    compiled,
    concluded,
    problem,
)
from command_line import anc as run

from anc.adaptation import worth as deployed
from anc.adaptation.evidence import Samples, Why, check_assumed
from anc.adaptation.texts import about_files, report
from anc.adaptation.worth import Taken
from anc.compiler import compile_source
from anc.language import read_source
from anc.machine import exact
from anc.pages.notebook import html_of
from anc.proof import parse_fact
from anc.support.diagnostics import AncError


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
    assert data["support"]["at_least"] == pytest.approx(
        0.942, abs=1e-3
    )  # the second that was tried
    result.save(tmp_path)
    for name, text in (("adapted", MIDDLE), ("unproved", FAST)):
        assert compile_source(read_source(tmp_path / f"{name}.anc")).program == compiled(text)
    assert json.loads((tmp_path / "result.json").read_text()) == json.loads(json.dumps(data))
    shown = report(result)
    assert "right whenever\n  tape[0] <= 5" in shown
    assert (
        "held on 80 of 80 held-out cases, on which 2 candidates were tried: at least 94.1 % of"
        in shown
    )
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


@pytest.mark.parametrize(
    ("after", "words"),
    [(90.0, "can be pasted"), (130.0, "it does not pay: 130 ns instead of 100 a call, with the")],
)
def test_a_check_that_costs_more_than_it_saves_is_said(monkeypatch, after, words) -> None:
    monkeypatch.setattr(deployed, "_taken", lambda functions, groups: [Taken(100.0, after)] * 2)
    assert words in about_files(concluded([(MIDDLE, PROVED)]), write_anyway=False)


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
    result = concluded([(FAST, LATE)])
    assert result.program == compiled(GENERIC) and not result.improved
    assert result.unproved is not None and result.unproved.steps == 3
    assert "nothing faster was proved" in report(result)
    assert "right whenever" not in report(result)


def test_what_is_wrong_on_a_test_case_is_no_answer_and_is_said() -> None:
    result = concluded([(WRONG, LATE), (MIDDLE, PROVED)])
    assert result.program == compiled(MIDDLE) and result.unproved is None
    [dropped] = result.to_dict()["dropped"]
    assert dropped["why"] == "wrong on other cases" and compiled(dropped["program"]) == compiled(
        WRONG
    )
    assert exact.run(compiled(WRONG), dropped["counterexample"], 99).tape[1] == 3
    assert dropped["counterexample"][0] != 3  # which the generic program would copy there
    assert "1 candidate dropped: 1 wrong on other cases; each is in result.json" in report(result)


def test_answers_are_compared_by_what_they_cost(tmp_path) -> None:
    result = concluded([(WITHOUT_DEC, PROVED)], DEC=5)
    assert (result.steps_adapted, result.steps_generic) == (8, 7)
    assert (result.cost_adapted, result.cost_generic) == (8, 15) and result.improved
    assert report(result).startswith(
        "copying: cost 8.00 instead of 15.00, 8.00 steps instead of 7.00"
    )
    told = result.to_dict()
    assert told["weights"] == {"DEC": 5.0} and told["improved"]
    assert (told["cost_generic"], told["cost_adapted"]) == (15, 8)
    result.save(tmp_path)
    assert "adapted: cost 8.00 instead of 15.00" in (tmp_path / "adapted.anc").read_text()
    assert re.search(r">cost<.*>15<.*>8<", html_of(result))


def test_what_is_faster_but_costs_as_much_is_no_answer() -> None:
    result = concluded([(FAST, PROVED)], INC=0, DEC=0)
    assert not result.improved and result.unproved is None
    assert "nothing cheaper was found; this is the generic program\nit costs 3.00" in report(result)
    [dropped] = result.dropped
    assert dropped.why is Why.SLOWER


def test_candidates_without_a_proof_are_dropped_with_their_reason() -> None:
    result = concluded([(FAST, REFUTED), (MIDDLE, LATE)])
    assert result.unproved is not None and result.unproved.program == compiled(FAST)
    [told] = result.to_dict()["dropped"]
    assert (told["why"], told["reason"]) == ("not proved", "the time is over")
    assert compiled(told["program"]) == compiled(MIDDLE)
    assert "1 candidate dropped: 1 not proved" in report(result)


def test_the_texts_of_all_programs_are_told() -> None:
    told = concluded([(FAST, REFUTED), (MIDDLE, PROVED)]).to_dict()
    assert compiled(told["program"]) == compiled(MIDDLE)
    assert compiled(told["generic"]) == compiled(GENERIC)
    assert compiled(told["unproved"]["program"]) == compiled(FAST)


def test_too_few_cases_are_said_to_be() -> None:
    result = concluded([(FAST, PROVED)], n=40)
    assert result.cases_tested == 8
    assert any(
        "8 held-out cases can show at most" in note and "about 360" in note for note in result.notes
    )


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
