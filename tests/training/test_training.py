"""Populations, checkpoints, run folders: what can be interrupted, resumed and believed."""

import json
import os
import signal
import subprocess
import sys
import time
from itertools import pairwise

import numpy as np
import pytest
from command_line import anc

from anc.data import tasks
from anc.machine.files import read_tensors, tensors_as_bytes
from anc.machine.weights import harden
from anc.support.diagnostics import AncError
from anc.support.folders import TRAINING, claimed
from anc.training import fused, problem
from anc.training.engines import check_memory
from anc.training.folder import RunFolder
from anc.training.members import Members, learnt_weights, starting_weights
from anc.training.result import StopReason, decompiled
from anc.training.settings import TrainingSettings, changed, load_settings
from anc.training.training import Training, run

ANC = [sys.executable, "-m", "anc.commands.main"]


def members(settings, seeds):
    return Members.alike(settings, seeds)


def access(**values):
    return changed(load_settings("access", "published"), values)


@pytest.fixture(scope="module")
def given():
    return problem.from_task(tasks.get("access"), pool=512, test=1000)


def test_access_is_learnt_as_often_as_in_the_paper(given):
    result = run(Training(given, members(access(), 60), fused))
    assert 0.2 < result.succeeded.mean() < 0.6  # the paper: 37 %
    assert result.steps[result.best_member] == 3
    best = decompiled(result)
    assert best.reading.kind == 1
    assert best.reading.program is not None


def test_no_set_of_cases_is_another(given):
    sets = [given.pool, given.validation, given.confirmation, given.test]
    for i, one in enumerate(sets):
        for other in sets[:i]:
            assert one[:50] != other[:50]
    assert len(given.test) >= 1000


def test_the_best_checkpoint_is_kept_not_the_last(given):
    training = Training(given, members(access(iterations=600), 20), fused)
    seen = []
    while not training.is_done:
        training.advance()
        seen.append((training.best.right.copy(), training.best.steps.copy()))
    for (right, steps), (right2, steps2) in pairwise(seen):
        better = (right2 > right) | ((right2 == right) & (steps2 <= steps))
        assert better.all()


def test_members_do_not_depend_on_each_other(given):
    many = run(Training(given, members(access(iterations=200), 9), fused))
    few = run(Training(given, members(access(iterations=200), 2), fused))
    assert np.array_equal(many.weights[:2], few.weights)


def test_members_may_differ_in_loss_weights_rate_clip_and_sharpness(given):
    rows = [access(iterations=100, rate=0.5, sharpness=3.0), access(iterations=100)]
    both = run(Training(given, Members(tuple(rows), (0, 0)), fused))
    for i, row in enumerate(rows):
        alone = run(Training(given, Members((row,), (0,)), fused))
        assert np.array_equal(alone.weights[0], both.weights[i])
    with pytest.raises(ValueError, match="batch"):
        Members((access(batch=1), access(batch=2)), (0, 0))


def test_restarts_give_members_that_found_nothing_another_start(given):
    settings = access(iterations=3000, restart_after=500)
    result = run(Training(given, members(settings, 40), fused))
    assert result.attempts.max() >= 3
    assert result.succeeded.mean() > 0.6
    assert (result.attempts[result.succeeded] == 0).any()


def test_starting_points(given):
    soft = starting_weights(given, access(sharpness=2.0), 3)
    exact = starting_weights(given, access(start="exact"), 3)
    random = starting_weights(given, access(start="random"), 3)
    assert soft.op.max() == 2.0
    assert exact.op.max() == 30.0
    assert harden(exact) == harden(soft) == given.program
    assert np.abs(random.op).max() < 6
    assert random.op.std() == pytest.approx(1, abs=0.2)
    spread = [starting_weights(given, access(sharpness_spread=0.2), s).op.max() for s in range(9)]
    assert len(set(spread)) == 9
    assert all(1.6 <= value <= 2.4 for value in spread)


