"""The interface of the training engines: states as plain arrays, objectives, schedules, results.

An engine is a module with a `name` and the functions `train` and `evaluate`. `fused` is the fast one for CPUs, `gpu`
the one for NVIDIA GPUs, and `jax_engine` the readable reference for any device.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, NamedTuple, Protocol, Self

import numpy as np

from anc.isa import PAPER, InstructionSet
from anc.machine.encoded import Cases
from anc.machine.weights import Weights
from anc.training.settings import MEMBER_SETTINGS

if TYPE_CHECKING:
    from anc.training.loss import Aim

PerMember = float | np.ndarray
PerIteration = float | np.ndarray


@dataclass
class TrainingState:
    """Everything that training changes, in arrays updated in place. Saving them all allows an exact resume."""

    M: int
    R: int
    weights: np.ndarray  # (S, n) flat
    moment1: np.ndarray  # (S, n) Adam's mean of the gradient
    moment2: np.ndarray  # (S, n) Adam's mean of the squared gradient
    applied: np.ndarray  # (S,) updates applied so far
    skipped: np.ndarray  # (S,) updates skipped because the gradient was not finite
    iteration: int = 0  # the global number of the next iteration
    instructions: InstructionSet = PAPER

    @classmethod
    def fresh(cls, population: Weights, dtype: str = "float32") -> Self:
        """The state of these members (S, ...) before the first iteration."""
        weights = population.flat(dtype)
        if weights.ndim != 2:
            raise ValueError(
                f"expected weights of S members, found {weights.ndim - 1} leading axes"
            )
        zeros = np.zeros_like(weights)
        counts = np.zeros(len(weights), np.int64)
        moments, counted = (zeros, zeros.copy()), (counts, counts.copy())
        sizes = population.M, population.R
        return cls(*sizes, weights, *moments, *counted, instructions=population.instructions)

    @property
    def logits(self) -> Weights:
        """The current weights by name."""
        return self.weights_of(self.weights)

    def weights_of(self, flat: Any) -> Weights:
        """Flat parameters, or their gradients, as named weights."""
        return Weights.of_flat(flat, self.M, self.R, instructions=self.instructions)


@dataclass(frozen=True)
class TrainingObjective:
    """Loss weights and optimiser. Fields of type `PerMember` are one number for all members or an array (S,)."""

    max_steps: int
    correctness: PerMember = 1.0
    halting: PerMember = 0.0
    confidence: PerMember = 0.0
    efficiency: PerMember = 0.0
    rate: PerMember = 0.1
    clip: PerMember = 0.0  # largest norm of a member's gradient; 0 means no clipping
    optimiser: str = "adam"
    b1: float = 0.9
    b2: float = 0.999
    eps: float = 1e-8
    threshold: float = 0.9
    stop_gradient: str = "cut"
    aim: Aim | None = None  # the error of a memory, instead of its wrong cells; `jax` only

    def per_member(self, S: int) -> np.ndarray:
        """(6, S): the settings that may differ between members."""
        rows = [np.broadcast_to(np.float64(getattr(self, x)), (S,)) for x in MEMBER_SETTINGS]
        return np.stack(rows)


class Schedule(NamedTuple):
    """What changes from iteration to iteration; each field is one number or an array (K,)."""

    rate_scale: PerIteration = 1.0
    noise: PerIteration = 0.0  # standard deviation of the Gaussian noise on the gradient
    pull_weights: PerIteration = 0.0  # c of c Σ (w - w_ref)²
    pull_probabilities: PerIteration = 0.0  # c of c Σ (softmax(w) - softmax(w_ref))²
    efficiency_scale: PerIteration = 1.0

    def per_iteration(self, K: int) -> np.ndarray:
        """(5, K), in the order of the fields."""
        return np.stack([np.broadcast_to(np.float64(x), (K,)) for x in self])


@dataclass(frozen=True)
class Report:
    """Means for each member over the samples and iterations of a call, (S,). Loss terms are unweighted."""

    correctness: np.ndarray
    halting: np.ndarray
    confidence: np.ndarray
    efficiency: np.ndarray
    total: np.ndarray
    steps: np.ndarray


class SoftResults(NamedTuple):
    """The soft runs of S members on C cases; each field is (S, C)."""

    steps: np.ndarray  # int32
    stop: np.ndarray  # final stop probability
    halted: np.ndarray  # bool: stopped before the step limit
    certainty: np.ndarray  # least final probability of the target value over the cells that count
    right: np.ndarray  # bool: the likeliest value is the target in every cell that counts

    @classmethod
    def zeros(cls, S: int, C: int, dtype: str) -> Self:
        """Empty results, which compiled code fills."""
        kinds = (np.int32, dtype, np.bool_, dtype, np.bool_)
        return cls(*(np.zeros((S, C), kind) for kind in kinds))


def checked_cases(cases: Cases, M: int) -> Cases:
    """The cases in the form that compiled code expects; compiled code checks nothing."""
    for name, array in zip(("inputs", "outputs", "masks"), cases, strict=False):
        if array.ndim != 2 or array.shape[1] != M or array.shape[0] == 0:
            raise ValueError(f"{name}: expected (C, {M}) with C > 0, found {array.shape}")
        if name != "masks" and (array.min() < 0 or array.max() >= M):
            raise ValueError(f"{name}: expected values 0..{M - 1}")
    if len({array.shape for array in cases[:3]}) != 1:
        raise ValueError("inputs, outputs and masks differ in shape")
    inputs, outputs, masks = (np.ascontiguousarray(array, np.uint16) for array in cases[:3])
    return Cases(inputs, outputs, masks, cases.counts)


def check_limits(max_steps: int, threshold: float) -> None:
    if max_steps < 1:
        raise ValueError(f"step limit: expected at least 1, found {max_steps}")
    if not 0.0 < threshold <= 1.0:
        raise ValueError(f"threshold: expected within (0, 1], found {threshold}")


class Work(NamedTuple):
    """The input of `train`: in iteration k, member s sees the cases indices[k, s]."""

    cases: Cases
    indices: np.ndarray  # (K, S, B) int32
    schedule: np.ndarray  # (5, K)
    keys: np.ndarray  # (S,) uint64
    reference: np.ndarray  # (S, n)
    trainable: np.ndarray  # (n,) bool: the parameters that may change

    @classmethod
    def checked(
        cls,
        state: TrainingState,
        cases: Cases,
        indices: np.ndarray,
        objective: TrainingObjective,
        schedule: Schedule | None = None,
        keys: np.ndarray | None = None,
        reference: Weights | None = None,
        trainable: np.ndarray | None = None,
    ) -> Self:
        """Checked work: `keys` (S,) seed the noise, and the pulls are towards `reference`.

        Parameters that are not `trainable` (n,) keep their values bit for bit.
        """
        S, dtype = len(state.weights), state.weights.dtype
        pool = checked_cases(cases, state.M)
        indices = np.ascontiguousarray(indices, np.int32)
        if indices.ndim != 3 or indices.shape[1] != S:
            raise ValueError(f"indices: expected (K, {S}, B), found {indices.shape}")
        if indices.size and (indices.min() < 0 or indices.max() >= pool.C):
            raise ValueError(f"indices: expected numbers of cases 0..{pool.C - 1}")
        check_limits(objective.max_steps, objective.threshold)
        scheduled = (schedule or Schedule()).per_iteration(len(indices))
        if keys is None and np.any(scheduled[1] != 0):
            raise ValueError("gradient noise needs keys (S,)")
        if reference is None and np.any(scheduled[2:4] != 0):
            raise ValueError("the pulls need reference weights")
        numbers = np.zeros(S, np.uint64) if keys is None else np.ascontiguousarray(keys, np.uint64)
        towards = state.weights if reference is None else reference.flat(dtype)
        if towards.shape != state.weights.shape or numbers.shape != (S,):
            raise ValueError("keys or reference do not fit the population")
        n = state.weights.shape[1]
        may_change = np.ones(n, np.bool_) if trainable is None else np.asarray(trainable, np.bool_)
        if may_change.shape != (n,):
            raise ValueError(f"trainable: expected ({n},), found {may_change.shape}")
        return cls(pool, indices, scheduled, numbers, towards, may_change)

    @classmethod
    def once(
        cls,
        weights: Weights,
        cases: Cases,
        objective: TrainingObjective,
        indices: np.ndarray | None,
        dtype: str,
    ) -> tuple[TrainingState, Self]:
        """One iteration of these members, and their state, for a gradient without an update.

        ``indices`` (S, B) are the cases of each member; by default all of them.
        """
        state = TrainingState.fresh(weights, dtype)
        if indices is None:
            indices = np.broadcast_to(np.arange(cases.C), (len(state.weights), cases.C))
        return state, cls.checked(state, cases, np.asarray(indices)[None], objective)

    @property
    def is_partial(self) -> bool:
        """Whether some parameters are not trained."""
        return not bool(self.trainable.all())


class Engine(Protocol):
    """The functions of an engine module."""

    name: str

    def train(self, state: TrainingState, work: Work, objective: TrainingObjective) -> Report:
        """Train all members for K iterations; ``state`` is updated in place."""
        ...

    def evaluate(
        self, weights: Weights, cases: Cases, max_steps: int, threshold: float = 0.9
    ) -> SoftResults:
        """Run every member softly on every case, without gradients."""
        ...
