"""Exact search over the fillings of a sketch: branch and bound, and annealing.

Branch and bound is a depth-first search. Holes are decided in the order in which the runs on the cases touch
them, and a branch is pruned as soon as more cells are wrong than in the best filling so far. A hole that no run
touches is never decided: it is free. A complete search has seen every filling that is as good as the best one,
and so knows which holes the cases determine.

Annealing is for sketches with too many fillings, and provides a first bound. A chain changes one hole at a time,
from hot to cold. It is the chain of the exact search (`anc.search.chain`), whose cost is the number of wrong
cells, with the steps as a tie-breaker.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np

from anc.adaptation.holes.machine import CaseJudge, Room, run_case
from anc.adaptation.holes.sketch import Filling
from anc.machine.batch import Rules
from anc.machine.compiled import lean
from anc.search.chain import NO_GUIDES, ChainArrays, FrozenParts, Round, anneal_chain
from anc.search.moves import put_choice

RUNS = 20_000  # most runs between two checks of the clock
FEWEST = 100  # ... and the first number of runs
LONG = 1_000  # steps: with a larger step limit there are fewer runs
CASE, IS_DONE = 0, 1
WRONG, STEPS, BOUND, LEAST, FILLINGS = range(5)
SLICE = 2_000  # runs of annealing between two checks of the clock
ROUND = 300  # changes in a chain, for each hole
HOT, COLD = 0.03, 0.002  # temperatures, as shares of all cells
TRIED = 0.4  # of the cases: mean share that a change runs on before it is rejected


class _State(NamedTuple):
    """The state of a search, and what it has found."""

    place: np.ndarray  # (2,) the next case, and whether the search is over
    totals: np.ndarray  # (5,) wrong cells and steps so far; the best wrong, its steps; fillings
    filling: np.ndarray  # (H,) the choice at each hole
    best: np.ndarray  # (H,) the best filling
    seen: np.ndarray  # (H, K) the choices in fillings as good as the best
    case_at: (
        np.ndarray
    )  # (H,) by depth: the case that first touched the hole, and the totals before it
    wrong_at: np.ndarray
    steps_at: np.ndarray


@lean
def _explore(program, holes, cases, rules, room, state, todo):
    """Continue a search for this many runs."""
    place, totals, index = state.place, state.totals, state.filling
    C = cases.inputs.shape[0]
    while todo > 0 and place[IS_DONE] == 0:
        while place[CASE] < C and totals[WRONG] <= totals[BOUND] and todo > 0:
            c = place[CASE]
            before = room.depth[0]
            steps, bad = run_case(program, holes, cases, c, rules, room)
            todo -= 1
            for depth in range(before, room.depth[0]):
                state.case_at[depth] = c
                state.wrong_at[depth] = totals[WRONG]
                state.steps_at[depth] = totals[STEPS]
            totals[WRONG] += cases.counts[c] * bad
            totals[STEPS] += cases.counts[c] * steps
            place[CASE] = c + 1
        if totals[WRONG] <= totals[BOUND]:
            if place[CASE] < C:
                return  # out of runs
            _note(holes, room, state)
        # backtrack: the next choice of the hole that was touched last
        while room.depth[0] > 0:
            depth = room.depth[0] - 1
            hole = room.stack[depth]
            if index[hole] + 1 < holes.sizes[hole]:
                index[hole] += 1
                put_choice(program, holes, hole, index[hole])
                place[CASE] = state.case_at[depth]
                totals[WRONG] = state.wrong_at[depth]
                totals[STEPS] = state.steps_at[depth]
                break
            index[hole] = 0
            put_choice(program, holes, hole, 0)
            room.on_stack[hole] = False
            room.depth[0] = depth
        if room.depth[0] == 0:
            place[IS_DONE] = 1


@lean
def _note(holes, room, state):
    """Record a filling that is as good as the best one, or better."""
    totals, index = state.totals, state.filling
    H = index.shape[0]
    if totals[WRONG] < totals[BOUND]:
        totals[BOUND] = totals[WRONG]
        totals[LEAST] = np.inf
        totals[FILLINGS] = 0.0
        for hole in range(H):
            for k in range(holes.sizes[hole]):
                state.seen[hole, k] = False
    many = 1.0
    is_smaller = totals[STEPS] == totals[LEAST]
    is_decided = False
    for hole in range(H):
        if room.on_stack[hole]:
            state.seen[hole, index[hole]] = True
        else:
            many *= holes.sizes[hole]
            for k in range(holes.sizes[hole]):
                state.seen[hole, k] = True
        if is_smaller and not is_decided and index[hole] != state.best[hole]:
            is_decided = True
            is_smaller = index[hole] < state.best[hole]
    totals[FILLINGS] += many
    if totals[STEPS] < totals[LEAST] or (is_smaller and is_decided):
        totals[LEAST] = totals[STEPS]
        for hole in range(H):
            state.best[hole] = index[hole]


@dataclass(frozen=True)
class Enumerated:
    """The result of a search: the best filling, the number of equally good ones, and their choices."""

    is_complete: bool
    filling: Filling | None  # None if no filling reaches the initial bound
    wrong_cells: float
    fillings: float
    choices: tuple[tuple[int, ...], ...]  # by hole: the choices of the equally good fillings


class Explorer:
    """A branch-and-bound search over all fillings, which can be resumed."""

    def __init__(self, judge: CaseJudge, bound: float = np.inf) -> None:
        self.judge = judge
        H, K = judge.arrays.choices.shape
        totals = np.array([0.0, 0.0, bound, np.inf, 0.0])
        zeros, floats = np.zeros(H, np.int64), np.zeros(H)
        self.state = _State(
            np.zeros(2, np.int64), totals, zeros, zeros.copy(), np.zeros((H, K), np.bool_),
            zeros.copy(), floats, floats.copy(),
        )  # fmt: skip
        self.program, self.room = judge.encoded((0,) * H), Room.of(judge.sketch)

    def run(self, may_go_on: Callable[[], bool] = lambda: True) -> None:
        """Search until it is complete, or while `may_go_on` allows it."""
        judge, runs = self.judge, FEWEST
        most = max(FEWEST, int(RUNS * min(1.0, LONG / judge.max_steps)))
        while not self.is_complete and may_go_on():
            _explore(
                self.program, judge.arrays, judge.cases, judge.rules, self.room, self.state, runs
            )
            judge.ran(runs)
            runs = min(2 * runs, most)

    @property
    def is_complete(self) -> bool:
        return bool(self.state.place[IS_DONE])

    def found(self) -> Enumerated:
        state = self.state
        fillings = float(state.totals[FILLINGS])
        best = tuple(state.best.tolist()) if fillings else None
        rows = zip(state.seen, self.judge.arrays.sizes, strict=True)
        choices = tuple(tuple(np.flatnonzero(row[:count]).tolist()) for row, count in rows)
        return Enumerated(self.is_complete, best, float(state.totals[BOUND]), fillings, choices)


class FillingAnnealer:
    """Annealing chains over fillings, one after the other, and the best filling of all."""

    def __init__(self, judge: CaseJudge, seed: int = 0) -> None:
        self.judge, self.random = judge, np.random.default_rng(seed)
        self.best: Filling | None = None
        self.cost = np.inf
        self.changes = ROUND * len(judge.sketch.holes)
        self.round = self._round()

    def _round(self) -> Round:
        """The cost: a wrong cell outweighs all steps of all runs, and a run that does not stop is all wrong."""
        judge, sketch = self.judge, self.judge.sketch
        instructions, cases = sketch.program.instructions, judge.cases
        total = cases.counts.sum()
        step = 1 / (total * (judge.max_steps + 1))
        rules = Rules.of(
            instructions, sketch.M, judge.max_steps, np.full(len(instructions), step), 1.0
        )
        rules = rules._replace(unstopped=float(sketch.M))
        nothing = np.empty(0, np.int64)
        return Round(
            few=cases,
            everything=cases,
            rules=rules,
            strict=rules,
            guide=NO_GUIDES.of(instructions)._replace(holes=judge.arrays),
            chances=np.ones(1),
            per_line=0.0,
            per_register=0.0,
            hot=HOT * judge.cells / total,
            cold=COLD * judge.cells / total,
            evaluations=float(self.changes),
            kept=FrozenParts(
                nothing, np.empty((0, 4), np.uint16), nothing, nothing.astype(np.uint16)
            ),
            is_strict=False,
        )

    def run(
        self,
        chains: int,
        starts: Iterable[Filling] = (),
        may_go_on: Callable[[], bool] = lambda: True,
    ) -> None:
        """Run more chains, first from the given starts, then from random ones."""
        given = list(starts)
        for number in range(chains):
            if not may_go_on():
                return
            random = tuple(int(self.random.integers(n)) for n in self.judge.arrays.sizes)
            self._chain(given[number] if number < len(given) else random, may_go_on)

    def _chain(self, start: Filling, may_go_on: Callable[[], bool]) -> None:
        judge = self.judge
        program = judge.encoded(start)
        seed = int(self.random.integers(2**63))
        chain = ChainArrays.of(judge.sketch.M, program.R, seed, most=program.L)
        chain.start_from(program)
        each = max(1, int(TRIED * judge.cases.C))
        while chain.state[1] < self.changes and may_go_on():
            todo = int(min(max(1, SLICE // each), self.changes - chain.state[1]))
            anneal_chain(chain, self.round, todo)
            judge.ran(todo * each)
        cost = float(chain.best.cost[program.L])
        if cost < self.cost:
            self.cost, self.best = cost, judge.filling_of(chain.best_of_length(program.L))
