"""Gradient descent as a guide: hardened members as programs to start from, and proposals.

A trained population knows where to look: its hardened members are often right, or nearly so, and the
mean of its distributions says which choices are worth proposing.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace

import numpy as np

from anc.adaptation.clock import Clock
from anc.decompiler.kinds import read_back
from anc.diagnostics import AncError
from anc.learning import fused
from anc.learning.interface import Population
from anc.learning.members import Members
from anc.learning.outcome import member_weights
from anc.learning.problem import Problem
from anc.learning.settings import TrainingSettings, changed, has_settings, load_settings
from anc.learning.training import Result, StopReason, Training, run
from anc.machine.weights import Weights, harden, softmax
from anc.program import Program
from anc.search import Proposals

SEEDS = 32
ENOUGH = 0.5  # share of members that are right and faster: more of them tell the search nothing new
_FEWEST = 4
_LONGEST_RUN = 400  # generic programs that take more steps than this are not trained
_READ_BACK = 3  # members that are read back as type 2, at most


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
    proposals: Proposals | None
    soft: Soft | None
    note: str

    @property
    def programs(self) -> tuple[Program, ...]:
        return tuple(self.weights_of)


NOTHING_LEARNT = Learnt({}, None, None, "")


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
    members = Members((settings,) * seeds, tuple(range(1000 * seed, 1000 * seed + seeds)))
    training = Training(problem, members, fused)

    def should_stop() -> StopReason | None:
        is_enough = training.succeeded.sum() >= ENOUGH * seeds
        return StopReason.OUT_OF_TIME if clock.until(share) <= 0 or is_enough else None

    def after(progress) -> None:
        tell(f"{progress.faster} of {seeds} members right and faster")

    result = run(training, should_stop, after)
    return _harvest(result, training, clock, share)


def _settings(problem: Problem) -> TrainingSettings:
    if has_settings(problem.name, "ours"):
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
    weights_of: dict[Program, Weights] = {}
    for i in order:
        weights = member_weights(result, i)
        weights_of.setdefault(harden(weights), weights)
    soft = None
    winners = [i for i in order if result.succeeded[i]]
    if winners:
        best = min(winners, key=lambda i: (result.steps[i], -result.certainty[i]))
        soft = Soft(
            member_weights(result, best),
            float(result.steps[best]),
            float(result.certainty[best]),
        )
    tapes = [case.input for case in result.problem.validation[:20]]
    for i in winners[:_READ_BACK]:
        if clock.until(share) <= 0:
            break
        reading = read_back(member_weights(result, i), tapes, result.members.shared.max_steps)
        if reading.kind == 2 and reading.program is not None:
            weights_of.setdefault(reading.program, member_weights(result, i))
    note = f"gradient descent: {len(winners)} of {S} members right and faster"
    return Learnt(weights_of, _proposals(result, order[: max(4, S // 4)]), soft, note)


def _proposals(result: Result, members: list[int]) -> Proposals | None:
    """The mean distributions of the best members."""
    first = member_weights(result, members[0])
    some = Population.from_flat(result.weights[members], first.M, first.R)
    tables = [softmax(np.asarray(part, np.float64)).mean(0) for part in some]
    try:
        return Proposals(tables[2], tables[3], tables[4], tables[5], tables[1])
    except AncError:
        return None
