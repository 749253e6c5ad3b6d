"""Gradient descent as a guide of the search: hardened members as starting points, and proposals.

The hardened members of a trained population are often right, or nearly so, and the mean of their distributions
shows which choices are worth proposing.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from functools import cached_property

import numpy as np

from anc.adaptation.saved import Soft
from anc.machine.interpretability import read_back
from anc.machine.weights import Array, Weights, harden, softmax, stack
from anc.program import Program
from anc.proof import test_on
from anc.search import Found, Guides, Search
from anc.support.clock import PER_SECOND, Clock
from anc.training import fused
from anc.training.engines import has_room, iterations_between_looks, seconds_of_iteration
from anc.training.members import Members, registers_of
from anc.training.problem import Problem
from anc.training.result import StopReason, member_weights
from anc.training.settings import TrainingSettings, changed, has_settings, load_settings
from anc.training.training import Training, test

SEEDS = 32
ENOUGH = 0.5  # share of members that are right and faster; more tell the search nothing new
_FEWEST = 4
_CHUNK = 5  # fewest iterations between validations
_LONGEST_RUN = 400  # steps: generic programs with longer runs are not trained
_LARGEST = 5_000  # cells: a single step of a larger soft machine takes too long
_READ_BACK = 3  # most members that are read back as type 2
_LEAST = 1e-30  # smallest probability, so that logarithms are finite


@dataclass
class Gradient:
    """A method of the search that trains a population in slices, and guides the search with the result."""

    problem: Problem
    clock: Clock
    share: float  # of the budget, at which it ends
    seed: int
    tell: Callable[..., None]
    weights_of: dict[Program, Weights] = field(
        init=False, default_factory=dict
    )  # of the programs that were hardened from them
    soft: Soft | None = field(init=False, default=None)  # the best soft program
    note: str = field(init=False, default="")

    @cached_property
    def settings(self) -> TrainingSettings:
        """The training settings, which depend on the runs of the generic program."""
        problem = self.problem
        if has_settings(problem.name):
            return load_settings(problem.name, "ours")
        longest = int(1.3 * problem.generic_steps(problem.validation)) + 10
        values = {"max_steps": longest, "registers": problem.program.R + 1}
        return changed(TrainingSettings(), values)

    @property
    def size(self) -> tuple[int, int] | None:
        """The cells and registers of the soft machine; None if it is too large."""
        if not _is_possible(self.problem, self.settings):
            return None
        return self.problem.M, registers_of(self.problem, self.settings)

    def work(self, search: Search) -> Iterator[None]:
        """Train until the share of the budget is spent or enough members are right and faster."""
        settings = self.settings
        seeds, every = _size(self.problem, settings, self.clock.until(self.share))
        if seeds < _FEWEST:
            self.note = "too large for gradient descent in this budget"
            return
        settings = changed(settings, {"validate_every": every})
        training = Training(self.problem, Members.alike(settings, seeds, 1000 * self.seed), fused)
        while not training.is_done and training.succeeded.sum() < ENOUGH * seeds:
            if self.clock.until(self.share) <= 0:
                break
            training.advance()
            each = seconds_of_iteration(self.problem.M, settings)
            self.clock.did(PER_SECOND * every * seeds * each)
            faster = int(training.succeeded.sum())
            self.tell(f"gradient, {faster} of {seeds} members right and faster", search.best_so_far)
            yield
        search.guide(self.harvest(training))

    def harvest(self, training: Training) -> Guides:
        """The guides from a trained population: programs, and proposal distributions."""
        result = test(training, StopReason.DONE, 0.0)
        S = len(result.steps)
        order = sorted(range(S), key=lambda i: (-training.best.right[i], training.best.steps[i]))
        weights = [member_weights(result, i) for i in range(S)]
        for i in order:
            self.weights_of.setdefault(harden(weights[i]), weights[i])
        winners = [i for i in order if result.succeeded[i]]
        if winners:
            best = min(winners, key=lambda i: (result.steps[i], -result.certainty[i]))
            steps, certainty = float(result.steps[best]), float(result.certainty[best])
            self.soft = Soft(weights=weights[best], steps=steps, confidence=certainty)
        tapes = [case.input for case in self.problem.validation[:20]]
        for i in winners[:_READ_BACK]:
            if self.clock.until(self.share) <= 0:
                break
            reading = read_back(weights[i], tapes, result.members.shared.max_steps)
            if reading.kind == 2 and reading.program is not None:
                self.weights_of.setdefault(reading.program, weights[i])
        self.note = f"gradient descent: {len(winners)} of {S} members right and faster"
        proposals = _mean([weights[i] for i in order[: max(4, S // 4)]])
        return Guides(tuple(self.weights_of), proposals)

    def weights_behind(self, found: Found) -> Weights | None:
        """The weights of a program that gradient descent found, even if it has been cleaned since."""
        if found.program in self.weights_of or found.method != "gradient":
            return self.weights_of.get(found.program)
        steps = test_on(found.program, self.problem.validation, 1000).mean_steps
        for program, weights in self.weights_of.items():
            tested = test_on(program, self.problem.validation, 1000)
            if tested.all_right and tested.mean_steps == steps:
                return weights
        return None


def _is_possible(problem: Problem, settings: TrainingSettings) -> bool:
    """Whether runs are short enough, and the memory small enough, for training."""
    if problem.M > _LARGEST or problem.generic_steps(problem.validation) > _LONGEST_RUN:
        return False
    R = registers_of(problem, settings)
    return has_room(problem.M, R, SEEDS, settings, "fused")


def _size(problem: Problem, settings: TrainingSettings, seconds: float) -> tuple[int, int]:
    """The members, and the iterations between validations, that fit into the time."""
    if not _is_possible(problem, settings):
        return 0, 1
    iteration = seconds_of_iteration(problem.M, settings)
    for seeds in (SEEDS, SEEDS // 2, SEEDS // 4, _FEWEST):
        every = iterations_between_looks(seconds, iteration * seeds, settings, _CHUNK)
        if every:
            return seeds, every
    return 0, 1


def _mean(members: list[Weights]) -> Weights:
    """Weights whose probabilities are the mean of the members' probabilities."""

    def mean(logits: Array) -> Array:
        return np.log(np.maximum(softmax(logits.astype(np.float64)).mean(0), _LEAST))

    return stack(members).map(mean)
