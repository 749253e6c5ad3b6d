"""What differs between arrays of JAX and of PyTorch; all that is computed is written once, for both."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import jax
import jax.numpy as jnp
import numpy as np
from jax import lax

from anc.layers.plan import Step


class JaxArrays:
    """The array operations specific to JAX; `anc.layers.torch.TorchArrays` has those of PyTorch."""

    xp: Any = jnp  # functions with the same names and arguments in PyTorch
    take_along_axis = staticmethod(jnp.take_along_axis)
    stop_gradient = staticmethod(lax.stop_gradient)

    def full(self, shape: tuple[int, ...], value: float, rows: Sequence[Any]) -> Any:
        return jnp.full(shape, value, jnp.result_type(*rows))

    def as_array(self, given: Any) -> Any:
        return jnp.asarray(given)

    def as_numpy(self, array: Any) -> np.ndarray | None:
        """Its numbers; None inside a transformation, where there are none yet."""
        return None if isinstance(array, jax.core.Tracer) else np.asarray(array)

    def as_integers(self, array: Any) -> Any:
        return array.astype(jnp.int32)

    def arange(self, count: int, like: Any) -> Any:
        return jnp.arange(count)

    def constant(self, array: np.ndarray, like: Any) -> Any:
        """An array of indices or of truth values where `like` is."""
        return array

    def top_k(self, array: Any, count: int) -> Any:
        """The indices of the largest numbers along the last axis."""
        return lax.top_k(array, count)[1]

    def matmul(self, branches: Any, matrix: np.ndarray) -> Any:
        matrix = matrix.astype(branches.dtype)
        return jnp.matmul(branches, matrix, precision=lax.Precision.HIGHEST)

    def segment_sum(self, branches: Any, step: Step) -> Any:
        """The branches summed by target state."""
        zeros = jnp.zeros((*branches.shape[:-1], step.size), branches.dtype)
        return zeros.at[..., step.targets].add(branches)

    def segment_max(self, branches: Any, step: Step) -> Any:
        low = jnp.full((*branches.shape[:-1], step.size), -jnp.inf, branches.dtype)
        return low.at[..., step.targets].max(branches)

    def added_at(self, array: Any, places: np.ndarray, parts: Any) -> Any:
        """The array with parts added to its first axis."""
        return array.at[places].add(parts)

    def put_at(self, array: Any, places: np.ndarray, parts: Any) -> Any:
        """The array with parts in its first axis."""
        return array.at[places].set(parts)

    def keys(self, key: Any, count: int) -> Any:
        """Keys of independent random numbers, from a key or a whole number; None without one."""
        if key is None:
            return None
        return jax.random.split(jax.random.key(key) if isinstance(key, int) else key, count)

    def gumbel(self, key: Any, like: Any) -> Any:
        """Noise that makes the largest of logarithms a draw by their probabilities."""
        return jax.random.gumbel(key, like.shape, like.dtype)

    def scan(
        self, step: Callable[..., Any], carry: Any, xs: Any, times: int, reverse: bool = False
    ) -> tuple[Any, Any]:
        """Execute a step `times` times: (carry, x) -> (carry, y); a step without y returns None for it."""
        if times > 1:
            return lax.scan(step, carry, xs, reverse=reverse)
        carry, found = step(carry, jax.tree.map(lambda part: part[0], xs))
        return carry, jax.tree.map(lambda part: part[None], found)

    def remembering_little(self, step: Callable[..., Any]) -> Callable[..., Any]:
        """A step of a scan whose results inside are computed again for the gradient."""
        return jax.checkpoint(step, prevent_cse=False)

    def call_numpy(self, function: Callable[..., Any], kinds: Any, *arrays: Any) -> Any:
        """Call a function of numpy arrays; `kinds` are the shapes and types of its results."""
        return jax.pure_callback(function, kinds, *arrays, vmap_method="broadcast_all")


JAX = JaxArrays()


def log_of(rows: Any, arrays: Any = JAX) -> Any:
    """The logarithm; -inf, with a zero gradient, where a probability is 0."""
    where = arrays.xp.where
    return where(rows != 0, arrays.xp.log(where(rows != 0, rows, 1)), -np.inf)


def log_offset(largest: Any, arrays: Any = JAX) -> Any:
    """The offset of a log-sum-exp: without a gradient, and 0 where all terms are -inf."""
    largest = arrays.stop_gradient(largest)
    return arrays.xp.where(arrays.xp.isfinite(largest), largest, 0)


def log_sum(terms: Any, arrays: Any = JAX) -> Any:
    """The log-sum-exp over the last axis; -inf if all terms are."""
    largest = log_offset(arrays.xp.amax(terms, -1), arrays)
    return log_of(arrays.xp.exp(terms - largest[..., None]).sum(-1), arrays) + largest


def shifted(states: Any, by: int, size: int, fill: float, arrays: Any = JAX) -> Any:
    """States (..., S) moved up by a number of places, among `size` states; those that come in are `fill`."""
    S = states.shape[-1]
    begin, end = max(by, 0), min(S + by, size)
    kept = states[..., begin - by : end - by]
    parts = [
        arrays.full((*states.shape[:-1], begin), fill, [states]),
        kept,
        arrays.full((*states.shape[:-1], size - end), fill, [states]),
    ]
    return arrays.xp.concatenate([part for part in parts if part.shape[-1]], -1)


def moved(states: Any, by: Sequence[int], fill: float, arrays: Any = JAX) -> list[Any]:
    """States (..., S) moved up by each of some numbers of places; those that come in are `fill`."""
    S, batch = states.shape[-1], tuple(states.shape[:-1])
    low, high = max(0, *by), max(0, *(-each for each in by))
    below, above = (arrays.full((*batch, size), fill, [states]) for size in (low, high))
    padded = arrays.xp.concatenate([below, states, above], -1)
    return [padded[..., low - each : low - each + S] for each in by]


def taken(rows: Any, inputs: np.ndarray, values: int, arrays: Any = JAX) -> Any:
    """The rows (times, ..., values) of some inputs, from those of all (inputs, ..., K)."""
    strides = np.unique(np.diff(inputs))
    if len(inputs) == 1 or (strides.size == 1 and strides[0] > 0):
        stride = int(strides[0]) if strides.size else 1
        return rows[int(inputs[0]) : int(inputs[-1]) + 1 : stride, ..., :values]
    return rows[arrays.constant(inputs, rows)][..., :values]
