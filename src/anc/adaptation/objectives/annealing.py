"""Annealing over programs near the generic one, judged by an objective.

A walk proposes moves of `anc.search.moves`, runs the new program on the instances and judges what it
leaves. An instance that is not valid costs more than any that the generic program solves, so that a
walk may pass through programs that are wrong here and there. Most moves break a program at once: a few
instances show it before the others are run. Walks begin at the generic program and at the best one by turns,
and become longer.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field

import numpy as np

from anc.adaptation.objectives.objective import Judged, Objective, Standing
from anc.machine.batch import Rules, run_encoded
from anc.machine.compiled import lean
from anc.machine.encoded import Encoded, decode, encode
from anc.program import Program
from anc.search.chain import NO_GUIDES, Kept, keeps
from anc.search.moves import WEIGHTS, propose

SPARE_REGISTERS = 2
FEW = 12  # instances that are looked at first
HOT, COLD = 0.1, 0.003  # temperatures, in units of how much the generic program's costs vary
ANOTHER = 0.4  # the chance that a proposal is one move more
STEP = 1e-5  # what a step costs in these units: of two programs that are as good, the faster
LINE = 1e-3  # ... and a program line, so that walks do not pile up lines of no use
PROPOSALS = 4_000  # of the first walk; every later pair of walks is longer
GROWTH = 1.5
SLICE = 500  # proposals between looks at the clock
COOLER = 0.3  # the heat of a walk that goes on from the best program

Candidate = tuple[Program, Standing]


@lean
def move(program, guide, rng, chances):
    """Change an encoded program in place; whether that changed anything."""
    return propose(program, guide, rng, chances)


@lean
def leaves_alone(program, kept):
    """Whether an encoded program still has all frozen lines."""
    return keeps(program, kept)


@dataclass
class Ground:
    """The instances of a search, what the generic program does there, and what that makes of costs."""

    objective: Objective
    inputs: np.ndarray
    max_steps: int
    program: Program  # the generic one
    generic: Judged = field(init=False)
    rules: Rules = field(init=False)
    unit: float = field(init=False)
    price: float = field(init=False)  # of an instance that is not valid

    def __post_init__(self) -> None:
        self.rules = Rules.of(self.program.instructions, self.M, self.max_steps)
        self.generic = self.objective.judged(self.program, self.inputs, self.max_steps)
        costs = self.objective.sign * self.generic.scores[self.generic.valid]
        self.unit = max(float(costs.std()), 0.05 * abs(float(costs.mean())), 1e-9)
        self.price = float(costs.max()) + 2 * self.unit

    @property
    def M(self) -> int:
        return int(self.inputs.shape[1])

    def judged(self, program: Encoded, begin: int = 0, end: int | None = None) -> Judged:
        inputs = self.inputs[begin:end]
        return self.objective.judge(inputs, run_encoded(program, inputs, self.rules))

    def standing(self, judged: Judged) -> Standing:
        return self.objective.standing(judged)

    def costs(self, judged: Judged) -> np.ndarray:
        """What each instance costs a walk."""
        paid = np.where(judged.valid, self.objective.sign * judged.scores, self.price)
        return paid + STEP * self.unit * judged.steps


class Walk:
    """One walk of a fixed number of proposals, from a program, getting colder."""

    def __init__(
        self, ground: Ground, start: Program, seed: int, proposals: int, heat: float = 1.0
    ):
        M, room = ground.M, encode(start, SPARE_REGISTERS)
        lines = np.zeros((M, 4), np.uint16)
        lines[: room.L] = room.lines
        self.ground, self.proposals, self.heat, self.done = ground, proposals, heat, 0
        self.program = Encoded(lines, room.values, room.head)
        self.new = Encoded(*(part.copy() for part in self.program))
        self.kept = Kept.of(ground.program, self.program) if ground.program.frozen else None
        self.random = np.random.default_rng([seed, 5])
        self.rng = np.array([self.random.integers(2**63)], np.uint64)
        self.guide, self.chances = NO_GUIDES.of(start.instructions), np.cumsum(WEIGHTS)
        judged = ground.judged(self.program)
        self.costs = ground.costs(judged)
        self.best: Candidate = self._decoded(self.program), ground.standing(judged)

    def _decoded(self, program: Encoded) -> Program:
        return decode(program, self.ground.program.instructions, self.ground.M)

    @property
    def is_done(self) -> bool:
        return self.done >= self.proposals

    def advance(self, count: int) -> int:
        """Some proposals more; how many there were left."""
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
        heat = self.heat * self.ground.unit * HOT * (COLD / HOT) ** share
        bound = -heat * math.log(1.0 - self.random.random())  # drawn before anything runs
        bound -= LINE * self.ground.unit * (self.new.L - self.program.L)
        judged = self._judged(bound)
        if judged is None:
            return
        costs = self.ground.costs(judged)
        if (costs - self.costs).mean() <= bound:
            for new, old in zip(self.new, self.program, strict=True):
                old[...] = new
            self.costs = costs
            standing = self.ground.standing(judged)
            if standing.rank < self.best[1].rank:
                self.best = self._decoded(self.new), standing

    def _judged(self, bound: float) -> Judged | None:
        """How the new program does; None if a few instances show that it is too dear."""
        ground, n = self.ground, len(self.costs)
        few = ground.judged(self.new, 0, FEW)
        worse = ground.costs(few) - self.costs[:FEW]
        if worse.mean() - 2 * worse.std() / math.sqrt(len(worse)) > bound:
            return None
        if n <= FEW:
            return few
        rest = ground.judged(self.new, FEW)
        return Judged(*(np.concatenate(pair) for pair in zip(few, rest, strict=True)))


def search(
    ground: Ground,
    seed: int,
    proposals: int | None = None,
    is_over: Callable[[], bool] = lambda: False,
    earlier: Program | None = None,
) -> Iterator[tuple[Candidate, int]]:
    """Better and better programs, each with the proposals so far; None better: the last one again.

    Ends when `is_over` says so, or after so many proposals; what is found depends on the seed and on
    the proposals only. If an `earlier` program is better than the generic one, it is the first best.
    """
    firsts = [ground.program] if earlier is None else [ground.program, earlier]
    best = min((Walk(ground, first, 0, 1).best for first in firsts), key=lambda each: each[1].rank)
    done, number, length = 0, 0, float(PROPOSALS)
    while not is_over() and (proposals is None or done < proposals):
        is_fresh = number % 2 == 0
        left = int(length) if proposals is None else min(int(length), proposals - done)
        start, heat = (ground.program, 1.0) if is_fresh else (best[0], COOLER)
        walk = Walk(ground, start, seed * 10_007 + number, left, heat)
        while not walk.is_done and not is_over():
            done += walk.advance(SLICE)
            if walk.best[1].rank < best[1].rank:
                best = walk.best
            yield best, done
        number += 1
        length *= 1.0 if is_fresh else GROWTH