def test_a_random_start_is_pulled_to_the_generic_program(given):
    settings = access(
        start="random", pull_weights=1.0, pull_probabilities=1.0, pull_until=1.0, rate=0.1,
        optimiser="adam", correctness=0.0, halting=0.0, iterations=400, sharpness=6.0,
    )  # fmt: skip
    training = Training(given, members(settings, 3), fused)
    run(training)
    for flat in training.state.weights:
        found = learnt_weights(given, settings, flat)
        assert harden(found).lines[: given.program.L] == given.program.lines


def test_a_run_that_is_stopped_keeps_its_best(given):
    asked = iter([False, False, True])
    result = run(Training(given, members(access(), 5), fused), lambda: next(asked))
    assert result.stop is StopReason.INTERRUPTED
    assert result.summary()["stop"] == "interrupted"
    assert len(result.steps) == 5


def test_settings_are_checked():
    for values, words in [
        ({"rat": 1}, "did you mean 'rate'"),
        ({"rate": -1}, "rate is -1"),
        ({"rate": "x"}, "expected a number"),
        ({"batch": 0}, "batch is 0"),
        ({"batch": 1.5}, "whole number"),
        ({"optimiser": "adm"}, "'adam' or 'sgd'"),
        ({"threshold": 2.0}, "from 0.001 to 0.999"),
    ]:
        with pytest.raises(AncError) as caught:
            changed(TrainingSettings(), values)
        assert words in str(caught.value)


def test_settings_survive_toml(tmp_path):
    import tomllib

    for name in ("access", "sort"):
        settings = load_settings(name, "published")
        assert changed(TrainingSettings(), tomllib.loads(settings.to_toml())) == settings


def test_a_population_that_is_too_big_is_refused(given):
    huge = changed(TrainingSettings(), {"batch": 10_000, "max_steps": 100_000})
    with pytest.raises(AncError, match="lower --seeds, --batch"):
        check_memory(given, members(huge, 1000), "jax")


def test_a_folder_is_not_overwritten(given, tmp_path):
    folder = RunFolder(tmp_path / "run")
    origin = {
        "kind": "task",
        "name": "access",
        "biased": True,
        "seed": 0,
        "pool": 512,
        "test": 1000,
    }
    with claimed(folder.path, TRAINING) as place:
        folder.begin(place, given, members(access(), 3), "fused", origin)
    with pytest.raises(AncError, match="already holds a training run"):
        claimed(folder.path, TRAINING).__enter__()
    assert folder.members() == members(access(), 3)


WORDS = ["train", "listk", "--seeds", "6", "--settings", "published", "--iterations", "400"]
WORDS += ["--validate-every", "10", "--restart-after", "200", "--noise", "0.01"]


def final(folder):
    summary = json.loads((folder / "summary.json").read_text())
    for changing in ("seconds",):
        del summary[changing]
    metrics = (folder / "metrics.jsonl").read_text()
    return summary, metrics, (folder / "state.safetensors").read_bytes()[-5000:]


def test_a_run_that_an_older_version_began_goes_on(tmp_path):
    words = ("train", "access", "--seeds", 2, "--iterations", 20, "-o", tmp_path / "run")
    assert anc(*words).returncode in (0, 1)
    state = tmp_path / "run" / "state.safetensors"
    arrays, about = read_tensors(state)
    del arrays["best_promise"]
    state.write_bytes(tensors_as_bytes(arrays, about))
    assert anc("train", "--resume", "-o", tmp_path / "run").returncode in (0, 1)


def test_resuming_after_kill_9_ends_in_the_same_result(tmp_path):
    whole = tmp_path / "whole"
    anc(*WORDS, "-o", whole)
    cut = tmp_path / "cut"
    command = [*ANC, *WORDS, "-o", cut]
    for lines in (2, 9):
        process = subprocess.Popen(command, stderr=subprocess.PIPE, stdout=subprocess.PIPE)
        wait_for(lambda lines=lines: noted(cut) >= lines)
        assert process.poll() is None
        os.kill(process.pid, signal.SIGKILL)
        process.communicate()
        command = [*ANC, "train", "--resume", "-o", cut]
    anc("train", "--resume", "-o", cut)
    assert final(cut) == final(whole)


