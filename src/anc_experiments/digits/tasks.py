"""What is computed from pictures of digits: a program, and an oracle that says what it should be."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np

from anc.data.loading import load
from anc.layers import Layer, make_layer
from anc.support.diagnostics import AncError, close_match, quoted
from anc_experiments.digits import programs

DIGITS = 10


@dataclass(frozen=True)
class DigitTask:
    """A function of digits; the oracle computes its outputs (..., outputs) from digits (..., n)."""

    name: str
    about: str
    function: Any
    pictures: int
    oracle: Callable[[np.ndarray], Sequence[np.ndarray]]
    inputs: tuple[str, ...] | None = None
    output: str | None = None

    def layer(self, mode: str = "exact") -> Layer:
        inputs = None if self.inputs is None else list(self.inputs)
        program = load(self.function)
        return make_layer(program, inputs, self.output, mode, values=DIGITS, check=False)

    def results(self, digits: np.ndarray) -> np.ndarray:
        """What the program should output for digits (..., n)."""
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
        """(10,): digits that the program can never tell apart have the same number here."""
        spec, sizes = self.layer().spec, (DIGITS,) * self.pictures
        kinds = np.zeros(DIGITS, int)
        diagrams = (spec.diagram(sizes, (cell,)).reduced() for cell in spec.outputs)
        branches = [node.targets for diagram in diagrams for node in diagram.nodes]
        seen: dict[tuple[int, ...], int] = {}
        for digit in range(DIGITS):
            kinds[digit] = seen.setdefault(tuple(to[digit] for to in branches), len(seen))
        return kinds


def _each(digits: np.ndarray) -> list[np.ndarray]:
    return list(np.moveaxis(digits, -1, 0))


def _added(d: np.ndarray) -> list[np.ndarray]:
    total = 10 * (d[..., 0] + d[..., 2]) + d[..., 1] + d[..., 3]
    return [total // 100, total // 10 % 10, total % 10]


def _shortest(d: np.ndarray) -> list[np.ndarray]:
    a, b, c, x, y, z = _each(d)
    return [np.minimum.reduce([a + b + c + z, a + b + y + z, a + x + y + z])]


_f = programs
TASKS = {
    task.name: task
    for task in (
        DigitTask("sum2", "the sum of two digits", _f.sum2, 2, lambda d: [d.sum(-1)]),
        DigitTask("sum3", "the sum of three digits", _f.sum3, 3, lambda d: [d.sum(-1)]),
        DigitTask("sum4", "the sum of four digits", _f.sum4, 4, lambda d: [d.sum(-1)]),
        DigitTask("product", "the product of two", _f.product, 2, lambda d: [d.prod(-1)]),
        DigitTask(
            "difference",
            "the difference of two, from -9 to 9",
            _f.difference,
            2,
            lambda d: [d[..., 0] + 9 - d[..., 1]],
        ),
        DigitTask(
            "comparison",
            "whether the first is smaller",
            _f.comparison,
            2,
            lambda d: [d[..., 0] < d[..., 1]],
        ),
        DigitTask(
            "equality",
            "whether two are the same",
            _f.equality,
            2,
            lambda d: [d[..., 0] == d[..., 1]],
        ),
        DigitTask("modulo3", "the sum modulo 3", _f.modulo3, 2, lambda d: [d.sum(-1) % 3]),
        DigitTask(
            "count34",
            "how many of four are a 3 or a 4",
            _f.count34,
            4,
            lambda d: [((d == 3) | (d == 4)).sum(-1)],
        ),
        DigitTask(
            "sort3",
            "three digits in order",
            _f.sort3,
            3,
            lambda d: _each(np.sort(d, -1)),
            output="digits",
        ),
        DigitTask(
            "addition",
            "two numbers of two digits, with carries",
            _f.addition,
            4,
            _added,
            inputs=("first", "second"),
            output="total",
        ),
        DigitTask("path", "the shortest path through 2 by 3 costs", _f.path, 6, _shortest),
    )
}


def get_task(name: str) -> DigitTask:
    """The task of that name."""
    if name not in TASKS:
        match = close_match(name, TASKS)
        hint = f"did you mean '{match}'?" if match else f"there are: {', '.join(TASKS)}"
        raise AncError(f"there is no task {quoted(name)} of digits", help=hint)
    return TASKS[name]
