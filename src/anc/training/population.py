"""A population: members that an engine trains side by side, from one validation to the next.

A population does not know how members are judged. Training on right answers, descent on an objective and filling
a sketch all use it: they inspect it after every `train` and restart members that make no progress.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from typing import TYPE_CHECKING

import numpy as np

from anc.machine.cases import Cases
from anc.machine.weights import Weights
from anc.training.drawing import draw_indices
from anc.training.interface import Engine, Report, TrainingState, Work
from anc.training.members import Members

if TYPE_CHECKING:
    from anc.training.loss import Aim

Starting = Callable[[np.ndarray], Weights]


class Population:
    """Members in training: their weights, how often each was restarted, and when.

    `starting` returns the initial weights of members, given their indices, for their current attempts.
    """

    def __init__(
        self,
        engine: Engine,
        members: Members,
        cases: Cases,
        starting: Starting,
        reference: Weights | None = None,
        trainable: np.ndarray | None = None,
        aim: Aim | None = None,
    ) -> None:
        S = len(members.seeds)
        self.engine, self.members, self.cases, self.starting = engine, members, cases, starting
        self.reference, self.trainable = reference, trainable
        self.objective = replace(members.objective(), aim=aim)
        self.attempts = np.zeros(S, np.int64)  # restarts of each member
        self.begun = np.zeros(S, np.int64)  # the iteration of its last start
        self.state = TrainingState.fresh(starting(np.arange(S)))

    @property
    def is_done(self) -> bool:
        return self.state.iteration >= self.members.shared.iterations

    @property
    def waited(self) -> np.ndarray:
        """(S,) iterations since each member last started."""
        return self.state.iteration - self.begun

    def train(self) -> Report:
        """Train to the next validation."""
        begin, shared = self.state.iteration, self.members.shared
        end = min(begin + shared.validate_every, shared.iterations)
        seeds = np.array(self.members.seeds, np.uint64)
        work = Work.checked(
            self.state,
            self.cases,
            self.indices(begin, end),
            self.objective,
            self.members.schedule(begin, end),
            seeds + self.attempts.astype(np.uint64) * 2**20,
            self.reference,
            self.trainable,
        )
        return self.engine.train(self.state, work, self.objective)

    def indices(self, begin: int, end: int) -> np.ndarray:
        """The cases that each member sees: a pure function of its seed, its attempt and the iteration."""
        seeds = np.array(self.members.seeds, np.uint64)
        size = self.cases.C, end - begin, self.members.shared.batch
        return draw_indices(seeds, self.attempts, begin, *size)

    def restart(self, again: np.ndarray) -> None:
        """Restart members, given their indices, from new weights."""
        if len(again) == 0:
            return
        self.attempts[again] += 1
        self.begun[again] = self.state.iteration
        self.state.weights[again] = self.starting(again).flat()
        for moment in (self.state.moment1, self.state.moment2):
            moment[again] = 0
        self.state.applied[again] = 0
