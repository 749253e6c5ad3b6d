"""The specialisation graph: the lines of a program, one copy for each abstract state in which runs reach them.

All runs are followed together; a point is made when a run first reaches it. Branches that no run takes lead to
points that are not expanded. Tracking everything gives the fewest steps and the most lines. Where lines are short,
ignoring a variable (a counter, say) may pay: its values no longer make points of their own.
"""

from __future__ import annotations

import heapq
from collections import defaultdict
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field, replace
from itertools import islice
from typing import NamedTuple

import numpy as np

from anc.compiler.abstract_state import UNKNOWN, Interpreter, Place, State, Way
from anc.compiler.dataflow import liveness
from anc.compiler.graph import END, JUMP, Graph, Node, Variable
from anc.search.traces import Traces
from anc.support.clock import look

Ignored = frozenset[Place]  # variables and cells that are not tracked, but computed by the program
NOTHING: Ignored = frozenset()
MAX_MOVES = 30_000
RARE = 0.04  # of the runs: points that fewer come to are followed last
ROUNDS = 5
BRANCHES = 3  # tried in each round
BEST = 2
SWEEPS = 4  # loops need more than one


class ComputedJump(Exception):
    """The target of a jump is unknown."""


class Step(NamedTuple):
    """The residual command of a line (None: nothing), and its successors."""

    node: Node | None
    after: Way | None = None
    jump: Way | None = None


class Reasoning:
    """Abstract steps of the lines of a program, and the live variables of each line."""

    def __init__(
        self,
        graph: Graph,
        cells: Mapping[int, int],
        ignored: Ignored,
        hits: Mapping[int, frozenset[int]],
    ) -> None:
        self.graph, self.ignored = graph, ignored
        self.interpreter = Interpreter(graph, cells, ignored, hits)
        alive = liveness(graph)
        self.wanted = {n: set(alive.variables(bits)) for n, bits in alive.before.items()}

    def start(self) -> State:
        variables = (v for v in self.graph.declared if v not in self.ignored)
        return State({v: v.value or 0 for v in variables})

    def step(self, line: int, known: State) -> Step:
        """The residual command: one whose output is known vanishes."""
        found, ways = self.interpreter.step(line, known)
        node: Node | None = found
        if found.op == JUMP and found.jump is None:
            raise ComputedJump
        if found.out is not None and (not ways or ways[0][1].value(found.out) >= 0):
            node = None if found.only_computes else replace(found, out=None)
        if node is not None and node.op is node.out is None:
            node = None
        return Step(node, *ways)

    def forgotten(self, line: int, known: State, wanted: int, written: frozenset[int]) -> State:
        """Forget what is dead at a line, so that paths merge.

        `wanted` has a bit for each live cell; `written` are the cells that are ever written: the others
        keep their initial values.
        """
        alive, cells = self.wanted[line], self.interpreter.cells
        known.variables = {v: n for v, n in known.variables.items() if v in alive}
        for cell in [*known.cells, *(written & cells.keys() if known.assumed else ())]:
            if not wanted >> cell & 1:
                known.cells.pop(cell, None)
                if cell in cells and known.assumed:
                    known.cells[cell] = UNKNOWN
        known.origins = {
            v: o
            for v, o in known.origins.items()
            if v in alive
            and (o.source in alive if isinstance(o.source, Variable) else wanted >> o.source & 1)
        }
        return known


@dataclass(eq=False)
class Point:
    """A line in an abstract state, with its step once a run has been followed through it."""

    line: int
    known: State
    weight: float = 0.0  # how many runs reach it
    passes: float = 0.0  # how many fall through, and how many jump
    jumps: float = 0.0
    left: float = 0.0  # the steps that these runs still take
    step: Step | None = None
    after: int | None = None  # its successors
    jump: int | None = None

    @property
    def ways(self) -> tuple[int, ...]:
        return tuple(way for way in (self.after, self.jump) if way is not None and way != END)

    @property
    def edges(self) -> Iterator[tuple[int, float]]:
        """The successors, with the number of runs on each edge."""
        if self.after is not None:
            yield self.after, self.passes
        if self.jump is not None:
            yield self.jump, self.jumps

    @property
    def only_way(self) -> int | None:
        """The successor of all runs, if this is a test with only one."""
        if self.is_test and self.weight in (self.passes, self.jumps):
            return self.jump if self.jumps else self.after
        return None

    @property
    def has_command(self) -> bool:
        return self.step is not None and self.step.node is not None

    @property
    def is_test(self) -> bool:
        return self.step is not None and self.step.node is not None and self.step.node.op == JUMP


