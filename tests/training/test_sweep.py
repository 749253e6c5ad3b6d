"""`anc sweep`: what a grid may say, what is called best, and commands that can be pasted."""

import errno
import json
import re
import shlex
import signal
import sys
import tempfile
from pathlib import Path

import numpy as np
import pytest
from command_line import anc

from anc.commands.progress import Interrupt
from anc.support.diagnostics import AncError
from anc.training.distributed.sweep import grid_settings
from anc.training.result import StopReason, TrainingOutcome
from anc.training.settings import TrainingSettings


def settings_of(**table):
    return grid_settings(TrainingSettings(), table, samples=50, seed=1, where="grid.toml")


def test_lists_are_combined_and_ranges_drawn_as_the_setting_wants():
    found = settings_of(rate=[0.1, 1], optimiser=["adam", "sgd"], batch=2)
    assert len({(one.rate, one.optimiser) for one in found}) == len(found) == 4
    drawn = settings_of(clip={"low": 0, "high": 1}, batch={"low": 1, "high": 64, "scale": "log"})
    assert len({one.clip for one in drawn}) == 50  # not only 0 and 1: it is no whole number
    assert {type(one.batch) for one in drawn} == {int}
    assert {one.batch for one in drawn} <= set(range(1, 65))


@pytest.mark.parametrize(
    ("grid", "message"),
    [
        ("", "grid.toml varies nothing"),
        ("rate = 0.1", "grid.toml varies nothing"),
        ("rate = ", "grid.toml is not TOML"),
        ("rate = []", "grid.toml: the list of 'rate' is empty"),
        ("rate = ['fast']", "grid.toml: rate is 'fast', expected a number"),
        ("rate = [0.1]\nbatch = 1.5", "grid.toml: batch is 1.5, expected a whole number"),
        ("rat = [0.1]", "grid.toml: there is no setting 'rat'\n  help: did you mean 'rate'?"),
        ("rat = {low=1, high=2}", "grid.toml: there is no setting 'rat'"),
        ("optimiser = ['best']", "grid.toml: optimiser is 'best', expected 'adam' or 'sgd'"),
        ("optimiser = {low=0, high=1}", "the range of 'optimiser' is not possible: it is a word"),
        ("rate = {low=1}", "grid.toml: the range of 'rate' has no 'high'"),
        ("rate = {low=1, high=2, step=1}", "the range of 'rate' has an unknown 'step'"),
        ("rate = {low='a', high=2}", "the range of 'rate': 'low' is 'a', expected a number"),
        ("rate = {low=true, high=2}", "the range of 'rate': 'low' is True, expected a number"),
        ("rate = {low=1, high=inf}", "the range of 'rate': 'high' is inf, expected a number"),
        ("batch = {low=0.5, high=2}", "the range of 'batch': 'low' is 0.5, expected a whole"),
        ("rate = {low=-1, high=2}", "grid.toml: rate is -1.0, expected a number from 1e-30 to"),
        ("rate = {low=2, high=1}", "the range of 'rate' goes from 2 to 1: 'low' must be less"),
        ("rate = {low=0, high=1, scale='log'}", "'low' is 0, but a log scale begins above 0"),
        ("rate = {low=1, high=2, scale='up'}", "'scale' is 'up', expected linear or log"),
        ("rate = {low=1, high=2}\nbatch = [1, 2]", "these are 2,000,000 settings"),
    ],
)
def test_what_is_wrong_with_a_grid_names_the_key(tmp_path, grid, message):
    (tmp_path / "grid.toml").write_text(grid)
    done = anc(
        "sweep", "access", "--grid", "grid.toml", "--samples", 1_000_000, "--seeds", 1,
        cwd=tmp_path,
    )  # fmt: skip
    assert done.returncode == 2
    assert message in done.stderr
    assert not (tmp_path / "best.toml").exists()


@pytest.fixture
def sweep(tmp_path, monkeypatch):
    """A sweep whose members end with these steps, in the order of settings and seeds; 0: no success."""

    def swept(*words, grid="rate = [0.1, 0.2, 0.3]", steps=(), interrupted=False):
        (tmp_path / "grid.toml").write_text(grid)
        found = iter(steps)

        def run(chunk, should_stop, after_part):
            if interrupted:
                asked.handle(signal.SIGINT)
            ends = np.array([next(found) for _ in range(chunk.S)], float)
            right, zeros = (ends > 0).astype(float), np.zeros(chunk.S, int)
            return TrainingOutcome(
                right, ends, right, zeros, zeros, zeros, 9.0, 5, chunk.end, 1.0, StopReason.DONE
            )

        asked = Interrupt()
        monkeypatch.setattr("anc.training.distributed.chunk.Chunk.run", run)
        monkeypatch.setattr("anc.commands.progress.Interrupt", lambda: asked)
        return anc("sweep", "access", "--grid", "grid.toml", "--seeds", 2, *words, cwd=tmp_path)

    return swept


