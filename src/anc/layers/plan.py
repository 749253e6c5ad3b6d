"""Plans: diagrams as levels of states, computed from the probabilities of one level to those of the next.

At each level, the states that read an input are multiplied by the probabilities of its values, and the
other states pass. Then the branches with the same target are summed. A plan consists of products and
sums only, so the output and its gradients are exact.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import NamedTuple

import numpy as np

from anc.layers.diagram import Diagram, Leaf

DENSE = 1 << 18  # up to this size, the targets of a level become a 0/1 matrix


class InputReading(NamedTuple):
    """The states from `begin` to `end` read an input."""

    input: int
    begin: int
    end: int


@dataclass(frozen=True, eq=False)
class Level:
    """One level: the states that read, in order, then those that pass; and the target of each branch."""

    readings: tuple[InputReading, ...]
    passing: int  # the first state that passes
    states: int
    targets: np.ndarray  # (branches,) int32: states of the next level
    size: int  # states of the next level
    steps: np.ndarray  # (branches,) float32: the steps of each branch

    @property
    def is_identity(self) -> bool:
        """Whether the branches are the states of the next level, in order."""
        return self.size == len(self.targets) and bool(
            np.array_equal(self.targets, np.arange(self.size))
        )

    @property
    def is_dense(self) -> bool:
        return self.size * len(self.targets) <= DENSE

    @cached_property
    def matrix(self) -> np.ndarray:
        """The matrix (branches, states of the next level): 1 where a branch leads to a state."""
        matrix = np.zeros((len(self.targets), self.size), np.float32)
        matrix[np.arange(len(self.targets)), self.targets] = 1
        return matrix


@dataclass(frozen=True, eq=False)
class LayerPlan:
    """Levels from the root to the slots of the output; without levels, all runs end in one slot.

    Runs that do not count end in an extra slot after these.
    """

    levels: tuple[Level, ...]
    slots: int
    only: int  # the slot of all runs, if there is no level
    steps: int  # before the first level

    @property
    def states(self) -> tuple[int, ...]:
        """The number of states of each level, such as 1, 10, 19 for the sum of two digits."""
        return (*(level.states for level in self.levels), self.slots)


def plan_of(diagram: Diagram, slot: Callable[[Leaf], int], slots: int) -> LayerPlan:
    """The plan of a diagram, with a slot for each leaf."""
    ends = [slot(leaf) for leaf in diagram.leaves]
    if diagram.root < 0:
        return LayerPlan((), slots, ends[-1 - diagram.root], diagram.steps)
    depths = _depths(diagram)
    last = max(depths.values())
    states = [diagram.root]
    levels = []
    for depth in range(last + 1):
        nodes = [diagram.nodes[state] for state in states if depths.get(state) == depth]
        passing = states[len(nodes) :]
        reached = [target for node in nodes for target in node.targets] + passing
        if depth == last:
            targets, size = [ends[-1 - leaf] for leaf in reached], max(slots, 1 + max(ends))
        else:
            states = _in_order(diagram, depths, depth + 1, reached)
            places = {state: place for place, state in enumerate(states)}
            targets, size = [places[state] for state in reached], len(states)
        steps = [taken for node in nodes for taken in node.steps] + [0] * len(passing)
        levels.append(
            Level(
                _readings([node.input for node in nodes]),
                len(nodes),
                len(nodes) + len(passing),
                np.array(targets, np.int32),
                size,
                np.array(steps, np.float32),
            )
        )
    return LayerPlan(tuple(levels), slots, -1, diagram.steps)


def _depths(diagram: Diagram) -> dict[int, int]:
    """The depth of each reachable node: the longest path from the root."""
    depths = {diagram.root: 0}
    for number in range(diagram.root, -1, -1):  # targets have smaller numbers
        if number in depths:
            for target in diagram.nodes[number].targets:
                if target >= 0:
                    depths[target] = max(depths.get(target, 0), depths[number] + 1)
    return depths


def _in_order(
    diagram: Diagram, depths: dict[int, int], depth: int, reached: Sequence[int]
) -> list[int]:
    """The distinct states of a level: those that read, sorted by input, before those that pass."""
    states = list(dict.fromkeys(reached))
    reading = [state for state in states if depths.get(state) == depth]
    reading.sort(key=lambda state: diagram.nodes[state].input)
    return reading + [state for state in states if depths.get(state) != depth]


def _readings(inputs: Sequence[int]) -> tuple[InputReading, ...]:
    """Group consecutive equal inputs."""
    ends = [i + 1 for i in range(len(inputs)) if inputs[i : i + 2] != [inputs[i]] * 2]
    begins = [0, *ends[:-1]]
    return tuple(InputReading(inputs[a], a, b) for a, b in zip(begins, ends, strict=True))
