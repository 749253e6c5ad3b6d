"""Examinations in another process: answers, endings, and what happens when the process is gone."""

from __future__ import annotations

import signal
import time
from collections.abc import Iterator

import pytest

import anc
from anc.adaptation import proof_pool as module
from anc.adaptation.evidence import Evidence, Samples
from anc.adaptation.proof_pool import Examiner, Order, Question
from anc.data.tasks import get
from anc.program import Program
from anc.support.clock import Time

GOOD = anc.compile("var k = 4\nk = READ(k)\nWRITE(0, k)\nSTOP()", memory=10)
WRONG = anc.compile("WRITE(0, 3)\nSTOP()", memory=10)


@pytest.fixture
def examiner() -> Iterator[Examiner]:
    examiner = Examiner(anc.load("access"), Samples.of(get("access").draw(True, 60, 1)), ())
    yield examiner
    examiner.close()


def _always() -> bool:
    return True


def test_two_programs_are_examined_at_a_time(examiner: Examiner) -> None:
    examiner.begin(GOOD, 20.0)
    examiner.begin(WRONG, 20.0)
    assert not examiner.has_room
    found: dict[Program, Evidence] = {}
    while len(found) < 2:
        examiner.wait(_always)
        found |= examiner.news()
    assert found[GOOD].verdict.proved and found[WRONG].verdict.refuted
    assert not examiner.at_work


def test_an_examination_that_is_given_up_is_not_heard_of(examiner: Examiner) -> None:
    examiner.begin(GOOD, 20.0)
    examiner.give_up(GOOD)
    assert examiner.has_room and not examiner.has_news() and not examiner.news()


def test_a_process_that_is_killed_proves_nothing_and_the_next_one_works(examiner: Examiner) -> None:
    examiner.begin(WRONG, 20.0)
    examiner.at_work[WRONG].process.popen.send_signal(signal.SIGKILL)
    examiner.wait(_always)
    evidence = examiner.news()[WRONG]
    assert not evidence.verdict.proved and "did not answer" in str(evidence.verdict.reason)
    examiner.begin(WRONG, 20.0)
    examiner.wait(_always)
    assert "did not answer" not in str(examiner.news()[WRONG].verdict.reason)


def test_processes_are_kept_for_the_next_adaptation_unless_they_ended(examiner: Examiner) -> None:
    kept = examiner.free[0]
    examiner.close()
    assert kept in module._idle
    kept.popen.kill()
    while kept.answers.empty():
        time.sleep(0.01)
    again = Examiner(examiner.question.generic, examiner.question.samples, ())
    assert again.free[0] is not kept and kept not in module._idle
    again.close()


def test_waiting_ends_when_nobody_may_wait(examiner: Examiner) -> None:
    examiner.begin(GOOD, 20.0)
    examiner.wait(lambda: False)
    assert examiner.at_work


def test_an_error_inside_a_proof_costs_this_proof_and_not_the_adaptation(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    def broken(*_: object, **__: object) -> None:
        raise TypeError("Cannot compare structured arrays")

    samples = Samples.of(get("access").draw(True, 60, 1))
    order = Order(GOOD, 5.0)
    question = Question(anc.load("access"), samples, ())
    assert module._evidence(question, order, Time()).verdict.proved
    monkeypatch.setattr(module, "examine", broken)
    found = module._evidence(question, order, Time()).verdict
    assert found.reason == "the proof failed (TypeError: Cannot compare structured arrays)"
