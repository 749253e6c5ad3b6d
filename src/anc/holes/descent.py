"""Filling by gradient descent: the soft machine with everything fixed but the holes.

Whatever is written is sharp and not trained; a hole is a distribution over its choices, the rest of its
row is impossible. Many members, each with its own start and perhaps its own cases, are trained at once.
Now and then every member is read back: its likeliest choices are a filling, which the exact machine
judges.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import TYPE_CHECKING

import numpy as np

from anc.holes.answers import Judge, Verdict
from anc.holes.machine import Ground
from anc.holes.sketch import Filling, Sketch
from anc.isa import Effect
from anc.learning.engines import check_room
from anc.learning.interface import Engine
from anc.learning.members import Members
from anc.learning.population import Population
from anc.learning.settings import TrainingSettings
from anc.machine.cases import Cases
from anc.machine.weights import Array, Weights, soften, softmax, stack

if TYPE_CHECKING:
    from anc.learning.loss import Aim

SHARPNESS = 30.0  # of what is written: as good as exact
SPREAD = 2.0  # standard deviation of the logits that a hole starts with
SURE = 0.98  # a member whose holes are all this certain, and wrong, starts again
STEPS_PER_CELL = 3  # of memory: the step limit of soft runs, at most
MOST_STEPS = 150
SETTINGS = TrainingSettings(
    correctness=1.0,
    halting=1.0,
    confidence=0.0,
    efficiency=0.0,
    rate=0.3,
    clip=1.0,
    noise=0.1,
    batch=4,
    iterations=2000,
    validate_every=10,
    restart_after=50,
)
ROWS = {"op": "op", "first": "first", "second": "second", "value": "registers"}


def fixed_weights(sketch: Sketch) -> Weights:
    """Everything that is written as sharp weights; in the rows of the holes nothing is possible.

    Registers without a first value hold 0, as on the exact machine, and lines behind the program's
    last one do nothing.
    """
    L, program = sketch.program.L, sketch.program
    weights = soften(program, sketch.M, SHARPNESS)
    rows = enumerate(program.instructions)
    idle = next(i for i, row in rows if row.effect is Effect.NONE)
    for array in (weights.op, weights.first, weights.second, weights.out):
        array[L:] = 0.0
    weights.op[L:, idle] = SHARPNESS
    weights.out[L:, -1] = SHARPNESS
    for register, value in enumerate(program.registers):
        if value is None:
            weights.registers[register, 0] = SHARPNESS
    for hole in sketch.holes:
        getattr(weights, ROWS[hole.field])[hole.at] = -SHARPNESS
    return weights


def trainable(sketch: Sketch) -> np.ndarray:
    """(n,) bool: the logits of the holes' choices, which are all that is trained."""
    mask = fixed_weights(sketch).map(lambda array: np.zeros(array.shape, np.bool_))
    for hole in sketch.holes:
        getattr(mask, ROWS[hole.field])[hole.at, list(hole.choices)] = True
    return mask.flat(np.bool_)


def soft_settings(sketch: Sketch, settings: TrainingSettings, max_steps: int) -> TrainingSettings:
    """The settings with the step limit of soft runs; `max_steps` is the exact machine's."""
    return replace(settings, max_steps=min(max_steps, MOST_STEPS, STEPS_PER_CELL * sketch.M))


