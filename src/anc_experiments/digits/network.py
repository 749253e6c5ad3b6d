"""A small network and its training: several seeds side by side, each from the best of some starts."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any, TypeAlias

import jax
import jax.numpy as jnp
import numpy as np
from jax import Array, lax
from jax.example_libraries.optimizers import adam

Parameters: TypeAlias = list[tuple[Array, Array]]  # a matrix and a row for each layer
Model: TypeAlias = Callable[[Parameters, Array], Array]  # pictures (B, n, 64) to (B, outputs, K)
SMALLEST = 1e-7  # added to probabilities in the loss


@dataclass(frozen=True)
class Training:
    """Training settings. After `trial` steps only the best of `starts` networks continues."""

    steps: int = 500
    batch: int = 64
    rate: float = 5e-3
    hidden: int = 128
    starts: int = 4
    trial: int = 60


def begin(key: Array, sizes: Sequence[int]) -> Parameters:
    """Random weights of a network with layers of these sizes."""
    keys = jax.random.split(key, len(sizes) - 1)
    return [
        (jax.random.normal(k, (m, n)) * np.sqrt(2 / m), jnp.zeros(n))
        for k, m, n in zip(keys, sizes[:-1], sizes[1:], strict=True)
    ]


def scores(parameters: Parameters, rows: Array) -> Array:
    """The network's logits for rows (..., size)."""
    for number, (matrix, offset) in enumerate(parameters):
        rows = (jax.nn.relu(rows) if number else rows) @ matrix + offset
    return rows


class Descent:
    """Gradient descent on a loss with Adam; the learning rate falls from `rate` to 0 along a cosine of T steps."""

    def __init__(self, loss: Callable[..., Array], rate: float, T: int) -> None:
        self._loss = loss
        falling = lambda step: rate * 0.5 * (1 + jnp.cos(jnp.pi * step / T))  # noqa: E731
        self._begin, self._update, self._parameters = adam(falling)

    def begin(self, parameters: Parameters) -> Any:
        """The state before the first step."""
        return jnp.zeros(()), self._begin(parameters)

    def run(self, state: Any, *batches: Array) -> tuple[Any, Array]:
        """The state after a step with each batch, and the losses before the steps."""

        def step(state: Any, batch: tuple[Array, ...]) -> tuple[Any, Array]:
            number, inner = state
            value, slope = jax.value_and_grad(self._loss)(self._parameters(inner), *batch)
            return (number + 1, self._update(number, slope, inner)), value

        return lax.scan(step, state, batches)

    def parameters(self, state: Any) -> Parameters:
        return self._parameters(state[1])


def train(
    model: Model,
    sizes: Sequence[int],
    pictures: np.ndarray,
    groups: np.ndarray,
    labels: np.ndarray,
    training: Training,
    seed: int = 0,
) -> Parameters:
    """Parameters of S networks, trained on groups of pictures (S, steps, B, n).

    Labels (S, steps, B, outputs) are the right outputs; the loss is the mean of -log(probability).
    """
    shown = jnp.asarray(pictures)
    T = groups.shape[1]

    def loss(parameters: Parameters, group: Array, label: Array) -> Array:
        rows = jnp.take_along_axis(model(parameters, shown[group]), label[..., None], -1)
        return -jnp.log(rows[..., 0] + SMALLEST).sum(-1).mean()

    descent = Descent(loss, training.rate, T)

    def one(starts: Parameters, group: Array, label: Array) -> Parameters:
        state, trial = descent.begin(jax.tree.map(lambda part: part[0], starts)), 0
        if training.starts > 1:
            trial = min(training.trial, T)
            first = group[:trial], label[:trial]
            states, losses = jax.vmap(lambda start: descent.run(descent.begin(start), *first))(
                starts
            )
            best = jnp.argmin(losses[:, -(trial // 4 + 1) :].mean(-1))
            state = jax.tree.map(lambda part: part[best], states)
        return descent.parameters(descent.run(state, group[trial:], label[trial:])[0])

    keys = jax.random.split(jax.random.key(seed), groups.shape[0])
    each = jax.vmap(lambda key: jax.random.split(key, training.starts))(keys)
    starts = jax.jit(jax.vmap(jax.vmap(lambda key: begin(key, sizes))))(each)
    found: Any = jax.jit(jax.vmap(one))(starts, jnp.asarray(groups), jnp.asarray(labels))
    return jax.block_until_ready(found)
