"""The specialisation graph: the lines of a program, one copy for each abstract state in which runs reach them.

All runs are followed together; a point is made when a run first reaches it. Branches that no run takes lead to
points that are not expanded. Tracking everything costs least and takes the most lines. Where lines are short,
ignoring a variable (a counter, say) may pay: its values no longer make points of their own.
"""

from __future__ import annotations

import heapq
from collections import defaultdict
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, replace
from itertools import islice
from typing import NamedTuple

import numpy as np

from anc.compiler.abstract_state import UNKNOWN, AbstractState, Interpreter, Place, Way
from anc.compiler.dataflow import liveness
from anc.compiler.graph import END, JUMP, Graph, Node, Variable
from anc.search.cost import PLAIN, Prices
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


@dataclass(eq=False)
class Point:
    """A line in an abstract state; it is expanded when a run is followed through it."""

    line: int
    known: AbstractState
    weight: float = 0.0  # how many runs reach it
    left: float = 0.0  # what these runs still cost
    is_expanded: bool = False
    node: Node | None = None  # the residual command; None: nothing
    ways: list[Way] = field(default_factory=list)
    to: list[int | None] = field(default_factory=list)  # the point of each way
    runs: list[float] = field(default_factory=list)  # how many runs take each way

    @property
    def edges(self) -> list[tuple[int, float]]:
        """The successors (END is one), with the number of runs on each edge."""
        return [(to, runs) for to, runs in zip(self.to, self.runs, strict=True) if to is not None]

    @property
    def successors(self) -> list[int]:
        return [to for to in self.to if to is not None and to != END]

    @property
    def only_way(self) -> int | None:
        """The successor of all runs, if this is a test with only one."""
        if self.is_test and self.weight in self.runs:
            return self.to[self.runs.index(self.weight)]
        return None

    @property
    def is_test(self) -> bool:
        return self.node is not None and self.node.op == JUMP


class Batch(NamedTuple):
    """Runs at the same point: their cases, and the next step of each."""

    cases: np.ndarray
    steps: np.ndarray
    weight: float  # how many runs these are
    left: float  # what they still cost

    def moved(self, price: float) -> Batch:
        """The runs after a step that costs this much."""
        return Batch(self.cases, self.steps + 1, self.weight, self.left - price * self.weight)


class Tree:
    """All points; the first is the start."""

    def __init__(
        self,
        graph: Graph,
        cells: Mapping[int, int],
        hits: Mapping[int, frozenset[int]],
        ignored: Ignored,
        traces: Traces,
        max_points: int,
        prices: Prices = PLAIN,
    ) -> None:
        self.graph, self.ignored, self.traces, self.prices = graph, ignored, traces, prices
        self.line_prices = np.array([prices[line.op] for line in traces.program.lines])
        self._left = traces.left(self.line_prices)
        self.interpreter = Interpreter(graph, cells, ignored, hits)
        alive = liveness(graph)
        self.alive = {n: set(alive.variables(bits)) for n, bits in alive.before.items()}
        self.points: list[Point] = []
        self._number: dict[tuple, int] = {}
        self._written = traces.written()
        self._waiting: list[tuple[bool, int, int]] = []  # rare or not, next step, point
        self._batches: dict[int, list[Batch]] = {}
        cases = np.arange(len(traces.counts))
        start = AbstractState({v: v.value or 0 for v in graph.declared if v not in ignored})
        self._arrive((graph.start, start), self._batch(cases, np.zeros_like(cases)))
        moves = 0
        while self._waiting and len(self.points) < max_points and moves < MAX_MOVES:
            look()
            self._follow(heapq.heappop(self._waiting)[-1])
            moves += 1
        for point in list(self.points):
            point.to = [
                self._arrive(way, None) if to is None else to
                for to, way in zip(point.to, point.ways, strict=True)
            ]

    def _batch(self, cases: np.ndarray, steps: np.ndarray) -> Batch:
        counts = self.traces.counts[cases]
        return Batch(cases, steps, float(counts.sum()), float(counts @ self._left[steps, cases]))

    def _follow(self, number: int) -> None:
        """Take the runs that wait at a point one step further."""
        point = self.points[number]
        batch, *others = self._batches.pop(number)
        if others:
            parts = zip(batch, *others, strict=True)
            cases, steps = (np.concatenate([*part]) for part in islice(parts, 2))
            batch = self._batch(cases, steps)
        if not point.is_expanded:
            self._expand(point)
        batches = [batch]
        if len(point.ways) > 1:
            jumped = self.traces.jumped[batch.steps, batch.cases]
            batches = [self._batch(batch.cases[way], batch.steps[way]) for way in (~jumped, jumped)]
        price = float(self.line_prices[point.line])
        for i, (way, some) in enumerate(zip(point.ways, batches, strict=False)):
            if some.weight:
                point.runs[i] += some.weight
                to = point.to[i]
                if to is None:  # the first runs determine the target
                    point.to[i] = self._arrive(way, some.moved(price))
                elif to != END:
                    self._wait(to, some.moved(price))

    def _expand(self, point: Point) -> None:
        """The step of a point; a command whose output is known vanishes."""
        node, point.ways = self.interpreter.step(point.line, point.known)
        if node.op == JUMP and node.jump is None:
            raise ComputedJump
        point.is_expanded, point.node = True, node
        point.to, point.runs = [None] * len(point.ways), [0.0] * len(point.ways)
        if node.out is not None and (not point.ways or point.ways[0][1].value(node.out) >= 0):
            point.node = None if node.only_computes else replace(node, out=None)
        if point.node is not None and point.node.op is point.node.out is None:
            point.node = None

    def _arrive(self, way: Way, batch: Batch | None) -> int:
        line, known = way
        if line == END:
            return END
        wanted = 0 if batch is None else self.traces.cells_wanted(batch.steps, batch.cases)
        self._forget(line, known, wanted)
        number = self._number.setdefault((line, *known.key), len(self.points))
        if number == len(self.points):
            self.points.append(Point(line, known))
        if batch is not None:
            self._wait(number, batch)
        return number

    def _forget(self, line: int, known: AbstractState, wanted: int) -> None:
        """Forget what is dead at a line, so that paths merge; `wanted` has a bit for each live cell.

        Cells that are never written keep their initial values.
        """
        alive, cells = self.alive[line], self.interpreter.cells
        known.variables = {v: n for v, n in known.variables.items() if v in alive}
        changed = cells.keys() & (self._written | known.cells.keys())
        known.cells = {c: n for c, n in known.cells.items() if wanted >> c & 1}
        if known.assumed:
            known.cells |= {c: UNKNOWN for c in changed if not wanted >> c & 1}
        known.origins = {
            v: o
            for v, o in known.origins.items()
            if v in alive
            and (o.source in alive if isinstance(o.source, Variable) else wanted >> o.source & 1)
        }

    def _wait(self, number: int, batch: Batch) -> None:
        point = self.points[number]
        point.weight += batch.weight
        point.left += batch.left
        if number not in self._batches:
            self._batches[number] = []
            is_rare = batch.weight < RARE * self.traces.total
            heapq.heappush(self._waiting, (is_rare, int(batch.steps[0]), number))
        self._batches[number].append(batch)

    def by_use(self) -> list[int]:
        """The expanded points, each after a predecessor, those with the highest remaining cost first.

        Leaving the tree costs most there.
        """
        order: list[int] = []
        seen, heap = {0}, [(-self.points[0].left, 0)]
        while heap:
            number = heapq.heappop(heap)[1]
            if not self.points[number].is_expanded:
                continue
            order.append(number)
            for to in self.points[number].successors:
                if to not in seen:
                    seen.add(to)
                    heapq.heappush(heap, (-self.points[to].left, to))
        return order