class Descent(Population):
    """A population that fills a sketch; member s takes the cases `chosen[s]`, or all of them.

    Without right answers, an `aim` is what a final memory is charged with, and `judge` what judges the
    fillings that members are read back as. `max_steps` is the exact machine's.
    """

    def __init__(
        self,
        sketch: Sketch,
        cases: Cases,
        engine: Engine,
        seeds: Sequence[int],
        max_steps: int,
        settings: TrainingSettings = SETTINGS,
        chosen: Sequence[np.ndarray] | None = None,
        aim: Aim | None = None,
        judge: Judge[Verdict] | None = None,
    ) -> None:
        soft, S = soft_settings(sketch, settings, max_steps), len(seeds)
        check_room(sketch.M, sketch.program.R, S, soft, engine.name)
        self.sketch, self.max_steps, self.chosen, self.judge = sketch, max_steps, chosen, judge
        self.fixed = fixed_weights(sketch)
        members = Members((soft,) * S, tuple(seeds))
        super().__init__(
            engine, members, cases, self._starting, trainable=trainable(sketch), aim=aim
        )
        self.best: list[tuple[Filling, Verdict] | None] = [None] * S
        self.judges = self._judges()
        self._judged: dict[tuple[int, Filling], Verdict] = {}

    def _judges(self) -> Sequence[Judge[Verdict]]:
        """What judges each member: its own cases, or one for all."""
        if self.chosen is None:
            judge = self.judge or Ground(self.sketch, self.cases, self.max_steps)
            return [judge] * len(self.members.seeds)
        return [
            Ground(self.sketch, self.cases.choose(which), self.max_steps) for which in self.chosen
        ]

    def _starting(self, which: np.ndarray) -> Weights:
        return stack([self._start(member) for member in which])

    def _start(self, member: int) -> Weights:
        """Where a member starts: every choice of a hole about as likely as the others."""
        seed, attempt = self.members.seeds[member], int(self.attempts[member])
        random = np.random.default_rng([seed, attempt, 11])
        weights = self.fixed.map(np.copy)
        for hole in self.sketch.holes:
            row = getattr(weights, ROWS[hole.field])[hole.at]
            row[list(hole.choices)] = random.normal(scale=SPREAD, size=len(hole.choices))
        return weights

    @property
    def is_done(self) -> bool:
        return super().is_done or self.right == len(self.best)

    @property
    def right(self) -> int:
        """Members whose filling is right on all of their cases."""
        return sum(found is not None and found[1].is_right for found in self.best)

    def as_good_as(self, other: Verdict) -> int:
        """Members whose filling is as good as another one."""
        return sum(found is not None and found[1].grade <= other.grade for found in self.best)

    def advance(self) -> None:
        """Train for a while, read every member back, and start the hopeless again."""
        self.train()
        readings = self.readings()
        for member, (filling, _) in enumerate(readings):
            self._keep(member, filling)
        is_right = np.array([found is not None and found[1].is_right for found in self.best])
        is_sure = np.array([certainty > SURE for _, certainty in readings])
        is_late = self.waited >= self.members.shared.restart_after
        self.restart(np.flatnonzero(~is_right & (is_sure | is_late)))

    def indices(self, begin: int, end: int) -> np.ndarray:
        if self.chosen is None:
            return super().indices(begin, end)
        size, columns = (end - begin, self.members.shared.batch), []
        for member, seed in enumerate(self.members.seeds):
            random = np.random.default_rng([seed, int(self.attempts[member]), begin])
            columns.append(random.choice(self.chosen[member], size=size))
        return np.stack(columns, axis=1).astype(np.int32)

    def probabilities(self) -> list[Array]:
        """By hole: (S, choices), how likely each member finds each choice."""
        logits = self.state.logits
        rows = (getattr(logits, ROWS[h.field])[:, h.at, list(h.choices)] for h in self.sketch.holes)
        return [softmax(np.asarray(row, np.float64)) for row in rows]

    def readings(self) -> list[tuple[Filling, float]]:
        """Every member's likeliest filling, and how certain the least certain hole is."""
        by_hole = self.probabilities()
        choices = np.stack([rows.argmax(1) for rows in by_hole], axis=1)
        certainty = np.stack([rows.max(1) for rows in by_hole], axis=1).min(1)
        return [
            (tuple(row), float(sure)) for row, sure in zip(choices.tolist(), certainty, strict=True)
        ]

    def judged(self, member: int, filling: Filling) -> Verdict:
        """What the exact machine says about a filling on a member's cases."""
        judge = self.judges[member]
        key = id(judge), filling
        if key not in self._judged:
            self._judged[key] = judge.judged(filling)
        return self._judged[key]

    def _keep(self, member: int, filling: Filling) -> None:
        judged, found = self.judged(member, filling), self.best[member]
        if found is None or judged.rank < found[1].rank:
            self.best[member] = filling, judged
