"""Successive halving: who goes on, how much work that is, and that stopping on the way changes nothing."""

import json
import re
import signal
from dataclasses import replace
from fractions import Fraction
from itertools import pairwise

import numpy as np
import pytest
from command_line import anc
from hypothesis import given
from hypothesis import strategies as st

from anc import sweep
from anc.commands.progress import LiveTable
from anc.data.tasks import get
from anc.training.distributed.chunk import chunks_of, portable
from anc.training.distributed.executor import Local
from anc.training.distributed.halving import (
    SHARES,
    Halving,
    SettingScore,
    climb,
    sizes,
    survivors,
    until,
)
from anc.training.distributed.scheduler import OutcomeStore, outcomes
from anc.training.members import Members
from anc.training.problem import from_task
from anc.training.result import COLUMNS
from anc.training.settings import TrainingSettings, changed, load_settings
from anc.training.training import promise_of

SCORES = st.builds(SettingScore, st.integers(0, 20), st.floats(0, 1))


@given(st.lists(SCORES, min_size=1, max_size=60), st.data())
def test_the_best_of_each_rung_go_on_and_others_never_come_back(first, data):
    def train(rung, settings):
        assert rung == len(seen)
        found = dict(enumerate(first)) if rung == 0 else {n: data.draw(SCORES) for n in settings}
        seen.append((settings, found))
        return found

    seen = []
    rungs = list(climb(len(first), train))
    assert [(rung.settings, rung.scores) for rung in rungs] == seen
    assert [len(rung.settings) for rung in rungs] == sizes(len(first))
    for rung, later in pairwise(rungs):
        dropped = set(rung.settings) - set(later.settings)
        assert set(later.settings) < set(rung.settings) or len(rung.settings) == 1
        worst = min(rung.scores[number] for number in later.settings)
        assert all(rung.scores[number] <= worst for number in dropped)


@given(st.integers(1, 400), st.integers(0, 399))
def test_a_setting_that_always_looks_best_reaches_the_end(count, best):
    best %= count

    def train(rung, settings):
        return {
            n: SettingScore(3, 1.0) if n == best else SettingScore(3, 1 / (2 + n)) for n in settings
        }

    *_, last = climb(count, train)
    assert last.number == len(SHARES) - 1
    assert best in last.settings


@given(st.integers(1, 10_000), st.integers(1, 500))
def test_rungs_end_at_validations_and_are_within_their_share(iterations, every):
    settings = TrainingSettings(iterations=iterations, validate_every=every)
    ends = [until(settings, rung) for rung in range(len(SHARES))]
    assert ends == sorted(ends)
    assert ends[-1] == iterations
    for end, share in zip(ends[:-1], SHARES, strict=False):
        assert end % every == 0 or end == iterations
        assert end <= max(every, iterations * share)


@given(st.integers(16, 10_000))
def test_it_is_less_than_a_third_of_the_work(count):
    settings = TrainingSettings(iterations=1200, validate_every=50)
    ends = [0, *(until(settings, rung) for rung in range(len(SHARES)))]
    work = sum(
        n * (end - begin) for n, begin, end in zip(sizes(count), ends, ends[1:], strict=False)
    )
    assert work * 3 < count * 1200


def test_of_equals_the_first_ones_go_on():
    half = Fraction(1, 2)
    assert survivors(dict.fromkeys(range(7), SettingScore(0, 0.5)), half) == [0, 1, 2, 3]
    assert survivors(
        {0: SettingScore(1, 0.9), 1: SettingScore(2, 0.1), 2: SettingScore(1, 0.95)}, half
    ) == [1, 2]


# All that changes over a run, and restarts, so that stopping could disturb each of them.
SETTINGS = changed(
    load_settings("access", "published"),
    {
        "iterations": 80,
        "validate_every": 10,
        "optimiser": "adam",
        "rate_schedule": "cosine",
        "noise": 0.01,
        "pull_weights": 0.01,
        "pull_probabilities": 0.01,
        "pull_until": 0.8,
        "efficiency": 0.1,
        "efficiency_ramp": 0.7,
        "restart_after": 20,
    },
)
PLANS = [replace(SETTINGS, rate=rate) for rate in (0.01, 0.03, 0.1, 0.2, 0.3, 0.5, 1.0, 3.0, 9.0)]
PROBLEM = portable(from_task(get("access"), pool=50, test=20))
PARTS = [chunks_of(PROBLEM, Members.alike(plan, 4)) for plan in PLANS]


def trained(chunks, store=None, told=None, stop_after=None):
    told = [] if told is None else told
    stop = lambda: stop_after is not None and len(told) >= stop_after  # noqa: E731
    return outcomes(chunks, Local(1), store, stop, told.append)


@pytest.fixture(scope="module")
def whole() -> Halving:
    halving = Halving(PARTS, trained)
    list(halving.climb())
    return halving


