"""A report knows which kind of folder it is about, and refuses all others with the reason."""

import json
import re
import shutil

import numpy as np
import pytest
from pages.folders import (
    ADAPTED,
    COUNTEREXAMPLE,
    adapt_folder,
    table1_folder,
    two_answers_folder,
)

from anc.machine.weights import harden
from anc.pages.adaptation import Rejection, read_adaptation, why_rejected
from anc.pages.page import kind_of, report_page
from anc.pages.training import read_training
from anc.support.diagnostics import AncError
from anc.support.folders import ADAPTATION, TABLE1, TRAINING


def test_each_kind_is_found(training, tmp_path):
    assert kind_of(training) is TRAINING
    assert kind_of(adapt_folder(tmp_path / "a")) is ADAPTATION
    assert kind_of(table1_folder(tmp_path / "t")) is TABLE1


def test_other_folders_are_refused(tmp_path):
    with pytest.raises(AncError, match="there is no folder"):
        kind_of(tmp_path / "nothing")
    (tmp_path / "result.json").write_text('{"somebody": "else"}')
    with pytest.raises(AncError, match="does not hold a result to report on"):
        kind_of(tmp_path)
    (tmp_path / "file").write_text("")
    with pytest.raises(AncError, match="is a file"):
        kind_of(tmp_path / "file")


@pytest.mark.parametrize("text", ["{", '{"steps_generic": 1}'])
def test_a_damaged_adaptation_is_named(tmp_path, text):
    (tmp_path / "result.json").write_text(text)
    with pytest.raises(AncError, match=r"result\.json is not"):
        report_page(tmp_path)


@pytest.mark.parametrize("text", ["{", '{"rows": [{"task": "access"}]}'])
def test_a_damaged_table_is_named(tmp_path, text):
    (tmp_path / "table1.json").write_text(text)
    with pytest.raises(AncError, match=r"table1\.json is not"):
        report_page(tmp_path)


@pytest.mark.parametrize(
    ("changes", "words"),
    [
        ({"found": None}, "found is null, expected a list"),
        ({"found": [{"method": "x", "seconds": "1", "steps": 2}]}, 'found[0].seconds is "1"'),
        ({"example_tape": [3, -1]}, "example_tape[1] is -1, expected a whole number from 0 up"),
        ({"memory": "20"}, 'memory is "20"'),
        ({"proof": {"seconds": True}}, "proof.seconds is true, expected a number"),
        ({"steps_generic": 10**400}, "steps_generic is 1000"),
        ({"steps_generic": 1e308}, "steps_generic is 1e+308, expected a number"),
        ({"support": {"held": 1, "fresh": 1, "at_least": 2}}, "expected a number from 0 to 1"),
        ({"memory": 2**40}, "memory is 1099511627776"),
        ({"function": {"words": [1]}}, "function.words is [1], expected an object"),
        ({"precondition": "tape[0] == 3"}, "expected a list"),
    ],
)
def test_what_is_wrong_in_a_result_is_named_by_its_place(tmp_path, changes, words):
    with pytest.raises(AncError, match=re.escape(words)):
        report_page(adapt_folder(tmp_path, **changes))


def test_numbers_that_are_not_json_are_refused(tmp_path):
    folder = adapt_folder(tmp_path)
    for word in ("NaN", "1e999", "-Infinity"):
        text = json.dumps({"steps_generic": 1}).replace("1", word)
        (folder / "result.json").write_text(text)
        with pytest.raises(AncError, match=r"result\.json is not JSON"):
            report_page(folder)


@pytest.mark.parametrize(
    ("file", "old", "new", "words"),
    [
        ("run.json", '"seeds": [', '"seeds": [-1, ', "seeds[0] is -1"),
        ("run.json", '"seeds": [', f'"seeds": [{2**63}, ', f"seeds[0] is {2**63}"),
        ("run.json", '"pool": ', '"pool": 99', "pool is 994096, expected a whole number from 1"),
        ("run.json", '"test": ', f'"test": {2**63}', "test is 9223"),
        ("run.json", '"kind": "task"', '"kind": "tusk"', "does not say what was trained"),
        ("run.json", '"pool":', '"poll":', "does not say what was trained"),
        ("metrics.jsonl", "{", "[", "metrics.jsonl:1 is not JSON"),
        ("metrics.jsonl", '"steps": [', '"steps": [1, ', "steps has 4 elements, expected 3"),
        ("metrics.jsonl", '"faster": ', '"faster": 1' + 400 * "0", "faster is 1000"),
        ("summary.json", '"best_member": ', '"best_member": 7', "it has 3 members"),
        ("summary.json", '"right": [', '"right": ["x", ', "right has 4 elements"),
    ],
)
def test_a_damaged_run_is_named_by_its_place(training, tmp_path, file, old, new, words):
    shutil.copytree(training, tmp_path / "run")
    path = tmp_path / "run" / file
    assert old in path.read_text()
    path.write_text(path.read_text().replace(old, new, 1))
    with pytest.raises(AncError, match=re.escape(words)):
        report_page(tmp_path / "run")


