"""The same command writes the same bytes, whatever the folder, the moment and the process."""

import json
import os
import re
import shlex
import subprocess
import sys
from dataclasses import replace
from itertools import count
from pathlib import Path

import numpy as np
import pytest
from command_line import anc
from written_files import COMMANDS, contents, run_all

from anc.training import problem
from anc.training.result import StopReason, TrainingOutcome
from anc_experiments.digits.methods import Row
from anc_experiments.digits.network import Training
from anc_experiments.digits.table import Table

SECONDS = re.compile(r'("\w*seconds\w*": )[0-9.e+-]+')


def timeless(folder: Path) -> dict[str, bytes]:
    """The files of a folder, but for the seconds that JSON files tell."""
    found = contents(folder)
    for name in (name for name in found if name.endswith(".json")):
        found[name] = SECONDS.sub(r"\1", found[name].decode()).encode()
    return found


def test_files_are_the_same_in_another_process_and_folder(tmp_path):
    here, there = tmp_path / "here", tmp_path / "a b" / "there"
    run_all(here)
    code = "import sys, pathlib, written_files as w; w.run_all(pathlib.Path(sys.argv[1]))"
    environment = os.environ | {"PYTHONHASHSEED": "77", "PYTHONPATH": os.pathsep.join(sys.path)}
    subprocess.run([sys.executable, "-c", code, there], env=environment, check=True)
    assert contents(here) == contents(there)
    assert len(contents(here)) == len(COMMANDS) + 7


def test_a_run_folder_differs_in_its_seconds_only(tmp_path):
    for name in ("one", "two"):
        (tmp_path / name).mkdir()
        words = ("--seeds", 2, "--iterations", 50, "-o", "run")  # which run.json tells
        anc("train", "access", *words, cwd=tmp_path / name)
    one, two = timeless(tmp_path / "one" / "run"), timeless(tmp_path / "two" / "run")
    assert one == two
    assert {"state.safetensors", "seconds.json", "summary.json", "best.safetensors"} <= set(one)
    spent = json.loads((tmp_path / "one" / "run" / "seconds.json").read_text())
    assert spent["seconds"] > 0


@pytest.fixture
def quick_training(monkeypatch):
    """Trainings of two seeds that end at once, each after another time."""
    times = count(1.5)

    def run(chunk, *others):
        shares, numbers = np.ones(chunk.S), np.arange(chunk.S)
        columns = shares, numbers + 3.0, shares, numbers, numbers, numbers
        return TrainingOutcome(*columns, 5.0, 20, 1, next(times), StopReason.DONE)

    monkeypatch.setattr("anc.training.distributed.chunk.Chunk.run", run)
    real = problem.from_task
    monkeypatch.setattr(problem, "from_task", lambda task, *others: real(task, pool=60, test=20))


def test_a_table_differs_in_its_seconds_only_and_its_command_can_be_pasted(
    quick_training, tmp_path
):
    words = ("table1", "--tasks", "access, swap", "--seeds", 2, "--settings", "published")
    shown = anc(*words, "-o", tmp_path / "my table")
    assert shown.returncode == 0
    assert "| seconds |" in shown.stdout
    (command,) = re.findall("Command: `(.+?)`", (tmp_path / "my table" / "table1.md").read_text())
    first, *pasted = shlex.split(command)
    assert first == "anc"
    assert anc(*pasted, cwd=tmp_path).returncode == 0
    one, two = tmp_path / "my table", tmp_path / "table1-published"
    assert contents(one) != contents(two)  # the seconds of table1.json
    assert timeless(one) == timeless(two)
    parts = {name for name in contents(one) if name.startswith("chunks/")}
    assert {"table1.md", "table1.json", "table1.png"} == set(contents(one)) - parts
    assert len(parts) == 2


def test_what_a_sweep_writes_does_not_depend_on_time(quick_training, tmp_path):
    (tmp_path / "grid.toml").write_text("rate = { low = 0.1, high = 1.0 }")
    for name in ("one.toml", "two.toml"):
        words = ("--grid", "grid.toml", "--samples", 1, "--seeds", 2, "-o", name)
        assert anc("sweep", "swap", "--settings", "ours", *words, cwd=tmp_path).returncode == 0
    assert (tmp_path / "one.toml").read_bytes() == (tmp_path / "two.toml").read_bytes()


def test_a_table_of_digits_differs_in_its_seconds_only():
    row = Row("sum2", "exact", 5, 0.976, (0.97, 0.98), 0.1, (0.0, 0.2), 0.974, seconds=3.2)
    texts = []
    for seconds in (3.2, 77.0):
        table = Table(5, Training(), "anc experiment digits")
        table.add(replace(row, seconds=seconds))
        texts.append(table.markdown(timed=False))
        assert f"| {seconds:.0f} / - |" in table.markdown()
    assert texts[0] == texts[1]
