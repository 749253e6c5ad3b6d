"""Exact semantics: the true distribution of a program's outputs for independent inputs.

A plan is executed with products and sums only, by the same code on arrays of JAX and of PyTorch.
`JaxArrays` and `anc.layers.torch` hold what differs between the two.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

import jax
import jax.numpy as jnp
import numpy as np
from jax import Array, lax

from anc.layers.plan import LayerPlan, Level
from anc.layers.spec import Details, Sizes, Spec


class JaxArrays:
    """The array operations specific to JAX."""

    xp: Any = jnp  # functions with the same names and arguments in PyTorch
    take_along_axis = staticmethod(jnp.take_along_axis)
    stop_gradient = staticmethod(lax.stop_gradient)

    def full(self, shape: tuple[int, ...], value: float, rows: Sequence[Any]) -> Any:
        return jnp.full(shape, value, jnp.result_type(*rows))

    def arange(self, count: int, like: Any) -> Any:
        return jnp.arange(count)

    def top_k(self, array: Any, count: int) -> Any:
        """The indices of the largest numbers along the last axis."""
        return lax.top_k(array, count)[1]

    def targets(self, level: Level, like: Any) -> Any:
        return level.targets

    def matmul(self, branches: Any, matrix: np.ndarray) -> Any:
        matrix = matrix.astype(branches.dtype)
        return jnp.matmul(branches, matrix, precision=lax.Precision.HIGHEST)

    def segment_sum(self, branches: Any, level: Level) -> Any:
        """The branches summed by target state."""
        zeros = jnp.zeros((*branches.shape[:-1], level.size), branches.dtype)
        return zeros.at[..., level.targets].add(branches)

    def segment_max(self, branches: Any, level: Level) -> Any:
        low = jnp.full((*branches.shape[:-1], level.size), -jnp.inf, branches.dtype)
        return low.at[..., level.targets].max(branches)

    def call_numpy(self, function: Callable[..., Any], kinds: Any, *arrays: Any) -> Any:
        """Call a function of numpy arrays; `kinds` are the shapes and types of its results."""
        return jax.pure_callback(function, kinds, *arrays, vmap_method="broadcast_all")


JAX = JaxArrays()


def execute(
    plan: LayerPlan, rows: Sequence[Any], log: bool = False, arrays: Any = JAX
) -> tuple[Any, Any]:
    """Execute a plan: the slots' probabilities (..., slots) and the expected steps (...), for input rows (..., K).

    With `log` both the rows and the result are logarithms, which avoids underflow; steps are then not
    counted.
    """
    batch = arrays.xp.broadcast_shapes(*(each.shape[:-1] for each in rows))
    one, zero = (0.0, -jnp.inf) if log else (1.0, 0.0)
    steps = arrays.full(batch, plan.steps, rows)
    if not plan.levels:
        is_only = arrays.arange(plan.slots, rows[0]) == plan.only
        ones = arrays.full((*batch, plan.slots), one, rows)
        return arrays.xp.where(is_only, ones, zero), steps
    states = arrays.full((*batch, 1), one, rows)
    for level in plan.levels:
        branches = _branches(level, states, rows, log, arrays)
        if level.steps.any() and not log:
            steps = steps + arrays.matmul(branches, level.steps)
        if level.is_identity:
            states = branches
        elif log:
            states = _log_added(level, branches, arrays)
        elif level.is_dense:
            states = arrays.matmul(branches, level.matrix)
        else:
            states = arrays.segment_sum(branches, level)
    return states[..., : plan.slots], steps


def log_of(rows: Any, arrays: Any = JAX) -> Any:
    """The logarithm; -inf, with a zero gradient, where a probability is 0."""
    where = arrays.xp.where
    return where(rows != 0, arrays.xp.log(where(rows != 0, rows, 1)), -jnp.inf)


def log_offset(largest: Any, arrays: Any) -> Any:
    """The offset of a log-sum-exp: without a gradient, and 0 where all terms are -inf."""
    largest = arrays.stop_gradient(largest)
    return arrays.xp.where(arrays.xp.isfinite(largest), largest, 0)


def _branches(level: Level, states: Any, rows: Sequence[Any], log: bool, arrays: Any) -> Any:
    """The branches (..., branches): reading states joined with the values of their input, then passing states."""
    parts = []
    for reading in level.readings:
        values = rows[reading.input][..., None, :]
        read = states[..., reading.begin : reading.end, None]
        joined = read + values if log else read * values
        parts.append(joined.reshape(*joined.shape[:-2], -1))
    if level.passing < level.states:
        parts.append(states[..., level.passing :])
    return parts[0] if len(parts) == 1 else arrays.xp.concatenate(parts, axis=-1)


def _log_added(level: Level, branches: Any, arrays: Any) -> Any:
    """The log-sum-exp of the branches by target state; -inf for a state without branches."""
    largest = log_offset(arrays.segment_max(arrays.stop_gradient(branches), level), arrays)
    shifted = branches - largest[..., arrays.targets(level, branches)]
    return log_of(arrays.segment_sum(arrays.xp.exp(shifted), level), arrays) + largest


@dataclass(frozen=True)
class Exact:
    """Exact layers: the program's diagrams cover every value of the inputs."""

    spec: Spec

    def outputs(self, rows: Sequence[Any], log: bool = False, arrays: Any = JAX) -> list[Any]:
        """The distribution of each output cell."""
        plans = [self.spec.plan(sizes_of(rows), cell) for cell in self.spec.outputs]
        return [execute(plan, rows, log, arrays)[0] for plan in plans]

    def details(self, rows: Sequence[Array]) -> Details:
        spec, sizes = self.spec, sizes_of(rows)
        ends, steps = execute(spec.ending(sizes), rows)
        batch, dtype = ends.shape[:-1], ends.dtype
        computed = spec.diagram(sizes, ()).written
        inside = jnp.ones(batch, dtype)
        if spec.drops:  # an input cell holds only the mass that is left
            inside = execute(spec.inside(sizes), rows)[0][..., 1]
            computed |= frozenset(spec.inputs)
        cells = jax.nn.one_hot(jnp.array(spec.fixed), spec.M, dtype=dtype)
        found = list(cells[:, *[None] * len(batch)] * inside[..., None])
        for cell, row in zip(spec.inputs, rows, strict=True):
            found[cell] = jnp.broadcast_to(padded(row, spec.M), (*batch, spec.M))
        for cell in computed:
            found[cell] = padded(execute(spec.plan(sizes, cell), rows)[0], spec.M)
        missing = jnp.zeros(batch, dtype)
        return Details(ends[..., 1], steps, jnp.stack(found, -2), missing, 1 - inside)


def sizes_of(rows: Sequence[Array]) -> Sizes:
    """The number of values of each input."""
    return tuple(int(row.shape[-1]) for row in rows)


def padded(row: Array, M: int) -> Array:
    """A row (..., K) padded with zeros to (..., M)."""
    return jnp.pad(row, [(0, 0)] * (row.ndim - 1) + [(0, M - row.shape[-1])])
