"""Enumeration of cheap programs, cheapest first: straight-line code, and code with one decision.

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
from anc.isa import Effect, InstructionSet
from anc.machine.batch import TABLE_LIMIT
from anc.machine.encoded import Cases
from anc.program import Program
from anc.search.cost import STEPS, Cost, Prices, score
from anc.search.instruction_shapes import Goal, goals, number_type, shortest
from anc.search.meet_in_the_middle import numbers_of
from anc.search.straight_line_engine import (
    FOUND,
    NOTHING,
    PAUSED,
    TINY,
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
DEEPEST = 6  # computing instructions
CHEAPEST = 4  # times an instruction may be cheaper than a usual one, for the levels of budgets
_COMPUTING = (Effect.NONE, Effect.READ)
Result = TypeVar("Result")
Pauses = Generator[None, None, Result]  # yields regularly, so that other methods can run


@dataclass(frozen=True)
class _Query:
    """A query: a program that is right on the examples and costs less than `below`.

    Instructions are paid from a `budget`; codes that cost up to `done` have been tried. So that there are few
    levels of budgets, a price below `least` counts as that.
    """

    examples: Cases
    instructions: InstructionSet
    below: float
    constants: Sequence[int]
    prices: Prices
    least: float
    dearest: float  # price
    slack: float  # how much less codes may cost than is counted
    budget: float = 0.0

    @classmethod
    def of(
        cls,
        examples: Cases,
        instructions: InstructionSet,
        below: float,
        constants: Sequence[int],
        cost: Cost,
    ) -> _Query:
        prices = Prices.of(cost, instructions)
        used = [prices[r.name] for r in instructions if r.effect in _COMPUTING and r.operands]
        least = max(min(used), prices.step / CHEAPEST)
        slack = DEEPEST * (least - min(least, *used))
        return cls(examples, instructions, below, constants, prices, least, max(used), slack)

    @property
    def is_uniform(self) -> bool:
        """Whether all codes of a level cost the same."""
        return self.least == self.dearest

    @property
    def most(self) -> int:
        """The most instructions that the budget pays for."""
        return min(DEEPEST, round(self.budget / self.least))

    def left(self, fixed: float, depth: int) -> float | None:
        """The budget for up to `depth` instructions, if one that is new may be cheap enough."""
        if self.is_uniform:
            fits = depth == self.most and fixed + self.budget < self.below
            return self.budget if fits else None
        left = min(self.budget, self.below - fixed + self.slack - TINY)
        return left if depth >= 0 and left >= max(0.0, self.budget - self.least) else None

    def terrain(self, values: int) -> Terrain:
        constants = [c for c in self.constants if 0 < c < self.examples.M]
        paid = self.prices, self.least
        return Terrain.of(self.examples, self.instructions, values, constants, *paid)

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
    max_depth: int = DEEPEST,
    cost: Cost = STEPS,
) -> Iterator[Program | None]:
    """Yield right programs that cost less than `below`, each cheaper than the one before.

    Cheaper programs come first. The enumeration of up to DEEPEST computing instructions, at the price of
    `max_depth` usual ones, is complete: first with the given `constants`, then with all numbers. None is
    yielded regularly, so that the caller can check the clock.
    """
    chosen = list(range(min(EXAMPLES, cases.C)))
    query = _Query.of(cases.choose(chosen), instructions, below, constants, cost)
    levels = round(((max_depth - 1) * query.prices.step + query.dearest) / query.least)
    for numbers in (constants, numbers_of(cases.M, constants, TABLE_LIMIT).tolist()):
        query = replace(query, constants=numbers)
        for step, level in _agenda(levels):
            query = replace(query, budget=level * query.least)
            while (program := (yield from step(query))) is not None:
                found = score(program, cases, program.L, cost)
                if not found.right:
                    chosen = [found.first_bad, *chosen]
                    query = replace(query, examples=cases.choose(chosen))
                    continue
                if found.cost >= below - TINY:
                    break
                below = found.cost
                query = replace(query, below=below)
                yield program
                if query.is_uniform:
                    break


def _agenda(
    levels: int,
) -> Iterator[tuple[Callable[[_Query], Pauses[Program | None]], int]]:
    """Straight-line code and decisions, by increasing budget."""
    for level in range(levels + 1):
        yield _straight, level
        if level > 1:
            yield _decision, level - 1


def _straight(query: _Query) -> Pauses[Program | None]:
    """Find straight-line code of computing instructions, in addition to its addresses."""
    M = query.examples.M
    for goal in goals(query.examples, query.instructions):
        depth = min(query.most, M - goal.lines)
        left = query.left(goal.price(query.prices, query.instructions), depth)
        if left is None:
            continue
        trail = yield from _solve(goal, query, depth, left)
        if trail is not None:
            n = int(trail.place[-1])
            graph, values = _computed(trail.code[:n], query.instructions, M)
            sources = zip(goal.addresses, _sources(goal, trail.values[:n]), strict=True)
            _append_writes(graph, values, [(a, s) for a, s in sources if s is not None])
            return assemble(graph, graph.nodes)
    return None


def _solve(goal: Goal, query: _Query, depth: int, budget: float) -> Pauses[SearchPosition | None]:
    """The trail of at most `depth` instructions that compute all targets within a budget."""
    code = np.array(goal.code, np.int64).reshape(-1, 3)
    trail = SearchPosition.of(code, goal.values.astype(goal.targets.dtype), depth)
    missing = np.zeros((depth + 1, len(goal.targets)), np.int64)
    missing[0] = [source is None for source in _sources(goal, goal.values)]
    if not missing[0].any():
        return trail if query.budget == 0 else None
    least = len(np.unique(goal.targets[missing[0] == 1], axis=0)) if goal.care.all() else 1
    if depth < least or budget < least * query.least - TINY:
        return None
    targets = Targets(goal.targets, goal.care, missing)
    terrain = query.terrain(len(code) + depth)
    reason = yield from query.run(walk, trail, terrain, targets, budget)
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


def _decision(query: _Query) -> Pauses[Program | None]:
    """Find the cheapest program of some instructions, a jump, and WRITEs in both branches."""
    examples, M, prices = query.examples, query.examples.M, query.prices
    cells = np.flatnonzero(examples.change.any(axis=0))
    changes = float(examples.change.sum(axis=1) @ examples.counts / examples.counts.sum())
    ends, depth = prices.jump + prices.stop, min(query.most, M - 2)
    left = query.left(ends + changes * prices.write, depth)
    if left is None or depth < 1 or len(cells) > MAX_CHANGED:
        return None
    below = query.below + query.slack
    nothing = np.zeros((0, 3), np.int64), np.zeros((0, examples.C), number_type(M))
    found = Decision.of(examples, cells, below, depth, ends, prices.write)
    position = SearchPosition.of(*nothing, depth)
    yield from query.run(walk_branches, position, query.terrain(depth), found, query.budget)
    if found.cost[0] >= below:
        return None
    depth = int(found.length[0])
    graph, values = _computed(found.code[:depth], query.instructions, M)
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
