"""Enumeration of short programs, shortest first: straight-line code, and code with one decision.

Programs are enumerated against a few example cases. What fits these is run on all cases, and a case that it fails
is added to the examples (counter-example guided).
"""

from __future__ import annotations

from collections.abc import Callable, Generator, Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from typing import Any, TypeVar

import numpy as np

from anc.compiler.assemble import assemble, assembled
from anc.compiler.graph import JUMP, STOP, WRITE, Constant, Graph, Operand, Target, Variable
from anc.isa import InstructionSet
from anc.machine.encoded import Cases
from anc.program import Program
from anc.search.cost import HEAVIEST, STEPS, Cost, score
from anc.search.instruction_shapes import Goal, goals, shortest
from anc.search.straight_line_engine import (
    FOUND,
    NOTHING,
    PAUSED,
    Decision,
    SearchPosition,
    Targets,
    Terrain,
    walk,
    walk_branches,
)

EXAMPLES = 24
NODES = 2_000_000  # between two pauses
MAX_CHANGED = 6  # cells that the branches of a decision write
Result = TypeVar("Result")
Pauses = Generator[None, None, Result]  # yields regularly, so that other methods can run


@dataclass(frozen=True)
class _Query:
    """A query: a program that is right on the examples and takes fewer than `steps` steps."""

    examples: Cases
    instructions: InstructionSet
    steps: float
    constants: Sequence[int]

    def terrain(self, values: int) -> Terrain:
        constants = [c for c in self.constants if 0 < c < self.examples.M]
        return Terrain.of(self.examples, self.instructions, values, constants)

    def run(self, engine: Any, *arguments: Any) -> Pauses[int]:
        """Run an engine to its end; why it ended."""
        while (reason := engine(*arguments, NODES)) == PAUSED:
            yield
        return int(reason)


def enumerate_programs(
    cases: Cases,
    instructions: InstructionSet,
    below: float,
    constants: Sequence[int] = (1, 2),
    max_depth: int = 6,
    cost: Cost = STEPS,
) -> Iterator[Program | None]:
    """Yield right programs that cost less than `below`, each cheaper than the one before.

    Shorter programs come first. The enumeration up to `max_depth` computing instructions is complete: first with
    the given `constants`, then with all numbers. None is yielded regularly, so that the caller can check the
    clock.
    """
    chosen = list(range(min(EXAMPLES, cases.C)))
    cheapest = max(
        1 / HEAVIEST, cost.of(instructions).min()
    )  # per step: bounds the number of steps
    query = _Query(cases.choose(chosen), instructions, below / cheapest, constants)
    for numbers in (constants, range(cases.M)):
        query = replace(query, constants=numbers)
        for step, depth in _agenda(max_depth):
            while (program := (yield from step(query, depth))) is not None:
                found = score(program, cases, program.L, cost)
                if not found.right:
                    chosen = [found.first_bad, *chosen]
                    query = replace(query, examples=cases.choose(chosen))
                    continue
                if found.cost < below - 1e-9:
                    below = found.cost
                    query = replace(query, steps=below / cheapest)
                    yield program
                break


def _agenda(
    max_depth: int,
) -> Iterator[tuple[Callable[[_Query, int], Pauses[Program | None]], int]]:
    """Straight-line code and decisions, by increasing number of instructions."""
    for depth in range(max_depth + 1):
        yield _straight, depth
        if depth > 1:
            yield _decision, depth - 1


def _straight(query: _Query, depth: int) -> Pauses[Program | None]:
    """Find straight-line code with `depth` computing instructions, in addition to its addresses."""
    M = query.examples.M
    for goal in goals(query.examples, query.instructions):
        if goal.steps + depth >= min(query.steps, M + 1):
            continue
        trail = yield from _solve(goal, query, depth)
        if trail is not None:
            n = int(trail.place[-1])
            graph, values = _computed(trail.code[:n], query.instructions, M)
            sources = zip(goal.addresses, _sources(goal, trail.values[:n]), strict=True)
            _append_writes(graph, values, [(a, s) for a, s in sources if s is not None])
            return assemble(graph, graph.nodes)
    return None


