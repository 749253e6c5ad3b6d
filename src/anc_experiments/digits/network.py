"""A small network and how it is trained: several seeds side by side, each from the best of some starts."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any, NamedTuple, TypeAlias

import jax
import jax.numpy as jnp
import numpy as np
from jax import Array, lax

Parameters: TypeAlias = list[tuple[Array, Array]]  # a matrix and a row for each layer
Model: TypeAlias = Callable[[Parameters, Array], Array]  # pictures (B, n, 64) to (B, outputs, K)
SMALLEST = 1e-7  # probability that a loss knows


@dataclass(frozen=True)
class Training:
    """How a network is trained; a network that starts badly is left for another after `trial` steps."""

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
    """What the network says about rows (..., size), before any softmax."""
    for number, (matrix, offset) in enumerate(parameters):
        rows = (jax.nn.relu(rows) if number else rows) @ matrix + offset
    return rows


class Adam(NamedTuple):
    """What Adam knows: the parameters, running means of their slopes and of the squares, the steps."""

    parameters: Parameters
    mean: Parameters
    square: Parameters
    step: Array


def begun(parameters: Parameters) -> Adam:
    """Adam before its first step."""
    zeros = jax.tree.map(jnp.zeros_like, parameters)
    return Adam(parameters, zeros, zeros, jnp.zeros(()))


def updated(state: Adam, slope: Parameters, rate: Array) -> Adam:
    """Adam after one step more."""
    step = state.step + 1
    mean = jax.tree.map(lambda m, g: 0.9 * m + 0.1 * g, state.mean, slope)
    square = jax.tree.map(lambda v, g: 0.999 * v + 0.001 * g * g, state.square, slope)

    def moved(p: Array, m: Array, v: Array) -> Array:
        return p - rate * (m / (1 - 0.9**step)) / (jnp.sqrt(v / (1 - 0.999**step)) + 1e-8)

    return Adam(jax.tree.map(moved, state.parameters, mean, square), mean, square, step)


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

    Labels (S, steps, B, outputs) are what the model's outputs should be; its loss is the mean of
    -log(probability). The learning rate falls to 0 along a cosine.
    """
    shown = jnp.asarray(pictures)
    T = groups.shape[1]

    def loss(parameters: Parameters, group: Array, label: Array) -> Array:
        rows = jnp.take_along_axis(model(parameters, shown[group]), label[..., None], -1)
        return -jnp.log(rows[..., 0] + SMALLEST).sum(-1).mean()

    def step(state: Adam, batch: tuple[Array, Array]) -> tuple[Adam, Array]:
        value, slope = jax.value_and_grad(loss)(state.parameters, *batch)
        rate = training.rate * 0.5 * (1 + jnp.cos(jnp.pi * state.step / T))
        return updated(state, slope, rate), value

    def run(state: Adam, group: Array, label: Array) -> tuple[Adam, Array]:
        return lax.scan(step, state, (group, label))

    def one(starts: Parameters, group: Array, label: Array) -> Parameters:
        if training.starts == 1:
            only = jax.tree.map(lambda part: part[0], starts)
            return run(begun(only), group, label)[0].parameters
        trial = min(training.trial, T)
        tried = jax.vmap(lambda start: run(begun(start), group[:trial], label[:trial]))
        states, losses = tried(starts)
        best = jnp.argmin(losses[:, -(trial // 4 + 1) :].mean(-1))
        chosen = jax.tree.map(lambda part: part[best], states)
        return run(chosen, group[trial:], label[trial:])[0].parameters

    keys = jax.random.split(jax.random.key(seed), groups.shape[0])
    each = jax.vmap(lambda key: jax.random.split(key, training.starts))(keys)
    starts = jax.jit(jax.vmap(jax.vmap(lambda key: begin(key, sizes))))(each)
    found: Any = jax.jit(jax.vmap(one))(starts, jnp.asarray(groups), jnp.asarray(labels))
    return jax.block_until_ready(found)