class Batch(NamedTuple):
    """Runs at the same point: their cases, and the next step of each."""

    cases: np.ndarray
    steps: np.ndarray
    weight: float  # how many runs these are
    left: float  # the steps that they still take

    @classmethod
    def of(cls, traces: Traces, cases: np.ndarray, steps: np.ndarray) -> Batch:
        counts = traces.counts[cases]
        left = counts @ (traces.lengths[cases] - steps)
        return cls(cases, steps, float(counts.sum()), float(left))

    def moved(self) -> Batch:
        return Batch(self.cases, self.steps + 1, self.weight, self.left - self.weight)


@dataclass
class Tree:
    """All points; the first is the start."""

    reasoning: Reasoning
    traces: Traces
    max_states: int
    points: list[Point] = field(default_factory=list)

    def __post_init__(self) -> None:
        self._number: dict[tuple, int] = {}
        self._written = self.traces.written()
        self._waiting: list[tuple[bool, int, int]] = []  # rare or not, next step, state
        self._batches: dict[int, list[Batch]] = {}
        cases = np.arange(len(self.traces.counts))
        start = self.reasoning.graph.start, self.reasoning.start()
        self._arrive(start, Batch.of(self.traces, cases, np.zeros_like(cases)))
        moves = 0
        while self._waiting and len(self.points) < self.max_states and moves < MAX_MOVES:
            look()
            self._follow(heapq.heappop(self._waiting)[-1])
            moves += 1
        for state in list(self.points):
            if state.step is not None:
                for name in ("after", "jump"):
                    way = getattr(state.step, name)
                    if way is not None and getattr(state, name) is None:
                        setattr(state, name, self._arrive(way, None))

    def _follow(self, number: int) -> None:
        state = self.points[number]
        batch, *others = self._batches.pop(number)
        if others:
            parts = zip(batch, *others, strict=True)
            cases, steps = (np.concatenate([*part]) for part in islice(parts, 2))
            batch = Batch.of(self.traces, cases, steps)
        if state.step is None:
            state.step = self.reasoning.step(state.line, state.known)
        after, jump = state.step.after, state.step.jump
        if after is not None and jump is not None:
            jumped = self.traces.jumped[batch.steps, batch.cases]
            both = [
                Batch.of(self.traces, batch.cases[way], batch.steps[way])
                for way in (~jumped, jumped)
            ]
        else:
            both = [batch, batch]
        if after is not None and both[0].weight:
            state.passes += both[0].weight
            state.after = self._go(state.after, after, both[0].moved())
        if jump is not None and both[1].weight:
            state.jumps += both[1].weight
            state.jump = self._go(state.jump, jump, both[1].moved())

    def _go(self, to: int | None, way: Way, batch: Batch) -> int:
        """Send runs along an edge; the first ones determine its target."""
        if to is None:
            return self._arrive(way, batch)
        if to != END:
            self._wait(to, batch)
        return to

    def _arrive(self, way: Way, batch: Batch | None) -> int:
        line, known = way
        if line == END:
            return END
        wanted = 0 if batch is None else self.traces.cells_wanted(batch.steps, batch.cases)
        known = self.reasoning.forgotten(line, known, wanted, self._written)
        number = self._number.setdefault((line, *known.key), len(self.points))
        if number == len(self.points):
            self.points.append(Point(line, known))
        if batch is not None:
            self._wait(number, batch)
        return number

    def _wait(self, number: int, batch: Batch) -> None:
        state = self.points[number]
        state.weight += batch.weight
        state.left += batch.left
        if number not in self._batches:
            self._batches[number] = []
            is_rare = batch.weight < RARE * self.traces.total
            heapq.heappush(self._waiting, (is_rare, int(batch.steps[0]), number))
        self._batches[number].append(batch)

    def by_use(self) -> list[int]:
        """The expanded points, each after a predecessor, those with the most remaining steps first.

        Leaving the tree costs most there.
        """
        order: list[int] = []
        seen, heap = {0}, [(-self.points[0].left, 0)]
        while heap:
            number = heapq.heappop(heap)[1]
            state = self.points[number]
            if state.step is None:
                continue
            order.append(number)
            for way in state.ways:
                if way not in seen:
                    seen.add(way)
                    heapq.heappush(heap, (-self.points[way].left, way))
        return order


