"""The tasks: sums of two numbers of N digits, the eleven of MNIST-R, and long sums; each an ordinary function."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import cached_property, partial
from typing import Annotated

import numpy as np

from anc.language import Source
from anc.layers import Layer
from anc.python.function import Function, function, read
from anc.python.layout import Size
from anc.python.source import parse
from anc.support.diagnostics import AncError, close_match, quoted
from anc_experiments.digits import tasks as digits
from anc_experiments.digits.tasks import DigitTask

SAMPLES = 5000  # of MNIST-R, for training and validation
TESTS = 1000  # at least
Eight = Annotated[list[int], Size(8)]

_ADDITION = """
from typing import Annotated
import anc

N = {N}

@anc.function(memory=3 * N + 60)
def added(
    first: Annotated[list[int], anc.Size(N)],
    second: Annotated[list[int], anc.Size(N)],
    total: Annotated[list[int], anc.Size(N + 1)],
):
    carry = 0
    for k in range(N):
        s = first[N - 1 - k] + second[N - 1 - k] + carry
        carry = 0
        if s > 9:
            s -= 10
            carry = 1
        total[N - k] = s
    total[0] = carry
"""

_SUM = """
from typing import Annotated
import anc

@anc.function(memory=9 * {N} + 20)
def total(digits: Annotated[list[int], anc.Size({N})]) -> int:
    s = 0
    for digit in digits:
        s += digit
    return s
"""


@dataclass(frozen=True)
class Task:
    """A program of digits and its samples; the program is written when it is needed."""

    name: str
    pictures: int  # of a sample
    write: Callable[[], DigitTask]
    samples: int | None = None  # None: each picture once
    published: float | None = None  # the best known accuracy of results, in percent
    places: int | None = None  # digits of each number of an addition

    @cached_property
    def program(self) -> DigitTask:
        return self.write()

    def layer(self) -> Layer:
        """It takes and returns logarithms."""
        return self.program.layer(log=True)

    def training(self, digits: np.ndarray, seed: int) -> Samples:
        """The samples of training and validation."""
        return self._drawn(digits, self.samples or len(digits) // self.pictures, seed)

    def test(self, digits: np.ndarray, seed: int) -> Samples:
        """Each test picture once; of a few large samples, more than once."""
        once = len(digits) // self.pictures
        return self._drawn(digits, max(once, TESTS) if self.samples else once, seed)

    def _drawn(self, digits: np.ndarray, samples: int, seed: int) -> Samples:
        """Samples of pictures in a random order, which begins again when all pictures are drawn."""
        random, wanted = np.random.default_rng(seed), samples * self.pictures
        orders = [random.permutation(len(digits)) for _ in range(-(-wanted // len(digits)))]
        pictures = np.concatenate(orders)[:wanted].reshape(samples, self.pictures)
        return Samples(pictures, self.program.results(digits[pictures]))


@dataclass(frozen=True)
class Samples:
    """Groups of pictures: which ones (n, pictures), and the results (n, outputs)."""

    pictures: np.ndarray
    results: np.ndarray

    def part(self, which: slice | np.ndarray) -> Samples:
        return Samples(self.pictures[which], self.results[which])

    def __len__(self) -> int:
        return len(self.pictures)


def addition(N: int) -> Task:
    """The sum of two numbers of N digits, by the addition that everybody learns at school."""

    def write() -> DigitTask:
        added = _written(_ADDITION.format(N=N), f"the sum of two numbers of {N} digits")
        return DigitTask(added, 2 * N, partial(totals, N), ("first", "second"), "total")

    return Task(f"addition{N}", 2 * N, write, places=N)


def long_sum(N: int, published: float) -> Task:
    """The sum of N digits as one number."""

    def write() -> DigitTask:
        total = _written(_SUM.format(N=N), f"the sum of {N} digits")
        return DigitTask(total, N, lambda d: [d.sum(-1)])

    return Task(f"sum{N}", N, write, SAMPLES, published)


def _written(text: str, name: str) -> Function[..., object]:
    module = parse(Source(text, name))
    (definition,) = module.functions.values()
    return read(module, definition)


def totals(N: int, digits: np.ndarray) -> Sequence[np.ndarray]:
    """The N + 1 digits of the sum of two numbers of N digits, in digits (..., 2 * N)."""
    found, carry = [], np.zeros(digits.shape[:-1], np.int32)
    for place in range(N - 1, -1, -1):
        s = digits[..., place] + digits[..., N + place] + carry
        found.append(s % 10)
        carry = s // 10
    return [carry, *reversed(found)]


@function(memory=20)
def mod2(a: int, b: int) -> int:
    return a % (b + 1)


@function(memory=40)
def add_sub(a: int, b: int, c: int) -> int:
    return a + b + 9 - c


@function(memory=20)
def not_3_or_4(a: int, b: int) -> bool:
    return a != 3 and b != 4


@function(memory=40)
def count_3_4(digits: Eight) -> int:
    n = 0
    for digit in digits:
        if digit == 3 or digit == 4:
            n += 1
    return n


def _small(name: str, program: DigitTask, published: float) -> Task:
    return Task(name, program.pictures, lambda: program, SAMPLES, published)


MNIST_R = (
    _small("sum2", digits.TASKS["sum2"], 96.7),
    _small("sum3", digits.TASKS["sum3"], 95.1),
    _small("sum4", digits.TASKS["sum4"], 94.1),
    _small("product", digits.TASKS["product"], 96.6),
    _small("mod2", DigitTask(mod2, 2, lambda d: [d[..., 0] % (d[..., 1] + 1)]), 96.9),
    _small("add-mod-3", digits.TASKS["modulo3"], 95.4),
    _small("add-sub", DigitTask(add_sub, 3, lambda d: [d @ np.array([1, 1, -1]) + 9]), 95.3),
    _small("less-than", digits.TASKS["comparison"], 96.6),
    _small("equal", digits.TASKS["equality"], 98.5),
    _small(
        "not-3-or-4", DigitTask(not_3_or_4, 2, lambda d: [(d != np.array([3, 4])).all(-1)]), 99.3
    ),
    _small("count-3-4", DigitTask(count_3_4, 8, lambda d: [((d == 3) | (d == 4)).sum(-1)]), 95.3),
)
TASKS = {task.name: task for task in (*MNIST_R, long_sum(16, 83.5), long_sum(1024, 2.73))}


def get_task(name: str) -> Task:
    """The task of that name."""
    if name not in TASKS:
        match = close_match(name, TASKS)
        hint = f"did you mean '{match}'?" if match else f"there are: {', '.join(TASKS)}"
        raise AncError(f"there is no task {quoted(name)} of MNIST", help=hint)
    return TASKS[name]