def test_nothing_that_never_succeeds_is_called_best(sweep, tmp_path):
    done = sweep(steps=(0, 0, 0, 0, 0, 0))
    assert done.returncode == 1
    assert "no setting succeeded" in done.stdout
    assert "best.toml was not written" in done.stdout
    assert not (tmp_path / "best.toml").exists()


def test_the_best_succeeds_most_often_and_ties_are_told(sweep, tmp_path):
    done = sweep(steps=(3, 0, 4, 4, 4, 4))
    assert done.returncode == 0
    assert "the first of 2 settings that are equally good is in best.toml" in done.stdout
    assert "rate = 0.2\n" in (tmp_path / "best.toml").read_text()
    other = sweep("-o", "other.toml", steps=(3, 0, 4, 4, 4, 5))
    assert "; the best is in other.toml" in other.stdout


def test_an_interrupted_sweep_ranks_what_was_trained_and_goes_on(sweep, tmp_path):
    grid = "rate = [0.1, 0.2]\nbatch = [1, 2]"  # settings of one batch are trained side by side
    done = sweep(grid=grid, steps=(3, 3, 4, 4), interrupted=True)
    assert "interrupted: 4 of 8 trainings are done, 2 settings not begun" in done.stdout
    assert "rate = 0.1\n" in (tmp_path / "best.toml").read_text()
    done = sweep("--json", grid=grid, steps=(0, 0, 2, 2))
    assert "4 of them were trained before, in best.chunks" in done.stderr
    found = json.loads(done.stdout)
    assert (found["trained"], found["trainings"]) == (8, 8)
    assert (found["best"]["rate"], found["best"]["batch"]) == (0.2, 2)


def test_a_changed_grid_trains_only_what_is_new_in_it(sweep):
    assert sweep(grid="rate = [0.1, 0.2]", steps=(3, 3, 4, 4)).returncode == 0
    done = sweep(grid="rate = [0.1, 0.3, 0.2]", steps=(2, 2))
    assert done.stdout.splitlines()[1].endswith("rate=0.3")
    done = sweep("--settings", "published", grid="rate = [0.1]", steps=(5, 5))
    assert done.stdout.splitlines()[1].split()[-2:] == ["5.00", "rate=0.1"]


def test_what_cannot_be_kept_is_said_after_what_was_found(sweep, tmp_path, monkeypatch):
    def fails(*given):
        raise AncError("cannot write x: no space left on device")

    monkeypatch.setattr("anc.training.distributed.scheduler.OutcomeStore.put", fails)
    done = sweep(steps=(3, 3, 4, 4, 4, 4))
    assert done.returncode == 2
    assert "no space left" in done.stderr
    assert "the best is in best.toml" in done.stdout


def test_where_nothing_can_be_kept_nothing_is_trained(sweep, tmp_path):
    (tmp_path / "best.chunks").write_text("mine")
    done = sweep()
    assert done.returncode == 2
    assert "cannot save trainings in best.chunks: it is not a folder" in done.stderr


def test_a_folder_that_cannot_be_written_is_named(sweep, tmp_path, monkeypatch):
    real = tempfile.TemporaryFile

    def refuse(*given, dir, **more):
        if Path(dir).name == "kept":
            raise PermissionError(errno.EACCES, "Permission denied")
        return real(*given, dir=dir, **more)

    (tmp_path / "kept").mkdir()
    monkeypatch.setattr(tempfile, "TemporaryFile", refuse)
    done = sweep("--keep", "kept/of/access")
    assert done.returncode == 2
    assert "cannot write into kept/of/access: Permission denied" in done.stderr
    figure = anc("figure", "access", "-o", "kept", cwd=tmp_path)
    assert figure.returncode == 2 and "cannot write into kept: Permission" in figure.stderr


def pasted(text: str) -> list[str]:
    """The words after `anc` in the one command that a text suggests."""
    (command,) = re.findall(r"^  anc (.+)$", text, flags=re.MULTILINE)
    return shlex.split(command)


def test_the_suggested_command_can_be_pasted(sweep, tmp_path, monkeypatch):
    (tmp_path / "a b.jsonl").write_text('{"input": [3, 1, 2, 3, 4]}\n' * 40)
    words = ("--data", "a b.jsonl", "--memory", "10", "-o", "ours")
    done = sweep(*words, steps=(3, 0, 4, 4, 4, 4))
    command = pasted(done.stdout)
    assert command == [
        "train", "access", "--data", "a b.jsonl", "--memory", "10", "--settings", "./ours",
    ]  # fmt: skip
    begun = []
    monkeypatch.setattr("anc.training.training.Training", lambda *given: begun.append(given))
    monkeypatch.setattr("anc.training.training.run", lambda *given: sys.exit(0))
    assert anc(*command, cwd=tmp_path).returncode == 0
    ((problem, members, _),) = begun
    assert (problem.name, problem.M, members.shared.rate) == ("access", 10, 0.2)
