"""The proof pool: answers, endings, and what happens when a worker dies."""

from __future__ import annotations

import signal
import time
from collections.abc import Iterator

import pytest

import anc
from anc.adaptation import proof_pool as module
from anc.adaptation.evidence import Evidence, Samples
from anc.adaptation.proof_pool import ProofOrder, ProofPool, Question
from anc.data.tasks import get
from anc.program import Program
from anc.support.clock import Time

GOOD = anc.compile("var k = 4\nk = READ(k)\nWRITE(0, k)\nSTOP()", memory=10)
WRONG = anc.compile("WRITE(0, 3)\nSTOP()", memory=10)


@pytest.fixture
def pool() -> Iterator[ProofPool]:
    pool = ProofPool(anc.load("access"), Samples.of(get("access").draw(True, 60, 1)), ())
    yield pool
    pool.close()


def _always() -> bool:
    return True


def test_two_programs_are_proved_at_a_time(pool: ProofPool) -> None:
    pool.begin(GOOD, 20.0)
    pool.begin(WRONG, 20.0)
    assert not pool.has_room
    found: dict[Program, Evidence] = {}
    while len(found) < 2:
        pool.wait(_always)
        found |= pool.news()
    assert found[GOOD].verdict.proved and found[WRONG].verdict.refuted
    assert not pool.at_work


def test_nothing_is_heard_of_an_abandoned_proof_job(pool: ProofPool) -> None:
    pool.begin(GOOD, 20.0)
    pool.give_up(GOOD)
    assert pool.has_room and not pool.has_news() and not pool.news()


def test_a_process_that_is_killed_proves_nothing_and_the_next_one_works(pool: ProofPool) -> None:
    pool.begin(WRONG, 20.0)
    pool.at_work[WRONG].popen.send_signal(signal.SIGKILL)
    pool.wait(_always)
    evidence = pool.news()[WRONG]
    assert not evidence.verdict.proved and "did not answer" in str(evidence.verdict.reason)
    pool.begin(WRONG, 20.0)
    pool.wait(_always)
    assert "did not answer" not in str(pool.news()[WRONG].verdict.reason)


def test_processes_are_kept_for_the_next_adaptation_unless_they_ended(pool: ProofPool) -> None:
    kept = pool.free[0]
    pool.close()
    assert kept in module._idle
    kept.popen.kill()
    while kept.answers.empty():
        time.sleep(0.01)
    again = ProofPool(pool.question.generic, pool.question.samples, ())
    assert again.free[0] is not kept and kept not in module._idle
    again.close()


def test_waiting_ends_when_nobody_may_wait(pool: ProofPool) -> None:
    pool.begin(GOOD, 20.0)
    pool.wait(lambda: False)
    assert pool.at_work


def test_an_error_inside_a_proof_costs_this_proof_and_not_the_adaptation(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    def broken(*_: object, **__: object) -> None:
        raise TypeError("Cannot compare structured arrays")

    samples = Samples.of(get("access").draw(True, 60, 1))
    order = ProofOrder(GOOD, 5.0)
    question = Question(anc.load("access"), samples, ())
    assert module._evidence(question, order, Time()).verdict.proved
    monkeypatch.setattr(module, "find_evidence", broken)
    found = module._evidence(question, order, Time()).verdict
    assert found.reason == "the proof failed (TypeError: Cannot compare structured arrays)"
