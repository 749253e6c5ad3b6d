"""Cases beside the samples: drawn once, never those of the report, and what fails on them is no answer."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from random import Random

import numpy as np
import pytest

import anc
from anc.adaptation.evidence import Evidence, Samples
from anc.adaptation.extra_cases import Drawn
from anc.adaptation.proof_pool import ProofPool
from anc.adaptation.proof_queue import AGAIN, PROOF, ProofQueue
from anc.data.tasks import Case
from anc.data.tasks.data import Given, more_cases
from anc.machine import exact
from anc.program import Program
from anc.proof import parse_fact
from anc.proof.verdict import proved, refuted, unknown
from anc.search import Found
from anc.support.clock import Clock
from anc.support.diagnostics import AncError
from anc.training.problem import Problem, from_cases

M = 32
GENERIC = anc.compile("var x; x = READ(0); x = INC(x); x = DEC(x); WRITE(1, x); STOP()", memory=M)
RIGHT = anc.compile("var x; x = READ(0); WRITE(1, x); STOP()", memory=M)
BELOW_30 = anc.compile("var x; x = READ(0); x = MIN(x, 29); WRITE(1, x); STOP()", memory=M)


def case(*cells: int) -> Case:
    tape = (*cells, *[0] * (M - len(cells)))
    return Case(tape, exact.run(GENERIC, tape, 99).tape, (True,) * M)


def problem(more: list[Case], given: int = 60) -> Problem:
    """Samples with numbers below 20, and what a generator draws after them."""
    cases = [case(i % 20, 0, i // 20) for i in range(given)]
    return from_cases("copying", GENERIC, "", cases, more=lambda: iter(more))


def drawn(given: Problem, assumed: str = "") -> Drawn:
    facts = [parse_fact(assumed, M)] if assumed else []
    return Drawn(given, Samples.of(given.looked_at), facts, Clock(60))


def test_each_case_is_drawn_once_and_none_that_is_known() -> None:
    given = problem([])
    new = [case(i, 0, 31) for i in range(25)]
    some = drawn(replace(given, more=lambda: iter([*given.everything, *new, *new])))
    assert some.take(5, 60.0) == new[:5]
    assert not some.grow(60.0) and some.count == 20
    assert some.wrong(RIGHT) == []
    assert some.wrong(anc.compile("STOP()", memory=M)) == new[5:]
    assert drawn(given).grow(60.0) is False  # where nothing can be drawn, nothing is


def test_samples_that_are_too_many_to_look_at_are_tried() -> None:
    given = problem([], given=100)
    few = Samples.of(given.looked_at[:30])
    some = Drawn(given, few, (), Clock(60))
    some.grow(60.0)
    assert some.count == len(set(given.looked_at)) - len(few.cases) > 0


def test_drawing_ends_with_its_time_and_when_nothing_new_comes() -> None:
    def endless() -> Iterator[Case]:
        while True:
            yield case(7, 7)

    some = drawn(replace(problem([]), more=endless))
    assert some.grow(0.0) and some.count == 0
    assert not some.grow(60.0) and some.count == 1


def test_a_program_that_is_wrong_on_one_is_no_answer() -> None:
    some = drawn(problem([case(5, 0, 31), case(30), case(31)]))
    some.grow(60.0)
    assert some.wrong(BELOW_30) == [case(30), case(31)]
    assert some.refused(Found(RIGHT, 3.0, 3.0, "plans", 0.0)) is None
    refused = some.refused(Found(BELOW_30, 4.0, 4.0, "plans", 0.0))
    assert refused is not None and refused.counterexample == case(30).input
    assert refused.reason == "right on all samples, but wrong on some of 3 more cases"


def test_assumptions_choose_and_a_generator_may_end_with_an_error() -> None:
    def failing() -> Iterator[Case]:
        yield case(30)
        yield case(3, 0, 31)
        raise AncError("out of numbers")

    some = drawn(replace(problem([]), more=failing), assumed="tape[0] < 30")
    some.grow(60.0)
    assert some.count == 1 and some.wrong(BELOW_30) == []
    assert some.notes == ["no more cases could be drawn: out of numbers"]


@pytest.fixture
def queue() -> Iterator[ProofQueue]:
    given = problem([case(25, 0, 1), case(26, 0, 2), case(3, 0, 31)])
    some, samples = drawn(given), Samples.of(given.looked_at)
    some.grow(60.0)
    pool = ProofPool(GENERIC, samples, ())
    yield ProofQueue(pool, samples, some, Clock(60))
    pool.close()


def lucky(text: str) -> Evidence:
    return Evidence(proved("paths", 1), (parse_fact(text, M),))


def test_facts_that_fail_on_a_drawn_case_are_learnt_anew(queue: ProofQueue) -> None:
    queue.evidence[BELOW_30] = lucky("tape[0] <= 19")
    found = queue.wait_for(BELOW_30)
    assert found.verdict.proved
    assert all(fact.holds(case(26).input) for fact in found.facts)
    assert not all(fact.holds(case(30).input) for fact in found.facts)
    assert {case(25, 0, 1), case(26, 0, 2)} <= set(queue.samples.cases)


def test_a_proof_counts_until_there_is_a_better_one(queue: ProofQueue) -> None:
    def wrong_on(number: int) -> Program:
        text = f"var x; var y; x = READ(0); y = SUB(x, {number}); JEZ(y, e); WRITE(1, x); e: STOP()"
        return anc.compile(text, memory=M)

    known = lucky("tape[0] <= 19")
    queue.evidence[wrong_on(25)] = known  # it is a sample now, so that nothing excludes it
    assert queue.wait_for(wrong_on(25)) is known
    queue.doubted[wrong_on(30)] = AGAIN
    queue.evidence[wrong_on(30)] = known
    assert queue.wait_for(wrong_on(30)) is known and not queue.again


def test_what_is_proved_next(queue: ProofQueue) -> None:
    fast, other, slow = (
        Found(p, cost, cost, "plans", 0.0)
        for p, cost in ((BELOW_30, 4.0), (RIGHT, 4.05), (GENERIC, 5.0))
    )
    ranked = [fast, other, slow]
    assert queue.next_of(ranked) is fast
    queue.evidence[fast.program] = Evidence(unknown("the time is over"))
    assert queue.next_of(ranked) is slow  # the second costs hardly more than the first
    queue.evidence[slow.program] = lucky("tape[0] <= 19")
    assert queue.next_of(ranked) is None
    queue.doubt(slow.program)
    assert queue.next_of(ranked) is slow


def test_what_needs_more_time_gets_what_is_left(queue: ProofQueue) -> None:
    late, refuted_one, slow = (
        Found(p, cost, cost, "plans", 0.0)
        for p, cost in ((RIGHT, 4.0), (BELOW_30, 4.5), (GENERIC, 5.0))
    )
    begun: list[float] = []
    queue.pool.begin = lambda program, seconds: begun.append(seconds)  # type: ignore
    assert queue.late_of([late]) is None  # no proof was tried
    queue.begin(late.program)
    queue.evidence[late.program] = Evidence(unknown("the time is over"))
    queue.evidence[refuted_one.program] = Evidence(refuted("test", 1, (0,) * M, "wrong"))
    ranked = [refuted_one, late, slow]
    assert queue.late_of(ranked) is late
    queue.begin(late.program)
    assert begun[0] == PROOF and PROOF < begun[1] <= 0.9 * 60
    assert queue.late_of(ranked) is None  # there is not much more than it had
    queue.seconds[late.program] = 1.0
    queue.evidence[slow.program] = lucky("tape[0] <= 19")
    assert queue.late_of(ranked) is late
    assert queue.late_of([slow, late]) is None  # what is proved is faster


def test_cases_on_which_the_program_itself_is_wrong_say_nothing() -> None:
    odd = replace(case(30), output=(0,) * M)
    some = drawn(problem([odd, case(3, 0, 31), odd]))
    assert some.take(1, 60.0) == [] and some.take(1, 60.0) == [case(3, 0, 31)]
    assert not some.grow(60.0) and some.wrong(RIGHT) == []


def test_a_users_generator_draws_others_than_the_samples() -> None:
    def made(random: Random) -> list[int]:
        return [random.randrange(M) for _ in range(M)]

    few = Given.drawn(made, 100, "cases/0").cases(GENERIC)
    more = more_cases(made, 0, GENERIC)
    assert not {next(more) for _ in range(120)} & set(few)
    result = anc.adapt(
        "memory 8; var x = 0; x = READ(x); x = INC(x); x = DEC(x); WRITE(1, x); STOP()",
        lambda random: [random.randrange(8) for _ in range(8)],
        evaluations=100_000,
        method="specialise",
    )
    assert result.tried > 0 and result.to_dict()["cases_tried"] == result.tried
    assert any(f"tried on {result.tried:,} cases" in note for note in result.notes)


def test_nothing_is_tried_twice_on_the_same_cases(monkeypatch: pytest.MonkeyPatch) -> None:
    looked: list[int] = []

    def held(facts: tuple, tapes: np.ndarray) -> np.ndarray:
        looked.append(len(tapes))
        return np.ones(len(tapes), np.bool_)

    monkeypatch.setattr("anc.adaptation.extra_cases.holding", held)
    some, facts = drawn(problem([case(i, 0, 31) for i in range(9)])), (parse_fact("1 == 1", M),)
    some.grow(60.0)
    assert some.outside(facts) == some.outside(facts) == [] and looked == [9]
