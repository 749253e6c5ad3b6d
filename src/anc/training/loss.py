"""The loss of the paper's appendix B: four terms, charged step by step.

A run of T steps has the stop probabilities p_0 = 0, p_1, ..., p_T and the memories M^0, ..., M^T (the paper counts
the initial state as its first iteration). Nothing is charged after halting.

The efficiency term differs from the paper's formula in one summand: the formula omits the last state, while the
published implementation and this one charge it. This affects gradients only if a run ends at the step limit or with a
stop probability well below 1.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import NamedTuple

import jax.numpy as jnp
from jax import Array

from anc.machine.soft import State


class LossWeights(NamedTuple):
    """The weights of the terms: α, β, γ and δ in the paper's appendix."""

    correctness: Array | float
    halting: Array | float
    confidence: Array | float
    efficiency: Array | float


class LossTarget(NamedTuple):
    """A case as the loss reads it: the expected tape as distributions, the cells that count, and the input."""

    target: Array  # (M, M), one-hot rows
    mask: Array  # (M,), 0 or 1
    input: Array | None = None  # (M,), numbers


def correctness(memory: Array, wanted: LossTarget) -> Array:
    """L_c = Σ_ij C_ij (M_ij - T_ij)²: the distance of a memory from the expected one."""
    return (wanted.mask[:, None] * (memory - wanted.target) ** 2).sum()


class Aim(NamedTuple):
    """The error of a memory: its distance from the expected one, or a user's score.

    A user's error may be expensive, such as the run of another program. With `at_each_step` False the confidence
    term, which needs the error after each step, is omitted.
    """

    error: Callable[[Array, LossTarget], Array] = correctness
    at_each_step: bool = True


ANSWERS = Aim()


def halting(stop: Array, threshold: float) -> Array:
    """L_sTmax = (1 - p_T) [T = T_max]: charged if the run ended without passing the threshold."""
    return jnp.where(stop <= threshold, 1 - stop, 0.0)


def efficiency(stop: Array) -> Array:
    """One summand of L_t = Σ_t (1 - p_t), over the initial state and the state after each step."""
    return 1 - stop


def confidence(before: Array, after: Array, error: Array) -> Array:
    """One summand of L_st = Σ_t (p_t - p_{t-1}) L_c(M^t): the error of stopping now."""
    return (after - before) * error


def step_cost(
    weights: LossWeights, before: State, after: State, wanted: LossTarget, aim: Aim = ANSWERS
) -> Array:
    """The loss of one executed step (the initial state adds a constant 1 · efficiency)."""
    cost = weights.efficiency * efficiency(after.stop)
    if not aim.at_each_step:
        return cost
    error = aim.error(after.memory, wanted)
    return cost + weights.confidence * confidence(before.stop, after.stop, error)


def final_cost(
    weights: LossWeights, final: State, wanted: LossTarget, threshold: float, aim: Aim = ANSWERS
) -> Array:
    """The loss at the end of a run."""
    return weights.correctness * aim.error(final.memory, wanted) + weights.halting * halting(
        final.stop, threshold
    )
