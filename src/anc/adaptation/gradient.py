"""Gradient descent as a guide: hardened members as programs to start from, and proposals.

A trained population knows where to look: its hardened members are often right, or nearly so, and the
mean of its distributions says which choices are worth proposing.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace

import numpy as np

from anc.decompiler.kinds import read_back
from anc.learning import fused
from anc.learning.decompiled import member_weights
from anc.learning.members import Members
from anc.learning.problem import Problem
from anc.learning.settings import TrainingSettings, changed, has_settings, load_settings
from anc.learning.training import Result, StopReason, Training, run
from anc.machine.weights import Array, Weights, harden, softmax, stack
from anc.program import Program
from anc.verify.clock import Clock

SEEDS = 32
ENOUGH = 0.5  # share of members that are right and faster: more of them tell the search nothing new
_FEWEST = 4
_LONGEST_RUN = 400  # generic programs that take more steps than this are not trained
_READ_BACK = 3  # members that are read back as type 2, at most
_LEAST = 1e-30  # a probability that has a logarithm


@dataclass(frozen=True)
class Soft:
    """The best soft program: right on the held-out cases, with this confidence."""

    weights: Weights
    steps: float
    confidence: float


@dataclass(frozen=True)
class Learnt:
    """What gradient descent found: programs and proposals for the search, its best soft program."""

    weights_of: dict[Program, Weights]
    proposals: Weights | None  # their softmax are probabilities to draw choices from
    soft: Soft | None
    note: str

    @property
    def programs(self) -> tuple[Program, ...]:
        return tuple(self.weights_of)


NOTHING_LEARNT = Learnt({}, None, None, "")


def prepare_training(problem: Problem) -> None:
    """Have the kernels of this size compiled before the clock starts."""
    if problem.generic_steps(problem.validation) <= _LONGEST_RUN:
        settings = changed(_settings(problem), {"iterations": 1, "validate_every": 1})
        Training(problem, Members.alike(settings, 1), fused).advance()


def learn(
    problem: Problem, clock: Clock, share: float, seed: int, tell: Callable[[str], None]
) -> Learnt:
    """Train a population until its share of the budget is gone."""
    settings = _settings(problem)
    seconds = clock.until(share)
    seeds, every = _size(problem, settings, seconds)
    if seeds < _FEWEST:
        return replace(NOTHING_LEARNT, note="too large for gradient descent in this budget")
    settings = changed(settings, {"validate_every": every})
    members = Members.alike(settings, seeds, 1000 * seed)
    training = Training(problem, members, fused)

    def should_stop() -> StopReason | None:
        is_enough = training.succeeded.sum() >= ENOUGH * seeds
        return StopReason.OUT_OF_TIME if clock.until(share) <= 0 or is_enough else None

    def after(progress) -> None:
        tell(f"{progress.faster} of {seeds} members right and faster")

    result = run(training, should_stop, after)
    return _harvest(result, training, clock, share)


def _settings(problem: Problem) -> TrainingSettings:
    if has_settings(problem.name):
        return load_settings(problem.name, "ours")
    longest = int(1.3 * problem.generic_steps(problem.validation)) + 10
    spare = problem.program.R + 1
    return changed(TrainingSettings(), {"max_steps": longest, "registers": spare})


def _size(problem: Problem, settings: TrainingSettings, seconds: float) -> tuple[int, int]:
    """How many members, and iterations between validations, fit: a chunk should take a fraction."""
    if problem.generic_steps(problem.validation) > _LONGEST_RUN:
        return 0, 1
    step = 1e-6 * (0.2 + 0.008 * problem.M**2)  # measured: seconds of one soft step, both ways
    iteration = step * settings.max_steps * settings.batch
    for seeds in (SEEDS, SEEDS // 2, SEEDS // 4, _FEWEST):
        every = int(min(settings.validate_every, seconds / 20 / (iteration * seeds)))
        if every >= 5:
            return seeds, every
    return 0, 1


def _harvest(result: Result, training: Training, clock: Clock, share: float) -> Learnt:
    S = len(result.steps)
    order = sorted(range(S), key=lambda i: (-training.best.right[i], training.best.steps[i]))
    weights = [member_weights(result, i) for i in range(S)]
    weights_of: dict[Program, Weights] = {}
    for i in order:
        weights_of.setdefault(harden(weights[i]), weights[i])
    soft = None
    winners = [i for i in order if result.succeeded[i]]
    if winners:
        best = min(winners, key=lambda i: (result.steps[i], -result.certainty[i]))
        soft = Soft(weights[best], float(result.steps[best]), float(result.certainty[best]))
    tapes = [case.input for case in result.problem.validation[:20]]
    for i in winners[:_READ_BACK]:
        if clock.until(share) <= 0:
            break
        reading = read_back(weights[i], tapes, result.members.shared.max_steps)
        if reading.kind == 2 and reading.program is not None:
            weights_of.setdefault(reading.program, weights[i])
    note = f"gradient descent: {len(winners)} of {S} members right and faster"
    proposals = _mean([weights[i] for i in order[: max(4, S // 4)]])
    return Learnt(weights_of, proposals, soft, note)


def _mean(members: list[Weights]) -> Weights:
    """Weights whose probabilities are the mean of the members' probabilities."""

    def mean(logits: Array) -> Array:
        return np.log(np.maximum(softmax(logits.astype(np.float64)).mean(0), _LEAST))

    return stack(members).map(mean)
