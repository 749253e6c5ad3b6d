"""How a diagram is computed with: level by level, from the probabilities of states to those of the next.

A level takes the probabilities of its states; those that read an input are multiplied by the
probabilities of its values, those that wait for a later level pass; then what leads to the
same state is added up. All of it is products and sums, so the output is exact, and so are its gradients.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import NamedTuple

import numpy as np

from anc.layers.diagram import Diagram, Leaf

DENSE = 1 << 18  # up to so many entries, what leads where is a matrix of zeros and ones


class Reading(NamedTuple):
    """States from `begin` to `end` read an input."""

    input: int
    begin: int
    end: int


@dataclass(frozen=True, eq=False)
class Level:
    """The states that read, in order; those behind them pass; where each branch leads."""

    readings: tuple[Reading, ...]
    passing: int  # the first state that passes
    states: int
    targets: np.ndarray  # (branches,) int32: states of the next level
    size: int  # states of the next level
    steps: np.ndarray  # (branches,) float32: the steps on the way

    @property
    def is_identity(self) -> bool:
        """Whether the branches are the next level's states, in order."""
        return self.size == len(self.targets) and bool(
            np.array_equal(self.targets, np.arange(self.size))
        )

    @property
    def is_dense(self) -> bool:
        return self.size * len(self.targets) <= DENSE

    @cached_property
    def matrix(self) -> np.ndarray:
        """(branches, states of the next level): 1 where a branch leads to a state."""
        matrix = np.zeros((len(self.targets), self.size), np.float32)
        matrix[np.arange(len(self.targets)), self.targets] = 1
        return matrix


@dataclass(frozen=True, eq=False)
class Plan:
    """Levels from the root to the slots of the output; without levels all runs end in one slot.

    Runs that are not counted end in a slot behind these.
    """

    levels: tuple[Level, ...]
    slots: int
    only: int  # the slot of all runs, where there is no level
    steps: int  # before the first level

    @property
    def states(self) -> tuple[int, ...]:
        """States of each level: of the sum of two digits 1, 10, 19."""
        return (*(level.states for level in self.levels), self.slots)


def plan_of(diagram: Diagram, slot: Callable[[Leaf], int], slots: int) -> Plan:
    """The plan of a diagram whose leaves are counted in slots."""
    ends = [slot(leaf) for leaf in diagram.leaves]
    if diagram.root < 0:
        return Plan((), slots, ends[-1 - diagram.root], diagram.steps)
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
    return Plan(tuple(levels), slots, -1, diagram.steps)


def _depths(diagram: Diagram) -> dict[int, int]:
    """For each node that runs come to, the most branches before it."""
    depths = {diagram.root: 0}
    for number in range(diagram.root, -1, -1):  # what a node leads to stands before it
        if number in depths:
            for target in diagram.nodes[number].targets:
                if target >= 0:
                    depths[target] = max(depths.get(target, 0), depths[number] + 1)
    return depths


def _in_order(
    diagram: Diagram, depths: dict[int, int], depth: int, reached: Sequence[int]
) -> list[int]:
    """The states of a level, each once: those that read, by input, before those that pass."""
    states = list(dict.fromkeys(reached))
    reading = [state for state in states if depths.get(state) == depth]
    reading.sort(key=lambda state: diagram.nodes[state].input)
    return reading + [state for state in states if depths.get(state) != depth]


def _readings(inputs: Sequence[int]) -> tuple[Reading, ...]:
    """Runs of equal inputs."""
    ends = [i + 1 for i in range(len(inputs)) if inputs[i : i + 2] != [inputs[i]] * 2]
    begins = [0, *ends[:-1]]
    return tuple(Reading(inputs[a], a, b) for a, b in zip(begins, ends, strict=True))
