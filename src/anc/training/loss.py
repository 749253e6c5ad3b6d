"""The loss of the paper's appendix B: four terms, each charged step by step.

A run of T steps goes through the stop probabilities p_0 = 0, p_1, ..., p_T and the memories M^0, ...,
M^T (the paper counts the initial state as its first iteration). After halting nothing is charged.

The efficiency term differs from the paper's formula in one summand: the formula leaves the last state
out, the published implementation charges it too, and so does this one; the difference matters for
gradients only where a run ends at the step limit or with a stop probability well below 1.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import NamedTuple

import jax.numpy as jnp
from jax import Array

from anc.machine.soft import State


class LossWeights(NamedTuple):
    """How much each term counts: α, β, γ and δ in the paper's appendix."""

    correctness: Array | float
    halting: Array | float
    confidence: Array | float
    efficiency: Array | float


class Wanted(NamedTuple):
    """What a case wants: its expected tape as distributions, and the cells that count; and its input."""

    target: Array  # (M, M), one-hot rows
    mask: Array  # (M,), 0 or 1
    input: Array | None = None  # (M,), numbers


def correctness(memory: Array, wanted: Wanted) -> Array:
    """L_c = Σ_ij C_ij (M_ij - T_ij)²: how far a memory is from the expected one."""
    return (wanted.mask[:, None] * (memory - wanted.target) ** 2).sum()


class Aim(NamedTuple):
    """What a memory is charged with: its distance from the expected one, or what a user minds instead.

    A user's error, such as a run of another program, may be dear: `at_each_step` False leaves the
    confidence term out, which asks for it after each step.
    """

    error: Callable[[Array, Wanted], Array] = correctness
    at_each_step: bool = True


ANSWERS = Aim()


def halting(stop: Array, threshold: float) -> Array:
    """L_sTmax = (1 - p_T) [T = T_max]: charged when the run ended without passing the threshold."""
    return jnp.where(stop <= threshold, 1 - stop, 0.0)


def efficiency(stop: Array) -> Array:
    """One summand of L_t = Σ_t (1 - p_t), over the initial state and the state after each step."""
    return 1 - stop


def confidence(before: Array, after: Array, error: Array) -> Array:
    """One summand of L_st = Σ_t (p_t - p_{t-1}) L_c(M^t): stopping now, with this error."""
    return (after - before) * error


def step_cost(
    weights: LossWeights, before: State, after: State, wanted: Wanted, aim: Aim = ANSWERS
) -> Array:
    """What one executed step adds to the loss (the initial state adds a constant 1 · efficiency)."""
    cost = weights.efficiency * efficiency(after.stop)
    if not aim.at_each_step:
        return cost
    error = aim.error(after.memory, wanted)
    return cost + weights.confidence * confidence(before.stop, after.stop, error)


def final_cost(
    weights: LossWeights, final: State, wanted: Wanted, threshold: float, aim: Aim = ANSWERS
) -> Array:
    """What the end of a run adds to the loss."""
    return weights.correctness * aim.error(final.memory, wanted) + weights.halting * halting(
        final.stop, threshold
    )
