"""What both training engines speak: populations as plain arrays, objectives, schedules, cases.

An engine is a module with a `name` and the functions `train` and `evaluate`; `fused` is the fast one
on a CPU, `jax_engine` the readable reference for any device.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import NamedTuple, Protocol, Self

import numpy as np

from anc import isa

PerMember = float | np.ndarray
PerIteration = float | np.ndarray
# the settings of an objective that may differ between members, in the kernels' order
MEMBER_SETTINGS = (
    "correctness",
    "halting",
    "confidence",
    "efficiency",
    "learning_rate",
    "clip",
)


def parameter_shapes(M: int, R: int) -> tuple[tuple[int, ...], ...]:
    """The shapes of one member's weights, in the order in which flat parameters hold them."""
    return (M,), (R, M), (M, isa.N), (M, R), (M, R), (M, R)


def parameter_count(M: int, R: int) -> int:
    """Parameters of one member."""
    return sum(int(np.prod(shape)) for shape in parameter_shapes(M, R))


class Population(NamedTuple):
    """The logits of S members by name; softmax of each last axis gives the probabilities."""

    start: np.ndarray  # (S, M)
    registers: np.ndarray  # (S, R, M)
    op: np.ndarray  # (S, M, N), one row per program line
    first: np.ndarray  # (S, M, R)
    second: np.ndarray  # (S, M, R)
    out: np.ndarray  # (S, M, R)

    def flat(self, dtype: str | np.dtype = "float32") -> np.ndarray:
        """All parameters of a member in one row: (S, n), parts in the order of the fields."""
        S = self.start.shape[0]
        return np.concatenate([np.asarray(x, dtype).reshape(S, -1) for x in self], axis=1)

    @classmethod
    def from_flat(cls, flat: np.ndarray, M: int, R: int) -> Self:
        """The parts of flat parameters (S, n), as copies."""
        S, n = flat.shape
        if n != parameter_count(M, R):
            raise ValueError(f"expected {parameter_count(M, R)} parameters per member, found {n}")
        parts, at = [], 0
        for shape in parameter_shapes(M, R):
            size = int(np.prod(shape))
            parts.append(flat[:, at : at + size].reshape(S, *shape))
            at += size
        return cls(*parts)


@dataclass
class TrainingState:
    """Everything that training changes, as arrays updated in place: save them all to resume exactly."""

    M: int
    R: int
    weights: np.ndarray  # (S, n) logits
    moment1: np.ndarray  # (S, n) Adam's mean of the gradient
    moment2: np.ndarray  # (S, n) Adam's mean of the squared gradient
    applied: np.ndarray  # (S,) updates applied so far
    skipped: np.ndarray  # (S,) updates skipped because the gradient was not finite
    iteration: int = 0  # the global number of the next iteration

    @classmethod
    def fresh(cls, population: Population, dtype: str = "float32") -> Self:
        """The state before the first iteration."""
        S, R, M = np.shape(population.registers)
        weights = population.flat(dtype)
        if weights.shape != (S, parameter_count(M, R)):
            raise ValueError("the parts of the population do not have the shapes of one M and R")
        zeros = np.zeros_like(weights)
        return cls(M, R, weights, zeros, zeros.copy(), np.zeros(S, np.int64), np.zeros(S, np.int64))

    @property
    def logits(self) -> Population:
        """The current logits by name."""
        return Population.from_flat(self.weights, self.M, self.R)


@dataclass(frozen=True)
class Objective:
    """Loss weights and optimiser; the first six are one number for all members or an array (S,)."""

    max_steps: int
    correctness: PerMember = 1.0
    halting: PerMember = 0.0
    confidence: PerMember = 0.0
    efficiency: PerMember = 0.0
    learning_rate: PerMember = 0.1
    clip: PerMember = 0.0  # largest norm of a member's gradient; 0 means no clipping
    optimiser: str = "adam"
    b1: float = 0.9
    b2: float = 0.999
    eps: float = 1e-8
    threshold: float = 0.9
    stop_gradient: str = "cut"

    def per_member(self, S: int) -> np.ndarray:
        """(6, S): the numbers that may differ between members."""
        rows = [np.broadcast_to(np.float64(getattr(self, x)), (S,)) for x in MEMBER_SETTINGS]
        return np.stack(rows)


@dataclass(frozen=True)
class Schedule:
    """What changes from iteration to iteration; each is one number or an array (K,)."""

    rate_scale: PerIteration = 1.0
    noise: PerIteration = 0.0  # standard deviation of the Gaussian noise on the gradient
    pull_weights: PerIteration = 0.0  # c of c Σ (w - w_ref)²
    pull_probabilities: PerIteration = 0.0  # c of c Σ (softmax(w) - softmax(w_ref))²
    efficiency_scale: PerIteration = 1.0

    def per_iteration(self, K: int) -> np.ndarray:
        """(5, K), in the order of the fields."""
        rows = (
            self.rate_scale,
            self.noise,
            self.pull_weights,
            self.pull_probabilities,
            self.efficiency_scale,
        )
        return np.stack([np.broadcast_to(np.float64(x), (K,)) for x in rows])


@dataclass(frozen=True)
class Cases:
    """A pool of P cases: input tapes, expected tapes and the cells that count, each (P, M)."""

    inputs: np.ndarray
    targets: np.ndarray
    masks: np.ndarray

    def arrays(self) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
        return self.inputs, self.targets, self.masks

    def checked(self, M: int) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
        """The three arrays as the kernels want them; the kernels themselves check nothing."""
        arrays = []
        for name in ("inputs", "targets", "masks"):
            array = np.ascontiguousarray(getattr(self, name), dtype=np.int64)
            if array.ndim != 2 or array.shape[1] != M or array.shape[0] == 0:
                raise ValueError(f"{name}: expected (P, {M}) with P > 0, found {array.shape}")
            if array.min() < 0 or array.max() >= M:
                raise ValueError(f"{name}: expected values 0..{M - 1}")
            arrays.append(array)
        if len({a.shape for a in arrays}) != 1:
            raise ValueError("inputs, targets and masks differ in shape")
        return arrays[0], arrays[1], arrays[2]


@dataclass(frozen=True)
class Report:
    """Means per member over the samples and iterations of one call, (S,); terms are unweighted."""

    correctness: np.ndarray
    halting: np.ndarray
    confidence: np.ndarray
    efficiency: np.ndarray
    total: np.ndarray
    steps: np.ndarray


@dataclass(frozen=True)
class Evaluation:
    """What S members do on P cases, each (S, P)."""

    steps: np.ndarray  # int32
    stop: np.ndarray  # final stop probability
    halted: np.ndarray  # bool: stopped by itself, not by the step limit
    certainty: np.ndarray  # least final probability of the target value over the cells that count
    right: np.ndarray  # bool: the likeliest value is the target in every cell that counts


class Engine(Protocol):
    """What an engine module offers."""

    name: str

    def train(
        self,
        state: TrainingState,
        cases: Cases,
        indices: np.ndarray,
        objective: Objective,
        schedule: Schedule | None = None,
        *,
        keys: np.ndarray | None = None,
        reference: Population | None = None,
    ) -> Report:
        """Train all members for K iterations; member s takes the cases indices[k, s] (K, S, B)."""
        ...

    def evaluate(
        self, population: Population, cases: Cases, max_steps: int, threshold: float = 0.9
    ) -> Evaluation:
        """Run every member softly on every case, forwards only."""
        ...
