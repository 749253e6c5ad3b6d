"""Simulated annealing over programs: independent chains in rounds, on all cores.

The result depends only on the seed and the number of evaluations: every chain has its own random numbers and does
a fixed number of evaluations in each round, and chains exchange programs only between rounds. A round is cut
into slices only to check the clock.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Sequence
from concurrent.futures import ThreadPoolExecutor, wait
from dataclasses import dataclass, replace

import numpy as np

from anc.machine.batch import Rules
from anc.machine.encoded import Cases, decode, encode
from anc.program import Program
from anc.search.chain import (
    NEVER,
    NO_GUIDES,
    ChainArrays,
    FrozenParts,
    Guides,
    Round,
    anneal_chain,
)
from anc.search.cost import STEPS, Cost, Prices, score
from anc.search.moves import chances as chances_of
from anc.support.job import cores

SPARE_REGISTERS = 2
FEW = 40
LONGEST = 1_024  # lines, unless the starts are longer: a chain keeps a program of each length
CHAINS = 8
FIRST_SLICE = 64  # evaluations; slices are multiples of it, so that slicing changes no result
SLICE_SECONDS = 0.05
HEAT_STEPS = 40.0
COOL_CHAINS = (3, 7)  # of every eight, if there is more than one start


@dataclass(frozen=True)
class Heat:
    """The temperatures of a chain, and the weight of a wrong cell.

    With a weight of 1, the empty program costs as much as the first start.
    """

    hot: float
    cold: float
    wrong: float


# For chains that search for a different algorithm; calibrated for a first start of HEAT_STEPS steps.
HOT = (Heat(3.0, 1.0, 2.0),)
# For chains that repair and polish nearly right programs, which high temperatures would destroy.
COOL = (
    Heat(0.5, 0.05, 2.0),
    Heat(1.0, 0.1, 2.0),
    Heat(0.25, 0.05, 2.0),
)


@dataclass
class _Chain:
    """One chain: its arrays, whether it only repairs and polishes, and the cases that it runs first."""

    number: int
    is_cool: bool
    walk: ChainArrays
    few: list[int]

    @property
    def best(self) -> tuple[float, int]:
        """The cost and the length of its best right program."""
        costs = self.walk.best.cost
        L = int(np.argmin(costs))
        return float(costs[L]), L


class Annealer:
    """Chains over programs from several starts; `round` advances all of them."""

    def __init__(
        self,
        starts: Sequence[Program],
        cases: Cases,
        max_steps: int,
        seed: int = 0,
        guides: Guides = NO_GUIDES,
        cost: Cost = STEPS,
        chains: int = CHAINS,
        round_size: int = 400_000,
        threads: int | None = None,
        line_weights: Sequence[float] = (0.0,),
    ) -> None:
        M = cases.M
        self.cases, self.max_steps, self.cost = cases, max_steps, cost
        self.round_size, self.rounds_done = round_size, 0
        self.end, self.evaluated = 0, 0  # of one chain in this call; in all rounds so far
        self.threads = threads or cores()
        self.line_weights = tuple(line_weights)
        self.cut, self.under_way = False, False
        self.overall = np.inf  # the cost of the best right program before this round
        generic = starts[0]
        self.instructions = generic.instructions
        self.weights = cost.of(generic.instructions)
        self.step = Prices.of(cost, generic.instructions).step
        programs = [
            p for p in (*starts, *guides.programs) if p.smallest_memory <= M and generic.keeps(p)
        ]
        R = max(program.R for program in programs) + SPARE_REGISTERS
        self.starts = [encode(program, R - program.R) for program in programs]
        self.kept = FrozenParts.of(generic, self.starts[0])
        self.guide = guides.of(generic.instructions, M)
        self.chances = chances_of(generic.instructions)
        self.longest = min(M, max(LONGEST, *(2 * start.L for start in self.starts)))
        self.random = np.random.default_rng(seed)
        seeds = np.random.SeedSequence(seed).generate_state(chains, np.uint64)
        self.chains = [self._chain(i, M, R, seeds[i]) for i in range(chains)]
        # With this penalty the empty program costs more than the first start, for tasks of any size.
        changed = float(cases.change.sum(axis=1) @ cases.counts / cases.counts.sum())
        paid = score(generic, cases, max_steps, replace(cost, lines=0.0, registers=0.0))
        self.steps = paid.steps
        self.paid = paid.cost if paid.right else paid.steps * self.step
        self.scale = self.paid / max(changed, 0.1)

    def _chain(self, number: int, M: int, R: int, seed: np.uint64) -> _Chain:
        walk = ChainArrays.of(M, R, seed, self.longest)
        is_cool = len(self.starts) > 1 and number % 8 in COOL_CHAINS
        order = np.random.default_rng([int(seed) & 0xFFFFFFFF, number]).permutation(self.cases.C)
        return _Chain(number, is_cool, walk, [int(c) for c in order[:FEW]])

    def best(self) -> tuple[float, Program] | None:
        """The cheapest right program found so far."""
        cost, _, chain, L = min((*c.best[:1], c.number, c, c.best[1]) for c in self.chains)
        return None if cost == np.inf else (cost, self._decoded(chain, L))

    def _decoded(self, chain: _Chain, L: int) -> Program:
        return decode(chain.walk.best_of_length(L), self.instructions, self.cases.M)

    def by_length(self) -> list[tuple[float, Program]]:
        """The cheapest right program found of each length."""
        found = []
        for L in range(1, self.longest + 1):
            chain = min(self.chains, key=lambda c: (c.walk.best.cost[L], c.number))
            if chain.walk.best.cost[L] < np.inf:
                found.append((float(chain.walk.best.cost[L]), self._decoded(chain, L)))
        return found

    def round(self, keep_going: Callable[[], bool] = lambda: True, most: int | None = None) -> bool:
        """Run one round of every chain; False if it was cut short.

        A round is cut short when `keep_going`, which is called ten times a second, returns False, and after
        `most` evaluations of each chain. The next call resumes it.
        """
        if not self.under_way:
            self._choose_starts()
        self.cut, self.under_way = False, True
        before = self.evaluations
        done = max(chain.walk.state[1] for chain in self.chains)
        self.end = self.round_size if most is None else min(self.round_size, int(done) + most)
        with ThreadPoolExecutor(self.threads) as pool:
            jobs = [pool.submit(self._round_of, chain) for chain in self.chains]
            try:
                while wait(jobs, timeout=0.1).not_done:
                    if not keep_going():
                        self.cut = True
            except BaseException:
                self.cut = True
                raise
        for job in jobs:
            job.result()
        self.evaluated += self.evaluations - before
        if self.evaluations < self.round_size * len(self.chains):
            return False
        self.rounds_done += 1
        self.under_way = False
        for chain in self.chains:
            bad = int(chain.walk.state[2])
            if bad >= 0 and bad not in chain.few:
                chain.few.append(bad)
        return True

    @property
    def evaluations(self) -> int:
        """The evaluations in this round so far."""
        return int(sum(chain.walk.state[1] for chain in self.chains))

    def _round_of(self, chain: _Chain) -> None:
        heats = COOL if chain.is_cool else HOT
        heat = heats[(chain.number + self.rounds_done) % len(heats)]
        # the temperatures scale with the cost of the program that is polished
        least = min(self.paid, self.overall) if chain.is_cool else self.paid
        warmth = max(least / HEAT_STEPS, (0.05 if chain.is_cool else 0.25) * self.step)
        line_weight = self.line_weights[chain.number % len(self.line_weights)] + self.cost.lines
        M, weights = self.cases.M, self.weights
        this_round = Round(
            few=self.cases.choose(chain.few),
            everything=self.cases,
            rules=Rules.of(self.instructions, M, self.max_steps, weights, heat.wrong * self.scale),
            strict=Rules.of(self.instructions, M, self.max_steps, weights, NEVER),
            guide=self.guide,
            chances=self.chances,
            per_line=float(line_weight),
            per_register=float(self.cost.registers),
            hot=heat.hot * warmth,
            cold=heat.cold * warmth,
            evaluations=float(self.round_size),
            kept=self.kept,
        )
        todo = FIRST_SLICE
        while chain.walk.state[1] < self.end and not self.cut:
            todo = int(min(todo, self.end - chain.walk.state[1]))
            begin = time.perf_counter()
            anneal_chain(chain.walk, this_round, todo)
            seconds = time.perf_counter() - begin
            faster = min(4.0, SLICE_SECONDS / max(seconds, 1e-6))
            todo = max(FIRST_SLICE, int(todo * faster) // FIRST_SLICE * FIRST_SLICE)

    def _choose_starts(self) -> None:
        """Begin the round of each chain at a start, at its own best program, or at the best of all."""
        leader = min(self.chains, key=lambda c: (c.best[0], c.number))
        self.overall = min(leader.best[0], self.overall)
        for chain in self.chains:
            chance = self.random.random()
            which = int(self.random.integers(len(self.starts)))
            if chain.is_cool:
                which = 1 + (chain.number + self.rounds_done) % (len(self.starts) - 1)
            elif not chain.is_cool and self.rounds_done == 0:
                which = 0
            source = None
            if self.rounds_done > 0 and chance < 0.4:
                source = chain
            elif self.rounds_done > 0 and chance < 0.7:
                source = leader
            start = self.starts[which]
            if source is not None and source.best[0] < np.inf:
                start = source.walk.best_of_length(source.best[1])
            chain.walk.start_from(start)
