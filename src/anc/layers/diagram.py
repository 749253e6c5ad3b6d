"""Decision diagrams: what a program makes of all values of its inputs, grown by running it.

The program runs with inputs that are not known. Where it computes with one, the run branches into the
input's values; where two runs come to the same line and agree in everything that the rest of the run depends
on, the rest is known already. So the diagram of a count over 8 digits has some 40 nodes and
not 10**8 runs, and the sum of two digits has the states 1, 10 and 19.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import NamedTuple

import numpy as np

from anc.layers.stretches import CHOICE, PAST_END, STOPPED, Runner
from anc.program import Program
from anc.support import resources
from anc.support.diagnostics import AncError

LIMIT = 1_000_000  # branches of a diagram


class Node(NamedTuple):
    """A branch into the values of an input: where each value leads and the steps on the way.

    Targets from 0 up are nodes; -1 - i is leaf i.
    """

    input: int
    targets: tuple[int, ...]
    steps: tuple[int, ...]


class Leaf(NamedTuple):
    """An end: the values of the output cells, whether the run stopped, or left its last line."""

    values: tuple[int, ...]
    stopped: bool
    is_past_end: bool


@dataclass(frozen=True)
class Diagram:
    """Nodes, each behind those that it leads to; the root is where runs begin, after `steps` steps."""

    nodes: tuple[Node, ...]
    leaves: tuple[Leaf, ...]
    root: int
    steps: int  # before the first branch
    written: frozenset[int]  # the cells that some run writes

    @property
    def longest(self) -> int:
        """The steps of the longest run."""
        after: list[int] = []
        for node in self.nodes:
            ends = [s + (after[t] if t >= 0 else 0) for t, s in zip(*node[1:], strict=True)]
            after.append(max(ends))
        return self.steps + (after[self.root] if self.root >= 0 else 0)

    def example(self, leaf: int) -> dict[int, int]:
        """Values of inputs with which a run ends in a leaf; inputs that do not matter are left out."""
        ways: dict[int, dict[int, int]] = {-1 - leaf: {}}
        for number, node in enumerate(self.nodes):
            for value, target in enumerate(node.targets):
                if target in ways:
                    ways[number] = {node.input: value} | ways[target]
                    break
        return ways[self.root]

    def reduced(self) -> Diagram:
        """The same function of the inputs with as few nodes as possible; steps are forgotten.

        Nodes that branch alike are one, and a node whose values all lead to the same place is none.
        """
        known: dict[tuple[int, tuple[int, ...]], int] = {}
        renamed: list[int] = []
        nodes: list[Node] = []
        for node in self.nodes:
            targets = tuple(t if t < 0 else renamed[t] for t in node.targets)
            if len(set(targets)) == 1:
                renamed.append(targets[0])
                continue
            key = (node.input, targets)
            if key not in known:
                known[key] = len(nodes)
                nodes.append(Node(node.input, targets, (0,) * len(targets)))
            renamed.append(known[key])
        root = self.root if self.root < 0 else renamed[self.root]
        return Diagram(tuple(nodes), self.leaves, root, 0, self.written)


def grow(
    program: Program,
    cells: np.ndarray,
    sizes: Sequence[int],
    outputs: Sequence[int],
    max_steps: int,
) -> Diagram:
    """The diagram of a program on a tape; a cell of M + i holds input i, which has sizes[i] values."""
    runner = Runner(program, len(cells), tuple(outputs), max_steps)
    return _Growth(runner, sizes).grown(cells, outputs)


class TooLarge(AncError):
    """A diagram that was given up."""


@dataclass
class _Growth:
    runner: Runner
    sizes: Sequence[int]
    nodes: list[Node] = field(default_factory=list)
    leaves: dict[Leaf, int] = field(default_factory=dict)
    branches: int = 0
    outputs: list[int] = field(default_factory=list)  # where a state holds them
    written: np.ndarray = field(init=False)
    # by line and place: what nodes there depend on, and the nodes by the values of that
    known: dict[tuple[int, int], list[tuple[np.ndarray, dict[bytes, int]]]] = field(
        default_factory=dict
    )

    def grown(self, cells: np.ndarray, outputs: Sequence[int]) -> Diagram:
        self.outputs = [self.runner.place(cell) for cell in outputs]
        self.written = np.zeros(self.runner.size, bool)
        root, steps, _ = self._go_on(self.runner.state(cells), self.runner.start)
        written = frozenset(np.flatnonzero(self.written[self.runner.registers : -1]).tolist())
        return Diagram(tuple(self.nodes), tuple(self.leaves), root, steps, written)

    def _go_on(self, state: np.ndarray, line: int) -> tuple[int, int, np.ndarray]:
        """Where a state leads, after how many steps, and what of the state that depends on."""
        end = self.runner.run(state, line)
        self.written |= end.written
        if end.kind == CHOICE:
            target, below = self._choice(state, end.line, end.place)
            return target, end.steps, end.depends_on | (below & ~end.written)
        values = tuple(state[self.outputs].tolist())
        leaf = Leaf(values, end.kind == STOPPED, end.kind == PAST_END)
        number = self.leaves.setdefault(leaf, len(self.leaves))
        return -1 - number, end.steps, end.depends_on

    def _choice(self, state: np.ndarray, line: int, place: int) -> tuple[int, np.ndarray]:
        """The node that branches into the values of a place before a line, and what it depends on."""
        seen = self.known.setdefault((line, place), [])
        for depends_on, nodes in seen:
            found = nodes.get(state[depends_on].tobytes())
            if found is not None:
                return found, depends_on
        number = int(state[place]) - self.runner.M
        unknown = state == state[place]
        self.branches += self.sizes[number]
        if self.branches > LIMIT:
            raise TooLarge(f"the runs of this program part more than {LIMIT} times")
        if resources.is_full():
            raise TooLarge(
                f"the diagram of this program's runs is too large: {resources.why_full()}"
            )
        depends_on = np.zeros(self.runner.size, bool)
        targets, steps = [], []
        for value in range(self.sizes[number]):
            begin = state.copy()
            begin[unknown] = value
            target, taken, needed = self._go_on(begin, line)
            targets.append(target)
            steps.append(taken)
            depends_on |= needed
        depends_on[place] = True
        self.nodes.append(Node(number, tuple(targets), tuple(steps)))
        node = len(self.nodes) - 1
        for other, nodes in seen:
            if np.array_equal(other, depends_on):
                nodes[state[other].tobytes()] = node
                break
        else:
            seen.append((depends_on, {state[depends_on].tobytes(): node}))
        return node, depends_on
