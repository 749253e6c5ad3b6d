"""A report knows which kind of folder it is about, and refuses all others with the reason."""

import json

import numpy as np
import pytest
from report.folders import adapt_folder, table1_folder

from anc.diagnostics import AncError
from anc.machine.weights import harden
from anc.report.adapt_data import read_adaptation
from anc.report.folders import ADAPTATION, TABLE1, TRAINING, kind_of, report_page
from anc.report.training_data import read_training


def test_each_kind_is_found(training, tmp_path):
    assert kind_of(training) is TRAINING
    assert kind_of(adapt_folder(tmp_path / "a")) is ADAPTATION
    assert kind_of(table1_folder(tmp_path / "t")) is TABLE1


def test_other_folders_are_refused(tmp_path):
    with pytest.raises(AncError, match="there is no folder"):
        kind_of(tmp_path / "nothing")
    (tmp_path / "result.json").write_text('{"somebody": "else"}')
    with pytest.raises(AncError, match="nothing that a report can be about"):
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
