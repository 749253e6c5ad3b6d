"""Plans to programs: blocks of lines, and those that a computed jump leads to where it leads to.

A block is what follows each other without a jump that is always made. A switch needs its blocks at
lines that depend on its values: the values themselves are the lines, and what does not fit into the gap up to
the next of them is cut by a jump to the rest of it, which costs less than a step in the mean. Only where a line
is taken already, a number is added to all of them. All other blocks go where there is room.
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
from anc.search.plans import Branch, Plan, Repetition, Step


@dataclass(frozen=True)
class Lines:
    """The line of each value, what is added to have it, and the mean steps of that and of cuts."""

    at: tuple[int, ...]
    added: int
    cost: float


def lines_for(
    values: Sequence[int], sizes: Sequence[int], shares: Sequence[float], taken: np.ndarray
) -> Lines | None:
    """The cheapest lines for blocks of these sizes; None if some line is always taken.

    >>> taken = np.zeros(10, np.bool_)
    >>> lines_for([1, 2, 4], [2, 2, 2], [0.5, 0.25, 0.25], taken)
    Lines(at=(1, 2, 4), added=0, cost=0.5)
    >>> taken[:3] = True
    >>> lines_for([1, 2, 4], [2, 2, 2], [0.5, 0.25, 0.25], taken)
    Lines(at=(3, 4, 6), added=2, cost=1.5)
    """
    M = len(taken)
    added = np.arange(M)
    at = (np.array(values)[None, :] + added[:, None]) % M
    order = np.argsort(at, axis=1)
    lines = np.take_along_axis(at, order, axis=1)
    gaps = np.minimum(np.diff(lines, axis=1, append=M), _room(taken)[lines])
    cut = np.array(sizes)[order] > gaps
    cost = (added != 0) + (cut * np.array(shares)[order]).sum(axis=1)
    cost[(gaps == 0).any(axis=1)] = np.inf
    best = int(np.lexsort((lines[:, -1], cost.round(9)))[0])
    if np.isinf(cost[best]):
        return None
    return Lines(tuple(at[best].tolist()), best, float(cost[best]))


def _room(taken: np.ndarray) -> np.ndarray:
    """How many lines are free from each line on."""
    room = np.zeros(len(taken), np.int64)
    count = 0
    for line in reversed(range(len(taken))):
        count = 0 if taken[line] else count + 1
        room[line] = count
    return room


def program_of(plan: Plan, instructions: InstructionSet, M: int) -> Program | None:
    """The program of a plan; None if it needs more than M lines."""
    try:
        return _Placing(instructions, M).program(plan)
    except NoRoom:
        return None


class _Placing:
    def __init__(self, instructions: InstructionSet, M: int) -> None:
        self.instructions, self.M = instructions, M
        self.nodes: dict[int, Node] = {}
        self.glued: set[int] = set()  # nodes that must stand right behind the one before
        self.same: dict[Operand, Variable] = {}  # variables that go on as others
        self.ends: dict[int, int] = {}  # by a repetition's last node: what computes its jump
        self.lines = np.full(M, -1)  # the node on each line
        self.loose: list[list[int]] = []  # blocks that may stand anywhere

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
        """The nodes with which a plan begins; those that it jumps to are placed, or loose."""
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

    def step(self, step: Step) -> list[int]:
        if isinstance(step, Repetition):
            return self.repetition(step)
        return [self.add(Node(step.op, step.operands, step.value.variable))]

    def repetition(self, step: Repetition) -> list[int]:
        """The instruction as often as it may be repeated, behind a jump into them."""
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
        """Place what a computed jump leads to; the nodes up to the jump."""
        values, shares = list(switch.ways), list(switch.shares.values())
        blocks = [self.block(way) for way in switch.ways.values()]
        lines = lines_for(values, [len(b) for b in blocks], shares, self.lines >= 0)
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
        """Put a block at a line, or as much of it as there is room for; the rest of it."""
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
        """Put a block into the first gap that has room for it, or cut it for the largest one."""
        begins, rooms = self.gaps()
        fitting = np.flatnonzero(rooms >= len(block))
        if not rooms.max(initial=0) > 1 and not len(fitting):
            raise NoRoom(f"it needs more than {self.M} lines")
        gap = int(fitting[0]) if len(fitting) else int(np.argmax(rooms))
        rest = self.put(block, int(begins[gap]))
        if rest:
            self.put_anywhere(rest)

    def gaps(self) -> tuple[np.ndarray, np.ndarray]:
        """Where lines are free, and how many."""
        free = np.concatenate([[False], self.lines < 0, [False]])
        change = np.flatnonzero(free[1:] != free[:-1])
        return change[::2], change[1::2] - change[::2]
