"""Training on results only, or on the digits themselves; the epoch is chosen on samples that are not trained on."""

from __future__ import annotations

import time
from collections.abc import Callable
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any, NamedTuple

import jax
import jax.numpy as jnp
import numpy as np
from jax import Array

from anc_experiments.mnist import lenet
from anc_experiments.mnist.augment import augmented
from anc_experiments.mnist.data import Pictures
from anc_experiments.mnist.tasks import Samples, Task

METHODS = ("results", "digits")  # what is told: the results only, or every digit
TRIAL = 150  # steps after which a random start should have learnt something
SPREAD, EVEN = (
    0.5,
    450,
)  # a weight that falls to 0 in this number of steps: first, all digits are used
LEARNT = 0.25  # of the score of a network that knows nothing: a start with a better one goes on
VIEW = 0.6  # how much views of test pictures are changed, against those of training
DECAY = 0.99  # of the average of the weights, for each step of 480 pictures


@dataclass(frozen=True)
class Training:
    """Settings; an epoch shows each picture once, and ends after `epochs` or `minutes`."""

    epochs: int = 60
    minutes: float | None = None
    rate: float = 2e-3
    batch: int = 240  # pictures, or those of one sample
    validation: float = 0.05  # the share of the training samples that chooses the epoch
    starts: int = 6  # random starts, at most
    recipe: str = "usual"  # one of RECIPES


@dataclass(frozen=True)
class Recipe:
    """Tricks that any system may use."""

    words: str
    augment: bool = True  # pictures are shifted, turned and stretched a little
    bend: float = 0.0  # and deformed, by about as many pixels
    channels: tuple[int, int] = lenet.CHANNELS
    views: int = (
        1  # of each test picture: itself and changed ones, whose log-probabilities are added
    )


RECIPES = {
    "plain": Recipe("no augmentation", augment=False),
    "usual": Recipe("pictures shifted, turned and stretched"),
    "strong": Recipe(
        "pictures shifted, turned, stretched and elastically deformed, 16 and 32 channels instead of"
        " 6 and 16, test pictures read in 16 views",
        bend=1.0,
        channels=(16, 32),
        views=16,
    ),
}


@dataclass(frozen=True)
class Row:
    """A finished training."""

    task: str
    method: str
    seed: int
    result: float  # the share of right results on test pictures
    digits: float  # of right digits, up to digits that the program cannot distinguish
    epoch: int  # the one that was chosen
    epochs: int
    minutes: float  # including the building and compiling of the layer
    tested: int  # samples


