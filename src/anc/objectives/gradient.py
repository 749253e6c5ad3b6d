"""Gradient descent on an objective: a population of softened programs, trained by the JAX engine.

The loss is the soft score, in units of how much the generic program's scores vary, plus a price for
violating the constraint and for not stopping. What counts is the exact program that a member has become: each
is hardened and judged by the exact machine now and then, and its best one is kept.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import replace
from typing import Any, cast

import numpy as np
from jax import Array

from anc.learning import jax_engine
from anc.learning.engines import check_memory
from anc.learning.frozen import trainable
from anc.learning.interface import Engine
from anc.learning.loss import Aim, Wanted
from anc.learning.members import (
    Members,
    learnt_program,
    reference_population,
    starting_population,
)
from anc.learning.population import Population
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


class Descent(Population):
    """A training in progress; `advance` goes on until the next validation."""

    def __init__(self, program: Program, ground: Ground, members: Members) -> None:
        self.ground, M = ground, ground.inputs.shape[1]
        ground.objective.check_soft(M)
        problem = Problem("objective", program, "", M, (), (), (), ())
        check_memory(problem, members, "jax")
        inputs = np.ascontiguousarray(ground.inputs, np.uint16)
        super().__init__(
            cast(Engine, jax_engine),
            members,
            Cases(inputs, inputs, np.zeros_like(inputs), np.ones(len(inputs))),
            lambda which: starting_population(
                problem, members.some(which), np.zeros(len(which), np.int64)
            ),
            reference_population(problem, members),
            trainable(learnt_program(problem, members.shared), M),
            aim_of(ground),
        )
        first = ground.better(encode(program), ground.judged(encode(program)), None)
        assert first is not None
        self.best: list[Candidate] = [first] * len(members.seeds)

    def indices(self, begin: int, end: int) -> np.ndarray:
        size = end - begin, self.members.shared.batch
        columns = [
            np.random.default_rng([seed, begin]).integers(self.cases.C, size=size)
            for seed in self.members.seeds
        ]
        return np.stack(columns, axis=1)

    def advance(self) -> None:
        """Train for a while, and look at the exact program that each member is now."""
        self.train()
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
