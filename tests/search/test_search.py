"""The search as a whole."""

from __future__ import annotations

import subprocess
import sys
from collections.abc import Iterator, Sequence
from itertools import count
from types import SimpleNamespace
from typing import Any

import pytest

from anc.compiler import compile_source, to_text
from anc.data import programs, tasks
from anc.data.tasks.cases import Case
from anc.language import Source
from anc.machine import exact
from anc.machine.encoded import Cases
from anc.program import Program
from anc.search import (
    Cost,
    Guides,
    Search,
    SearchEnd,
    SearchSettings,
    jit_warmup,
    portfolio,
    prepare,
    score,
)
from anc.search.anneal import Annealer
from anc.search.result import DEFAULT
from anc.support.clock import Clock, Time
from anc.support.diagnostics import AncError

KNOWN = {"access": 3, "swap": 5, "listk": 6, "addition": 5, "sort": 7, "walkbst": 6, "merge": 11}


def improve(
    program: Program,
    cases: Sequence[Case],
    M: int,
    settings: SearchSettings = DEFAULT,
    **listeners: Any,
) -> Search:
    """The search for a better program, after it has ended."""
    search = Search(program, cases, M, settings, **listeners)
    search.run()
    return search


def search(name: str, samples: int, settings: SearchSettings, seed: int = 0, **listeners) -> Search:
    task = tasks.get(name)
    return improve(task.program, task.draw(True, samples, seed), task.M, settings, **listeners)


@pytest.mark.parametrize("name", KNOWN)
def test_the_best_known_program_on_a_small_budget(name: str) -> None:
    task = tasks.get(name)
    result = search(name, 300, SearchSettings(evaluations=8_000))
    best = result.best
    assert best.steps <= KNOWN[name]
    assert result.end is SearchEnd.DONE
    fresh = Cases.distinct(task.draw(True, 1_000, seed=1))
    assert score(best.program, fresh, 1_000).right
    assert compile_source(Source(to_text(best.program))).program == best.program


@pytest.mark.parametrize("name", programs.names())
def test_every_improvement_is_right_and_better_than_the_one_before(name: str) -> None:
    task = tasks.get(name)
    result = search(name, 60, SearchSettings(budget=0.5), seed=2)
    assert result.found[0].program == task.program
    assert result.found[0].method == "generic"
    packed = Cases.distinct(task.draw(True, 60, seed=2))
    for one, two in zip(result.found, result.found[1:], strict=False):
        assert (two.cost, two.program.L, two.program.R) < (one.cost, one.program.L, one.program.R)
    for found in result.found:
        scored = score(found.program, packed, 5_000)
        assert scored.right
        assert scored.steps == pytest.approx(found.steps)


def test_the_same_seed_and_evaluations_give_the_same() -> None:
    results = [
        search("increment", 50, SearchSettings(seed=5, evaluations=100_000, threads=threads))
        for threads in (1, 2)
    ]
    assert results[0].best.program == results[1].best.program
    assert [f.program for f in results[0].found] == [f.program for f in results[1].found]


def test_the_budget_is_respected_and_progress_is_told(monkeypatch) -> None:
    looks = count(step=0.5)  # a clock that only goes on when it is looked at
    monkeypatch.setattr("anc.support.clock.time", SimpleNamespace(monotonic=lambda: next(looks)))
    told: list[Search] = []
    settings = SearchSettings(budget=10.0, methods=("clean", "enumerate", "anneal"))
    result = search("increment", 50, settings, on_progress=told.append)
    assert result.end is SearchEnd.BUDGET
    assert 10 <= next(looks) < 20
    assert len(told) > 5
    assert told[-1].best.cost >= result.best.cost


def test_it_stops_when_asked() -> None:
    asked = count()
    settings = SearchSettings(budget=600.0)
    result = search("increment", 50, settings, asked_to_stop=lambda: next(asked) >= 5)
    assert result.end is SearchEnd.STOPPED
    assert 5 < next(asked) <= 10


