"""The specification of a layer: a program, its input and output cells, and the values of the other cells."""

from __future__ import annotations

from collections.abc import Callable
from contextlib import suppress
from dataclasses import dataclass, field, replace
from functools import cached_property
from typing import Any, NamedTuple

import numpy as np
from jax import Array

from anc.layers.diagram import Diagram, DiagramTooLarge, Leaf, grow
from anc.layers.outside import Checked
from anc.layers.plan import LayerPlan, plan_of
from anc.layers.stored import stored
from anc.layers.unknowns import Sizes, Unknowns
from anc.program import Program
from anc.support import resources
from anc.support.diagnostics import AncError

FEW = 100  # outputs times levels, up to which one plan is compared with one for each output


class Details(NamedTuple):
    """The details of a layer's runs."""

    stop: Array  # (...): the probability that the program stops
    steps: Array  # (...): the expected steps
    cells: Array  # (..., M, M): the distribution of every cell
    missing: Array  # (...): the probability of inputs that were not run
    outside: (
        Array  # (...): the probability of inputs dropped because Python does something else on them
    )


@dataclass(frozen=True, eq=False)
class Spec:
    """A program with unknown inputs; its diagrams and plans are built on demand and cached."""

    program: Program
    M: int
    inputs: tuple[int, ...]  # cells
    outputs: tuple[int, ...]  # cells
    slots: int  # an output's values are counted from 0 to slots-1
    fixed: tuple[int, ...]  # (M,): the values of the other cells
    max_steps: int
    keeps_unstopped: bool
    memory_limit: int | None = None  # a bound in bytes on building a diagram
    checked: Checked | None = None  # finds the inputs on which a function's program is not Python
    _diagrams: dict[tuple[Sizes, tuple[int, ...], bool], Diagram] = field(default_factory=dict)
    _plans: dict[tuple[str, Sizes, int | None], LayerPlan] = field(default_factory=dict)

    def __getstate__(self) -> dict[str, Any]:
        return vars(replace(self, _diagrams={}, _plans={}))

    def diagram(self, sizes: Sizes, outputs: tuple[int, ...], emits: bool = False) -> Diagram:
        """The diagram of some output cells; without cells, the diagram of whether and when runs end."""
        key = sizes, outputs, emits
        if key not in self._diagrams:
            checked = self.checked if outputs else None
            program, M = self.program, self.M
            if checked is not None:
                program, M = checked.program, checked.M
                each = (size - 1 for size in Unknowns(sizes).cell_sizes)
                taken = zip(self.inputs, each, strict=True)
                checked.check_lengths(dict(enumerate(self.fixed)) | dict(taken))
            cells = np.array(self.fixed + (0,) * (M - self.M))
            cells[list(self.inputs)] = M + np.arange(len(self.inputs))
            try:
                with resources.bounded(self.memory_limit):
                    found = grow(program, cells, sizes, outputs, self.max_steps, emits=emits)
            except DiagramTooLarge as problem:
                raise DiagramTooLarge(
                    f"{problem.message}: too many for an exact layer",
                    help="write large numbers as lists of digits, each digit of the result as soon as"
                    " it is known (from the last one on, with a carry): runs that agree in what is"
                    " left are merged then; or prune=1000 runs only the 1000 likeliest inputs of each"
                    " sample, and its details say how much that leaves out",
                ) from None
            if checked is not None:
                self._check_python(checked, found, sizes)
            # where Python raises, the machine's run need not stop
            if not self.keeps_unstopped and (outputs or not self.drops):
                self._check_stops(found, sizes)
            self._diagrams[key] = found
        return self._diagrams[key]

    def plan(self, sizes: Sizes, cell: int) -> LayerPlan:
        """The plan for the distribution of a cell that the program writes."""

        def make() -> LayerPlan:
            found = self.diagram(sizes, (cell,))
            self._check_written(found, cell)
            slots = self.slots if cell in self.outputs else self.M
            largest = max(
                (leaf.values[0] for leaf in found.leaves if self.is_inside(leaf)), default=0
            )
            if largest >= slots:
                raise self.too_few_slots(largest)

            def slot(leaf: Leaf) -> int:
                return leaf.values[0] if self.is_inside(leaf) else slots

            return plan_of(found, slot, slots, has_values=True)

        return self._planned("cell", sizes, make, cell)

    def likelihood(self, sizes: Sizes) -> LayerPlan:
        """The plan that emits the outputs, where runs that count end in slot 0; of one output, its values."""
        if len(self.outputs) == 1:
            return self.plan(sizes, self.outputs[0])

        def make() -> LayerPlan:
            found = self.diagram(sizes, self.outputs, emits=True)
            for cell in self.outputs:
                self._check_written(found, cell)
            found = found.emitting_below(self.M)
            largest = found.largest_emitted(self.is_inside)
            if largest >= self.slots:
                raise self.too_few_slots(largest)
            return plan_of(found, lambda leaf: int(not self.is_inside(leaf)), 1)

        return self._planned("likelihood", sizes, make)

    def together(self, sizes: Sizes) -> LayerPlan | None:
        """One plan for the distributions of all outputs, where it costs less than one for each."""
        if len(self.outputs) == 1 or self.drops:
            return None
        try:
            found = self.likelihood(sizes)
        except DiagramTooLarge:
            return None
        if len(self.outputs) * len(found.states) > FEW:
            return found
        each = sum(self.plan(sizes, cell).cost for cell in self.outputs)
        return found if found.cost < each else None

    def _planned(
        self, kind: str, sizes: Sizes, make: Callable[[], LayerPlan], cell: int | None = None
    ) -> LayerPlan:
        """A plan that this process or another one has made, or else a new one."""
        key = kind, sizes, cell
        if key not in self._plans:
            self._plans[key] = stored([*key, *self._about], make)
        return self._plans[key]

    @cached_property
    def _about(self) -> list[Any]:
        """Everything but sizes that plans depend on."""
        cells = [self.M, self.inputs, self.outputs, self.slots, self.fixed]
        found = [*cells, self.program.to_json(), self.max_steps, self.keeps_unstopped]
        if self.checked is not None:
            lengths = [(p.cell, p.size, p.length) for p in self.checked.layout.parameters]
            checked = self.checked.program.to_json(), self.checked.M, self.checked.drops
            found += [*checked, lengths]
        return found

    def build(self, sizes: Sizes) -> None:
        """Find problems now, in one diagram of all outputs or, where that is too large, in one of each."""
        if len(self.outputs) > 1:
            with suppress(DiagramTooLarge):
                self.likelihood(sizes)
                return
        for cell in self.outputs:
            self.plan(sizes, cell)

    def check(self, sizes: Sizes) -> None:
        """Refuse inputs on which Python does something else, unless they are dropped."""
        if self.checked is not None:
            try:
                for cell in self.outputs:
                    self.diagram(sizes, (cell,))
            except DiagramTooLarge as problem:
                raise AncError(
                    f"does the program do what Python does on all of these inputs? {problem.message}",
                    help="outside='wrap' skips this check",
                ) from None

    @property
    def drops(self) -> bool:
        """Whether inputs on which Python does something else are dropped."""
        return self.checked is not None and self.checked.drops

    def inside(self, sizes: Sizes) -> LayerPlan:
        """The plan for the probability that the results are Python's, in slot 1."""

        def make() -> LayerPlan:
            found = self.diagram(sizes, self.outputs)
            return plan_of(found, lambda leaf: int(self.is_inside(leaf)), 2)

        return self._planned("inside", sizes, make)

    def ending(self, sizes: Sizes) -> LayerPlan:
        """The plan for the stop probability, in slot 1, and the expected steps."""

        def make() -> LayerPlan:
            found = self.diagram(sizes, ())
            return plan_of(found, lambda leaf: int(leaf.stopped), 2, reduces=False)

        return self._planned("ending", sizes, make)

    def joint(self, sizes: Sizes) -> tuple[LayerPlan, np.ndarray]:
        """The plan for the joint distribution of the outputs, with a slot for each row of values."""

        def make() -> LayerPlan:
            found = self.diagram(sizes, self.outputs)
            rows = sorted({leaf.values for leaf in found.leaves if self.is_inside(leaf)})
            places = {values: place for place, values in enumerate(rows)}

            def slot(leaf: Leaf) -> int:
                return places[leaf.values] if self.is_inside(leaf) else len(rows)

            return plan_of(found, slot, len(rows), rows=np.array(rows, np.int32))

        plan = self._planned("joint", sizes, make)
        assert plan.rows is not None
        return plan, plan.rows

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

    def is_inside(self, leaf: Leaf) -> bool:
        """Whether the run did what Python does, with numbers that fit the machine."""
        return self.checked is None or not (
            leaf.is_past_end or max(leaf.values, default=0) >= self.M
        )

    def _check_python(self, checked: Checked, diagram: Diagram, sizes: Sizes) -> None:
        if checked.drops:
            return
        outside = [i for i, leaf in enumerate(diagram.leaves) if not self.is_inside(leaf)]
        if outside:
            values = diagram.example(outside[0])
        elif diagram.largest_emitted(lambda leaf: True) >= self.M:
            values = diagram.example_emitting(self.M)
        else:
            return
        tape = list(self.fixed)
        for number, value in Unknowns(sizes).of_cells(values).items():
            tape[self.inputs[number]] = value
        raise checked.refusal(tape)

    def _check_stops(self, diagram: Diagram, sizes: Sizes) -> None:
        stuck = [
            i for i, leaf in enumerate(diagram.leaves) if not leaf.stopped and self.is_inside(leaf)
        ]
        if not stuck:
            return
        values = Unknowns(sizes).of_cells(diagram.example(stuck[0]))
        cells = ", ".join(f"cell {self.inputs[i]} is {v}" for i, v in sorted(values.items()))
        raise AncError(
            f"the program does not stop within {self.max_steps} steps"
            + (f" if {cells}" if cells else ""),
            help="values=10 leaves out values from 10 up; unstopped='keep' takes the tape as it is at that point",
        )
