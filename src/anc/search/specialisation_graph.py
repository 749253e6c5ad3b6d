"""The tree of decisions that really happen, and how much of what is known it follows.

There is one state for each line and what is known there. Runs on cases are followed all at once; a state is
made when some run comes to it. The ways that no run takes lead to states that are not followed.

Following everything that is known gives the fewest steps and the most lines. Where lines run out, a
counter that the program goes on counting itself may pay: its values no longer make states of their own.
"""

from __future__ import annotations

import heapq
from collections import defaultdict
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from itertools import islice
from typing import NamedTuple

import numpy as np

from anc.compiler.graph import END, JUMP
from anc.search.abstract_state import Knowledge, Reasoning, Step, Untold
from anc.search.traces import Traces
from anc.support.clock import look

MAX_MOVES = 30_000
RARE = 0.04  # of the runs: states that fewer come to are followed last
ROUNDS = 5
BRANCHES = 3  # tried in each round
BEST = 2
SWEEPS = 4  # loops need more than one


@dataclass(eq=False)
class State:
    """A line with what is known there; the step from it, once a run has been followed through it."""

    known: Knowledge
    weight: float = 0.0  # how often runs come here
    passes: float = 0.0  # how often they go on from here, and how often they jump
    jumps: float = 0.0
    left: float = 0.0  # the steps that all of these runs still take
    step: Step | None = None
    after: int | None = None  # the states behind it
    jump: int | None = None

    @property
    def ways(self) -> tuple[int, ...]:
        return tuple(way for way in (self.after, self.jump) if way is not None and way != END)

    @property
    def edges(self) -> Iterator[tuple[int, float]]:
        """Where runs go from here, and how often."""
        if self.after is not None:
            yield self.after, self.passes
        if self.jump is not None:
            yield self.jump, self.jumps

    @property
    def only_way(self) -> int | None:
        """Where all runs go from here, if this is a test."""
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
    """Runs that are in the same state: their cases, the step of each that comes next."""

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
    """All states; the first one is the start."""

    reasoning: Reasoning
    traces: Traces
    max_states: int
    states: list[State] = field(default_factory=list)

    def __post_init__(self) -> None:
        self._number: dict[tuple, int] = {}
        self._written = self.traces.written()
        self._waiting: list[tuple[bool, int, int]] = []  # rare or not, next step, state
        self._batches: dict[int, list[Batch]] = {}
        cases = np.arange(len(self.traces.counts))
        self._arrive(self.reasoning.start(), Batch.of(self.traces, cases, np.zeros_like(cases)))
        moves = 0
        while self._waiting and len(self.states) < self.max_states and moves < MAX_MOVES:
            look()
            self._follow(heapq.heappop(self._waiting)[-1])
            moves += 1
        for state in list(self.states):
            if state.step is not None:
                for name in ("after", "jump"):
                    known = getattr(state.step, name)
                    if known is not None and getattr(state, name) is None:
                        setattr(state, name, self._arrive(known, None))

    def _follow(self, number: int) -> None:
        state = self.states[number]
        batch, *others = self._batches.pop(number)
        if others:
            parts = zip(batch, *others, strict=True)
            cases, steps = (np.concatenate([*part]) for part in islice(parts, 2))
            batch = Batch.of(self.traces, cases, steps)
        if state.step is None:
            state.step = self.reasoning.step(state.known)
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

    def _go(self, to: int | None, known: Knowledge, batch: Batch) -> int:
        """Send runs along a way; the first ones decide to which state it leads."""
        if to is None:
            return self._arrive(known, batch)
        if to != END:
            self._wait(to, batch)
        return to

    def _arrive(self, known: Knowledge, batch: Batch | None) -> int:
        if known.line == END:
            return END
        wanted = 0 if batch is None else self.traces.cells_wanted(batch.steps, batch.cases)
        known = self.reasoning.forgotten(known, wanted, self._written)
        number = self._number.setdefault(known.key, len(self.states))
        if number == len(self.states):
            self.states.append(State(known))
        if batch is not None:
            self._wait(number, batch)
        return number

    def _wait(self, number: int, batch: Batch) -> None:
        state = self.states[number]
        state.weight += batch.weight
        state.left += batch.left
        if number not in self._batches:
            self._batches[number] = []
            is_rare = batch.weight < RARE * self.traces.total
            heapq.heappush(self._waiting, (is_rare, int(batch.steps[0]), number))
        self._batches[number].append(batch)

    def by_use(self) -> list[int]:
        """The states that runs were followed through, each behind one before it.

        Those come first from which runs take the most steps: leaving the tree there costs most.
        """
        order: list[int] = []
        seen, heap = {0}, [(-self.states[0].left, 0)]
        while heap:
            number = heapq.heappop(heap)[1]
            state = self.states[number]
            if state.step is None:
                continue
            order.append(number)
            for way in state.ways:
                if way not in seen:
                    seen.add(way)
                    heapq.heappush(heap, (-self.states[way].left, way))
        return order