def test_an_interrupt_keeps_the_best() -> None:
    def interrupt(progress: Search) -> None:
        if progress.method == "anneal":
            raise KeyboardInterrupt

    result = search("swap", 100, SearchSettings(budget=600.0), on_progress=interrupt)
    assert result.end is SearchEnd.INTERRUPTED
    assert result.best.steps == 5


def test_the_trade_off_between_steps_and_lines() -> None:
    result = search("copy", 100, SearchSettings(evaluations=200_000, front=True))
    sizes = [(found.steps, found.program.L) for found in result.front]
    assert sizes[0][0] == 7
    assert sizes == sorted(sizes)
    assert [lines for _, lines in sizes] == sorted({lines for _, lines in sizes}, reverse=True)


def test_a_cost_of_lines_or_of_instructions() -> None:
    few_lines = search("copy", 100, SearchSettings(evaluations=50_000, cost=Cost(lines=100.0)))
    assert few_lines.best.program.L <= 7
    cheap = Cost.named({"WRITE": 20.0})
    dear_writes = search("copy", 100, SearchSettings(evaluations=5_000, cost=cheap))
    assert dear_writes.best.cost == 64.0
    with pytest.raises(AncError, match="did you mean READ"):
        Cost.named({"REED": 1.0})


def test_a_guide_that_is_better_is_taken() -> None:
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
    result = search("increment", 50, SearchSettings(evaluations=1_000, guides=Guides((known,))))
    assert result.best.steps <= 22
    assert result.best.method == "guide"


def test_cases_that_are_looked_at_later_join_the_others() -> None:
    text = "var n; var s; n = READ(0); l: JEZ(n, e); n = DEC(n); s = INC(s); JEZ(0, l); e: WRITE(1, s); STOP()"
    program = compile_source(Source(text), memory=64).program

    def case(n: int) -> Case:
        return Case((n, *[0] * 63), (n, n, *[0] * 62), (True,) * 64)

    short, long = [case(n) for n in (1, 1, 2)], [case(n) for n in (3, 60)]
    search = Search(program, short, 64, SearchSettings(evaluations=2_000), more=long)
    assert search.best.program == program  # though it is much slower on what comes later
    search.run()
    assert search.best.steps == 3  # READ, WRITE, STOP
    for n in (0, 5, 63):
        assert score(search.best.program, Cases.of([case(n)]), 99).right
    wrong = Case(long[0].input, (3, 9, *[0] * 62), (True,) * 64)
    with pytest.raises(AncError, match="not right"):
        Search(program, short, 64, more=[wrong])


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


STATISTICS = """
import gc
from numba.core.dispatcher import Dispatcher
from anc.search import prepare
prepare()
dispatchers = [d for d in gc.get_objects() if issubclass(type(d), Dispatcher) and d.overloads]
print(*(d.py_func.__name__ for d in dispatchers if not d.stats.cache_hits))
print(*(d.py_func.__name__ for d in dispatchers if d.stats.cache_hits))
"""


def test_a_second_start_compiles_nothing() -> None:
    prepare()
    command = [sys.executable, "-c", STATISTICS]
    done = subprocess.run(command, capture_output=True, text=True, check=True)
    compiled, loaded = done.stdout.splitlines()
    assert compiled == ""
    assert set(loaded.split()) >= {"anneal_chain", "evaluate", "walk", "walk_branches"}


def test_large_memories_have_code_of_their_own(monkeypatch: pytest.MonkeyPatch) -> None:
    made: list[int] = []
    monkeypatch.setattr(jit_warmup, "_use_everything", made.append)
    for memory in (10, 256, 257, 4096):
        prepare(memory)
    assert made == [6, 6, 257, 257]


def test_a_round_is_as_long_as_its_runs_allow() -> None:
    def affordable(name: str, threads: int) -> int:
        task = tasks.get(name)
        settings = SearchSettings(0, 48.0, threads=threads)
        return portfolio._affordable(
            Search(task.program, task.draw(True, 50, 0), task.M, settings), 1.0
        )

    assert affordable("access", 2) // 2 == affordable("access", 1)
    assert portfolio.FEWEST < affordable("merge", 1) < affordable("access", 1) < portfolio.ROUND


