"""The four training methods for a task of digits, and their results."""

from __future__ import annotations

import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from typing import NamedTuple

import jax
import jax.numpy as jnp
import numpy as np
from jax import Array
from scipy.optimize import linear_sum_assignment

from anc.support import diagnostics as extras
from anc.support.diagnostics import AncError
from anc_experiments.digits.network import Model, Parameters, Training, scores, train
from anc_experiments.digits.tasks import DIGITS, DigitTask
from anc_experiments.intervals import mean_interval

TESTED = 1000  # groups of test pictures
TRAINED_ON = 1437  # of scikit-learn's 1797 handwritten digits, images of 8 by 8 pixels
# exact and soft train through the program, on its results only
METHODS = ("exact", "soft", "direct labels", "no program")


class Pictures(NamedTuple):
    """Pictures (n, 64) from 0 to 1, and the digits on them."""

    train: np.ndarray
    train_digits: np.ndarray
    test: np.ndarray
    test_digits: np.ndarray


def load_pictures() -> Pictures:
    """The pictures in a fixed random order, the last fifth for tests."""
    try:
        from sklearn.datasets import load_digits
    except ImportError:
        raise AncError(
            "this experiment needs scikit-learn, which holds the pictures",
            help=extras.install("digits"),
        ) from None
    pictures, digits = load_digits(return_X_y=True)
    order = np.random.default_rng(0).permutation(len(pictures))
    pictures, digits = (pictures[order] / 16).astype(np.float32), digits[order].astype(np.int32)
    cut = TRAINED_ON
    return Pictures(pictures[:cut], digits[:cut], pictures[cut:], digits[cut:])


@dataclass(frozen=True)
class Row:
    """The result of a method on a task: means over the seeds with 95 % intervals."""

    task: str
    method: str
    seeds: int
    result: float
    result_interval: tuple[float, float]
    digits: float | None = None  # up to digits that the program cannot distinguish
    digits_interval: tuple[float, float] | None = None
    renamed: float | None = None  # after the best renaming of digits
    seconds: float = 0.0  # of all seeds together, compilation included


@dataclass(frozen=True)
class Experiment:
    """The pictures, the number of seeds trained side by side, and the training's settings."""

    pictures: Pictures
    seeds: int
    training: Training

    def learn(self, task: DigitTask, method: str) -> Row:
        """Train with a method and test on held-out pictures."""
        if method == "direct labels":
            found, seconds = self._reading
            return replace(self._tested(task, method, _read, found), seconds=seconds)
        training = self.training_of(method)
        model, sizes = _model(task, method, training.hidden)
        found, seconds = self._trained(model, sizes, training, task.pictures, task.results)
        return replace(self._tested(task, method, model, found), seconds=seconds)

    def training_of(self, method: str) -> Training:
        """The settings of a method. The slow soft machine gets fewer and smaller batches and one start."""
        chosen = self.training
        if method != "soft":
            return chosen
        return replace(chosen, batch=chosen.batch // 4, steps=3 * chosen.steps // 4, starts=1)

    def soft_work(self, task: DigitTask) -> float:
        """The approximate number of operations to train a task through the soft machine."""
        steps = task.layer().spec.diagram((DIGITS,) * task.pictures, ()).longest
        M, R = task.function.M, task.function.program.R
        one = 2 * M * (11 + 3 * R) + 7 * R * M + 9 * M * M + 30 * M
        training = self.training_of("soft")
        return 3.0 * one * steps * training.batch * training.steps * self.seeds

    @cached_property
    def _reading(self) -> tuple[Parameters, float]:
        """Networks trained on the digits themselves, shared by all tasks."""
        sizes = (64, self.training.hidden, DIGITS)
        return self._trained(_read, sizes, self.training, 2, lambda digits: digits)

    def _trained(
        self,
        model: Model,
        sizes: Sequence[int],
        training: Training,
        n: int,
        labels: Callable[[np.ndarray], np.ndarray],
    ) -> tuple[Parameters, float]:
        """Networks trained on new random groups of n pictures in every batch, and the seconds."""
        began = time.monotonic()
        shape = (self.seeds, training.steps, training.batch, n)
        random = np.random.default_rng(1)
        groups = random.integers(0, len(self.pictures.train), shape).astype(np.int32)
        wanted = labels(self.pictures.train_digits[groups])
        found = train(model, sizes, self.pictures.train, groups, wanted, training)
        return found, round(time.monotonic() - began, 2)

    def _tested(self, task: DigitTask, method: str, model: Model, found: Parameters) -> Row:
        pictures = self.pictures
        tests = np.random.default_rng(2).integers(0, len(pictures.test), (TESTED, task.pictures))
        shown = jnp.asarray(pictures.test[tests])
        said = np.asarray(jax.lax.map(lambda one: model(one, shown).argmax(-1), found))
        said = task.results(said) if method == "direct labels" else said
        wanted = task.results(pictures.test_digits[tests])
        results = (said == wanted).all(-1).mean(-1)
        row = Row(task.name, method, self.seeds, *_mean(results))
        if method == "no program":
            return row
        rows = jax.vmap(_read, in_axes=(0, None))(found, jnp.asarray(pictures.test))
        read, true = task.kinds[np.asarray(rows.argmax(-1))], task.kinds[pictures.test_digits]
        digits, digits_interval = _mean((read == true).mean(-1))
        renamed = float(np.mean([_renamed(one, true) for one in read]))
        return replace(row, digits=digits, digits_interval=digits_interval, renamed=renamed)


def untrained_gap(task: DigitTask, samples: int = 64) -> float:
    """The distance of soft from exact for an untrained network, as in the first steps."""
    layer = task.layer()
    rows = np.random.default_rng(0).dirichlet(np.full(DIGITS, 5.0), (samples, task.pictures))
    return float(jnp.mean(layer.gap(*task.arguments(rows.astype(np.float32), layer))))


def _mean(rates: np.ndarray) -> tuple[float, tuple[float, float]]:
    return float(rates.mean()), mean_interval(rates.tolist())


def _model(task: DigitTask, method: str, hidden: int) -> tuple[Model, tuple[int, ...]]:
    """The model of a method and the sizes of its network's layers."""
    if method == "no program":
        values, outputs = task.function.M, task.results(np.zeros(task.pictures, int)).shape[-1]

        def plain(parameters: Parameters, shown: Array) -> Array:
            rows = scores(parameters, shown.reshape(*shown.shape[:-2], -1))
            return jax.nn.softmax(rows.reshape(*rows.shape[:-1], outputs, values))

        return plain, (64 * task.pictures, hidden, hidden, outputs * values)
    if method == "direct labels":
        return _read, (64, hidden, DIGITS)
    layer = task.layer(method)

    def through(parameters: Parameters, shown: Array) -> Array:
        found = layer(*task.arguments(_read(parameters, shown), layer))
        return found if layer.output.is_list else found[..., None, :]

    return through, (64, hidden, DIGITS)


def _read(parameters: Parameters, shown: Array) -> Array:
    """The network's digit probabilities for each picture, (..., 10)."""
    return jax.nn.softmax(scores(parameters, shown))


def _renamed(said: np.ndarray, true: np.ndarray) -> float:
    """The share of right answers after the best one-to-one renaming of the answers."""
    counts = np.zeros((DIGITS, DIGITS), int)
    np.add.at(counts, (said, true), 1)
    return float(counts[linear_sum_assignment(-counts)].sum() / len(true))