def choices(grow: Callable[[Untold], Tree], room: int, tests_all: bool) -> list[Untold]:
    """What not to follow: the best of nothing and of more and more, by an estimate of the steps.

    `grow` makes the tree that does not follow some registers and cells, `room` is for its lines;
    `tests_all` says whether tests stay that all runs go through in the same way.
    """
    tree = grow(Untold())
    found = {Untold(): estimate(tree, room, tests_all)}
    for _ in range(ROUNDS):
        others = [(estimate(other, room, tests_all), other) for other in map(grow, _less(tree))]
        if not others:
            break
        steps, tree = min(others, key=lambda each: each[0])
        found[tree.reasoning.untold] = steps
    return sorted(found, key=found.__getitem__)[:BEST]


def _less(tree: Tree) -> list[Untold]:
    """What could be left untold next: what makes the most states that differ in nothing else."""
    keys = [state.known.key for state in tree.states if state.weight]
    untold = tree.reasoning.untold
    left: dict[Untold, int] = {}
    program = tree.reasoning.program
    targets = {line.second for line in program.lines if line.op == JUMP}  # they must be known
    for register in set(range(program.R)) - targets:
        more = Untold(untold.registers | {register}, untold.cells)
        others = {(k[0], k[1][:register], k[1][register + 1 :], *k[2:4]) for k in keys}
        left[more] = len(others)
    cells = {cell for key in keys for cell, _ in key[2]}
    left[Untold(untold.registers, untold.cells | cells)] = len({key[:2] for key in keys})
    return [more for more in sorted(left, key=left.__getitem__) if left[more] < len(keys)][
        :BRANCHES
    ]


def estimate(tree: Tree, room: int, tests_all: bool) -> float:
    """About how many steps all runs take if as many states are used as fit into so many lines."""
    commands: dict[int, bool] = {}
    before: dict[int, list[tuple[int, float]]] = defaultdict(list)
    for number in tree.by_use():
        state = tree.states[number]
        assert state.step is not None
        is_sure = state.only_way is not None and not tests_all
        has_command = state.step.node is not None and not is_sure
        room -= has_command
        if state.is_test and tests_all:
            room -= sum(_loads(tree, tree.states[way]) for way, passes in state.edges if not passes)
        if room < 0:
            break
        commands[number] = has_command
        for way, passes in state.edges:
            before[way].append((number, passes))
    reached = dict.fromkeys(commands, 1.0)  # the share of runs that have not left before
    for _ in range(SWEEPS):
        for number in list(commands)[1:]:
            look()
            arrived = sum(reached[n] * passes for n, passes in before[number])
            reached[number] = min(1.0, arrived / tree.states[number].weight)
    steps = sum(reached[n] * tree.states[n].weight for n, counts in commands.items() if counts)
    for number, ways in before.items():
        arriving = [reached[n] * passes for n, passes in ways if passes]
        if number in commands:
            falling = [reached[n] * w for n, w in ways if tree.states[n].after == number]
            steps += sum(falling) - max(falling, default=0.0)  # all but one jump there
        elif number != END and arriving:
            steps += tree.states[number].left * sum(arriving) / tree.states[number].weight
    return steps


def _loads(tree: Tree, state: State) -> int:
    """The lines that leaving at a state may take: known variables are loaded, then a jump."""
    values = zip(state.known.values, tree.reasoning.is_fixed, strict=True)
    return 1 + sum(value >= 0 and not fixed for value, fixed in values)
