"""Appendix E's example: a network sees a graph and outputs a path, which a program judges.

The network's two towns are distributions of two cells, the program `paths.anc` turns them into the distribution of the
path's length, and the expected length is the loss. The network never sees a right answer. It is compared with the same
network imitating random paths that exist, with one trained on shortest paths, and with the optimum.
"""

from __future__ import annotations

import time
from dataclasses import dataclass, field
from functools import cached_property
from importlib import resources
from typing import Any

import jax
import jax.numpy as jnp
import numpy as np
from jax import Array

from anc.data.loading import load
from anc.layers import Layer, make_layer
from anc_experiments.digits.network import Descent, Parameters, begin, scores

TOWNS = 5
LENGTHS = 5  # 0 (no road) to 4
ROADS = 0.6  # how likely a road is
MISSING = 39  # the program's length of a path that does not exist
PULL = 1.0  # the weight of the length, see `price`
METHODS = ("program", "imitation", "told")
WORDS = {
    "program": "trained through the program, without answers",
    "imitation": "imitating random paths that exist",
    "told": "trained on shortest paths",
}


@dataclass(frozen=True)
class Training:
    """How a network is trained."""

    steps: int = 2000
    batch: int = 128
    rate: float = 3e-3
    hidden: int = 256
    graphs: int = 50_000
    tested: int = 1000


@dataclass(frozen=True)
class Row:
    """The result of a method and a seed on held-out graphs."""

    method: str
    seed: int
    valid: float  # share of graphs for which the likeliest towns form a path
    shortest: float  # ... and a shortest one
    excess: float  # mean length beyond the shortest, over paths that exist
    seconds: float


def draw_graphs(n: int, seed: int) -> np.ndarray:
    """Roads (n, towns, towns) with at least one path of three roads from the first town to the last."""
    rng = np.random.default_rng([seed, 11])
    found = np.zeros((0, TOWNS, TOWNS), np.int32)
    while len(found) < n:
        roads = rng.integers(1, LENGTHS, (n, TOWNS, TOWNS)) * (
            rng.random((n, TOWNS, TOWNS)) < ROADS
        )
        roads[:, range(TOWNS), range(TOWNS)] = 0
        exists = lengths_of(roads).min((1, 2)) < MISSING
        found = np.concatenate([found, roads[exists].astype(np.int32)])
    return found[:n]


def lengths_of(graphs: np.ndarray) -> np.ndarray:
    """(n, towns, towns): the length of each path 0 -> a -> b -> 4, by brute force."""
    first, last = graphs[:, 0, :, None], graphs[:, None, :, -1]
    exists = (first > 0) & (graphs > 0) & (last > 0)
    return np.where(exists, first + graphs + last, MISSING)


@dataclass
class Paths:
    """The experiment: `learn` trains one network."""

    training: Training = Training()
    _compiled: dict[str, Any] = field(
        default_factory=dict
    )  # the compiled training of each method, for all seeds

    @cached_property
    def judge(self) -> Layer:
        """The program as a layer: roads and two towns in, the length of the path out."""
        text = (resources.files("anc_experiments") / "paths.anc").read_text()
        cells = TOWNS * TOWNS
        values = [LENGTHS, TOWNS, TOWNS]
        read = [range(cells), cells, cells + 1]
        return make_layer(load(text), read, cells + 2, values=values, check=False)

    def learn(self, method: str, seed: int) -> Row:
        """Train a network and test it on held-out graphs."""
        began = time.perf_counter()
        training = self.training
        graphs = draw_graphs(training.graphs, 2 * seed)
        targets = _targets(method, graphs, np.random.default_rng([seed, 13]))
        key = jax.random.key(seed)
        order = jax.random.randint(key, (training.steps, training.batch), 0, len(graphs))
        if method not in self._compiled:
            self._compiled[method] = self._train(method)
        parameters = self._compiled[method](key, jnp.asarray(graphs), jnp.asarray(targets), order)
        jax.block_until_ready(parameters)
        seconds = time.perf_counter() - began
        return Row(method, seed, *self._tested(parameters, 2 * seed + 1), seconds)

    def _train(self, method: str) -> Any:
        training = self.training
        sizes = (TOWNS * TOWNS * LENGTHS, training.hidden, 2 * TOWNS)

        def loss(parameters: Parameters, graphs: Array, targets: Array) -> Array:
            rows = towns_of(parameters, graphs)
            if method == "program":
                roads = jax.nn.one_hot(graphs.reshape(-1, TOWNS * TOWNS), LENGTHS)
                judged = self.judge(roads, *(jnp.exp(rows[:, i]) for i in range(2)))
                return price(judged).mean()
            return -jnp.take_along_axis(rows, targets[..., None], -1).sum(1).mean()

        def train(key: Array, graphs: Array, targets: Array, order: Array) -> Parameters:
            of_batch = lambda p, chosen: loss(p, graphs[chosen], targets[chosen])  # noqa: E731
            descent = Descent(of_batch, training.rate, training.steps)
            state, _ = descent.run(descent.begin(begin(key, sizes)), order)
            return descent.parameters(state)

        return jax.jit(train)

    def _tested(self, parameters: Parameters, seed: int) -> tuple[float, float, float]:
        graphs = draw_graphs(self.training.tested, seed)
        towns = np.asarray(towns_of(parameters, jnp.asarray(graphs)).argmax(-1))
        lengths = lengths_of(graphs)
        found, least = lengths[range(len(graphs)), *towns.T], lengths.min((1, 2))
        valid = found < MISSING
        return (
            float(valid.mean()),
            float((found == least).mean()),
            float((found - least)[valid].mean()),
        )


def price(judged: Array) -> Array:
    """-log of the mean of exp(-PULL * length) over the paths that exist, for distributions (B, M).

    The mean length would work too, but paths that do not exist dominate it. This loss is close to the length if the
    network is certain, and to a log-likelihood if it is not.
    """
    lengths = jnp.arange(MISSING, dtype=judged.dtype)
    return -jnp.log(judged[:, :MISSING] @ jnp.exp(-PULL * lengths) + 1e-9) / PULL


def towns_of(parameters: Parameters, graphs: Array) -> Array:
    """Log probabilities (B, 2, towns) of the two towns for graphs (B, towns, towns)."""
    seen = jax.nn.one_hot(graphs, LENGTHS).reshape(len(graphs), -1)
    return jax.nn.log_softmax(scores(parameters, seen).reshape(-1, 2, TOWNS))


def _targets(method: str, graphs: np.ndarray, rng: np.random.Generator) -> np.ndarray:
    """Two towns (n, 2) to imitate: of a shortest path, or of a random path that exists."""
    lengths = lengths_of(graphs)
    wanted = (
        lengths == lengths.min((1, 2), keepdims=True) if method == "told" else lengths < MISSING
    )
    picks = (wanted * rng.random(wanted.shape)).reshape(len(graphs), -1).argmax(1)
    return np.stack(np.divmod(picks, TOWNS), axis=1)


def chance(seed: int, tested: int) -> tuple[float, float]:
    """The baseline of random paths that exist: the share of shortest paths, and the mean excess."""
    graphs = draw_graphs(tested, 2 * seed + 1)
    lengths = lengths_of(graphs)
    towns = _targets("imitation", graphs, np.random.default_rng([seed, 17]))
    over = lengths[range(len(graphs)), *towns.T] - lengths.min((1, 2))
    return float((over == 0).mean()), float(over.mean())
