"""What version 0.2.0 wrote is read: shown, proved again, begun with, gone on with."""

import json
import re
import shutil
from pathlib import Path

import pytest
from command_line import anc as run

from anc.adaptation.holes.result import Filled, Scored
from anc.adaptation.objectives.result import Improved
from anc.adaptation.saved import SavedAdaptation
from anc.pages.adaptation import read_adaptation
from anc.pages.notebook import html_of
from anc.pages.page import folder_figures, report_page
from anc.support.records import plain, read

WRITTEN = Path(__file__).parent / "data" / "written_by_0_2_0"
RECORDS = {
    "task": SavedAdaptation,
    "function": SavedAdaptation,
    "objective": Improved,
    "fill": Filled,
    "fill_for_objective": Scored,
}
SCORES = ("--objective", "judge.py:makespan", "--constraint", "judge.py:assigned")


@pytest.fixture
def written(tmp_path) -> Path:
    """A copy, in which commands run."""
    shutil.copytree(WRITTEN, tmp_path / "written")
    return tmp_path / "written"


@pytest.mark.parametrize("name", RECORDS)
def test_a_result_is_read_as_its_record_and_written_as_it_was(name):
    file = WRITTEN / name / "result.json"
    text = file.read_text()
    record = read(RECORDS[name], json.loads(text), file)
    assert json.dumps(plain(record), indent=1) + "\n" == text


@pytest.mark.parametrize(
    ("name", "words"),
    [
        ("objective", "mean score 13.392 instead of 16.625"),
        ("objective", "do not stop or violate the constraint"),
        ("fill", "line 8, column 11: MAX (determined)"),
        ("fill_for_objective", "not proved: that it stops"),
    ],
)
def test_a_result_that_was_read_prints_itself(name, words):
    file = WRITTEN / name / "result.json"
    assert words in str(read(RECORDS[name], json.loads(file.read_text()), file))


@pytest.mark.parametrize(
    ("name", "words"),
    [
        ("task", "Adapting access"),
        ("function", "times faster in Python"),
        ("objective", "Adapting greedy"),
        ("fill", "right on all cases"),
        ("fill_for_objective", "Filling rule"),
        ("training", "Training access"),
        ("table1", "settings: published"),
    ],
)
def test_a_folder_has_its_page_and_its_figures(name, words):
    assert words in report_page(WRITTEN / name)
    assert folder_figures(WRITTEN / name)


def test_an_adaptation_has_its_display():
    assert "right whenever" in html_of(read_adaptation(WRITTEN / "task"))
    assert "1 &lt;= distance &lt;= 9" in html_of(read_adaptation(WRITTEN / "function"))


def test_proofs_are_made_again(written):
    assert run("verify", "task", cwd=written).stdout.startswith("proved")
    shown = run("verify", "function", cwd=written).stdout
    assert shown.startswith("proved") and "1 <= distance <= 9" in shown


def test_a_new_search_begins_with_what_was_found(written):
    few = ("--evaluations", 1_000, "--json")
    told = run("adapt", "access", "--from", "task", "--method", "specialise", *few)
    done = run("adapt", "access", "--from", written / "task", "--method", "specialise", *few)
    assert told.returncode == 2 and "holds no result" in told.stderr
    assert json.loads(done.stdout)["steps_adapted"] == 3
    words = ("tickets.py", "--data", "calls.jsonl", "--method", "specialise")
    done = run("adapt", *words, "--from", "function", *few, cwd=written)
    found = json.loads(done.stdout)
    assert found["steps_adapted"] < 15
    assert "instructions" not in found["generic"] + found["program"]  # the paper's, as before
    told = run("--instructions", "wide", "adapt", *words, "--from", "function", *few, cwd=written)
    assert "is about another program than 'fare'" in told.stderr


def test_a_search_by_score_begins_with_what_was_found(written):
    words = ("--data", "jobs.jsonl", *SCORES, "--json")
    few = ("--method", "search", "--proposals", 10)
    done = run("adapt", "greedy.anc", *words, *few, "--from", "objective", cwd=written)
    before = json.loads((written / "objective" / "result.json").read_text())
    assert json.loads(done.stdout)["program"] == before["program"]
    done = run("fill", "rule.anc", *words, "--from", "fill_for_objective", cwd=written)
    assert json.loads(done.stdout)["holes"][0]["filled"] == "5"


def test_a_filling_begins_with_what_was_found(written):
    words = ("largest.anc", "--data", "lists.jsonl", "--from", "fill", "--json")
    told = json.loads(run("fill", *words, cwd=written).stdout)
    assert told["right"] and told["history"] == [{"seconds": 0.0, "wrong_cells": 0}]


def test_a_training_that_was_interrupted_goes_on_to_the_same_end(written):
    run("train", "--resume", "-o", "training", cwd=written)
    settings = ("--seeds", 2, "--iterations", 200, "--settings", "published")
    run("train", "access", *settings, "-o", "anew", cwd=written)
    ends = [(written / name / "metrics.jsonl").read_text() for name in ("training", "anew")]
    assert [len(end.splitlines()) for end in ends] == [4, 4]
    assert numbers(ends[0]) == pytest.approx(numbers(ends[1]), rel=1e-3, abs=1e-4)


def numbers(text: str) -> list[float]:
    return [float(word) for word in re.findall(r"-?\d+\.?\d*(?:e-?\d+)?", text)]


def test_a_table_takes_the_parts_that_are_there(written, monkeypatch):
    def train(*arguments):
        raise AssertionError("trained again")

    monkeypatch.setattr("anc.training.distributed.chunk.Chunk.run", train)
    words = ("--tasks", "access", "--seeds", 2, "--settings", "published", "-o", "table1")
    before = json.loads((WRITTEN / "table1" / "table1.json").read_text())["rows"]
    run("table1", *words, cwd=written)
    assert json.loads((written / "table1" / "table1.json").read_text())["rows"] == before
