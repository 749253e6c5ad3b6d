"""Simulated annealing over programs near the generic one, judged by an objective.

A chain proposes moves from `anc.search.moves`, runs the new program on the instances and scores its final tapes.
An invalid instance costs more than any instance that the generic program solves, so that a chain can pass through
programs that are partly wrong. Most moves break a program, which a few instances show before the others are run.
Chains begin at the generic program and at the best one in turn, and become longer.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator

import numpy as np

from anc.adaptation.objectives.objective import Judged, ScoreJudge, Standing
from anc.machine.compiled import lean
from anc.machine.encoded import Encoded, decode, encode
from anc.program import Program
from anc.search.chain import NO_GUIDES, FrozenParts, keeps
from anc.search.moves import chances, propose

SPARE_REGISTERS = 2
FEW = 12  # instances that are run first
HOT, COLD = 0.1, 0.003  # temperatures, in units of the deviation of the generic program's costs
ANOTHER = 0.4  # the probability of another move in the same proposal
LINE = 1e-3  # the cost of a line in these units, so that chains do not accumulate useless lines
PROPOSALS = 4_000  # of the first chain; every later pair of chains is longer
GROWTH = 1.5
SLICE = 500  # proposals between checks of the clock
COOLER = 0.3  # relative temperature of a chain that continues from the best program

Candidate = tuple[Program, Standing]


@lean
def move(program, guide, rng, chances):
    """Change an encoded program in place; whether it changed."""
    return propose(program, guide, rng, chances)


@lean
def leaves_alone(program, kept):
    """Whether an encoded program still has all frozen lines."""
    return keeps(program, kept)


class ScoreChain:
    """A chain of a fixed number of proposals from a program, with a falling temperature."""

    def __init__(
        self, judge: ScoreJudge, start: Program, seed: int, proposals: int, heat: float = 1.0
    ):
        M, room = judge.M, encode(start, SPARE_REGISTERS)
        lines = np.zeros((M, 4), np.uint16)
        lines[: room.L] = room.lines
        self.judge, self.proposals, self.heat, self.done = judge, proposals, heat, 0
        self.program = Encoded(lines, room.values, room.head)
        self.new = Encoded(*(part.copy() for part in self.program))
        self.kept = FrozenParts.of(judge.program, self.program) if judge.program.frozen else None
        self.random = np.random.default_rng([seed, 5])
        self.rng = np.array([self.random.integers(2**63)], np.uint64)
        self.guide, self.chances = NO_GUIDES.of(start.instructions), chances(start.instructions)
        judged = judge.runs(self.program)
        self.costs = judge.costs(judged)
        self.best: Candidate = self._decoded(self.program), judge.objective.standing(judged)

    def _decoded(self, program: Encoded) -> Program:
        return decode(program, self.judge.program.instructions, self.judge.M)

    @property
    def is_done(self) -> bool:
        return self.done >= self.proposals

    def advance(self, count: int) -> int:
        """Make up to `count` more proposals; how many were made."""
        count = min(count, self.proposals - self.done)
        for _ in range(count):
            self._propose()
            self.done += 1
        return count

    def _propose(self) -> None:
        for new, old in zip(self.new, self.program, strict=True):
            new[...] = old
        changed = False
        while not changed or self.random.random() < ANOTHER:
            changed |= move(self.new, self.guide, self.rng, self.chances)
        if self.kept is not None and not leaves_alone(self.new, self.kept):
            return
        share = self.done / self.proposals
        heat = self.heat * self.judge.unit * HOT * (COLD / HOT) ** share
        bound = -heat * math.log(1.0 - self.random.random())  # drawn before the program runs
        bound -= LINE * self.judge.unit * (self.new.L - self.program.L)
        judged = self._judged(bound)
        if judged is None:
            return
        costs = self.judge.costs(judged)
        if (costs - self.costs).mean() <= bound:
            for new, old in zip(self.new, self.program, strict=True):
                old[...] = new
            self.costs = costs
            standing = self.judge.objective.standing(judged)
            if standing.rank < self.best[1].rank:
                self.best = self._decoded(self.new), standing

    def _judged(self, bound: float) -> Judged | None:
        """Judge the new program; None if the first few instances show that it is too expensive."""
        judge, n = self.judge, len(self.costs)
        few = judge.runs(self.new, 0, FEW)
        worse = judge.costs(few) - self.costs[:FEW]
        if worse.mean() - 2 * worse.std() / math.sqrt(len(worse)) > bound:
            return None
        if n <= FEW:
            return few
        rest = judge.runs(self.new, FEW)
        return Judged(*(np.concatenate(pair) for pair in zip(few, rest, strict=True)))


def search(
    judge: ScoreJudge,
    seed: int,
    proposals: int | None = None,
    is_over: Callable[[], bool] = lambda: False,
    earlier: Program | None = None,
) -> Iterator[tuple[Candidate, int]]:
    """Yield the best program so far and the number of proposals, after every slice.

    The search ends when `is_over` returns True, or after this number of `proposals`; the result depends only on the
    seed and the number of proposals. An `earlier` program that is better than the generic one is the first best.
    """
    firsts = [judge.program] if earlier is None else [judge.program, earlier]
    best = min(
        (ScoreChain(judge, first, 0, 1).best for first in firsts), key=lambda each: each[1].rank
    )
    done, number, length = 0, 0, float(PROPOSALS)
    while not is_over() and (proposals is None or done < proposals):
        is_fresh = number % 2 == 0
        left = int(length) if proposals is None else min(int(length), proposals - done)
        start, heat = (judge.program, 1.0) if is_fresh else (best[0], COOLER)
        chain = ScoreChain(judge, start, seed * 10_007 + number, left, heat)
        while not chain.is_done and not is_over():
            done += chain.advance(SLICE)
            if chain.best[1].rank < best[1].rank:
                best = chain.best
            yield best, done
        number += 1
        length *= 1.0 if is_fresh else GROWTH