def test_annealing_that_begins_again_takes_another_way(monkeypatch: pytest.MonkeyPatch) -> None:
    seeds: list[int] = []

    class Recorded(Annealer):
        def __init__(self, starts, cases, max_steps, seed, *others, **settings) -> None:
            seeds.append(seed)
            super().__init__(starts, cases, max_steps, seed, *others, **settings)

    monkeypatch.setattr(portfolio, "Annealer", Recorded)
    task = tasks.get("access")
    first, other = task.draw(True, 8, 0)[:7], task.draw(True, 8, 0)[7]
    for _ in range(2):  # what is found still depends on the seed alone
        search = Search(
            task.program, first, 10, SearchSettings(3, evaluations=64, methods=["anneal"])
        )
        search.run()
        search.add([other])
        search.run()
    assert seeds[0] == seeds[2] == 3 and seeds[1] == seeds[3] != 3


def test_annealing_gives_cores_up_that_somebody_needs(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(portfolio, "ROUND", 64)
    task = tasks.get("access")
    settings = SearchSettings(0, evaluations=3 * 64 * 8, methods=["anneal"], threads=2)
    search = Search(task.program, task.draw(True, 5, 0), 10, settings)
    work = portfolio.annealed(search)
    next(work)
    assert search.annealer is not None
    for threads in (2, 1):
        search.threads = threads
        next(work, None)
        assert search.annealer.threads == threads


@pytest.mark.parametrize("budget, plans", [(2.0, 61), (0.4, 10)])
def test_what_looks_at_the_program_works_first(budget: float, plans: int, monkeypatch) -> None:
    moments = {"plans": 60, "traces": 20, "enumerate": 5, "anneal": 5}
    for name, n in moments.items():
        monkeypatch.setitem(portfolio.LASTING, name, lambda search, n=n: iter([None] * n))
    task = tasks.get("access")
    clock = Clock(budget, time=Time(counts_work=True))
    settings = SearchSettings(budget=budget, methods=("clean", *moments))
    search = Search(task.program, task.draw(True, 5, 0), 10, settings, clock=clock)
    worked: list[str] = []
    while not {"enumerate", "anneal"} & set(worked):
        name = search.turn()
        assert name is not None
        worked.append(name)
        search.let_work(name)
    assert worked.count("plans") in (plans, plans + 1)  # to its end, or half of a short budget
    assert search.seconds > 0.3 * budget


@pytest.mark.parametrize("method, named", [("anneal", "plans"), ("enumerate", "enumerate")])
def test_who_makes_a_program_smaller_has_not_found_it(method: str, named: str) -> None:
    task = tasks.get("access")
    search = Search(task.program, task.draw(True, 5, 0), 10, SearchSettings())
    text = "var k = 4; k = READ(k); WRITE(0, k); STOP()"
    for search.method, lines in (("plans", f"{text}; STOP()"), (method, text)):
        search.offer([compile_source(Source(lines), memory=10).program])
    assert [found.program.L for found in search.found[1:]] == [4, 3]
    assert [found.method for found in search.found[1:]] == ["plans", named]


def test_few_cases_are_planned_for_first(monkeypatch: pytest.MonkeyPatch) -> None:
    task = tasks.get("access")
    samples = list(dict.fromkeys(task.draw(True, 60, 0)))
    odd = (5, *range(9, 0, -1))  # here it is not always the fourth cell
    case = Case(odd, exact.run(task.program, odd, 99).tape, samples[0].mask)
    plan = compile_source(Source("var k = 4; k = READ(k); WRITE(0, k); STOP()"), memory=10).program
    looked: list[int] = []

    def planned(program: Program, cases: Cases, cost: Cost) -> Iterator[Program]:
        looked.append(cases.C)
        yield plan

    monkeypatch.setattr(portfolio, "planned", planned)
    for more, best in ((samples[9:], plan), ([*samples[9:20], case], task.program)):
        search = Search(task.program, samples[:9], 10, SearchSettings(methods=["plans"]), more=more)
        work = portfolio.derived(search)
        next(work)
        assert search.best.program == best and not search.missed
        list(work)
        assert looked[-2:] == [9, 9 + len(more)]