class Trainer:
    """Trains LeNet on a task through its layer."""

    def __init__(self, task: Task, pictures: Pictures, training: Training) -> None:
        self.task, self.training, self.data = task, training, pictures
        self.recipe = RECIPES[training.recipe]
        self._pictures = jnp.asarray(pictures.train)
        self._test = jnp.asarray(pictures.test)
        self._step = jax.jit(self._step_of, static_argnames="method")
        self._shown = jax.jit(
            self._shown_of
        )  # not a part of the step: fused, it costs as much again
        self._scores = jax.jit(lambda p, shown: lenet.logits(p, _floats(shown)))
        self._viewed = jax.jit(
            lambda p, key, shown: lenet.logits(p, augmented(key, _floats(shown), VIEW))
        )
        self._likelihoods = jax.jit(self._likelihoods_of)

    def learn(
        self,
        method: str,
        seed: int,
        show: Callable[[str], None] = lambda text: None,
        checkpoint: Path | None = None,
        stop: Callable[[], bool] = lambda: False,
    ) -> Row | None:
        """Train, and test the epoch that was best on the validation samples; None if it was stopped.

        After each epoch, what is needed to go on is written to the checkpoint.
        """
        began = time.monotonic()
        self._layer = self.task.layer()
        samples = self.task.training(self.data.train_digits, seed)
        left_out = max(1, round(self.training.validation * len(samples)))
        valid, samples = samples.part(slice(left_out)), samples.part(slice(left_out, None))
        best: Any = lenet.begin(jax.random.key(seed), self.recipe.channels)
        none = jax.tree.map(jnp.zeros_like, best)
        state: Any = _State(best, none, none, best, jnp.zeros((), jnp.int32))
        before = _Progress()
        if checkpoint is not None and checkpoint.exists():
            (state, best), before = _restored((state, best), checkpoint)
        progress = before
        if not before.epoch:
            found = self._started(state, seed, samples, valid, method, stop)
            if found is None:
                return None
            state = found
        while not self._is_over(progress, began, before):
            share = self._share(progress, began, before)
            rate = self.training.rate * 0.5 * (1 + np.cos(np.pi * share)) + 1e-6
            numbers = seed, progress.epoch
            if (after := self._epoch(state, numbers, rate, samples, method, stop)) is None:
                return None
            state = after
            score = self._validated(state.average, valid, method)
            is_better = score > progress.score
            best = state.average if is_better else best
            minutes = before.minutes + (time.monotonic() - began) / 60
            progress = _Progress(
                progress.epoch + 1,
                progress.epoch + 1 if is_better else progress.best,
                max(score, progress.score),
                minutes,
            )
            show(
                f"epoch {progress.epoch}: validation {score:.4f} (best {progress.best}),"
                f" {minutes:.1f} minutes"
            )
            if checkpoint is not None:
                _save((state, best), progress, checkpoint)
        row = self._tested(best, method, seed, progress)
        if checkpoint is not None:
            checkpoint.unlink(missing_ok=True)
        return row

    def _started(
        self,
        state: _State,
        seed: int,
        samples: Samples,
        valid: Samples,
        method: str,
        stop: Callable[[], bool],
    ) -> _State | None:
        """The best of some random starts after a trial; one that has learnt ends the search.

        Sums are nearly the same with 5 added to every digit, modulo 10: half of all starts go there.
        """
        nothing = self._nothing_known(valid, method)
        best, highest = state, -np.inf
        for start in range(self.training.starts):
            key = jax.random.fold_in(jax.random.key(seed), start)
            parameters = lenet.begin(key, self.recipe.channels)
            found = state._replace(parameters=parameters, average=parameters)
            while found.number < TRIAL:
                numbers = seed, -1 - start - int(found.number)
                most, rate = TRIAL - int(found.number), self.training.rate
                after = self._epoch(found, numbers, rate, samples, method, stop, most)
                if after is None:
                    return None
                found = after
            score = self._validated(found.average, valid, method)
            if score > highest:
                best, highest = found, score
            if score > LEARNT * nothing:
                break
        return best

    def _epoch(
        self,
        state: _State,
        numbers: tuple[int, int],
        rate: float,
        samples: Samples,
        method: str,
        stop: Callable[[], bool],
        most: int | None = None,
    ) -> _State | None:
        """The state after an epoch or its first steps; it has a seed and a number. None if it was stopped."""
        seed, epoch = numbers
        count = min(len(samples), max(1, self.training.batch // self.task.pictures))
        random = np.random.default_rng([seed, epoch % 2**32])
        order, begin = random.permutation(len(samples)), int(random.integers(1 << 30))
        for number in range(len(samples) // count)[:most]:
            part = samples.part(order[number * count : (number + 1) * count])
            key = jax.random.fold_in(jax.random.key(begin), number)
            shown = self._shown(key, self._pictures, part.pictures)
            given = shown, part.pictures, part.results
            spread = SPREAD * max(0.0, 1 - int(state.number) / EVEN)
            state = self._step(state, rate, spread, *given, method=method)
            if stop():
                return None
        return state

    def _nothing_known(self, valid: Samples, method: str) -> float:
        """The score of a network that knows nothing."""
        blank = jax.tree.map(jnp.zeros_like, lenet.begin(jax.random.key(0)))
        return self._validated(blank, valid, method)

    def _share(self, progress: _Progress, began: float, before: _Progress) -> float:
        """How much of the epochs or of the minutes is over."""
        share = progress.epoch / self.training.epochs
        if self.training.minutes:
            minutes = before.minutes + (time.monotonic() - began) / 60
            share = max(share, minutes / self.training.minutes)
        return min(1.0, share)

    def _is_over(self, progress: _Progress, began: float, before: _Progress) -> bool:
        return self._share(progress, began, before) >= 1

    def _loss(
        self,
        parameters: Any,
        spread: float,
        shown: Array,
        pictures: Array,
        results: Array,
        method: str,
    ) -> Array:
        """Minus the log-likelihood for each digit, and minus the entropy of the average digit, weighed."""
        rows = jax.nn.log_softmax(lenet.logits(parameters, shown))
        average = jnp.exp(rows).mean(0)
        uneven = spread * (average * jnp.log(average + 1e-9)).sum()
        rows = rows.reshape(*pictures.shape, 10)
        if method == "digits":
            told = jnp.asarray(self.data.train_digits)[pictures]
            return uneven - jnp.take_along_axis(rows, told[..., None], -1).mean()
        return uneven - self._observed(rows, results).mean() / self.task.pictures

    def _observed(self, rows: Array, results: Array) -> Array:
        """The log-likelihood of results (n, outputs) for rows (n, pictures, 10)."""
        layer = self._layer
        results = results if layer.output.is_list else results[:, 0]
        return layer.log_likelihood(*self.task.program.arguments(rows, layer), observed=results)

    def _shown_of(self, key: Array, every: Array, pictures: Array) -> Array:
        shown = _floats(every[pictures.reshape(-1)])
        return augmented(key, shown, bend=self.recipe.bend) if self.recipe.augment else shown

    def _step_of(
        self,
        state: _State,
        rate: float,
        spread: float,
        shown: Array,
        pictures: Array,
        results: Array,
        method: str,
    ) -> _State:
        """A step of Adam."""
        given = shown, pictures, results, method
        slope = jax.grad(self._loss)(state.parameters, spread, *given)
        number, map = state.number + 1, jax.tree.map
        first = map(lambda m, g: 0.9 * m + 0.1 * g, state.first, slope)
        second = map(lambda v, g: 0.999 * v + 0.001 * g * g, state.second, slope)
        by = rate * jnp.sqrt(1 - 0.999**number) / (1 - 0.9**number)
        move = lambda p, m, v: p - by * m / (jnp.sqrt(v) + 1e-8)  # noqa: E731
        parameters = map(move, state.parameters, first, second)
        decay = jnp.minimum(DECAY, number / (9 + number))
        average = map(lambda a, p: decay * a + (1 - decay) * p, state.average, parameters)
        return _State(parameters, first, second, average, number)

    def _likelihoods_of(
        self, parameters: Any, every: Array, pictures: Array, results: Array
    ) -> Array:
        shown = _floats(every[pictures.reshape(-1)])
        rows = jax.nn.log_softmax(lenet.logits(parameters, shown)).reshape(*pictures.shape, 10)
        return self._observed(rows, results)

    def _validated(self, parameters: Any, valid: Samples, method: str) -> float:
        """The mean log-likelihood for each digit, of the results or of the digits."""
        if method == "digits":
            shown, told = valid.pictures.reshape(-1), self.data.train_digits
            rows = jax.nn.log_softmax(self._scores(parameters, self._pictures[shown]))
            return float(jnp.take_along_axis(rows, told[shown][:, None], -1).mean())
        most = max(1, 2000 // self.task.pictures)
        parts = [valid.part(slice(i, i + most)) for i in range(0, len(valid), most)]
        given = ((self._pictures, each.pictures, each.results) for each in parts)
        found = [self._likelihoods(parameters, *each) for each in given]
        return float(jnp.concatenate(found).mean()) / self.task.pictures

    def _tested(self, parameters: Any, method: str, seed: int, progress: _Progress) -> Row:
        read = np.concatenate(
            [
                self._read(parameters, self._test[i : i + 2000])
                for i in range(0, len(self._test), 2000)
            ]
        )
        digits, program = self.data.test_digits, self.task.program
        test, kinds = self.task.test(digits, seed), program.kinds
        right = (program.results(read[test.pictures]) == test.results).all(1)
        return Row(
            self.task.name,
            method,
            seed,
            float(right.mean()),
            float((kinds[read] == kinds[digits]).mean()),
            progress.best,
            progress.epoch,
            progress.minutes,
            len(test),
        )

    def _read(self, parameters: Any, pictures: Array) -> np.ndarray:
        """The likeliest digits of pictures, in all views together."""
        found = jax.nn.log_softmax(self._scores(parameters, pictures))
        for view in range(1, self.recipe.views):
            found += jax.nn.log_softmax(self._viewed(parameters, jax.random.key(view), pictures))
        return np.asarray(found.argmax(-1), np.int32)


class _State(NamedTuple):
    parameters: Any
    first: Any  # the moments of Adam
    second: Any
    average: Any  # of the parameters, over the last steps
    number: Array


@dataclass(frozen=True)
class _Progress:
    epoch: int = 0
    best: int = 0
    score: float = -np.inf
    minutes: float = 0.0


def _floats(pictures: Array) -> Array:
    return pictures.astype(jnp.float32) / 255


def _save(state: Any, progress: _Progress, checkpoint: Path) -> None:
    kept: dict[str, Any] = {f"leaf{i}": leaf for i, leaf in enumerate(jax.tree.leaves(state))}
    kept |= {f"at_{name}": value for name, value in asdict(progress).items()}
    place = checkpoint.with_suffix(".tmp.npz")
    np.savez(place, **kept)
    place.replace(checkpoint)


def _restored(state: Any, checkpoint: Path) -> tuple[Any, _Progress]:
    with np.load(checkpoint) as kept:
        leaves, tree = jax.tree.flatten(state)
        found = [jnp.asarray(kept[f"leaf{i}"]) for i in range(len(leaves))]
        numbers = {name: kept[f"at_{name}"].item() for name in asdict(_Progress())}
    return jax.tree.unflatten(tree, found), _Progress(**numbers)
