"""Annealing: deterministic, and it finds what it should on small budgets."""

from __future__ import annotations

import numpy as np
import pytest

from anc import isa
from anc.compiler import compile_source
from anc.data import tasks
from anc.language import Source
from anc.machine.encoded import Cases
from anc.machine.weights import Weights
from anc.search.anneal import Annealer
from anc.search.chain import Guides
from anc.search.cost import Cost, score


def annealer(name: str, **options) -> Annealer:
    task = tasks.get(name)
    cases = Cases.distinct(task.draw(True, 100, seed=0))
    return Annealer([task.program], cases, 1_000, **options)


def states(found: Annealer) -> list:
    """Where every chain is: its random numbers, its program and what that costs."""
    walks = [chain.walk for chain in found.chains]
    return [[part.tolist() for part in (w.rng, w.state, *w.program)] for w in walks]


def test_the_same_seed_finds_the_same_whatever_the_threads() -> None:
    results = []
    for threads in (1, 3):
        found = annealer("sort", seed=3, round_size=6_000, threads=threads)
        found.round()
        found.round()
        results.append((found.best(), states(found), found.by_length()))
    assert results[0] == results[1]
    other = annealer("sort", seed=4, round_size=6_000)
    other.round()
    other.round()
    assert states(other) != results[0][1]


def test_a_round_may_be_done_in_parts() -> None:
    whole, parts = (annealer("sort", seed=3, round_size=3_000, threads=2) for _ in range(2))
    assert whole.round() and whole.evaluated == 8 * 3_000
    done = [parts.round(most=640) for _ in range(5)]
    assert done == [False] * 4 + [True] and parts.evaluated == 8 * 3_000
    assert states(parts) == states(whole)


@pytest.mark.parametrize(("name", "steps"), [("access", 3), ("swap", 5)])
def test_small_programs_are_found_soon(name: str, steps: int) -> None:
    found = annealer(name, round_size=50_000)
    for _ in range(5):
        found.round()
        best = found.best()
        assert best is not None
        if best[0] <= steps:
            break
    assert best[0] == steps
    task = tasks.get(name)
    assert score(best[1], Cases.distinct(task.draw(True, 1_000, seed=1)), 1_000).right


def test_increment_gets_faster() -> None:
    found = annealer("increment", round_size=100_000)
    for _ in range(6):
        found.round()
    best = found.best()
    assert best is not None
    assert best[0] <= 36


def test_a_guide_is_a_start() -> None:
    task = tasks.get("listk")
    text = "var k; k = READ(1); k = ADD(k, k); k = ADD(k, 2); k = READ(k); WRITE(2, k); STOP()"
    known = compile_source(Source(text), memory=20).program
    found = annealer("listk", round_size=64, guides=Guides((known,)))
    for _ in range(3):
        found.round()
    best = found.best()
    assert best is not None
    assert best[0] == 6
    assert task.program.L == 10


def test_proposals_are_drawn_from() -> None:
    M, R = 10, 3
    op = np.zeros((M, isa.PAPER.N))
    op[:, isa.PAPER.ADD] = 14.0
    flat = np.zeros((M, R))
    proposals = Weights(np.zeros(M), np.zeros((R, M)), op, flat, flat, flat, lines=M)
    guided = annealer("access", round_size=3_000, guides=Guides((), proposals))
    guided.round()
    assert guided.best() is not None


def test_a_cut_round_says_so() -> None:
    found = annealer("sort", round_size=10_000_000)
    assert found.round(lambda: False) is False
    assert found.best() is not None


def test_other_costs() -> None:
    lines = annealer("increment", round_size=30_000, cost=Cost(lines=10.0))
    lines.round()
    best = lines.best()
    assert best is not None
    assert best[0] == pytest.approx(
        score(best[1], lines.cases, lines.max_steps).steps + 10 * best[1].L
    )
