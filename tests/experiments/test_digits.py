"""Networks trained through programs: the tasks, a small training, the table and the notebook."""

import itertools
import json
import re
from pathlib import Path

import numpy as np
import pytest
from click.testing import CliRunner
from command_line import anc as command
from notebooks import executed, texts

import anc
from anc.commands.main import app
from anc.machine.batch import run_all
from anc.pages.figures import drawn
from anc_experiments.digits.methods import Row
from anc_experiments.digits.network import Training
from anc_experiments.digits.table import Table, digits_figures
from anc_experiments.digits.tasks import TASKS, get_task

NOTEBOOK = Path(__file__).parents[2] / "examples" / "layers.ipynb"


@pytest.mark.parametrize("task", TASKS.values(), ids=TASKS)
def test_programs_do_what_their_oracles_say(task):
    spec = task.layer().spec
    digits = np.array(list(itertools.product((0, 1, 4, 8, 9), repeat=min(task.pictures, 4))))
    more = np.random.default_rng(0).integers(0, 10, (len(digits), task.pictures))
    more[:, : digits.shape[1]] = digits
    tapes = np.zeros((len(more), spec.M), int)
    tapes[:, list(spec.inputs)] = more
    found = run_all(spec.program, tapes, 1000)
    assert found.stopped.all()
    np.testing.assert_array_equal(found.tapes[:, list(spec.outputs)], task.results(more))


def test_digits_that_a_program_cannot_tell_apart_are_of_one_kind():
    assert get_task("modulo3").kinds.tolist() == [0, 1, 2, 0, 1, 2, 0, 1, 2, 0]
    assert get_task("count34").kinds.tolist() == [0, 0, 0, 1, 1, 0, 0, 0, 0, 0]
    assert len(set(get_task("sort3").kinds)) == 10
    with pytest.raises(anc.AncError, match="did you mean 'product'"):
        get_task("produkt")


def test_a_network_learns_digits_from_their_sums_and_the_command_keeps_it(tmp_path):
    pytest.importorskip("sklearn")
    command = ["experiment", "digits", "--tasks", "sum2", "--seeds", "1", "--steps", "120"]
    command += ["--soft", "none", "--json", "-o", str(tmp_path)]
    found = json.loads(CliRunner().invoke(app, command).output)
    assert [row["method"] for row in found["rows"]] == ["exact", "direct labels", "no program"]
    assert found["rows"][0]["digits"] > 0.85
    assert found["rows"][0]["result"] > max(0.75, found["rows"][2]["result"])
    assert found["untrained_gaps"]["sum2"] < 1e-5
    assert (tmp_path / "digits.png").stat().st_size > 5000
    again = Table(1, Training(steps=120), "")
    again.read(tmp_path)
    assert again.rows["sum2", "exact"].result == found["rows"][0]["result"]
    other = Table(2, Training(steps=120), "")
    other.read(tmp_path)
    assert not other.rows


@pytest.mark.parametrize("tasks", ["", ",", "sum2,"])
def test_no_task_is_none_and_not_all_of_them(tasks, tmp_path):
    result = command("experiment", "digits", "--tasks", tasks, "-o", tmp_path / "kept")
    assert result.returncode == 2 and "help: there are: sum2, sum3" in result.stderr


def test_without_scikit_learn_there_is_a_message(monkeypatch):
    from anc_experiments.digits.methods import load_pictures

    monkeypatch.setitem(__import__("sys").modules, "sklearn.datasets", None)
    with pytest.raises(anc.AncError, match=r"(?s)needs scikit-learn.*pip install 'scikit-learn"):
        load_pictures()


def test_the_table_shows_renamed_digits_and_what_is_missing():
    table = Table(5, Training(), "anc experiment digits")
    table.add(Row("equality", "exact", 5, 0.976, (0.97, 0.98), 0.1, (0.0, 0.2), 0.974, seconds=3.2))
    text = table.markdown()
    assert "| equality | 97.6 (97.0 to 98.0) | - | - | - | 10.0 (0.0 to 20.0) (97.4) |" in text
    assert "ABL 98.1% in 47 s" in text
    files = dict(drawn(digits_figures(table.data())["digits"], "digits", ["svg"]))
    assert b"hidden digits wrong" in files["digits.svg"]


def test_the_notebook_runs_in_a_kernel():
    for needed in ("sklearn", "ipykernel", "nbclient"):
        pytest.importorskip(needed)
    nbformat = pytest.importorskip("nbformat")
    found = "".join(texts(executed(NOTEBOOK)))
    kept = "".join(texts(nbformat.read(NOTEBOOK, as_version=4)))
    number = re.compile(r"\d+\.\d*(?:e-?\d+)?")
    assert number.sub("", found).split() == number.sub("", kept).split(), (
        "run: python tools/notebooks.py"
    )
    one, two = ([float(each) for each in number.findall(text)] for text in (found, kept))
    assert one == pytest.approx(two, abs=0.05, rel=0.03)  # it was trained on another processor
    accuracy = re.search(r"([\d.]+)% of the digits on new pictures", found)
    assert accuracy is not None and float(accuracy[1]) > 90
