"""Fillings judged by a score of what they leave on the tape, where nobody knows what is right."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from anc.holes.machine import VALUE, HoleArrays
from anc.holes.sketch import Filling, Sketch
from anc.machine.batch import Rules, Runs, run_encoded
from anc.machine.encoded import Encoded, encode
from anc.objectives.objective import Judged, Objective

DIGITS = 9  # of a mean score: what differs by less is equal


@dataclass(frozen=True)
class Standing:
    """What a filling does on inputs: invalid runs, the mean cost of the valid ones, and mean steps."""

    violations: int  # runs that do not stop or violate the constraint
    cost: float  # a score times the objective's sign; infinite if no run is valid
    steps: float

    @property
    def grade(self) -> tuple[float, ...]:
        """The fewest invalid runs first, then the best score."""
        return self.violations, float(f"{self.cost:.{DIGITS}g}")

    @property
    def rank(self) -> tuple[float, ...]:
        return *self.grade, self.steps

    @property
    def is_right(self) -> bool:
        """A score might always be better."""
        return False


class Scoring:
    """A sketch, inputs without answers and an objective; it remembers what it has judged."""

    def __init__(
        self, sketch: Sketch, objective: Objective, inputs: np.ndarray, max_steps: int
    ) -> None:
        self.sketch, self.objective, self.inputs = sketch, objective, inputs
        self.max_steps = max_steps
        self.rules = Rules.of(sketch.M, max_steps, instructions=sketch.program.instructions)
        self.known: dict[Filling, Standing] = {}
        self._holes, self._program = HoleArrays.of(sketch), encode(sketch.program)

    def judged(self, filling: Filling) -> Standing:
        if filling not in self.known:
            self.known[filling] = self._standing(filling)
        return self.known[filling]

    def _standing(self, filling: Filling) -> Standing:
        judged, runs = self.scores(filling)
        valid = judged.valid
        cost = self.objective.sign * judged.scores[valid].mean() if valid.any() else np.inf
        steps = np.where(runs.stopped, runs.steps, self.max_steps).mean()
        return Standing(int((~valid).sum()), float(cost), float(steps))

    def scores(self, filling: Filling) -> tuple[Judged, Runs]:
        """The score on each input, and the runs."""
        runs = run_encoded(self._encoded(filling), self.inputs, self.rules)
        return self.objective.judge(self.inputs, runs), runs

    def _encoded(self, filling: Filling) -> Encoded:
        """One program, in which every choice is made anew."""
        program, holes = self._program, self._holes
        for number, index in enumerate(filling):
            choice, at = holes.choices[number, index], holes.at[number]
            if holes.field[number] == VALUE:
                program.values[at] = choice
            else:
                program.lines[at, holes.field[number]] = choice
        return program
