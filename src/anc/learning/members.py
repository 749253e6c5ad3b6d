"""The members of a population: where each starts, and starting some of them again."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import lru_cache

import numpy as np

from anc.compiler import compile_source
from anc.language import Source
from anc.learning.interface import Objective, Population, Schedule
from anc.learning.problem import Problem
from anc.learning.settings import PER_MEMBER, TrainingSettings
from anc.machine.weights import Weights, soften
from anc.program import Program

EXACT_SHARPNESS = 30.0
_NEXT_ATTEMPT = 1_000_003  # apart from every seed that a person would choose


@dataclass(frozen=True)
class Members:
    """S members: a seed and settings each; settings may differ only where a population allows it."""

    settings: tuple[TrainingSettings, ...]
    seeds: tuple[int, ...]

    def __post_init__(self) -> None:
        for name in TrainingSettings.__dataclass_fields__:
            if name not in PER_MEMBER and len({getattr(s, name) for s in self.settings}) > 1:
                raise ValueError(f"members of one population cannot differ in {name}")

    @property
    def shared(self) -> TrainingSettings:
        """The settings that all members have in common (read no per-member one from it)."""
        return self.settings[0]

    def column(self, name: str) -> np.ndarray:
        return np.array([getattr(settings, name) for settings in self.settings], float)

    def objective(self) -> Objective:
        """The loss and the optimiser, as the engines want them."""
        shared = self.shared
        return Objective(
            max_steps=shared.max_steps,
            correctness=self.column("correctness"),
            halting=self.column("halting"),
            confidence=self.column("confidence"),
            efficiency=self.column("efficiency"),
            learning_rate=self.column("rate"),
            clip=self.column("clip"),
            optimiser=shared.optimiser,
            threshold=shared.threshold,
            stop_gradient=shared.stop_gradient,
        )

    def schedule(self, begin: int, end: int) -> Schedule:
        """What changes over the iterations from `begin` to `end`."""
        shared = self.shared
        times = np.arange(begin, end)
        share = times / shared.iterations
        rate = np.ones(len(times))
        if shared.rate_schedule == "cosine":
            rate = 0.5 * (1 + np.cos(np.pi * share))
        ramp = np.ones(len(times))
        if shared.efficiency_ramp > 0:
            ramp = np.clip(share / shared.efficiency_ramp, 0, 1)
        left = np.clip(1 - share / max(shared.pull_until, 1e-9), 0, 1)
        return Schedule(
            rate_scale=rate,
            noise=shared.noise * (1.0 + times) ** -0.275,
            pull_weights=shared.pull_weights * left,
            pull_probabilities=shared.pull_probabilities * left,
            efficiency_scale=ramp,
        )


def learnt_program(problem: Problem, settings: TrainingSettings) -> Program:
    """The generic program with the registers that training shall have."""
    return _compiled(problem.source, problem.M, max(0, settings.registers - problem.program.R))


@lru_cache(maxsize=8)
def _compiled(source: Source, M: int, spare: int) -> Program:
    """Compiled once: every member, and every restart, asks for the same program."""
    return compile_source(source, M, spare).program


def starting_weights(
    problem: Problem, settings: TrainingSettings, seed: int, attempt: int = 0
) -> Weights:
    """Where a member starts: a softened program, an exact one, or random numbers."""
    program = learnt_program(problem, settings)
    seed = seed + attempt * _NEXT_ATTEMPT
    random = np.random.default_rng([seed, 77])
    if settings.start == "exact":
        return soften(program, problem.M, EXACT_SHARPNESS, seed)
    spread = settings.sharpness_spread * random.uniform(-1, 1)
    weights = soften(program, problem.M, settings.sharpness * (1 + spread), seed)
    if settings.start == "random":
        arrays = {
            name: random.normal(size=array.shape).astype(np.float32)
            for name, array in weights.arrays().items()
        }
        return weights.with_arrays(arrays)
    return weights


def starting_population(
    problem: Problem, members: Members, attempts: Sequence[int] | np.ndarray
) -> Population:
    """All members at their starting points."""
    weights = [
        starting_weights(problem, settings, seed, attempt)
        for settings, seed, attempt in zip(members.settings, members.seeds, attempts, strict=True)
    ]
    return stack(weights)


def reference_population(problem: Problem, members: Members) -> Population:
    """The generic program's weights for every member: what the pulls of appendix D pull towards."""
    program = learnt_program(problem, members.shared)
    return stack(
        [
            soften(program, problem.M, settings.sharpness, seed)
            for settings, seed in zip(members.settings, members.seeds, strict=True)
        ]
    )


def stack(weights: Sequence[Weights]) -> Population:
    return Population(
        *(np.stack([getattr(w, name) for w in weights]) for name in Population._fields)
    )
