"""What follows from observed outputs about the inputs: their distributions, the most likely ones, samples.

All come from the same levels as the likelihood, for arrays of JAX and of PyTorch.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np

from anc.layers.arrays import JAX, taken
from anc.layers.likelihood import Forward, Likelihood, emitting, given_to
from anc.layers.plan import Block, Growing, LayerPlan, Step


class MostLikely(NamedTuple):
    """The most likely inputs given what was observed, and the logarithm of their probability."""

    values: Any  # one array (...) or (..., n) for each input
    log: Any  # (...)


@dataclass(frozen=True)
class Inference:
    """Inference with the plan of a likelihood, from logarithms (inputs, ..., K) and observed outputs (outputs, ...)."""

    plan: LayerPlan
    arrays: Any = JAX

    def posterior(self, rows: Any, observed: Any) -> Any:
        """The distribution (inputs, ..., K) of each input; NaN if what was observed is impossible."""
        made, xp = Likelihood(self.plan, self.arrays), self.arrays.xp
        found = made.forward(rows, observed)
        read = made.backward(rows, observed, found, False)
        # runs that do not read an input say nothing about it
        every = read + xp.exp(rows) * (1 - read.sum(-1)[..., None])
        return xp.where(xp.isfinite(found.log)[..., None], every, np.nan)

    def most_likely(self, rows: Any, observed: Any) -> tuple[Any, Any]:
        """The most likely inputs (inputs, ...), and the logarithm of their probability."""
        xp = self.arrays.xp
        best = xp.amax(rows, -1)  # so that inputs that a run does not read take their best value
        found = Likelihood(self.plan, self.arrays, best=True).forward(
            rows - best[..., None], observed
        )
        values = self._back(found, rows - best[..., None], observed, None)
        every = Likelihood(self.plan, self.arrays).forward(rows, observed).log
        log = xp.where(xp.isfinite(every), found.log + best.sum(0) - every, -np.inf)
        return values, log

    def sample(self, rows: Any, observed: Any, key: Any) -> Any:
        """Inputs (inputs, ...) drawn from their distribution given what was observed."""
        found = Likelihood(self.plan, self.arrays).forward(rows, observed)
        return self._back(found, rows, observed, key)

    def _back(self, found: Forward, rows: Any, observed: Any, key: Any) -> Any:
        """Go from the end to the beginning, by the likeliest branches or, with a key, by drawn ones."""
        arrays = self.arrays
        keys = self._split(key, len(self.plan.blocks) + 2)
        values = self._chosen(rows, keys[0])
        state = self._chosen(found.ends, keys[1])
        pairs = list(zip(self.plan.blocks, found.states, keys[2:], strict=True))
        for block, before, one in reversed(pairs):
            back = self._grown_back if isinstance(block, Growing) else self._block_back
            state, parts = back(block, state, before, rows, observed, one)
            for inputs, chosen in parts:
                kept = values[arrays.constant(inputs, values)]
                chosen = arrays.xp.where(chosen < 0, kept, chosen)
                values = arrays.put_at(values, inputs, chosen)
        return values

    def _split(self, key: Any, count: int) -> Any:
        return [None] * count if key is None else self.arrays.keys(key, count)

    def _chosen(self, scores: Any, key: Any) -> Any:
        """The best place along the last axis or, with a key, one drawn by its probability."""
        if key is not None:
            scores = scores + self.arrays.gumbel(key, scores)
        return self.arrays.xp.argmax(scores, -1)

    def _block_back(
        self, block: Block, state: Any, before: Any, rows: Any, observed: Any, key: Any
    ) -> tuple[Any, list[tuple[np.ndarray, Any]]]:
        arrays = self.arrays

        def back(state: Any, given: Any) -> Any:
            rows, before, keys = given
            found = []
            every = zip(block.levels, rows, before, keys, strict=True)
            for level, (row, seen), states, one in reversed(list(every)):
                branches = emitting(level, states, row, seen, arrays)
                leads = arrays.constant(level.targets, branches) == state[..., None]
                branches = arrays.xp.where(leads, branches, -np.inf)
                state, value = _taken_back(level, self._chosen(branches, one), arrays)
                found.append(value)
            return state, found[::-1]

        keys = [arrays.keys(one, block.times) for one in self._split(key, len(block.levels))]
        given = given_to(block, rows, observed, arrays), before, keys
        state, found = arrays.scan(back, state, given, block.times, reverse=True)
        return state, list(zip(block.inputs, found, strict=True))

    def _grown_back(
        self, block: Growing, state: Any, before: Any, rows: Any, observed: Any, key: Any
    ) -> tuple[Any, list[tuple[np.ndarray, Any]]]:
        arrays, xp = self.arrays, self.arrays.xp

        def back(state: Any, given: Any) -> Any:
            row, states, one = given
            shift = arrays.constant(block.shift, state)
            places = state[..., None] - shift
            inside = (places >= 0) & (places < block.size)
            masses = arrays.take_along_axis(states, xp.where(inside, places, 0), -1)
            chosen = self._chosen(xp.where(inside, masses + row, -np.inf), one)
            return arrays.take_along_axis(places, chosen[..., None], -1)[..., 0], chosen

        given = taken(rows, block.inputs, len(block.shift), arrays), before
        keys = arrays.keys(key, block.times)
        state, found = arrays.scan(back, state, (*given, keys), block.times, reverse=True)
        return state, [(block.inputs, found)]


def _taken_back(level: Step, branch: Any, arrays: Any) -> tuple[Any, Any]:
    """The state that a branch comes from, and the value that it takes, -1 for a state that passes."""
    R, K = level.reading, level.values
    where, reads = arrays.xp.where, branch < level.reading * level.values
    return where(reads, branch // K, branch - R * (K - 1)), where(reads, branch % K, -1)
