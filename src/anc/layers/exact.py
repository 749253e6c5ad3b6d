"""Exact semantics: the true distribution of a program's outputs for independent inputs.

A plan is executed with products and sums only, by the same code on arrays of JAX and of PyTorch.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import jax
import jax.numpy as jnp
import numpy as np
from jax import Array

from anc.layers.arrays import JAX, log_of, log_offset, log_sum, moved, shifted, taken
from anc.layers.plan import Block, Growing, LayerPlan, Step
from anc.layers.rows import Stack
from anc.layers.spec import Details, Spec

Emissions = list[tuple[np.ndarray, Any]]  # outputs (times,), and probabilities (times, ..., slots)


def execute(
    plan: LayerPlan,
    rows: Stack,
    log: bool = False,
    arrays: Any = JAX,
    emissions: Emissions | None = None,
) -> tuple[Any, Any]:
    """Execute a plan: the slots' probabilities (..., slots) and the expected steps (...).

    With `log` both the rows and the result are logarithms, which avoids underflow; steps are then not
    counted. With `emissions` the probabilities of what is emitted on the way go there.
    """
    batch = rows.batch
    one, zero = (0.0, -np.inf) if log else (1.0, 0.0)
    steps = arrays.full(batch, plan.steps, [rows.array])
    if not plan.blocks:
        is_only = arrays.arange(plan.slots, rows.array) == plan.only
        ones = arrays.full((*batch, plan.slots), one, [rows.array])
        return arrays.xp.where(is_only, ones, zero), steps
    carry = arrays.full((*batch, 1), one, [rows.array]), steps
    for block in plan.blocks:
        carry = _executed(block, carry, rows, log, arrays, emissions)
    states, steps = carry
    return shifted(states, 0, plan.slots, zero, arrays), steps


def marginals(
    plan: LayerPlan, outputs: int, slots: int, rows: Stack, log: bool = False, arrays: Any = JAX
) -> list[Any]:
    """The distribution (..., slots) of each output, from one plan that emits them all."""
    emissions: Emissions = []
    execute(plan, rows, log, arrays, emissions)
    one, zero = (0.0, -np.inf) if log else (1.0, 0.0)
    found = arrays.full((outputs, *rows.batch, slots), zero, [rows.array])
    for output, value in plan.begun:
        row = arrays.full((*rows.batch, 1), one, [rows.array])
        emissions.append((np.array([output]), shifted(row, value, slots, zero, arrays)[None]))
    for places, parts in emissions:
        parts = shifted(parts, 0, slots, zero, arrays)
        once = [(places, parts)]
        if len(set(places.tolist())) < len(places):  # an output that several of the runs emit
            once = [(places[i : i + 1], parts[i : i + 1]) for i in range(len(places))]
        for where, part in once:
            before = found[arrays.constant(where, found)]
            both = arrays.xp.stack([before, part], -1)
            found = arrays.put_at(found, where, log_sum(both, arrays) if log else both.sum(-1))
    return [found[output] for output in range(outputs)]


def _executed(
    block: Block | Growing,
    carry: Any,
    rows: Stack,
    log: bool,
    arrays: Any,
    emissions: Emissions | None,
) -> Any:
    """The states and the steps after a block."""
    if isinstance(block, Growing):
        zero = -np.inf if log else 0.0
        states, steps = carry
        states = shifted(states, 0, block.size, zero, arrays)

        def grow(states: Any, row: Any) -> Any:
            each = moved(states, block.shift.tolist(), zero, arrays)
            if log:
                return log_sum(arrays.xp.stack(each, -1) + row[..., None, :], arrays), None
            return sum(one * row[..., value, None] for value, one in enumerate(each)), None

        given = taken(rows.array, block.inputs, len(block.shift), arrays)
        step = arrays.remembering_little(grow)
        return arrays.scan(step, states, given, block.times)[0], steps

    def repeat(carry: Any, given: Sequence[Any]) -> Any:
        states, steps = carry
        found = []
        for level, row in zip(block.levels, given, strict=True):
            branches = branches_of(level, states, row, log, arrays)
            if level.steps is not None and level.steps.any() and not log:
                steps = steps + arrays.matmul(branches, level.steps)
            if emissions is not None:
                values = (_added(each, branches, log, arrays) for each in level.values_emitted)
                found += [part[..., :-1] for part in values]
            states = _added(level, branches, log, arrays)
        return (states, steps), found

    given = [
        taken(rows.array, inputs, level.values, arrays)
        for inputs, level in zip(block.inputs, block.levels, strict=True)
    ]
    step = repeat if block.times == 1 else arrays.remembering_little(repeat)
    carry, found = arrays.scan(step, carry, given, block.times)
    if emissions is not None:
        places = [each for outputs in block.outputs for each in outputs]
        emissions += zip(places, found, strict=True)
    return carry


def branches_of(level: Step, states: Any, row: Any, log: bool, arrays: Any) -> Any:
    """The branches (..., branches): reading states joined with the values of their input, then passing states."""
    R = level.reading
    read = states[..., :R, None]
    joined = read + row[..., None, :] if log else read * row[..., None, :]
    joined = joined.reshape(*joined.shape[:-2], R * level.values)
    if level.states == R:
        return joined
    return arrays.xp.concatenate([joined, states[..., R:]], -1)


def _added(level: Step, branches: Any, log: bool, arrays: Any) -> Any:
    """The branches added up by the states of the next level that they lead to."""
    if level.is_identity:
        return branches
    if log:
        return log_added(level, branches, arrays)
    if level.is_dense:
        return arrays.matmul(branches, level.matrix)
    return arrays.segment_sum(branches, level)


def log_added(level: Step, branches: Any, arrays: Any) -> Any:
    """The log-sum-exp of the branches by target state; -inf for a state without branches."""
    if level.size == 1:
        return log_sum(branches, arrays)[..., None]
    if level.incoming is not None:
        none = arrays.full((*branches.shape[:-1], 1), -np.inf, [branches])
        padded = arrays.xp.concatenate([branches, none], -1)
        return log_sum(padded[..., arrays.constant(level.incoming, branches)], arrays)
    largest = log_offset(arrays.segment_max(arrays.stop_gradient(branches), level), arrays)
    moved = branches - largest[..., arrays.constant(level.targets, branches)]
    return log_of(arrays.segment_sum(arrays.xp.exp(moved), level), arrays) + largest


@dataclass(frozen=True)
class Exact:
    """Exact layers: the program's diagrams cover every value of the inputs."""

    spec: Spec

    def outputs(self, rows: Stack, log: bool = False, arrays: Any = JAX) -> list[Any]:
        """The distribution of each output cell: of several, from one diagram if that is smaller."""
        spec = self.spec
        together = spec.together(rows.sizes)
        if together is not None:
            return marginals(together, len(spec.outputs), spec.slots, rows, log, arrays)
        plans = [spec.plan(rows.sizes, cell) for cell in spec.outputs]
        return [execute(plan, rows, log, arrays)[0] for plan in plans]

    def details(self, rows: Stack) -> Details:
        spec, sizes = self.spec, rows.sizes
        ending = spec.ending(sizes)
        ends, steps = execute(ending, rows)
        batch, dtype = ends.shape[:-1], ends.dtype
        computed = ending.written
        inside = jnp.ones(batch, dtype)
        if spec.drops:  # an input cell holds only the mass that is left
            inside = execute(spec.inside(sizes), rows)[0][..., 1]
            computed |= frozenset(spec.inputs)
        cells = jax.nn.one_hot(jnp.array(spec.fixed), spec.M, dtype=dtype)
        found = list(cells[:, *[None] * len(batch)] * inside[..., None])
        for cell, row in zip(spec.inputs, rows.each(), strict=True):
            found[cell] = jnp.broadcast_to(padded(row, spec.M), (*batch, spec.M))
        for cell in computed:
            found[cell] = padded(execute(spec.plan(sizes, cell), rows)[0], spec.M)
        missing = jnp.zeros(batch, dtype)
        return Details(ends[..., 1], steps, jnp.stack(found, -2), missing, 1 - inside)


def padded(row: Array, M: int) -> Array:
    """A row (..., K) padded with zeros to (..., M)."""
    return jnp.pad(row, [(0, 0)] * (row.ndim - 1) + [(0, M - row.shape[-1])])