def choices(grow: Callable[[Ignored], Tree], room: int, tests_all: bool) -> list[Ignored]:
    """The best sets to ignore, by estimated cost: a greedy search from nothing upwards.

    `grow` makes the tree that ignores some variables and cells, `room` is the limit on lines; `tests_all`
    says whether tests with one observed outcome stay.
    """
    tree = grow(NOTHING)
    found = {NOTHING: estimate(tree, room, tests_all)}
    for _ in range(ROUNDS):
        others = [(estimate(other, room, tests_all), other) for other in map(grow, _less(tree))]
        if not others:
            break
        cost, tree = min(others, key=lambda each: each[0])
        found[tree.ignored] = cost
    return sorted(found, key=found.__getitem__)[:BEST]


def _less(tree: Tree) -> list[Ignored]:
    """Extensions of the ignored set, those that merge most points first."""
    graph, ignored = tree.graph, tree.ignored
    reached = [(point.line, point.known) for point in tree.points if point.weight]
    keys = [
        (
            line,
            [known.variables.get(v, UNKNOWN) for v in graph.declared],
            frozenset(known.cells.items()),
            known,
        )
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
    """The estimated cost of all runs if as many points are used as fit into `room` lines."""
    prices, commands = tree.prices, dict[int, float]()
    before: dict[int, list[tuple[int, float]]] = defaultdict(list)
    for number in tree.by_use():
        point = tree.points[number]
        is_sure = point.only_way is not None and not tests_all
        has_command = point.node is not None and not is_sure
        room -= has_command
        if point.is_test and tests_all:
            room -= sum(_loads(tree.points[to]) for to, runs in point.edges if not runs)
        if room < 0:
            break
        commands[number] = (
            0.0 if not has_command or point.node is None else _price(point.node, prices)
        )
        for to, runs in point.edges:
            before[to].append((number, runs))
    reached = dict.fromkeys(commands, 1.0)  # the share of runs that are still in the tree
    for _ in range(SWEEPS):
        for number in list(commands)[1:]:
            look()
            arrived = sum(reached[n] * passes for n, passes in before[number])
            reached[number] = min(1.0, arrived / tree.points[number].weight)
    cost = sum(reached[n] * tree.points[n].weight * price for n, price in commands.items())
    for number, ways in before.items():
        arriving = [reached[n] * passes for n, passes in ways if passes]
        if number in commands:
            falling = [reached[n] * w for n, w in ways if tree.points[n].to[0] == number]
            jumping = sum(falling) - max(falling, default=0.0)  # all but one jump there
            cost += jumping * prices.jump
        elif number != END and arriving:
            cost += tree.points[number].left * sum(arriving) / tree.points[number].weight
    return cost


def _price(node: Node, prices: Prices) -> float:
    """The price of a residual command; one without an operation loads a number."""
    return prices.step if node.op is None else prices[node.op]


def _loads(point: Point) -> int:
    """The most lines of a side exit: known variables are loaded, then a jump."""
    return 1 + sum(value >= 0 for value in point.known.variables.values())
