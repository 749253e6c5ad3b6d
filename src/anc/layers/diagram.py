"""Decision diagrams: a program as a function of unknown inputs, built by symbolic execution.

The program runs with unknown inputs. Where it computes with one, the run branches into the values of
that input. Runs that reach the same line and agree in everything that the rest of the run depends on
are merged. The diagram of a count over 8 digits therefore has about 40 nodes instead of 10**8 runs, and
the sum of two digits has the states 1, 10 and 19.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import NamedTuple

import numpy as np

from anc.layers.segments import CHOICE, PAST_END, STOPPED, SegmentRunner
from anc.program import Program
from anc.support import resources
from anc.support.diagnostics import AncError

LIMIT = 1_000_000  # the most branches of a diagram


class DiagramNode(NamedTuple):
    """A branch on the value of an input: the target of each value, and the steps on the way.

    Targets from 0 up are nodes; -1 - i is leaf i.
    """

    input: int
    targets: tuple[int, ...]
    steps: tuple[int, ...]


class Leaf(NamedTuple):
    """The end of a run: the values of the output cells, and whether the run stopped or passed the last line."""

    values: tuple[int, ...]
    stopped: bool
    is_past_end: bool


@dataclass(frozen=True)
class Diagram:
    """Nodes in topological order, targets first; runs begin at the root, after `steps` steps."""

    nodes: tuple[DiagramNode, ...]
    leaves: tuple[Leaf, ...]
    root: int
    steps: int  # before the first branch
    written: frozenset[int]  # the cells written by any run

    @property
    def longest(self) -> int:
        """The number of steps of the longest run."""
        after: list[int] = []
        for node in self.nodes:
            ends = [s + (after[t] if t >= 0 else 0) for t, s in zip(*node[1:], strict=True)]
            after.append(max(ends))
        return self.steps + (after[self.root] if self.root >= 0 else 0)

    def example(self, leaf: int) -> dict[int, int]:
        """Input values that lead to a leaf; irrelevant inputs are omitted."""
        ways: dict[int, dict[int, int]] = {-1 - leaf: {}}
        for number, node in enumerate(self.nodes):
            for value, target in enumerate(node.targets):
                if target in ways:
                    ways[number] = {node.input: value} | ways[target]
                    break
        return ways[self.root]

    def reduced(self) -> Diagram:
        """The reduced diagram of the same function, without steps.

        Equal nodes are merged, and a node whose values all have the same target is removed.
        """
        known: dict[tuple[int, tuple[int, ...]], int] = {}
        renamed: list[int] = []
        nodes: list[DiagramNode] = []
        for node in self.nodes:
            targets = tuple(t if t < 0 else renamed[t] for t in node.targets)
            if len(set(targets)) == 1:
                renamed.append(targets[0])
                continue
            key = (node.input, targets)
            if key not in known:
                known[key] = len(nodes)
                nodes.append(DiagramNode(node.input, targets, (0,) * len(targets)))
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
    """Build the diagram of a program on a tape; a cell of M + i holds input i, which has sizes[i] values."""
    runner = SegmentRunner(program, len(cells), tuple(outputs), max_steps)
    return _Growth(runner, sizes).grown(cells, outputs)


class DiagramTooLarge(AncError):
    """The diagram is too large."""


@dataclass
class _Growth:
    runner: SegmentRunner
    sizes: Sequence[int]
    nodes: list[DiagramNode] = field(default_factory=list)
    leaves: dict[Leaf, int] = field(default_factory=dict)
    branches: int = 0
    outputs: list[int] = field(default_factory=list)  # their places in a state
    written: np.ndarray = field(init=False)
    # by line and place: what the nodes there depend on, and the nodes by the values of that
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
        """The target of a state, the steps to it, and the parts of the state that it depends on."""
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
        """The node that branches on the value of a place before a line, and what it depends on."""
        seen = self.known.setdefault((line, place), [])
        for depends_on, nodes in seen:
            found = nodes.get(state[depends_on].tobytes())
            if found is not None:
                return found, depends_on
        number = int(state[place]) - self.runner.M
        unknown = state == state[place]
        self.branches += self.sizes[number]
        if self.branches > LIMIT:
            raise DiagramTooLarge(f"the runs of this program branch more than {LIMIT} times")
        if resources.is_full():
            raise DiagramTooLarge(
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
        self.nodes.append(DiagramNode(number, tuple(targets), tuple(steps)))
        node = len(self.nodes) - 1
        for other, nodes in seen:
            if np.array_equal(other, depends_on):
                nodes[state[other].tobytes()] = node
                break
        else:
            seen.append((depends_on, {state[depends_on].tobytes(): node}))
        return node, depends_on
