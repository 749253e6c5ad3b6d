"""Placement of the blocks of a plan as program lines.

The values of a switch are the line numbers of its blocks; a block that does not fit into the gap before the next one
is cut by a jump to its rest, which costs less than a step on average. If a line is taken, a number is added to all
values. All other blocks go wherever there is room.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import pairwise

import numpy as np

from anc.compiler.assemble import NoRoom, assemble
from anc.compiler.graph import (
    ADD,
    JUMP,
    STOP,
    SUB,
    WRITE,
    Constant,
    Graph,
    Node,
    Operand,
    Target,
    Variable,
)
from anc.isa import InstructionSet
from anc.program import Program
from anc.search.cost import PLAIN, Prices
from anc.search.plans import Branch, Plan, PlannedStep, Repetition


@dataclass(frozen=True)
class PlacedLines:
    """The line of each value, the number that is added to it, and the mean cost of that and of cuts."""

    at: tuple[int, ...]
    added: int
    cost: float


def lines_for(
    values: Sequence[int],
    sizes: Sequence[int],
    shares: Sequence[float],
    taken: np.ndarray,
    prices: Prices = PLAIN,
) -> PlacedLines | None:
    """The cheapest lines for blocks of these sizes; None if there are none.

    >>> taken = np.zeros(10, np.bool_)
    >>> lines_for([1, 2, 4], [2, 2, 2], [0.5, 0.25, 0.25], taken)
    PlacedLines(at=(1, 2, 4), added=0, cost=0.5)
    >>> taken[:3] = True
    >>> lines_for([1, 2, 4], [2, 2, 2], [0.5, 0.25, 0.25], taken)
    PlacedLines(at=(3, 4, 6), added=2, cost=1.5)
    """
    M = len(taken)
    added = np.arange(M)
    at = (np.array(values)[None, :] + added[:, None]) % M
    order = np.argsort(at, axis=1)
    lines = np.take_along_axis(at, order, axis=1)
    gaps = np.minimum(np.diff(lines, axis=1, append=M), _room(taken)[lines])
    cut = np.array(sizes)[order] > gaps
    cuts = (cut * np.array(shares)[order]).sum(axis=1)
    cost = (added != 0) * prices[ADD] + cuts * prices.jump
    cost[(gaps == 0).any(axis=1)] = np.inf
    best = int(np.lexsort((lines[:, -1], cost.round(9)))[0])
    if np.isinf(cost[best]):
        return None
    return PlacedLines(tuple(at[best].tolist()), best, float(cost[best]))


def _room(taken: np.ndarray) -> np.ndarray:
    """The number of free lines from each line on."""
    room = np.zeros(len(taken), np.int64)
    count = 0
    for line in reversed(range(len(taken))):
        count = 0 if taken[line] else count + 1
        room[line] = count
    return room


def program_of(
    plan: Plan, instructions: InstructionSet, M: int, prices: Prices = PLAIN
) -> Program | None:
    """The program of a plan; None if it needs more than M lines."""
    try:
        return _Placing(instructions, M, prices).program(plan)
    except NoRoom:
        return None


class _Placing:
    def __init__(self, instructions: InstructionSet, M: int, prices: Prices) -> None:
        self.instructions, self.M, self.prices = instructions, M, prices
        self.nodes: dict[int, Node] = {}
        self.glued: set[int] = set()  # nodes that must directly follow the one before
        self.same: dict[Operand, Variable] = {}  # variables that are merged into others
        self.ends: dict[
            int, int
        ] = {}  # by the last node of a repetition: the node that computes its jump
        self.lines = np.full(M, -1)  # the node on each line
        self.loose: list[list[int]] = []  # blocks without a fixed line

    def program(self, plan: Plan) -> Program:
        begin = self.block(plan)
        loose = sorted(self.loose, key=len, reverse=True)
        for block in (begin, *loose):
            self.put_anywhere(block)
        last = int(np.flatnonzero(self.lines >= 0)[-1])
        for line in np.flatnonzero(self.lines[:last] < 0).tolist():
            self.lines[line] = self.add(Node(STOP))
        graph = Graph(self.nodes, begin[0], self.M, instructions=self.instructions)
        return assemble(graph, self.lines[: last + 1].tolist())

    # -- blocks ----------------------------------------------------------------

    def add(self, node: Node) -> int:
        number = len(self.nodes)
        node.operands = tuple(self.same.get(operand, operand) for operand in node.operands)
        self.nodes[number] = node
        return number

    def block(self, plan: Plan) -> list[int]:
        """The nodes of the first block of a plan; the others are placed, or loose."""
        found = [number for step in plan.steps for number in self.step(step)]
        branch = plan.branch
        if branch is None:
            found += [self.add(Node(WRITE, pair)) for pair in plan.writes]
            found.append(self.add(Node(STOP)))
        elif branch.is_switch:
            found += self.switch(branch)
        else:
            zero = self.block(branch.ways[0])
            self.loose.append(zero)
            found.append(self.add(Node(JUMP, (branch.variable, Target(zero[0])))))
            found += self.block(branch.ways[1])
        for number, end in pairwise(found):
            if number in self.ends:
                subtraction = self.nodes[self.ends.pop(number)]
                subtraction.operands = (Target(end), *subtraction.operands[1:])
                self.glued.add(end)
        return found

    def step(self, step: PlannedStep) -> list[int]:
        if isinstance(step, Repetition):
            return self.repetition(step)
        return [self.add(Node(step.op, step.operands, step.value.variable))]

    def repetition(self, step: Repetition) -> list[int]:
        """The repeated instructions, after a jump into them."""
        base, x, times = step.operands
        total, found = step.value.variable, list[int]()
        if isinstance(base, Constant):
            total.value = base.value
        elif step.copies:
            found.append(self.add(Node(ADD, (base, Constant(0)), total)))
        else:
            assert isinstance(base, Variable)
            self.same[total] = self.same.get(base, base)
            total = self.same[total]
        jump = Variable("jump")
        found.append(self.add(Node(SUB, (Constant(0), times), jump)))
        subtraction = found[-1]
        found.append(self.add(Node(JUMP, (Constant(0), jump))))
        repeated = [self.add(Node(step.op, (total, x), total)) for _ in step.chances]
        self.glued.update(repeated)
        found += repeated
        self.ends[found[-1]] = subtraction
        return found

    def switch(self, switch: Branch) -> list[int]:
        """Place the blocks of a switch; returns the nodes up to its jump."""
        values, shares = list(switch.ways), list(switch.shares.values())
        blocks = [self.block(way) for way in switch.ways.values()]
        lines = lines_for(values, [len(b) for b in blocks], shares, self.lines >= 0, self.prices)
        if lines is None:
            raise NoRoom("a line that is jumped to is taken")
        for line, block in zip(lines.at, blocks, strict=True):
            self.lines[line] = block[0]
        for line, block in zip(lines.at, blocks, strict=True):
            self.lines[line] = -1
            rest = self.put(block, line)
            self.loose += [rest] if rest else []
        found, target = list[int](), switch.variable
        if lines.added:
            target = Variable(switch.variable.name)
            addition = Node(ADD, (switch.variable, Constant(lines.added)), target)
            found.append(self.add(addition))
        found.append(self.add(Node(JUMP, (Constant(0), target))))
        return found

    # -- lines -----------------------------------------------------------------

    def put(self, block: list[int], line: int) -> list[int]:
        """Put a block at a line, cut if there is no room; returns its rest."""
        taken = np.flatnonzero(self.lines[line:] >= 0)
        room = int(taken[0]) if len(taken) else self.M - line
        rest: list[int] = []
        if len(block) > room:
            cut = max((i for i in range(room) if block[i] not in self.glued), default=None)
            if cut is None:
                raise NoRoom("there is no room for a jump")
            rest = block[cut:]
            jump = Node(JUMP, (Constant(0), Target(rest[0])))
            block = [*block[:cut], self.add(jump)]
        self.lines[line : line + len(block)] = block
        return rest

    def put_anywhere(self, block: list[int]) -> None:
        """Put a block into the first gap that fits, or cut it for the largest one."""
        begins, rooms = self.gaps()
        fitting = np.flatnonzero(rooms >= len(block))
        if not rooms.max(initial=0) > 1 and not len(fitting):
            raise NoRoom(f"it needs more than {self.M} lines")
        gap = int(fitting[0]) if len(fitting) else int(np.argmax(rooms))
        rest = self.put(block, int(begins[gap]))
        if rest:
            self.put_anywhere(rest)

    def gaps(self) -> tuple[np.ndarray, np.ndarray]:
        """The gaps between blocks: first lines, and sizes."""
        free = np.concatenate([[False], self.lines < 0, [False]])
        change = np.flatnonzero(free[1:] != free[:-1])
        return change[::2], change[1::2] - change[::2]
