"""Work instead of seconds: the same seed gives the same result, whatever the machine does meanwhile."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
import time
from threading import Timer

import pytest
from command_line import anc as shell

import anc
from anc.adaptation import proof_pool
from anc.adaptation.adapt import adapt
from anc.adaptation.proof_pool import ProofOrder
from anc.data.tasks import get
from anc.search.portfolio import Portfolio
from anc.support import limits
from anc.support.clock import Clock
from anc.support.diagnostics import AncError
from anc.support.job import Job
from anc.training.problem import from_task

WORDS = ["adapt", "swap", "--evaluations", "30000", "--seed", "3", "--json"]


def a_busy_machine_with(cores: int, monkeypatch: pytest.MonkeyPatch) -> None:
    """The search and the queue are held up by turns, each where the other is not."""
    send, work, turns = proof_pool._Prover.send, Portfolio.work, iter(range(10_000))

    def send_and_hold(self, message) -> None:
        send(self, message)
        if isinstance(message, ProofOrder):
            self.popen.send_signal(signal.SIGSTOP)
            Timer(0.3, lambda: self.popen.send_signal(signal.SIGCONT)).start()

    def work_slowly(self, name: str) -> None:
        work(self, name)
        time.sleep(0.05 * (next(turns) % 5 == 0))

    monkeypatch.setattr(proof_pool._Prover, "send", send_and_hold)
    monkeypatch.setattr(Portfolio, "work", work_slowly)
    for user in ("anc.search.search.cores", "anc.adaptation.adapt.cores"):
        monkeypatch.setattr(user, lambda: cores)


@pytest.mark.skipif(sys.platform == "win32", reason="a process cannot be held up")
def test_the_same_seed_and_evaluations_give_the_same_result_anywhere(monkeypatch) -> None:
    other = subprocess.Popen(
        [sys.executable, "-m", "anc.commands.main", *WORDS],
        env=os.environ | {"PYTHONHASHSEED": "12345"},
        stdout=subprocess.PIPE,
        text=True,
    )
    a_busy_machine_with(5, monkeypatch)
    here = json.loads(shell(*WORDS).stdout)
    there = json.loads(other.communicate(timeout=120)[0])
    assert here == there
    assert here["steps_adapted"] == 5 and here["verdict"] == "proved"
    assert 0 < here["evaluations"] <= 30_001


def test_how_a_search_ends_is_said() -> None:
    short = anc.adapt("access", evaluations=15_000, method="search")
    assert short.stop == "out of evaluations" and short.evaluations <= 15_000
    done = anc.adapt("access", evaluations=500_000, method="specialise")
    assert done.stop == "done" and done.evaluations < 400_000


@pytest.mark.parametrize("budget", [20_000, 40_000])
def test_patience_does_not_become_less_with_the_budget(budget, monkeypatch) -> None:
    monkeypatch.setattr("anc.adaptation.adapt.PATIENCE", 0.005)
    monkeypatch.setattr("anc.adaptation.adapt.FIRST_LOOK", 0.002)
    result = anc.adapt("access", evaluations=budget, method="search")
    assert result.stop == "nothing better for 9,000 evaluations"


def test_whether_a_result_can_be_had_again_is_said_in_one_note() -> None:
    done = anc.adapt("access", budget=4, method="specialise")
    assert done.evaluations is None and done.to_dict()["evaluations"] is None
    (note,) = [note for note in done.notes if "--evaluations" in note]
    assert "gives the same result everywhere" in note
    counted = anc.adapt("access", evaluations=20_000)
    assert "the same seed and evaluations give this result on any machine" in counted.notes[-1]
    assert "gradient descent" in counted.notes[-1] and not any("--ev" in n for n in counted.notes)


def test_what_is_suggested_is_what_the_budget_is_worth(monkeypatch) -> None:
    times = iter([0.0, 2.0])
    monkeypatch.setattr("anc.support.clock.time.monotonic", lambda: next(times))
    clock = Clock(60.0)
    clock.did(246_800)
    assert clock.worth == 7_500_000  # 123,400 in a second, in round numbers


def test_a_budget_is_of_one_kind() -> None:
    for words, problem in [
        (["--evaluations", "1000", "--budget", "5s"], "exclude each other"),
        (["--evaluations", "0"], "Invalid value"),
        (["--evaluations", "many"], "Invalid value"),
        (["--evaluations", "9" * 500], "is not a whole number from 1"),
    ]:
        done = shell("adapt", "access", *words)
        assert done.returncode == 2 and problem in done.stderr
    for number in (0, -3, True, 1.5, "1000", limits.EVALUATIONS.most + 1):
        with pytest.raises(AncError, match="expected a whole number from 1 to"):
            anc.adapt("access", evaluations=number)


def test_an_interrupted_run_does_not_promise_to_be_the_same() -> None:
    looks = iter(range(1_000_000))
    problem = from_task(get("access"), True, 0)
    result = adapt(problem, Job(evaluations=40_000, asked_to_stop=lambda: next(looks) > 30))
    assert result.stop == "interrupted"
    assert result.notes[-1].startswith("without the interruption")
