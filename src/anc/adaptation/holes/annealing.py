"""Annealing over fillings: for sketches that have too many of them, and for a first good one.

A chain changes one hole at a time. The bound of acceptance is drawn before a filling is run, which is
given up as soon as more cells are wrong.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable
from typing import NamedTuple

import numpy as np

from anc.adaptation.holes.machine import Ground, put_choice, run_case
from anc.adaptation.holes.sketch import Filling
from anc.machine.compiled import lean
from anc.search.moves import below, fraction

SLICE = 2_000  # runs between two looks at the clock
ROUND = 300  # changes of each hole in a round, from hot to cold
HOT, COLD = 0.03, 0.002  # temperatures, as shares of all cells


class _Chain(NamedTuple):
    """Where a chain is, and the best that it has met."""

    filling: np.ndarray  # (H,)
    best: np.ndarray  # (H,)
    numbers: np.ndarray  # (4,) wrong cells now; the best wrong, its steps; changes in this round
    rng: np.ndarray


@lean
def _wander(program, holes, cases, rules, room, chain, changes, hot, cold, todo):
    """Go on with a chain for so many runs."""
    index, numbers, rng = chain.filling, chain.numbers, chain.rng
    H, C = index.shape[0], cases.inputs.shape[0]
    while todo > 0 and numbers[3] < changes:
        hole, old, bound = np.int64(-1), np.int64(0), np.inf
        if numbers[3] > 0:  # the first run is of the start itself
            hole = below(rng, H)
            old = index[hole]
            if holes.sizes[hole] > 1:
                index[hole] = (old + 1 + below(rng, holes.sizes[hole] - 1)) % holes.sizes[hole]
            put_choice(program, holes, hole, index[hole])
            heat = hot * (cold / hot) ** (numbers[3] / changes)
            bound = numbers[0] - heat * math.log(fraction(rng) + 1e-300)
        numbers[3] += 1
        wrong, steps = 0.0, 0.0
        for c in range(C):
            taken, bad = run_case(program, holes, cases, c, rules, room)
            todo -= 1
            wrong += cases.counts[c] * bad
            steps += cases.counts[c] * taken
            if wrong > bound:
                break
        if wrong > bound:
            index[hole] = old
            put_choice(program, holes, hole, old)
            continue
        numbers[0] = wrong
        if wrong < numbers[1] or (wrong == numbers[1] and steps < numbers[2]):
            numbers[1], numbers[2] = wrong, steps
            for h in range(H):
                chain.best[h] = index[h]


class Wanderer:
    """Chains over fillings, one after the other, that remember the best filling of all."""

    def __init__(self, ground: Ground, seed: int = 0) -> None:
        self.ground, self.random = ground, np.random.default_rng(seed)
        H = len(ground.arrays.sizes)
        self.best: Filling | None = None
        self.rank = (np.inf, np.inf)
        self.changes = float(ROUND * H)

    def run(
        self,
        chains: int,
        starts: Iterable[Filling] = (),
        may_go_on: Callable[[], bool] = lambda: True,
    ) -> None:
        """So many chains more, from the given starts first, then from random ones."""
        given = list(starts)
        for number in range(chains):
            if not may_go_on():
                return
            count = self.ground.arrays.sizes
            random = tuple(int(self.random.integers(n)) for n in count)
            self._chain(given[number] if number < len(given) else random, may_go_on)

    def _chain(self, start: Filling, may_go_on: Callable[[], bool]) -> None:
        ground = self.ground
        index = np.array(start, np.int64)
        rng = self.random.integers(2**63, size=1, dtype=np.uint64)
        chain = _Chain(index, index.copy(), np.array([np.inf, np.inf, np.inf, 0.0]), rng)
        program, cells = ground.encoded(start), ground.cells
        ground.room.on_stack[:] = True  # nobody asks what is touched
        while chain.numbers[3] < self.changes and may_go_on():
            _wander(
                program, ground.arrays, ground.cases, ground.rules, ground.room, chain,
                self.changes, HOT * cells, COLD * cells, SLICE,
            )  # fmt: skip
            ground.ran(SLICE)
        rank = (float(chain.numbers[1]), float(chain.numbers[2]))
        if rank < self.rank:
            self.rank, self.best = rank, tuple(chain.best.tolist())
