"""Gradient descent on an objective: a population of softened programs, trained by the JAX engine.

The loss is the soft score, in units of how much the generic program's scores vary, plus a price for
violating the constraint and for not stopping. What counts is the exact program that a member has become: each
is hardened and judged by the exact machine now and then, and its best one is kept.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass, field, replace
from typing import Any

import numpy as np
from jax import Array

from anc.learning import jax_engine
from anc.learning.engines import check_memory
from anc.learning.frozen import trainable
from anc.learning.interface import TrainingState, Work
from anc.learning.loss import Aim, Wanted
from anc.learning.members import (
    Members,
    learnt_program,
    reference_population,
    starting_population,
)
from anc.learning.problem import Problem
from anc.learning.settings import TrainingSettings, changed, refuse_idle
from anc.machine.cases import Cases
from anc.machine.encoded import encode
from anc.machine.weights import harden
from anc.objectives.objective import Objective
from anc.objectives.walk import Candidate, Ground
from anc.program import Program

VIOLATION = 5.0  # the price of a violated constraint, in the same units
LONGER = 1.25  # how many steps a soft run may take, compared with the generic program's longest
USUAL = TrainingSettings(
    iterations=400, batch=8, correctness=1.0, confidence=0.0, efficiency=0.0, halting=5.0,
    sharpness=4.0, sharpness_spread=0.3, validate_every=20,
)  # fmt: skip


def settings_for(steps: int, values: dict[str, Any]) -> TrainingSettings:
    """Settings for a program whose longest run has so many steps; `values` go first."""
    settings = changed(replace(USUAL, max_steps=int(LONGER * steps) + 2), values)
    refuse_idle(settings, values)
    return settings


@dataclass
class Descent:
    """A training in progress; `advance` goes on until the next validation."""

    program: Program
    ground: Ground
    members: Members
    state: TrainingState = field(init=False)
    best: list[Candidate] = field(init=False)  # of each member

    def __post_init__(self) -> None:
        ground, M = self.ground, self.ground.inputs.shape[1]
        ground.objective.check_soft(M)
        problem = Problem("objective", self.program, "", M, (), (), (), ())
        S = len(self.members.seeds)
        check_memory(problem, self.members, "jax")
        self.state = TrainingState.fresh(
            starting_population(problem, self.members, np.zeros(S, np.int64))
        )
        self._reference = reference_population(problem, self.members)
        self.trainable = trainable(learnt_program(problem, self.members.shared), M)
        inputs = np.ascontiguousarray(ground.inputs, np.uint16)
        counts = np.ones(len(inputs))
        self._cases = Cases(inputs, inputs, np.zeros_like(inputs), counts)
        self._objective = replace(self.members.objective(), aim=aim_of(ground))
        first = ground.better(encode(self.program), ground.judged(encode(self.program)), None)
        assert first is not None
        self.best = [first] * S

    @property
    def is_done(self) -> bool:
        return self.state.iteration >= self.members.shared.iterations

    def advance(self) -> None:
        shared = self.members.shared
        begin = self.state.iteration
        end = min(begin + shared.validate_every, shared.iterations)
        size = end - begin, shared.batch
        columns = [
            np.random.default_rng([seed, begin]).integers(self._cases.C, size=size)
            for seed in self.members.seeds
        ]
        work = Work.checked(
            self.state,
            self._cases,
            np.stack(columns, axis=1),
            self._objective,
            self.members.schedule(begin, end),
            np.array(self.members.seeds, np.uint64),
            self._reference,
            self.trainable,
        )
        jax_engine.train(self.state, work, self._objective)
        self._judge()

    def _judge(self) -> None:
        """Look at the exact program that each member is now."""
        for i in range(len(self.best)):
            found = encode(harden(self.state.logits[i]))
            better = self.ground.better(found, self.ground.judged(found), self.best[i])
            self.best[i] = better or self.best[i]


def aim_of(ground: Ground) -> Aim:
    """What a final memory is charged with."""
    objective: Objective = ground.objective
    costs = objective.sign * ground.generic.scores[ground.generic.valid]
    usual = float(costs.mean())

    def error(memory: Array, wanted: Wanted) -> Array:
        score = objective.sign * objective.score.soft(wanted.input, memory)
        cost = (score - usual) / ground.unit
        if objective.constraint is not None:
            cost += VIOLATION * objective.constraint.soft_violation(wanted.input, memory)
        return cost

    return Aim(error, at_each_step=False)


def descend(
    program: Program,
    ground: Ground,
    members: Members,
    is_over: Callable[[], bool] = lambda: False,
) -> Iterator[tuple[Candidate, int, list[Candidate]]]:
    """The best program so far after each validation, the iterations done, and each member's best."""
    descent = Descent(program, ground, members)
    while not descent.is_done and not is_over():
        descent.advance()
        yield min(descent.best, key=lambda c: c.rank), descent.state.iteration, descent.best
