"""Gradient descent on the holes of a sketch: everything else in the soft machine is fixed.

The written parts are sharp and not trained; a hole is a distribution over its choices, and the rest of its row is
impossible. Many members with different starts are trained at once. At every validation each member is read back:
its most likely choices form a filling, which the exact machine judges.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING

import numpy as np

from anc.adaptation.holes.machine import CaseJudge
from anc.adaptation.holes.sketch import Filling, Sketch
from anc.adaptation.objectives import gradient
from anc.adaptation.objectives.incumbents import Graded, Judge
from anc.isa import Effect
from anc.machine.encoded import Cases
from anc.machine.weights import Array, Weights, soften, softmax, stack
from anc.training.engines import check_room
from anc.training.interface import Engine
from anc.training.members import Members
from anc.training.settings import TrainingSettings

if TYPE_CHECKING:
    from anc.training.loss import Aim

SHARPNESS = 30.0  # of the written parts: practically exact
SPREAD = 2.0  # standard deviation of the initial logits of a hole
STEPS_PER_CELL = 3  # of memory: bounds the step limit of soft runs
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
    """The written parts as sharp weights; in the rows of holes nothing is possible.

    Registers without an initial value hold 0, as on the exact machine, and lines after the last one of the program
    do nothing.
    """
    L, program = sketch.program.L, sketch.program
    weights = soften(program, sketch.M, SHARPNESS)
    rows = enumerate(program.instructions)
    idle = next(number for number, row in rows if row.effect is Effect.NONE)
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
    """(n,) bool: the trainable weights, which are the logits of the holes' choices."""
    mask = fixed_weights(sketch).map(lambda array: np.zeros(array.shape, np.bool_))
    for hole in sketch.holes:
        getattr(mask, ROWS[hole.field])[hole.at, list(hole.choices)] = True
    return mask.flat(np.bool_)


def soft_settings(sketch: Sketch, settings: TrainingSettings, max_steps: int) -> TrainingSettings:
    """The settings with the step limit of soft runs, given the one of the exact machine."""
    return replace(settings, max_steps=min(max_steps, MOST_STEPS, STEPS_PER_CELL * sketch.M))


class FillingDescent(gradient.Descent[Filling, Graded]):
    """A population that fills a sketch.

    For an objective, `aim` is the loss of a final memory, and `judge` judges the fillings.
    """

    def __init__(
        self,
        sketch: Sketch,
        cases: Cases,
        engine: Engine,
        seeds: Sequence[int],
        max_steps: int,  # of the exact machine
        settings: TrainingSettings = SETTINGS,
        aim: Aim | None = None,
        judge: Judge[Filling, Graded] | None = None,
    ) -> None:
        settings = soft_settings(sketch, settings, max_steps)
        check_room(sketch.M, sketch.program.R, len(seeds), settings, engine.name)
        self.sketch, self.fixed = sketch, fixed_weights(sketch)
        self.judge = judge or CaseJudge(sketch, cases, max_steps)
        self.known: dict[Filling, Graded] = {}
        self.best = [None] * len(seeds)
        members = Members((settings,) * len(seeds), tuple(seeds))
        super().__init__(engine, members, cases, self.starts, trainable=trainable(sketch), aim=aim)

    def starts(self, which: np.ndarray) -> Weights:
        """Starts at which all choices of a hole are about equally likely."""
        return stack([self._start(member) for member in which])

    def _start(self, member: int) -> Weights:
        random = np.random.default_rng([self.members.seeds[member], self.attempts[member], 11])
        weights = self.fixed.map(np.copy)
        for hole in self.sketch.holes:
            row = getattr(weights, ROWS[hole.field])[hole.at]
            row[list(hole.choices)] = random.normal(scale=SPREAD, size=len(hole.choices))
        return weights

    def probabilities(self) -> list[Array]:
        """By hole, (S, choices): the probabilities of the choices in each member."""
        logits = self.state.logits
        rows = (getattr(logits, ROWS[h.field])[:, h.at, list(h.choices)] for h in self.sketch.holes)
        return [softmax(np.asarray(row, np.float64)) for row in rows]

    def readings(self) -> Iterable[tuple[Filling, float]]:
        """The most likely filling of each member, and the probability of its least certain choice."""
        by_hole = self.probabilities()
        choices = np.stack([rows.argmax(1) for rows in by_hole], axis=1)
        certainty = np.stack([rows.max(1) for rows in by_hole], axis=1).min(1)
        return zip(map(tuple, choices.tolist()), certainty.tolist(), strict=True)

    def judged(self, member: int, candidate: Filling) -> Graded:
        if candidate not in self.known:
            self.known[candidate] = self.judge.judged(candidate)
        return self.known[candidate]
