"""What a layer is about: a program, the cells that are its inputs and outputs, and the tape of the rest."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import NamedTuple

import numpy as np
from jax import Array

from anc import resources
from anc.diagnostics import AncError
from anc.layers.diagram import Diagram, Leaf, TooLarge, grow
from anc.layers.plan import Plan, plan_of
from anc.program import Program

Sizes = tuple[int, ...]  # the possible values of each input cell


class Details(NamedTuple):
    """All that is known about the end of a layer's runs."""

    stop: Array  # (...): the probability that the program stops
    steps: Array  # (...): the expected steps
    cells: Array  # (..., M, M): the distribution of every cell
    missing: Array  # (...): the probability of the inputs that were not run


@dataclass(frozen=True, eq=False)
class Spec:
    """A program with unknown inputs; it knows its diagrams, each grown when it is first wanted."""

    program: Program
    M: int
    inputs: tuple[int, ...]  # cells
    outputs: tuple[int, ...]  # cells
    slots: int  # values of an output that are told apart: 0 to slots-1
    fixed: tuple[int, ...]  # (M,): the numbers of the other cells
    max_steps: int
    keeps_unstopped: bool
    memory_limit: int | None = None  # bytes that it takes to grow a diagram, at most
    _diagrams: dict[tuple[Sizes, tuple[int, ...]], Diagram] = field(default_factory=dict)
    _plans: dict[tuple[Sizes, int], Plan] = field(default_factory=dict)

    def diagram(self, sizes: Sizes, outputs: tuple[int, ...]) -> Diagram:
        """What the inputs make of some cells; with no cells, whether and when runs end."""
        key = sizes, outputs
        if key not in self._diagrams:
            cells = np.array(self.fixed)
            cells[list(self.inputs)] = self.M + np.arange(len(self.inputs))
            try:
                with resources.bounded(self.memory_limit):
                    found = grow(self.program, cells, sizes, outputs, self.max_steps)
            except TooLarge as problem:
                raise AncError(
                    f"{problem.message} on {len(self.inputs)} inputs: too many for an exact layer",
                    help="prune=1000 runs only the 1000 likeliest inputs of each sample, and its"
                    " details say how much that leaves out",
                ) from None
            if not self.keeps_unstopped:
                self._check_stops(found)
            self._diagrams[key] = found
        return self._diagrams[key]

    def plan(self, sizes: Sizes, cell: int) -> Plan:
        """How the distribution of a cell that the program writes is computed."""
        key = sizes, cell
        if key not in self._plans:
            found = self.diagram(sizes, (cell,))
            self._check_written(found, cell)
            slots = self.slots if cell in self.outputs else self.M
            largest = max(leaf.values[0] for leaf in found.leaves)
            if largest >= slots:
                raise self.too_few_slots(largest)
            self._plans[key] = plan_of(found.reduced(), _value, slots)
        return self._plans[key]

    def ending(self, sizes: Sizes) -> Plan:
        """How the stop probability and the expected steps are computed: slot 1 is to stop."""
        return plan_of(self.diagram(sizes, ()), lambda leaf: int(leaf.stopped), 2)

    def joint(self, sizes: Sizes) -> tuple[Plan, np.ndarray]:
        """How the outputs' joint distribution is computed: a slot for each row of values."""
        found = self.diagram(sizes, self.outputs).reduced()
        rows = sorted({leaf.values for leaf in found.leaves})
        places = {values: place for place, values in enumerate(rows)}
        return plan_of(found, lambda leaf: places[leaf.values], len(rows)), np.array(rows, np.int32)

    def too_few_slots(self, value: int) -> AncError:
        return AncError(
            f"an output can become {value}, but only {self.slots} output values were asked for",
            help=f"use output_values={value + 1}, or leave it out",
        )

    def _check_written(self, diagram: Diagram, cell: int) -> None:
        if cell in self.outputs and cell not in diagram.written:
            cells = sorted(diagram.written)
            there = f"its runs write cells {cells}" if cells else "its runs write no cell at all"
            raise AncError(f"no run of the program writes the output, cell {cell}", help=there)

    def _check_stops(self, diagram: Diagram) -> None:
        if all(leaf.stopped for leaf in diagram.leaves):
            return
        values = diagram.example(
            next(i for i, leaf in enumerate(diagram.leaves) if not leaf.stopped)
        )
        cells = ", ".join(f"cell {self.inputs[i]} is {v}" for i, v in sorted(values.items()))
        raise AncError(
            f"the program does not stop within {self.max_steps} steps"
            + (f" if {cells}" if cells else ""),
            help="values=10 leaves out values from 10 up; unstopped='keep' takes the tape as it is then",
        )


def _value(leaf: Leaf) -> int:
    return leaf.values[0]
