"""Budgets of seconds: what counts, and that work ends where it is over.

A busy machine gives a process little of the time that passes, so what is measured is the processor's.
"""

from __future__ import annotations

import time
from collections.abc import Iterator

import pytest
from command_line import anc as shell

import anc
from anc.compiler.affine import AffineForm
from anc.data.tasks.cases import Case
from anc.search import Search, SearchEnd, SearchSettings, prepare
from anc.search.affine import together
from anc.support.clock import STARTING, STILL, Clock, look, now
from anc.support.diagnostics import AncError
from anc.support.job import Job

M = 1024
ROUNDS = anc.compile(
    "var n = 0; var x = 0; n = READ(0); l_loop: JEZ(n, l_end); x = ADD(x, n); n = DEC(n); JEZ(0, l_loop)"
    "; l_end: WRITE(1, x); STOP()",
    memory=M,
)
ENOUGH = 8.0  # seconds of the processor, on any machine


def cases(values: range) -> list[Case]:
    tapes = [(n, *range(1, M)) for n in values]
    return [
        Case(tape, (tape[0], tape[0] * (tape[0] + 1) // 2 % M, *tape[2:]), (True,) * M)
        for tape in tapes
    ]


@pytest.fixture(autouse=True)
def compiled() -> None:
    prepare(M)


def test_gradient_descent_in_a_large_memory_does_not_come_before_the_clock() -> None:
    samples = [{"input": list(case.input)} for case in cases(range(20, 60))]
    begin = time.process_time()
    anc.adapt(ROUNDS, samples, budget=1.0)
    assert time.process_time() - begin < ENOUGH


def searching(others: dict, methods: tuple[str, ...], budget: float) -> Search:
    settings = SearchSettings(0, budget, methods=methods)
    given = cases(range(900, 904))
    return Search(ROUNDS, given, M, settings, others=others, clock=Clock(budget))


def test_specialisation_ends_when_the_time_is_over() -> None:
    begin = time.process_time()
    search = searching({}, ("specialise",), 0.3)
    search.run()
    assert time.process_time() - begin < ENOUGH


def test_a_method_that_never_hands_over_is_cut_when_the_time_is_over() -> None:
    def endless(search: Search) -> Iterator[None]:
        while True:
            look()
        yield

    search = searching({"endless": (endless, 0.0)}, (), 0.2)
    search.run()
    assert search.end is SearchEnd.BUDGET and not search.cut


def test_a_cheap_method_leaves_time_for_the_others() -> None:
    from anc.search import search as module

    def endless(search: Search) -> Iterator[None]:
        while True:
            look()
        yield

    worked = []

    def other(search: Search) -> Iterator[None]:
        worked.append(search.seconds)
        yield

    with pytest.MonkeyPatch.context() as patch:
        patch.setitem(module.CHEAP, "clean", endless)
        search = searching({"other": (other, 0.0)}, ("clean",), 2.0)
        search.run()
    assert "time" in search.cut["clean"] and worked


def test_many_wanted_values_are_not_tried_in_all_orders() -> None:
    wanted = [AffineForm(0, ((cell, 1), (cell + 1, 2))) for cell in range(12)]  # 479,001,600 orders
    assert together(wanted, {}, 0, 256).instructions


def test_each_command_has_its_own_beginning() -> None:
    began = []

    def adapted(problem, job: Job, *given, **settings) -> None:
        assert job.since is not None
        began.append(now() - job.since)
        raise AncError("enough")

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr("anc.adaptation.multi_seed.adapt_with_seeds", adapted)
        for _ in range(2):
            shell("adapt", "access", "--budget", "1s")
            time.sleep(1.5)  # much longer than a busy machine delays a command
    assert len(began) == 2 and began[1] < began[0] + 1.5


def test_a_clock_stands_still_while_machine_code_is_made_that_is_kept() -> None:
    clock = Clock(10.0)
    STILL.begin()
    before = clock.seconds
    time.sleep(0.05)
    assert clock.seconds == before
    STILL.end()
    assert before <= clock.seconds < before + 0.05


def test_a_budget_counts_from_when_somebody_began_to_wait() -> None:
    clock = Clock.of(10.0, None, lambda: False, now() - 5.0)
    assert 5.0 - STARTING <= clock.seconds < 5.0
    assert Clock.of(10.0, None, lambda: False, now() - STARTING / 2).seconds < 0.1
    assert Clock.of(10.0, 1000, lambda: False, now() - 5.0).seconds == 0.0
