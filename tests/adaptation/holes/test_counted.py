"""Filling and objectives by work instead of seconds: the same seed gives the same result again."""

from __future__ import annotations

from random import Random

import pytest
import sketch_cases
from command_line import anc as shell

import anc
from anc.adaptation.holes.fill import fill
from anc.support.diagnostics import AncError
from anc.support.job import Job

GENERIC = "memory 8; var x = READ(0); WRITE(1, x); STOP()"
SKETCH = "memory 8; var x = READ(?); x = ?(x, ?); x = ?(x, ?); WRITE(1, x); STOP()"
TAPES = [[number % 8, 0, 0, number // 8] for number in range(60)]


def far(given, final) -> int:
    return abs(final[1] - given[3])


def test_fillings_found_by_the_same_work_are_the_same() -> None:
    random, sketch = Random(0), sketch_cases.sketch("sorting")
    cases = sketch_cases.draw("sorting", (2, 3), 30, random, sketch.M)
    cases = sketch_cases.spoiled(cases, 0.1, random)
    found = [
        fill("sorting", sketch, cases, job=Job(evaluations=evaluations), seed=2).to_dict()
        for evaluations in (3_000, 3_000, 9_000)
    ]
    assert found[0] == found[1] and found[0]["stop"] == "out of evaluations"
    assert 3_000 <= found[0]["evaluations"] < 4_000
    assert not any("--evaluations" in note for note in found[0]["notes"])
    assert found[2]["wrong_cells"] <= found[0]["wrong_cells"]


def test_a_filling_that_seconds_ended_says_how_to_repeat_one() -> None:
    sketch = sketch_cases.sketch("sorting")
    cases = sketch_cases.draw("sorting", (2, 3), 10, Random(0), sketch.M)
    result = fill("sorting", sketch, cases, job=Job(1e-9), method="search")
    assert any("--evaluations" in note for note in result.notes)
    every = anc.fill("memory 4; var x = ?; WRITE(0, x); STOP()", [{"input": [0], "output": [2]}])
    assert not any("--evaluations" in note for note in every.notes)  # all were looked at


def test_objectives_are_counted_in_proposals() -> None:
    programs = [
        anc.adapt(GENERIC, inputs=TAPES, objective=far, evaluations=600, seed=3) for _ in range(2)
    ]
    assert programs[0].program == programs[1].program
    assert [result.tried for result in programs] == [600, 600]
    assert programs[0].stop == "done" and not any("--ev" in note for note in programs[0].notes)
    late = anc.adapt(GENERIC, inputs=TAPES, objective=far, budget=0.001, method="search")
    assert any("--evaluations" in note for note in late.notes)
    fillings = [
        anc.fill(SKETCH, inputs=TAPES, objective=far, evaluations=50, seed=1) for _ in range(2)
    ]
    assert fillings[0].filling == fillings[1].filling and fillings[0].tried == fillings[1].tried


def test_what_evaluations_do_not_go_with(tmp_path) -> None:
    (tmp_path / "s.anc").write_text(SKETCH.replace("; ", "\n"))
    (tmp_path / "c.jsonl").write_text('{"input": [0], "output": [1]}\n')
    words = ["fill", "s.anc", "--data", "c.jsonl", "--evaluations", "100"]
    done = shell(*words, "--budget", "3s", cwd=tmp_path)
    assert done.returncode == 2 and "exclude each other" in done.stderr
    done = shell(*words, "--method", "gradient", cwd=tmp_path)
    assert done.returncode == 2 and "gradient descent cannot be repeated" in done.stderr
    with pytest.raises(AncError, match="exclude each other"):
        anc.adapt(GENERIC, inputs=TAPES, objective=far, evaluations=10, proposals=10)
    with pytest.raises(AncError, match="gradient descent cannot be repeated"):
        anc.fill(SKETCH, inputs=TAPES, objective=far, evaluations=10, method="gradient")
