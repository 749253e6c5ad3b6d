"""The tasks: a program on digits, written as a Python function, with an oracle of its results."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Annotated, Any

import numpy as np

from anc.data.loading import load
from anc.layers import Layer, make_layer
from anc.python.function import function
from anc.python.layout import Size
from anc.support.diagnostics import AncError, close_match, quoted

DIGITS = 10
GROUPS, PLACES = 500, 8  # in which digits are replaced to see whether results change
Two = Annotated[list[int], Size(2)]
Three = Annotated[list[int], Size(3)]
Four = Annotated[list[int], Size(4)]
Six = Annotated[list[int], Size(6)]


@dataclass(frozen=True)
class DigitTask:
    """A function of digits. The oracle computes its outputs (..., outputs) from digits (..., n)."""

    function: Any
    pictures: int
    oracle: Callable[[np.ndarray], Sequence[np.ndarray]]
    inputs: tuple[str, ...] | None = None
    output: str | None = None

    @property
    def name(self) -> str:
        return self.function.__name__

    def layer(self, mode: str = "exact", log: bool = False) -> Layer:
        inputs = None if self.inputs is None else list(self.inputs)
        program = load(self.function)
        return make_layer(program, inputs, self.output, mode, values=DIGITS, log=log, check=False)

    def results(self, digits: np.ndarray) -> np.ndarray:
        """The right outputs for digits (..., n)."""
        return np.stack([np.asarray(x, np.int32) for x in self.oracle(digits)], axis=-1)

    def arguments(self, rows: Any, through: Layer) -> list[Any]:
        """Rows of probabilities (..., n, 10) as the arguments of the layer."""
        found, begin = [], 0
        for place in through.inputs:
            end = begin + len(place.cells)
            found.append(rows[..., begin:end, :] if place.is_list else rows[..., begin, :])
            begin = end
        return found

    @cached_property
    def kinds(self) -> np.ndarray:
        """(10,): equal numbers for digits that the program cannot distinguish, in a sample of groups."""
        groups = np.random.default_rng(0).integers(0, DIGITS, (GROUPS, self.pictures))
        found = []
        for place in range(min(self.pictures, PLACES)):
            digits = np.repeat(groups[None], DIGITS, axis=0)
            digits[..., place] = np.arange(DIGITS)[:, None]
            found.append(self.results(digits).reshape(DIGITS, -1))
        return np.unique(np.concatenate(found, axis=1), axis=0, return_inverse=True)[1].reshape(-1)


def _each(digits: np.ndarray) -> list[np.ndarray]:
    return list(np.moveaxis(digits, -1, 0))


def _added(d: np.ndarray) -> list[np.ndarray]:
    total = 10 * (d[..., 0] + d[..., 2]) + d[..., 1] + d[..., 3]
    return [total // 100, total // 10 % 10, total % 10]


def _shortest(d: np.ndarray) -> list[np.ndarray]:
    a, b, c, x, y, z = _each(d)
    return [np.minimum.reduce([a + b + c + z, a + b + y + z, a + x + y + z])]


@function(memory=20)
def sum2(a: int, b: int) -> int:
    return a + b


@function(memory=28)
def sum3(a: int, b: int, c: int) -> int:
    return a + b + c


@function(memory=37)
def sum4(a: int, b: int, c: int, d: int) -> int:
    return a + b + c + d


@function(memory=82)
def product(a: int, b: int) -> int:
    return a * b


@function(memory=20)
def difference(a: int, b: int) -> int:
    return a + 9 - b


@function(memory=20)
def comparison(a: int, b: int) -> bool:
    return a < b


@function(memory=20)
def equality(a: int, b: int) -> bool:
    return a == b


@function(memory=20)
def modulo3(a: int, b: int) -> int:
    return (a + b) % 3


@function(memory=20)
def count34(digits: Four) -> int:
    n = 0
    for digit in digits:
        if digit == 3 or digit == 4:
            n += 1
    return n


@function(memory=20)
def sort3(digits: Three):
    low = min(digits[0], digits[1])
    high = max(digits[0], digits[1])
    middle = max(low, digits[2])
    digits[0] = min(low, digits[2])
    digits[1] = min(middle, high)
    digits[2] = max(middle, high)


@function(memory=40)
def addition(first: Two, second: Two, total: Three):
    ones = first[1] + second[1]
    carry = 0
    if ones > 9:
        ones -= 10
        carry = 1
    tens = first[0] + second[0] + carry
    carry = 0
    if tens > 9:
        tens -= 10
        carry = 1
    total[0] = carry
    total[1] = tens
    total[2] = ones


@function(memory=40)
def path(grid: Six) -> int:
    up = grid[0]
    down = up + grid[3]
    up += grid[1]
    down = min(up, down) + grid[4]
    up += grid[2]
    return min(up, down) + grid[5]


TASKS = {
    task.name: task
    for task in (
        DigitTask(sum2, 2, lambda d: [d.sum(-1)]),
        DigitTask(sum3, 3, lambda d: [d.sum(-1)]),
        DigitTask(sum4, 4, lambda d: [d.sum(-1)]),
        DigitTask(product, 2, lambda d: [d.prod(-1)]),
        DigitTask(difference, 2, lambda d: [d[..., 0] + 9 - d[..., 1]]),
        DigitTask(comparison, 2, lambda d: [d[..., 0] < d[..., 1]]),
        DigitTask(equality, 2, lambda d: [d[..., 0] == d[..., 1]]),
        DigitTask(modulo3, 2, lambda d: [d.sum(-1) % 3]),
        DigitTask(count34, 4, lambda d: [((d == 3) | (d == 4)).sum(-1)]),
        DigitTask(sort3, 3, lambda d: _each(np.sort(d, -1)), output="digits"),
        DigitTask(addition, 4, _added, inputs=("first", "second"), output="total"),
        DigitTask(path, 6, _shortest),
    )
}


def get_task(name: str) -> DigitTask:
    """The task of that name."""
    if name not in TASKS:
        match = close_match(name, TASKS)
        hint = f"did you mean '{match}'?" if match else f"there are: {', '.join(TASKS)}"
        raise AncError(f"there is no task {quoted(name)} of digits", help=hint)
    return TASKS[name]
