"""The likelihood of observed outputs: forward over the levels, and backward for the gradients.

A state's number is the logarithm of the probability of all runs to it that emitted what was observed; runs
that emitted something else are cut at once. Numbers are kept relative to the largest of their level, so
nothing underflows. Backward, each branch gets its probability given all that was observed: summed
over the states, that is the gradient, and the posterior distribution of the level's input.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any, NamedTuple

import jax
import jax.numpy as jnp
import numpy as np

from anc.layers.arrays import JAX, log_of, log_offset, log_sum, moved, shifted, taken
from anc.layers.diagram import NEVER, NOTHING_EMITTED
from anc.layers.exact import branches_of, log_added
from anc.layers.plan import Block, Growing, LayerPlan, Step

MISSING = -1  # instead of an output that was not observed


class Forward(NamedTuple):
    """The logarithm of the probability of what was observed, and the states on the way to it."""

    log: Any  # (...)
    ends: Any  # (..., slots)
    states: list[Any]  # of each block: before each of its levels (times, ..., states)


@dataclass(frozen=True)
class Likelihood:
    """A plan that emits, or whose last states are the values of the only output."""

    plan: LayerPlan
    arrays: Any = JAX
    best: bool = False  # the most likely run instead of all runs

    def forward(self, rows: Any, observed: Any) -> Forward:
        """From logarithms (inputs, ..., K) and observed outputs (outputs, ...), or -1, to the likelihood."""
        arrays, plan = self.arrays, self.plan
        batch = tuple(rows.shape[1:-1])
        total = arrays.full(batch, 0.0, [rows])
        for output, value in plan.begun:
            fits = (observed[output] == value) | ((observed[output] == MISSING) & (value != NEVER))
            total = arrays.xp.where(fits, total, -np.inf)
        states = arrays.full((*batch, 1), 0.0, [rows])
        kept = []
        for block in plan.blocks:
            (states, total), seen = self._block(block, states, total, rows, observed)
            kept.append(seen)
        if not plan.blocks:
            is_only = arrays.arange(plan.slots, rows) == plan.only
            states = arrays.xp.where(
                is_only, arrays.full((*batch, plan.slots), 0.0, [rows]), -np.inf
            )
        ends = self._observed(shifted(states, 0, plan.slots, -np.inf, arrays), observed)
        return Forward(total + self._sum(ends), ends, kept)

    def _observed(self, ends: Any, observed: Any) -> Any:
        """The last states, without those whose value was not observed."""
        if not self.plan.has_values:
            return ends
        seen = observed[0][..., None]
        fits = (self.arrays.arange(self.plan.slots, ends) == seen) | (seen == MISSING)
        return self.arrays.xp.where(fits, ends, -np.inf)

    def backward(self, rows: Any, observed: Any, found: Forward, of_probabilities: bool) -> Any:
        """The gradients (inputs, ..., K) of the logarithm: by logarithms of probabilities, or by probabilities.

        They are 0 where the observed outputs are impossible.
        """
        arrays, plan = self.arrays, self.plan
        after = arrays.full((*found.ends.shape[:-1], plan.slots), 0.0, [found.ends])
        after = self._observed(after, observed)
        if plan.slots < plan.size:
            after = shifted(after, 0, plan.size, -np.inf, arrays)
        slopes = arrays.xp.zeros_like(rows)
        pairs = list(zip(plan.blocks, found.states, strict=True))
        for block, states in reversed(pairs):
            after, parts = self._back(block, after, states, rows, observed, of_probabilities)
            for inputs, part in parts:
                K = part.shape[-1]
                wide = shifted(part, 0, rows.shape[-1], 0.0, arrays) if rows.shape[-1] > K else part
                slopes = arrays.added_at(slopes, inputs, wide)
        is_possible = arrays.xp.isfinite(found.log)[..., None]
        return arrays.xp.where(is_possible, slopes, 0)

    # -- blocks --------------------------------------------------------------------

    def _block(
        self, block: Block | Growing, states: Any, total: Any, rows: Any, observed: Any
    ) -> tuple[Any, Any]:
        if isinstance(block, Growing):
            states = shifted(states, 0, block.size, -np.inf, self.arrays)

            def grow(carry: Any, row: Any) -> Any:
                states, total = carry
                each = moved(states, block.shift.tolist(), -np.inf, self.arrays)
                terms = self.arrays.xp.stack(each, -1) + row[..., None, :]
                return self._leveled(self._sum(terms), total), states

            given = taken(rows, block.inputs, len(block.shift), self.arrays)
            return self.arrays.scan(grow, (states, total), given, block.times)

        def repeat(carry: Any, given: Any) -> Any:
            states, total = carry
            kept = []
            for level, (row, seen) in zip(block.levels, given, strict=True):
                kept.append(states)
                states = self.after(level, emitting(level, states, row, seen, self.arrays))
                states, total = self._leveled(states, total)
            return (states, total), kept

        given = given_to(block, rows, observed, self.arrays)
        return self.arrays.scan(repeat, (states, total), given, block.times)

    def after(self, level: Step, branches: Any) -> Any:
        """The states of the next level."""
        if level.is_identity:
            return branches
        if self.best:
            if level.incoming is None:
                return self.arrays.segment_max(branches, level)
            none = self.arrays.full((*branches.shape[:-1], 1), -np.inf, [branches])
            padded = self.arrays.xp.concatenate([branches, none], -1)
            places = self.arrays.constant(level.incoming, branches)
            return self.arrays.xp.amax(padded[..., places], -1)
        return log_added(level, branches, self.arrays)

    def _sum(self, terms: Any) -> Any:
        return self.arrays.xp.amax(terms, -1) if self.best else log_sum(terms, self.arrays)

    def _leveled(self, states: Any, total: Any) -> tuple[Any, Any]:
        """The states relative to the largest, which goes into the total."""
        largest = log_offset(self.arrays.xp.amax(states, -1), self.arrays)
        return states - largest[..., None], total + largest

    def _back(
        self, block: Block | Growing, after: Any, states: Any, rows: Any, observed: Any, probs: bool
    ) -> tuple[Any, list[tuple[np.ndarray, Any]]]:
        """From what comes after a block to what comes after the one before, with gradients by inputs."""
        arrays, xp = self.arrays, self.arrays.xp
        if isinstance(block, Growing):
            shift = block.shift.tolist()

            def shrink(after: Any, given: Any) -> Any:
                row, states = given
                reached = xp.stack(moved(after, [-by for by in shift], -np.inf, arrays), -1)
                terms = reached + row[..., None, :]
                before = log_sum(terms, arrays)
                norm = log_offset(log_sum(states + before, arrays), arrays)[..., None]
                terms = reached if probs else terms
                slopes = xp.exp(terms + (states - norm)[..., None]).sum(-2)
                return before - log_offset(xp.amax(before, -1), arrays)[..., None], slopes

            after = shifted(after[..., : block.size], 0, block.size, -np.inf, arrays)
            given = taken(rows, block.inputs, len(shift), arrays), states
            after, slopes = arrays.scan(shrink, after, given, block.times, reverse=True)
            return after[..., : block.states], [(block.inputs, slopes)]

        def undo(after: Any, given: Any) -> Any:
            found = []
            for level, (row, seen), states in reversed(
                list(zip(block.levels, *given, strict=True))
            ):
                after, slopes = _before(level, after, states, row, seen, probs, arrays)
                found.append(slopes)
            return after, found[::-1]

        given = given_to(block, rows, observed, arrays), states
        after, slopes = arrays.scan(undo, after, given, block.times, reverse=True)
        return after, list(zip(block.inputs, slopes, strict=True))


def given_to(block: Block, rows: Any, observed: Any, arrays: Any) -> list[tuple[Any, list[Any]]]:
    """For each level of a block: the rows that it reads, and what was observed of what it emits."""
    return [
        (
            taken(rows, inputs, level.values, arrays),
            [observed[arrays.constant(column, observed)] for column in outputs],
        )
        for level, inputs, outputs in zip(block.levels, block.inputs, block.outputs, strict=True)
    ]


def emitting(level: Step, states: Any, row: Any, seen: Sequence[Any], arrays: Any) -> Any:
    """The branches of a level; -inf where one emits what was not observed."""
    return _cut(level, branches_of(level, states, row, True, arrays), seen, arrays)


def _cut(level: Step, branches: Any, seen: Sequence[Any], arrays: Any) -> Any:
    for values, observed in zip(level.emitted, seen, strict=True):
        value, one = arrays.constant(values, observed), observed[..., None]
        fits = (value == NOTHING_EMITTED) | (value == one) | ((one == MISSING) & (value != NEVER))
        branches = arrays.xp.where(fits, branches, -np.inf)
    return branches


def _before(
    level: Step, after: Any, states: Any, row: Any, seen: Sequence[Any], probs: bool, arrays: Any
) -> tuple[Any, Any]:
    """What comes after the states of a level, and the gradients (..., values) of its input."""
    xp, R = arrays.xp, level.reading
    reached = after if level.is_identity else after[..., arrays.constant(level.targets, after)]
    reached = _cut(level, reached, seen, arrays)
    read = reached[..., : R * level.values]
    read = read.reshape(*read.shape[:-1], R, level.values)
    terms = read + row[..., None, :]
    before = log_sum(terms, arrays)
    if level.states > R:
        before = xp.concatenate([before, reached[..., R * level.values :]], -1)
    norm = log_offset(log_sum(states + before, arrays), arrays)[..., None]
    terms = read if probs else terms
    slopes = xp.exp(terms + (states[..., :R] - norm)[..., None]).sum(-2)
    return before - log_offset(xp.amax(before, -1), arrays)[..., None], slopes


def differentiable(plan: LayerPlan, of_probabilities: bool) -> Callable[[Any, Any], Any]:
    """The log-likelihood as a function of JAX, from rows (inputs, ..., K) and observed outputs (outputs, ...)."""
    made = Likelihood(plan)

    def logs(rows: Any) -> Any:
        return log_of(rows) if of_probabilities else rows

    @jax.custom_vjp
    def likelihood(rows: Any, observed: Any) -> Any:
        return made.forward(logs(rows), observed).log

    def forward(rows: Any, observed: Any) -> Any:
        found = made.forward(logs(rows), observed)
        return found.log, (rows, observed, found)

    def backward(kept: Any, slope: Any) -> Any:
        rows, observed, found = kept
        slopes = made.backward(logs(rows), observed, found, of_probabilities)
        return jnp.where(slope[..., None] != 0, slope[..., None] * slopes, 0), None

    likelihood.defvjp(forward, backward)
    return likelihood