def test_an_adaptation_without_its_program_is_named(tmp_path):
    adapt_folder(tmp_path)
    (tmp_path / "generic.anc").unlink()
    with pytest.raises(AncError, match=r"lacks generic\.anc"):
        report_page(tmp_path)


def test_an_adaptation_that_found_nothing_has_a_page(tmp_path):
    adapt_folder(tmp_path, steps_adapted=None, found=[], soft=None, example_tape=[])
    (tmp_path / "adapted.anc").unlink()
    assert "Adapting" in report_page(tmp_path)
    assert read_adaptation(tmp_path).found_by_method() == {}


@pytest.mark.parametrize("trust", ["proof", "samples"])
def test_both_answers_are_read_whichever_is_trusted(tmp_path, trust):
    found = read_adaptation(two_answers_folder(tmp_path, trust))
    assert list(found.compared) == ["generic", "proved", "unproved"]
    assert [program.L for program in found.compared.values()] == [10, 6, 3]
    proved, unproved = found.answers
    assert (proved.verdict, proved.steps, proved.grounds) == ("proved", 6, "1,200 tapes in 1.2 s")
    assert (unproved.verdict, unproved.steps) == ("refuted", 3)
    assert list(unproved.counterexample) == COUNTEREXAMPLE
    assert proved.support.held == 78


def test_a_result_from_before_there_were_two_is_read(tmp_path):
    (answer,) = read_adaptation(adapt_folder(tmp_path)).answers
    assert (answer.which, answer.support, answer.tested) == (
        "proved",
        None,
        "1000 test cases, all right",
    )
    (answer,) = read_adaptation(adapt_folder(tmp_path, verdict="unknown")).answers
    assert (answer.which, answer.file) == ("unproved", "adapted.anc")


def test_an_answer_names_files_of_its_folder_only(tmp_path):
    (tmp_path / "elsewhere.anc").write_text(ADAPTED)
    outside = {"steps": 9, "file": "../elsewhere.anc", "verdict": "unknown"}
    found = read_adaptation(adapt_folder(tmp_path / "a", unproved=outside))
    assert "unproved" not in found.programs


def test_a_damaged_answer_is_named(tmp_path):
    with pytest.raises(AncError, match=r"result\.json is not"):
        report_page(adapt_folder(tmp_path, unproved={"steps": 3}))


def test_what_breaks_a_precondition_is_found():
    facts = ["tape[0] == 3", "tape[tape[0] + 1] >= 2", "sorted(tape[0:2])"]
    assert why_rejected(facts, (3, 5, 0, 0, 1, 0)) == Rejection(facts=(1,), cells=(0, 4))
    assert why_rejected(facts, (3, 2, 0, 0, 9, 0)) == Rejection(facts=(2,), cells=(0, 1))
    assert why_rejected(["words of another time"], (1, 2)) == Rejection((), ())


def test_training_is_read_with_all_its_members(training):
    run = read_training(training)
    summary = json.loads((training / "summary.json").read_text())
    assert run.S == 3
    assert run.curves["steps"].shape == (len(run.iterations), 3)
    assert run.order[0] == summary["best_member"]
    assert run.generic_steps == summary["steps_generic"]
    assert np.all(np.diff(run.quantiles("total"), axis=0) >= 0)
    assert harden(run.begin(0)).lines[: run.problem.program.L] == run.problem.program.lines
    assert int(run.checkpoints[-1].stem) == run.iterations[-1]


def test_a_run_that_was_interrupted_has_a_page(training, tmp_path):
    for file in training.rglob("*"):
        if file.is_file() and file.name not in ("summary.json", "best.safetensors", "best.anc"):
            copy = tmp_path / file.relative_to(training)
            copy.parent.mkdir(exist_ok=True)
            copy.write_bytes(file.read_bytes())
    assert "not finished" in report_page(tmp_path)
    (tmp_path / "metrics.jsonl").write_text("")
    with pytest.raises(AncError, match="nothing to show yet"):
        report_page(tmp_path)
