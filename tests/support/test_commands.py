"""Every command that writes looks at the place before it works, and loses nothing if that fails."""

import json
import os
import re
import subprocess
import sys
from pathlib import Path

import pytest
from command_line import anc
from pages.folders import adapt_folder

from anc.support.diagnostics import AncError
from anc.support.folders import ADAPTATION, claimed
from anc.training.folder import RunFolder

SKETCH = "memory 8; var x = READ(0); x = ?(x, ? in (1, 2)); WRITE(0, x); STOP()"
CASES = '{"input": [3], "output": [5]}\n{"input": [7], "output": [1]}\n'
GRID = "learning_rate = [0.1, 0.2]\n"


@pytest.fixture
def here(tmp_path) -> Path:
    (tmp_path / "sketch.anc").write_text(SKETCH)
    (tmp_path / "cases.jsonl").write_text(CASES)
    (tmp_path / "grid.toml").write_text(GRID)
    (tmp_path / "file").write_text("mine")
    return tmp_path


FOLDERS = {
    "an adaptation": ["adapt", "listk", "--budget", "1h", "-o"],
    "an adaptation to an objective": [
        "adapt", "listk", "--data", "cases.jsonl", "--objective", "listk", "--budget", "1h", "-o",
    ],
    "a filled sketch": ["fill", "sketch.anc", "--data", "cases.jsonl", "-o"],
    "a training run": ["train", "listk", "-o"],
    "Table 1": ["table1", "-o"],
    "the table of the digits": ["experiment", "digits", "-o"],
}  # fmt: skip
FILES = [
    ["compile", "listk", "-o"],
    ["trace", "listk", "--tape", "1", "--html"],
    ["guard", "access", "access", "-o"],
    ["report", "listk", "-o"],
    ["figure", "listk", "-o"],
    ["sweep", "listk", "--grid", "grid.toml", "-o"],
]


@pytest.mark.parametrize(
    "words", [*FOLDERS.values(), *FILES], ids=lambda words: " ".join(words[:2])
)
def test_a_place_where_nothing_can_be_is_refused_before_the_work(here, words):
    done = anc(*words, "file/deep/x.anc", cwd=here)
    assert done.returncode == 2
    assert re.search("cannot write (into )?file/deep/x.anc", done.stderr)
    assert done.stdout == ""


@pytest.mark.parametrize("words", FOLDERS.values(), ids=FOLDERS)
def test_a_result_of_another_kind_is_not_touched(here, words):
    kind = "table1.json" if words[0] == "train" else "run.json"
    (here / "r").mkdir()
    (here / "r" / kind).write_text('{"origin": {}, "rows": []}')
    done = anc(*words, "r", cwd=here)
    assert done.returncode == 2
    assert f"r holds {'Table 1' if words[0] == 'train' else 'a training run'}; " in done.stderr
    assert os.listdir(here / "r") == [kind]


def test_a_folder_in_use_can_be_read(here):
    with claimed(adapt_folder(here / "r"), ADAPTATION):
        assert anc("report", "r", cwd=here).returncode == 0


@pytest.fixture
def full_disk(monkeypatch):
    def fails(folder, write, older, mark):
        raise AncError(f"cannot write {folder}: No space left on device")

    monkeypatch.setattr("anc.support.folders.claim.replace", fails)


def test_what_cannot_be_kept_is_printed(here, full_disk):
    words = ["fill", "sketch.anc", "--data", "cases.jsonl", "--method", "search", "-o", "r"]
    done = anc(*words, cwd=here)
    assert done.returncode == 2
    assert "2 holes filled" in done.stdout and "STOP()" in done.stdout
    assert "saved in" not in done.stdout
    assert "error: cannot write r: No space left on device\n  help: what was found" in done.stderr
    assert not (here / "r").exists()
    done = anc(*words, "--json", cwd=here)
    assert done.returncode == 2
    assert "STOP()" in json.loads(done.stdout)["program"]


def test_a_training_that_cannot_be_saved_ends_with_the_best_so_far(here, monkeypatch):
    def fails(self, training, seconds):
        raise AncError("cannot write r/state.safetensors: No space left on device")

    monkeypatch.setattr(RunFolder, "save", fails)
    monkeypatch.setattr("anc.training.folder._SAVE_EVERY", -1.0)
    words = ["train", "access", "--seeds", "1", "--validate-every", "1", "-o", "r"]
    done = anc(*words, cwd=here)
    assert done.returncode == 2
    assert "best is member" in done.stdout
    assert "error: cannot write r/state.safetensors: No space left on device" in done.stderr


def test_a_training_run_is_begun_anew_with_force(here):
    words = ["train", "access", "--seeds", "1", "--iterations", "1", "-o", "r"]
    (here / "r" / "checkpoints").mkdir(parents=True)
    (here / "r" / "checkpoints" / "00000999.safetensors").write_text("of the older run")
    (here / "r" / "run.json").write_text('{"origin": {}}')
    (here / "r" / "notes.txt").write_text("mine")
    done = anc(*words, cwd=here)
    assert "r already holds a training run" in done.stderr
    assert anc(*words, "--force", cwd=here).returncode in (0, 1)
    assert (here / "r" / "notes.txt").exists()
    assert not (here / "r" / "checkpoints" / "00000999.safetensors").exists()


def test_all_files_of_a_training_run_go_when_another_result_takes_their_place(here):
    """What a run really writes, not what its kind says that it does."""
    anc("train", "access", "--seeds", "1", "--iterations", "1", "-o", "r", cwd=here)
    words = ["fill", "sketch.anc", "--data", "cases.jsonl", "--evaluations", "100", "-o", "r"]
    assert anc(*words, "--force", cwd=here).returncode == 0
    assert {path.name for path in (here / "r").iterdir()} == {"filled.anc", "result.json"}


def test_a_full_disk_behind_the_output_is_said_plainly():
    command = f"{sys.executable} -m anc.commands.main programs > /dev/full"
    done = subprocess.run(command, shell=True, capture_output=True, text=True)
    assert done.returncode == 2
    assert done.stderr == "error: cannot write to standard output: No space left on device\n"
