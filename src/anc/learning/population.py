"""A population under training: the loop that every gradient descent shares.

An engine trains all members for a while; then somebody looks at what they have become, and members that
lead nowhere start again.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import TYPE_CHECKING

import numpy as np

from anc.learning.drawing import draw_indices
from anc.learning.interface import Engine, Report, TrainingState, Work
from anc.learning.members import Members
from anc.machine.cases import Cases
from anc.machine.weights import Weights

if TYPE_CHECKING:
    from anc.learning.loss import Aim


class Population:
    """Members that an engine trains from one look to the next."""

    def __init__(
        self,
        members: Members,
        engine: Engine,
        cases: Cases,
        aim: Aim | None = None,
        reference: Weights | None = None,
        trainable: np.ndarray | None = None,
    ) -> None:
        """`aim` is what a final memory is charged with where no answer is right, `reference` what pulls."""
        S = len(members.seeds)
        self.members, self.engine, self.cases = members, engine, cases
        self.reference, self.trainable = reference, trainable
        self.objective = replace(members.objective(), aim=aim)
        self.attempts = np.zeros(S, np.int64)  # how often each member started again
        self.begun = np.zeros(S, np.int64)  # the iteration at which it last started
        self.state = TrainingState.fresh(self.starts(range(S)))

    def starts(self, which: Sequence[int]) -> Weights:
        """Where these members start, in their present attempts."""
        raise NotImplementedError

    @property
    def is_done(self) -> bool:
        return self.state.iteration >= self.members.shared.iterations

    def train(self) -> Report:
        """Train until the next look."""
        shared, begin = self.members.shared, self.state.iteration
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
        """Which cases each member sees: a pure function of its seed, attempt and the iteration."""
        seeds, batch = np.array(self.members.seeds, np.uint64), self.members.shared.batch
        return draw_indices(seeds, self.attempts, begin, self.cases.C, end - begin, batch)

    def restart(self, again: np.ndarray) -> None:
        """Start these members again; `again` (n,) are their numbers."""
        if len(again) == 0:
            return
        self.attempts[again] += 1
        self.begun[again] = self.state.iteration
        self.state.weights[again] = self.starts(again.tolist()).flat()
        for moment in (self.state.moment1, self.state.moment2):
            moment[again] = 0
        self.state.applied[again] = 0