def test_a_setting_that_reaches_the_end_by_rungs_is_the_same_as_one_that_never_stopped(whole):
    assert sorted(whole.rungs.values()) == [0] * 4 + [1] * 3 + [2] + [3]
    ends = [10, 20, 40, 80]
    assert all(
        one.iteration == ends[whole.rungs[n]]
        for n, found in whole.outcomes.items()
        for one in found
    )
    trained_for = sum(one.S * one.iteration for found in whole.outcomes.values() for one in found)
    assert trained_for == 4 * (9 * 10 + 5 * 10 + 2 * 20 + 1 * 40)
    for number in (number for number, rung in whole.rungs.items() if rung == 3):
        (part,), (found,) = PARTS[number], whole.outcomes[number]
        alone = part.run()
        assert alone.attempts.max() > 0  # some started again
        for name in COLUMNS:
            np.testing.assert_array_equal(getattr(found, name), getattr(alone, name), err_msg=name)


def test_an_interrupted_climb_goes_on_and_ends_the_same(whole, tmp_path):
    store, told = OutcomeStore(tmp_path), []
    for stop_after in (1, 2, 5):  # validations, in all
        halving = Halving(PARTS, lambda chunks, n=stop_after: trained(chunks, store, told, n))
        *_, last = halving.climb()
        assert len(last.scores) < len(last.settings)
    again = Halving(PARTS, lambda chunks: trained(chunks, store, told))
    list(again.climb())
    assert again.rungs == whole.rungs
    for number, found in again.outcomes.items():
        for one, other in zip(found, whole.outcomes[number], strict=True):
            for name in COLUMNS:
                assert np.array_equal(getattr(one, name), getattr(other, name))
    before = len(told)
    list(Halving(PARTS, lambda chunks: trained(chunks, store, told)).climb())
    assert len(told) == before  # nothing was left to do


def test_trainings_too_short_for_rungs_are_trained_once():
    short = replace(SETTINGS, iterations=5)
    asked = []

    def train(chunks):
        asked.extend(chunks)
        return trained(chunks)

    halving = Halving([chunks_of(PROBLEM, Members.alike(short, 2))] * 2, train)
    assert [rung.settings for rung in halving.climb()] == [[0, 1], [0], [0], [0]]
    assert [chunk.until for chunk in asked] == [None, None]


def test_promise_is_of_cases_right_and_time_saved():
    right, running = np.array([1.0, 0.5, 1.0, 0.0, 1.0]), np.array([10.0, 5.0, 5.0, 1.0, 20.0])
    assert promise_of(right, running, 10.0).tolist() == [0.0, 0.125, 0.5, 0.0, 0.0]


GRID = {"rate": [0.03, 0.1, 0.3, 1.0, 3.0]}
FIXED = {"iterations": 80, "validate_every": 10}


@pytest.fixture
def swept(tmp_path):
    """The command on a small grid, with one worker."""
    values = {**GRID, **FIXED}
    (tmp_path / "grid.toml").write_text("".join(f"{k} = {v}\n" for k, v in values.items()))
    words = ("sweep", "access", "--grid", "grid.toml", "--seeds", 2, "--jobs", 1, "--halving")
    return lambda *more: anc(*words, *more, cwd=tmp_path)


def timeless(data: dict) -> dict:
    return {key: value for key, value in data.items() if key not in ("seconds", "wrote")}


def test_the_command_says_who_went_how_far(swept):
    done = swept()
    rungs = re.findall("rung . of 4: .*", done.stderr)
    assert rungs == [
        "rung 1 of 4: 5 settings up to 1/8 of the iterations",
        "rung 2 of 4: 3 settings up to 1/4 of the iterations",
        "rung 3 of 4: 1 setting up to 1/2 of the iterations",
        "rung 4 of 4: 1 setting up to the end",
    ]
    assert done.stdout.count("(up to iteration 20)") == 2
    assert done.stdout.count("(up to iteration 10)") == 2
    assert "2 of 10 trainings went to the end: 0.35 of the work" in done.stdout


def test_python_and_the_command_find_the_same(swept):
    data = json.loads(swept("--json").stdout)
    assert [row["iterations"] for row in data["rows"]] == [80, 20, 20, 10, 10]
    assert data["work"] == (5 * 10 + 3 * 10 + 70 - 10) / (5 * 80)
    told = []
    found = sweep("access", GRID, seeds=2, jobs=1, halving=True, tell=told.append, **FIXED)
    assert timeless(json.loads(json.dumps(found.to_dict()))) == timeless(data)
    assert len(told) == 5 + 3 + 1 + 1


def test_after_an_interruption_the_same_command_goes_on_and_ends_the_same(swept, monkeypatch):
    whole = swept("--json", "--keep", "elsewhere")
    real, asked = LiveTable.tell, []

    def interrupted(self, standing):
        real(self, standing)
        if standing.first == 40 and not asked:  # in the last rung
            asked.append(signal.raise_signal(signal.SIGINT))

    with monkeypatch.context() as patched:
        patched.setattr(LiveTable, "tell", interrupted)
        done = swept()
    assert "interrupted: 0 of 10 trainings are done; the same command continues" in done.stdout
    assert "(up to iteration 50)" in done.stdout.splitlines()[1]  # it is ranked first
    again = swept("--json")
    assert "10 of them were trained before" in again.stderr
    assert timeless(json.loads(again.stdout)) == timeless(json.loads(whole.stdout))
