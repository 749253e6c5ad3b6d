"""The search as a whole."""

from __future__ import annotations

import threading
import time

import pytest

from anc import programs, tasks
from anc.compiler import compile_source, to_text
from anc.diagnostics import AncError
from anc.language import Source
from anc.machine.batch import pack_cases
from anc.search import Cost, Guides, Progress, StopReason, improve, prepare, score
from anc.tasks.cases import Case

KNOWN = {"access": 3, "swap": 5, "listk": 6, "addition": 5, "sort": 7, "walkbst": 6, "merge": 11}


@pytest.mark.parametrize("name", KNOWN)
def test_the_best_known_program_on_a_small_budget(name: str) -> None:
    task = tasks.get(name)
    result = improve(task.program, task.draw(True, 300, seed=0), task.M, evaluations=8_000)
    best = result.best
    assert best.steps <= KNOWN[name]
    assert result.stop is StopReason.EVALUATIONS
    fresh = pack_cases(task.draw(True, 1_000, seed=1))
    assert score(best.program, fresh, task.max_steps).right
    assert compile_source(Source(to_text(best.program))).program == best.program


@pytest.mark.parametrize("name", programs.names())
def test_every_improvement_is_right_and_better_than_the_one_before(name: str) -> None:
    task = tasks.get(name)
    cases = task.draw(True, 60, seed=2)
    result = improve(task.program, cases, task.M, budget=1.0)
    assert result.found[0].program == task.program
    assert result.found[0].method == "generic"
    packed = pack_cases(cases)
    for one, two in zip(result.found, result.found[1:], strict=False):
        assert (two.cost, two.program.L, two.program.R) < (one.cost, one.program.L, one.program.R)
    for found in result.found:
        scored = score(found.program, packed, task.longest_run)
        assert scored.right
        assert scored.steps == pytest.approx(found.steps)


def test_the_same_seed_and_evaluations_give_the_same() -> None:
    task = tasks.get("increment")
    cases = task.draw(True, 50, seed=0)
    results = [
        improve(task.program, cases, task.M, seed=5, evaluations=100_000, threads=threads)
        for threads in (1, 2)
    ]
    assert results[0].best.program == results[1].best.program
    assert results[0].moves == results[1].moves


def test_the_budget_is_respected_and_progress_is_told() -> None:
    task = tasks.get("increment")
    told: list[Progress] = []
    begin = time.perf_counter()
    result = improve(
        task.program, task.draw(True, 50, seed=0), task.M, budget=2.0, on_progress=told.append
    )
    seconds = time.perf_counter() - begin
    assert result.stop is StopReason.BUDGET
    assert 1.8 <= seconds <= 2.4
    assert len(told) > 5
    assert told[-1].best.cost >= result.best.cost


def test_it_stops_when_asked() -> None:
    task = tasks.get("increment")
    event = threading.Event()
    threading.Timer(0.5, event.set).start()
    begin = time.perf_counter()
    cases = task.draw(True, 50, seed=0)
    result = improve(task.program, cases, task.M, budget=60.0, stop=event.is_set)
    assert time.perf_counter() - begin < 2.0
    assert result.stop is StopReason.STOPPED


def test_an_interrupt_keeps_the_best() -> None:
    task = tasks.get("swap")

    def interrupt(progress: Progress) -> None:
        if progress.method == "anneal":
            raise KeyboardInterrupt

    cases = task.draw(True, 100, seed=0)
    result = improve(task.program, cases, task.M, budget=30.0, on_progress=interrupt)
    assert result.stop is StopReason.INTERRUPTED
    assert result.best.steps == 5


def test_patience() -> None:
    task = tasks.get("access")
    cases = task.draw(True, 100, seed=0)
    result = improve(task.program, cases, task.M, budget=60.0, patience=100)
    assert result.stop is StopReason.NO_PROGRESS
    assert result.seconds < 30


def test_the_trade_off_between_steps_and_lines() -> None:
    task = tasks.get("copy")
    cases = task.draw(True, 100, seed=0)
    result = improve(task.program, cases, task.M, evaluations=200_000, front=True)
    sizes = [(found.steps, found.program.L) for found in result.front]
    assert sizes[0][0] == 7
    assert sizes == sorted(sizes)
    assert [lines for _, lines in sizes] == sorted({lines for _, lines in sizes}, reverse=True)


def test_a_cost_of_lines_or_of_instructions() -> None:
    task = tasks.get("copy")
    cases = task.draw(True, 100, seed=0)
    few_lines = improve(task.program, cases, task.M, evaluations=50_000, cost=Cost(lines=100.0))
    assert few_lines.best.program.L <= 7
    cheap = Cost.of_instructions({"WRITE": 20.0})
    assert improve(task.program, cases, task.M, evaluations=5_000, cost=cheap).best.cost == 64.0
    with pytest.raises(AncError, match="did you mean READ"):
        Cost.of_instructions({"REED": 1.0})


def test_a_guide_that_is_better_is_taken() -> None:
    task = tasks.get("increment")
    text = """
    start l_read
    var out = 5; var p = 4; var v; var w; var z = 0
    STOP()
    l_read: v = READ(1)
    w = INC(v)
    out = WRITE(out, w)
    z = WRITE(p, w)
    p = DEC(p)
    JEZ(z, p)
    """
    known = compile_source(Source(text), memory=7).program
    cases = task.draw(True, 50, seed=0)
    result = improve(task.program, cases, 7, evaluations=1_000, guides=Guides((known,)))
    assert result.best.steps <= 22
    assert result.best.method == "guide"


def test_wrong_input_is_refused() -> None:
    task = tasks.get("access")
    case = task.draw(True, 1, seed=0)[0]
    wrong = Case(case.input, tuple((v + 1) % 10 for v in case.output), case.mask)
    with pytest.raises(AncError, match="not right"):
        improve(task.program, [wrong], 10)
    with pytest.raises(AncError, match="at least one case"):
        improve(task.program, [], 10)
    with pytest.raises(AncError, match="cells"):
        improve(task.program, [case], 11)


def test_preparing_is_quick_the_second_time() -> None:
    prepare()
    assert prepare() < 10
