"""Plans computed by JAX: probabilities, log-probabilities and expected steps."""

from __future__ import annotations

from collections.abc import Sequence

import jax
import jax.numpy as jnp
from jax import Array, lax

from anc.layers.plan import Level, Plan


def probabilities(plan: Plan, inputs: Sequence[Array]) -> tuple[Array, Array]:
    """The slots' probabilities (..., slots) and the expected steps (...), for rows of inputs (..., K)."""
    batch = jnp.broadcast_shapes(*(rows.shape[:-1] for rows in inputs))
    dtype = jnp.result_type(*inputs)
    steps = jnp.full(batch, plan.steps, dtype)
    if not plan.levels:
        return jnp.broadcast_to(
            jax.nn.one_hot(plan.only, plan.slots, dtype=dtype), (*batch, plan.slots)
        ), steps
    states = jnp.ones((*batch, 1), dtype)
    for level in plan.levels:
        branches = _branches(level, states, inputs, jnp.multiply)
        if level.steps.any():
            steps = steps + branches @ level.steps.astype(dtype)
        states = _added(level, branches)
    return states[..., : plan.slots], steps


def log_probabilities(plan: Plan, inputs: Sequence[Array]) -> Array:
    """The same with logarithms in and out, so that nothing underflows."""
    batch = jnp.broadcast_shapes(*(rows.shape[:-1] for rows in inputs))
    dtype = jnp.result_type(*inputs)
    if not plan.levels:
        only = jnp.log(jax.nn.one_hot(plan.only, plan.slots, dtype=dtype))
        return jnp.broadcast_to(only, (*batch, plan.slots))
    states = jnp.zeros((*batch, 1), dtype)
    for level in plan.levels:
        branches = _branches(level, states, inputs, jnp.add)
        states = branches if level.is_identity else _log_added(level, branches)
    return states[..., : plan.slots]


def log(rows: Array) -> Array:
    """The logarithm; -inf, and without a gradient, where a probability is 0."""
    return jnp.where(rows != 0, jnp.log(jnp.where(rows != 0, rows, 1)), -jnp.inf)


def _branches(level: Level, states: Array, inputs: Sequence[Array], join) -> Array:
    """(..., branches): each state that reads, joined with the values of its input; then the others."""
    parts = []
    for reading in level.readings:
        rows = inputs[reading.input][..., None, :]
        joined = join(states[..., reading.begin : reading.end, None], rows)
        parts.append(joined.reshape(*joined.shape[:-2], -1))
    if level.passing < level.states:
        parts.append(states[..., level.passing :])
    return parts[0] if len(parts) == 1 else jnp.concatenate(parts, axis=-1)


def _added(level: Level, branches: Array) -> Array:
    if level.is_identity:
        return branches
    if level.is_dense:
        matrix = level.matrix.astype(branches.dtype)
        return jnp.matmul(branches, matrix, precision=lax.Precision.HIGHEST)
    return _segments(branches, level, 0.0, "add")


def _log_added(level: Level, branches: Array) -> Array:
    """log(sum(exp)) of what leads to the same state; a state that nothing leads to has -inf."""
    largest = lax.stop_gradient(_segments(branches, level, -jnp.inf, "max"))
    largest = jnp.where(jnp.isfinite(largest), largest, 0)
    sums = _segments(jnp.exp(branches - largest[..., level.targets]), level, 0.0, "add")
    return log(sums) + largest


def _segments(branches: Array, level: Level, start: float, how: str) -> Array:
    begin = jnp.full((*branches.shape[:-1], level.size), start, branches.dtype)
    return getattr(begin.at[..., level.targets], how)(branches)
