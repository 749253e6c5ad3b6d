"""Populations: their members (seeds, settings, initial weights, frozen lines), and their state in training.

A population does not know how members are judged. Training on right answers, descent on an objective and filling
a sketch all use it: they inspect it after every `train` and restart members that make no progress.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any

import numpy as np

from anc.machine.encoded import Cases
from anc.machine.weights import Weights, soften, soften_all
from anc.program import Program
from anc.training.drawing import draw_indices
from anc.training.interface import Engine, Report, Schedule, TrainingObjective, TrainingState, Work
from anc.training.problem import Problem
from anc.training.settings import MEMBER_SETTINGS, PER_MEMBER, TrainingSettings

if TYPE_CHECKING:
    from anc.training.loss import Aim


EXACT_SHARPNESS = 30.0
FROZEN_SHARPNESS = 30.0  # frozen weights never become sharper, so they start as good as exact
_LEAST_SHARE = 1e-9  # of a run: one iteration of the longest
_NEXT_ATTEMPT = 1_000_003  # added to the seed; unlikely to collide with a chosen seed


@dataclass(frozen=True)
class Members:
    """S members with a seed and settings each. Settings may differ only in `PER_MEMBER`."""

    settings: tuple[TrainingSettings, ...]
    seeds: tuple[int, ...]

    def __post_init__(self) -> None:
        for name in TrainingSettings.__dataclass_fields__:
            if name not in PER_MEMBER and len({getattr(s, name) for s in self.settings}) > 1:
                raise ValueError(f"members of one population cannot differ in {name}")

    @staticmethod
    def alike(settings: TrainingSettings, count: int, first_seed: int = 0) -> Members:
        """Members that differ only in their seeds."""
        return Members((settings,) * count, tuple(range(first_seed, first_seed + count)))

    @property
    def shared(self) -> TrainingSettings:
        """The settings that all members share. Do not read per-member settings from it."""
        return self.settings[0]

    def some(self, which: Sequence[int] | np.ndarray) -> Members:
        """The members at these indices."""
        return Members(tuple(self.settings[i] for i in which), tuple(self.seeds[i] for i in which))

    def column(self, name: str) -> np.ndarray:
        return np.array([getattr(settings, name) for settings in self.settings], float)

    def objective(self) -> TrainingObjective:
        """The loss weights and the optimiser, in the engines' form."""
        names = ("max_steps", "optimiser", "threshold", "stop_gradient")
        values: dict[str, Any] = {name: getattr(self.shared, name) for name in names}
        return TrainingObjective(**values | {name: self.column(name) for name in MEMBER_SETTINGS})

    def schedule(self, begin: int, end: int) -> Schedule:
        """The schedules for the iterations from `begin` to `end`."""
        shared = self.shared
        times = np.arange(begin, end)
        share = times / shared.iterations
        rate = np.ones(len(times))
        if shared.rate_schedule == "cosine":
            rate = 0.5 * (1 + np.cos(np.pi * share))
        ramp = np.ones(len(times))
        if shared.efficiency_ramp > 0:
            ramp = np.clip(share / max(shared.efficiency_ramp, _LEAST_SHARE), 0, 1)
        left = np.clip(1 - share / max(shared.pull_until, _LEAST_SHARE), 0, 1)
        return Schedule(
            rate_scale=rate,
            noise=shared.noise * (1.0 + times) ** -0.275,
            pull_weights=shared.pull_weights * left,
            pull_probabilities=shared.pull_probabilities * left,
            efficiency_scale=ramp,
        )


def registers_of(problem: Problem, settings: TrainingSettings) -> int:
    """The number of registers of the soft machine that is trained."""
    return max(settings.registers, problem.program.R)


def learnt_program(problem: Problem, settings: TrainingSettings) -> Program:
    """The generic program with the spare registers that training uses."""
    return problem.program.with_spare(settings.registers - problem.program.R)


def learnt_weights(problem: Problem, settings: TrainingSettings, flat: np.ndarray) -> Weights:
    """A member's flat parameters as weights. All M rows count: a learnt program may use any of them."""
    program = learnt_program(problem, settings)
    return replace(
        Weights.of_flat(flat, problem.M, program.R, instructions=program.instructions),
        names=program.names,
    )


def starting_weights(
    problem: Problem, settings: TrainingSettings, seed: int, attempt: int = 0
) -> Weights:
    """The initial weights of one member."""
    return starting_population(problem, Members((settings,), (seed,)), [attempt])[0]


def starting_population(
    problem: Problem, members: Members, attempts: Sequence[int] | np.ndarray
) -> Weights:
    """The initial weights of all members: softened programs, exact ones, or random numbers."""
    shared, program = members.shared, learnt_program(problem, members.shared)
    seeds = [s + int(a) * _NEXT_ATTEMPT for s, a in zip(members.seeds, attempts, strict=True)]
    sharpness = [settings.sharpness for settings in members.settings]
    if shared.start == "exact":
        sharpness = [EXACT_SHARPNESS] * len(seeds)
    elif shared.sharpness_spread > 0:
        spread = [shared.sharpness_spread * _generator(seed).uniform(-1, 1) for seed in seeds]
        sharpness = [s * (1 + more) for s, more in zip(sharpness, spread, strict=True)]
    weights = soften_all(program, problem.M, sharpness, seeds)
    if shared.start == "random":
        for member, seed in enumerate(seeds):
            random = _generator(seed)
            random.uniform(-1, 1)  # skips the draw of the spread
            for array in weights:
                array[member] = random.normal(size=array.shape[1:])
    return with_frozen_lines(weights, program)


def _generator(seed: int) -> np.random.Generator:
    """The generator of a member's initial weights, except for the rows after its program."""
    return np.random.default_rng([seed, 77])


def reference_population(problem: Problem, members: Members) -> Weights | None:
    """The generic program's weights for every member, towards which appendix D pulls; None without a pull."""
    if not members.shared.is_pulled:
        return None
    sharpness = [settings.sharpness for settings in members.settings]
    return soften_all(learnt_program(problem, members.shared), problem.M, sharpness, members.seeds)


def with_frozen_lines(weights: Weights, program: Program) -> Weights:
    """The weights with the program's frozen lines in place, and no other line writing their registers."""
    if not program.frozen:
        return weights
    exact = soften(program, weights.M, FROZEN_SHARPNESS)
    free = trainable(program, weights.M)
    assert free is not None
    flat = np.where(free, weights.flat(), exact.flat())
    kept = Weights.of_flat(flat, weights.M, weights.R, weights.lines, weights.instructions)
    others = [line for line in range(weights.M) if line not in program.frozen]
    for register in program.frozen_registers:
        kept.out[..., others, register] = -FROZEN_SHARPNESS
    return replace(kept, names=weights.names)


def trainable(program: Program, M: int) -> np.ndarray | None:
    """(n,) bool: the trainable parameters; None if nothing is frozen."""
    if not program.frozen:
        return None
    free = soften(program, M).map(lambda array: np.ones(array.shape, np.bool_))
    lines, registers = list(program.frozen), sorted(program.frozen_registers)
    for array in (free.op, free.first, free.second, free.out):
        array[lines] = False
    free.registers[registers] = False
    free.out[:, registers] = False
    return free.flat(np.bool_)


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
