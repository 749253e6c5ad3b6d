"""Gradient descent on candidates: the loop of all populations, and populations of softened programs.

At every validation each member is read back as an exact candidate, which the exact machine judges; the best
candidate of each member is recorded. The loss for an objective is the soft score, in units of the deviation of
the generic program's scores, plus penalties for violating the constraint and for not stopping.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import replace
from typing import Any, Generic, TypeVar, cast

import numpy as np
from jax import Array

from anc.adaptation.objectives.incumbents import Graded
from anc.adaptation.objectives.objective import ScoreJudge, Standing, unanswered
from anc.machine.encoded import decode, encode
from anc.machine.weights import Weights, harden
from anc.program import Program
from anc.training import jax_engine
from anc.training.engines import check_memory
from anc.training.interface import Engine
from anc.training.loss import Aim, LossTarget
from anc.training.members import (
    Members,
    Population,
    learnt_program,
    reference_population,
    starting_population,
    trainable,
)
from anc.training.problem import Problem
from anc.training.settings import TrainingSettings, changed, refuse_idle

C = TypeVar("C")
S = TypeVar("S", bound=Graded)
SURE = 0.98  # a member that is this certain of a wrong candidate is stuck
VIOLATION = 5.0  # the penalty for a violated constraint, in units of the generic program's scores
LONGER = 1.25  # step limit of a soft run, in terms of the generic program's longest run
USUAL = TrainingSettings(
    iterations=400, batch=8, correctness=1.0, confidence=0.0, efficiency=0.0, halting=5.0,
    sharpness=4.0, sharpness_spread=0.3, validate_every=20,
)  # fmt: skip


class Descent(Population, Generic[C, S]):
    """A population whose members are read back as candidates; the best of each member is recorded."""

    best: list[tuple[C, S] | None]

    def readings(self) -> Iterable[tuple[C, float]]:
        """The candidate and the certainty of every member."""
        raise NotImplementedError

    def judged(self, member: int, candidate: C) -> S:
        """The standing of a member's candidate."""
        raise NotImplementedError

    @property
    def right(self) -> int:
        """The number of members with an optimal candidate."""
        return sum(found is not None and found[1].is_right for found in self.best)

    @property
    def is_done(self) -> bool:
        return super().is_done or self.right == len(self.best)

    def advance(self) -> None:
        """Train up to the next validation, read every member back, and restart stuck members."""
        self.train()
        hopeless, patience = [], self.members.shared.restart_after
        for member, (candidate, certainty) in enumerate(self.readings()):
            standing, found = self.judged(member, candidate), self.best[member]
            if found is None or standing.rank < found[1].rank:
                self.best[member] = found = candidate, standing
            waited = self.state.iteration - self.begun[member]
            is_stuck = certainty > SURE or waited >= patience > 0
            if is_stuck and not found[1].is_right:
                hopeless.append(member)
        self.restart(np.array(hopeless, np.int64))


def settings_for(steps: int, values: dict[str, Any]) -> TrainingSettings:
    """Settings for a program whose longest run has this many steps; `values` override the defaults."""
    settings = changed(replace(USUAL, max_steps=int(LONGER * steps) + 2), values)
    refuse_idle(settings, values)
    return settings


class ProgramDescent(Descent[Program, Standing]):
    """A population for an objective that starts at a program."""

    def __init__(self, program: Program, judge: ScoreJudge[Program], members: Members) -> None:
        M = judge.M
        judge.objective.check_soft(M)
        self.judge, self.problem = judge, Problem("objective", program, "", M, (), (), (), ())
        check_memory(self.problem, members, "jax")
        super().__init__(
            cast(Engine, jax_engine),
            members,
            unanswered(judge.inputs),
            self.starts,
            reference_population(self.problem, members),
            trainable(learnt_program(self.problem, members.shared), M),
            aim_of(judge),
        )
        first = decode(encode(program), program.instructions, M)
        self.best = [(first, self.judged(0, first))] * len(members.seeds)

    def starts(self, which: np.ndarray) -> Weights:
        return starting_population(self.problem, self.members.some(which), self.attempts[which])

    def readings(self) -> Iterable[tuple[Program, float]]:
        logits, M = self.state.logits, self.judge.M
        for member in range(len(self.best)):
            program = harden(logits[member])
            yield decode(encode(program), program.instructions, M), 0.0

    def judged(self, member: int, candidate: Program) -> Standing:
        return self.judge.judged(candidate)


def aim_of(judge: ScoreJudge[Any]) -> Aim:
    """The loss of a final memory."""
    objective, usual = judge.objective, float(judge.usual.mean())

    def error(memory: Array, wanted: LossTarget) -> Array:
        score = objective.sign * objective.score.soft(wanted.input, memory)
        cost = (score - usual) / judge.unit
        if objective.constraint is not None:
            cost += VIOLATION * objective.constraint.soft_violation(wanted.input, memory)
        return cost

    return Aim(error, at_each_step=False)