def noted(folder):
    """How many times a run was validated so far."""
    metrics = folder / "metrics.jsonl"
    return metrics.read_text().count("\n") if metrics.exists() else 0


def wait_for(condition):
    while not condition():
        time.sleep(0.005)


def test_a_run_is_its_own_until_a_signal_ends_it_with_the_best_so_far(tmp_path):
    command = [
        *ANC,
        "train",
        "listk",
        "--seeds",
        "4",
        "--iterations",
        "1000000",
        "-o",
        tmp_path / "r",
    ]
    process = subprocess.Popen(command, stderr=subprocess.PIPE, stdout=subprocess.PIPE, text=True)
    wait_for(lambda: noted(tmp_path / "r") > 0)
    refused = anc("train", "--resume", "-o", tmp_path / "r")
    assert refused.returncode == 2
    assert f"is in use by process {process.pid} (anc train listk --seeds 4" in refused.stderr
    process.send_signal(signal.SIGTERM)
    out, err = process.communicate(timeout=60)
    assert process.returncode in (0, 1)  # as its answer says
    assert "interrupted" in out
    assert "Traceback" not in err
    assert (tmp_path / "r" / "best.safetensors").exists()


def test_a_user_s_own_program_and_cases(tmp_path):
    program = tmp_path / "mine.anc"
    program.write_text(
        "memory 10\nvar x = 0\nx = READ(x)\nx = INC(x)\nx = DEC(x)\nWRITE(1, x)\nSTOP()\n"
    )
    data = tmp_path / "cases.jsonl"
    data.write_text("".join(f'{{"input": [{i % 8}, 0], "mask": [0, 1]}}\n' for i in range(40)))
    done = anc(
        "train", program, "--data", data, "--seeds", "4", "--iterations", "50", "--json"
    )  # fmt: skip
    assert done.returncode in (0, 1), done.stderr
    assert "24 cases to train on, 8 to choose with, 8 to report on" in done.stderr
    assert json.loads(done.stdout)["steps_generic"] == 5


@pytest.mark.parametrize(
    ("words", "message"),
    [
        (["train"], "name a task or a program"),
        (["train", "lisk"], "did you mean the shipped program 'listk'?"),
        (["train", "listk", "--resume"], "--resume needs the folder"),
        (
            ["train", "listk", "--resume", "-o", "nowhere"],
            "everything from the folder, found 'listk'",
        ),
        (["train", "--resume", "-o", "nowhere", "--seeds", 5], "found '--seeds' as well"),
        (["train", "--resume", "-o", "nowhere", "--engine", "fused"], "found '--engine' as well"),
        (["train", "--resume", "-o", "nowhere", "--rate", 0.1], "found '--rate' as well"),
        (["train", "--resume", "-o", "nowhere"], "holds no run"),
        (["train", "listk", "--settings", "none.toml"], "cannot read none.toml"),
        (["train", "copy", "--settings", "published"], "no published settings for 'copy'"),
        (["train", "listk", "--rate", "-1"], "'-1' is not a number from"),
        (["train", "listk", "--data", "none.jsonl"], "none.jsonl"),
        (["sample", "lisk"], "listk"),
        (["sweep", "listk", "--grid", "none.toml"], "cannot read none.toml"),
        (["table1", "--tasks", "acess"], "access"),
    ],
)
def test_wrong_usage(words, message, tmp_path):
    done = anc(*words, cwd=tmp_path)
    assert done.returncode == 2
    assert message in done.stderr


@pytest.mark.parametrize("share", [5e-324, 1e-320, 1e-9, 0.1])
def test_a_ramp_shorter_than_an_iteration_is_over_after_one(share):
    """And nothing overflows on the way, which numpy would warn of."""
    settings = TrainingSettings(iterations=10, efficiency_ramp=share, pull_until=share)
    with np.errstate(over="raise"):
        schedule = Members.alike(settings, 1, 0).schedule(0, 10)
    assert schedule.efficiency_scale.tolist() == [0, *[1] * 9]
    assert not schedule.pull_weights[1:].any()