def _solve(goal: Goal, query: _Query, depth: int) -> Pauses[SearchPosition | None]:
    """The trail of at most `depth` instructions that compute all targets."""
    code = np.array(goal.code, np.int64).reshape(-1, 3)
    trail = SearchPosition.of(code, goal.values, depth)
    missing = np.zeros((depth + 1, len(goal.targets)), np.int64)
    missing[0] = [source is None for source in _sources(goal, goal.values)]
    if not missing[0].any():
        return trail if depth == 0 else None
    least = len(np.unique(goal.targets[missing[0] == 1], axis=0)) if goal.care.all() else 1
    if depth < least:
        return None
    targets = Targets(goal.targets, goal.care, missing)
    reason = yield from query.run(walk, trail, query.terrain(len(code) + depth), targets)
    return trail if reason == FOUND else None


def _sources(goal: Goal, values: np.ndarray) -> list[int | None]:
    """The source of every target: the number of a value, -1 - constant, or None."""
    found: list[int | None] = []
    for target, care in zip(goal.targets, goal.care, strict=True):
        wanted = target[care]
        if len(wanted) == 0 or (wanted == wanted[0]).all():
            found.append(-1 - int(wanted[0] if len(wanted) else 0))
        else:
            right = (values[:, care] == wanted).all(axis=1)
            found.append(int(right.argmax()) if right.any() else None)
    return found


def _decision(query: _Query, depth: int) -> Pauses[Program | None]:
    """Find the cheapest program with `depth` instructions, a jump, and WRITEs in both branches."""
    examples, M = query.examples, query.examples.M
    cells = np.flatnonzero(examples.change.any(axis=0))
    changes = examples.change.sum(axis=1) @ examples.counts / examples.counts.sum()
    if depth + 2 + changes >= query.steps or depth + 2 > M or len(cells) > MAX_CHANGED:
        return None
    nothing = np.zeros((0, 3), np.int64), np.zeros((0, examples.C), np.int16)
    found = Decision.of(examples, cells, query.steps, depth)
    yield from query.run(
        walk_branches, SearchPosition.of(*nothing, depth), query.terrain(depth), found
    )
    if found.steps[0] >= query.steps:
        return None
    graph, values = _computed(found.code, query.instructions, M)
    otherwise, zero = (
        [(-1 - cell, s) for cell, s in zip(cells.tolist(), side, strict=True) if s != NOTHING]
        for side in found.sources.tolist()
    )
    is_end = zero == otherwise[len(otherwise) - len(zero) :]  # one branch is a suffix of the other
    target = depth + 1 + len(otherwise) + (-len(zero) if is_end else 1)
    graph.append(JUMP, values[-1], Target(target))
    for side in (otherwise,) if is_end else (otherwise, zero):
        _append_writes(graph, values, side)
    return assembled(graph, graph.nodes)


def _computed(
    code: np.ndarray, instructions: InstructionSet, M: int
) -> tuple[Graph, list[Variable]]:
    """Computing instructions as a graph, and the variables of their results."""
    graph, values = Graph(M=M, instructions=instructions), list[Variable]()
    for instruction in code.tolist():
        op, *operands = shortest(tuple(instruction), instructions, M)
        row = instructions[op]
        out = Variable(f"v{len(values)}")
        used = [_operand(operand, values) for operand in operands[: row.operands]]
        graph.append(row.name, *used, out=out)
        values.append(out)
    return graph, values


def _append_writes(
    graph: Graph, values: Sequence[Variable], writes: Iterable[tuple[int, int]]
) -> None:
    """Append WRITEs of sources to addresses, and STOP."""
    for address, source in writes:
        graph.append(WRITE, _operand(address, values), _operand(source, values))
    graph.append(STOP)


def _operand(number: int, values: Sequence[Variable]) -> Operand:
    return values[number] if number >= 0 else Constant(-1 - number)