def choices(grow: Callable[[Ignored], Tree], room: int, tests_all: bool) -> list[Ignored]:
    """The best sets to ignore, by estimated steps: a greedy search from nothing upwards.

    `grow` makes the tree that ignores some variables and cells, `room` is the limit on lines; `tests_all`
    says whether tests with one observed outcome stay.
    """
    tree = grow(NOTHING)
    found = {NOTHING: estimate(tree, room, tests_all)}
    for _ in range(ROUNDS):
        others = [(estimate(other, room, tests_all), other) for other in map(grow, _less(tree))]
        if not others:
            break
        steps, tree = min(others, key=lambda each: each[0])
        found[tree.reasoning.ignored] = steps
    return sorted(found, key=found.__getitem__)[:BEST]


def _less(tree: Tree) -> list[Ignored]:
    """Extensions of the ignored set, those that merge most points first."""
    graph, ignored = tree.reasoning.graph, tree.reasoning.ignored
    reached = [(point.line, point.known) for point in tree.points if point.weight]
    keys = [
        (line, [known.value(v) for v in graph.declared], frozenset(known.cells.items()), known)
        for line, known in reached
    ]
    left: dict[Ignored, int] = {}
    targets = {node.operands[1] for node in graph.nodes.values() if node.op == JUMP}
    for place, variable in enumerate(graph.declared):
        if variable not in targets:  # those must be known
            others = {(k[0], *k[1][:place], *k[1][place + 1 :], k[2], k[3].assumed) for k in keys}
            left[ignored | {variable}] = len(others)
    cells = {cell for _, known in reached for cell in known.cells}
    left[ignored | cells] = len({(line, *values) for line, values, *_ in keys})
    fewer = [more for more in sorted(left, key=left.__getitem__) if left[more] < len(keys)]
    return fewer[:BRANCHES]


def estimate(tree: Tree, room: int, tests_all: bool) -> float:
    """The estimated steps of all runs if as many points are used as fit into `room` lines."""
    commands: dict[int, bool] = {}
    before: dict[int, list[tuple[int, float]]] = defaultdict(list)
    for number in tree.by_use():
        state = tree.points[number]
        assert state.step is not None
        is_sure = state.only_way is not None and not tests_all
        has_command = state.step.node is not None and not is_sure
        room -= has_command
        if state.is_test and tests_all:
            room -= sum(_loads(tree.points[way]) for way, passes in state.edges if not passes)
        if room < 0:
            break
        commands[number] = has_command
        for way, passes in state.edges:
            before[way].append((number, passes))
    reached = dict.fromkeys(commands, 1.0)  # the share of runs that are still in the tree
    for _ in range(SWEEPS):
        for number in list(commands)[1:]:
            look()
            arrived = sum(reached[n] * passes for n, passes in before[number])
            reached[number] = min(1.0, arrived / tree.points[number].weight)
    steps = sum(reached[n] * tree.points[n].weight for n, counts in commands.items() if counts)
    for number, ways in before.items():
        arriving = [reached[n] * passes for n, passes in ways if passes]
        if number in commands:
            falling = [reached[n] * w for n, w in ways if tree.points[n].after == number]
            steps += sum(falling) - max(falling, default=0.0)  # all but one jump there
        elif number != END and arriving:
            steps += tree.points[number].left * sum(arriving) / tree.points[number].weight
    return steps


def _loads(state: Point) -> int:
    """The most lines of a side exit: known variables are loaded, then a jump."""
    return 1 + sum(value >= 0 for value in state.known.variables.values())
