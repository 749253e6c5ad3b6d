"""A program as a graph: commands over variables and constants, edges instead of line numbers.

It stands between all that makes programs (listings, other programs, weights, guards, search) and
the Program that `assemble` makes of it.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, field

from anc import isa
from anc.isa import Instruction, InstructionSet, Op
from anc.language.tree import NOWHERE
from anc.support.diagnostics import Span

END = -1  # behind the last line: a run that goes there is over
ANYWHERE = -2  # in front of every node: where a jump goes that is computed

# The instructions that every set has.
STOP, READ, WRITE, JUMP = Op.STOP.value, Op.READ.value, Op.WRITE.value, Op.JUMP.value
ADD, SUB = Op.ADD.value, Op.SUB.value
_PINNED = re.compile(r"R([1-9][0-9]*)")


@dataclass(eq=False)
class Variable:
    """Something that commands write and read, and what it holds first (None: nothing certain)."""

    name: str
    value: int | None = None
    span: Span = NOWHERE

    @property
    def pinned(self) -> int | None:
        """The register that a variable named R1, R2, ... insists on (counted from 0)."""
        match = _PINNED.fullmatch(self.name)
        return int(match[1]) - 1 if match else None


@dataclass(frozen=True)
class Constant:
    """An operand that is the same number at all times."""

    value: int
    name: str = field(default="", compare=False)


@dataclass(frozen=True)
class Target:
    """An operand that is the line number of a node, once lines have numbers."""

    node: int
    name: str = field(default="", compare=False)


Operand = Variable | Constant | Target


@dataclass
class Node:
    """One command, and the node that follows it if it does not jump.

    A JEZ to a Target goes there if its first operand is 0. `free` says that going `after` takes no
    step: the program must not spend one there. A node whose `op` is None only passes on, and leaves
    0 in its variable if it has one (a jump that always jumps, a command that is of no use any more).
    """

    op: str | None
    operands: tuple[Operand, ...] = ()
    out: Variable | None = None
    after: int = END
    free: bool = True
    span: Span = NOWHERE

    @property
    def jump(self) -> int | None:
        """Where a JEZ goes if its first operand is 0, unless that is computed."""
        target = self.operands[1] if self.op == JUMP else None
        return target.node if isinstance(target, Target) else None

    @property
    def followers(self) -> tuple[int, ...]:
        """The nodes that may follow, as far as it can be seen here."""
        ways = () if self.op == STOP else (self.after, self.jump)
        return tuple(way for way in ways if way is not None and way != END)

    def redirected(self, new: Callable[[int], int]) -> Node:
        """The same command with its edges elsewhere."""
        operands = tuple(
            Target(new(operand.node), operand.name) if isinstance(operand, Target) else operand
            for operand in self.operands
        )
        return Node(self.op, operands, self.out, new(self.after), self.free, self.span)

    @property
    def only_computes(self) -> bool:
        """Whether it does nothing beside its output."""
        return self.op not in (STOP, WRITE, JUMP)


def loaded(value: int) -> tuple[str | None, tuple[Operand, ...]]:
    """The command that outputs a number, and its operands."""
    return (ADD, (Constant(value), Constant(0))) if value else (None, ())


@dataclass
class Graph:
    """Nodes by number and the one that runs first.

    The first so many nodes may be `anchored`: they are lines with these numbers, and only they may
    jump to numbers instead of Targets. `declared` variables come first when registers are given out.
    """

    nodes: dict[int, Node] = field(default_factory=dict)
    start: int = 0
    M: int | None = None
    declared: Sequence[Variable] = ()
    anchored: int = 0
    instructions: InstructionSet = isa.PAPER

    def row(self, node: Node) -> Instruction:
        """The instruction of a node that has one."""
        assert node.op is not None
        return self.instructions[node.op]

    def append(self, op: str | None, *operands: Operand, out: Variable | None = None) -> int:
        """A new node that the one appended before falls into; its number.

        >>> graph, x = Graph(M=10), Variable("x")
        >>> graph.append("READ", Constant(0), out=x), graph.append("STOP")
        (0, 1)
        """
        number = max(self.nodes, default=-1) + 1
        if self.nodes:
            self.nodes[number - 1].after = number
        self.nodes[number] = Node(op, operands, out)
        return number

    def variables(self) -> list[Variable]:
        """All variables: the declared ones, then those that only appear in commands."""
        found = dict.fromkeys(self.declared)
        for node in self.nodes.values():
            met = (node.out, *node.operands)
            found |= dict.fromkeys(each for each in met if isinstance(each, Variable))
        return list(found)

    def predecessors(self) -> dict[int, list[int]]:
        """For each node those that lead to it (twice, if by both edges); END leads to the first one."""
        found: dict[int, list[int]] = {number: [] for number in (*self.nodes, self.start)}
        found[self.start].append(END)
        for number, node in self.nodes.items():
            for follower in node.followers:
                found[follower].append(number)
        return found

    def redirect(
        self, old: int, new: int, sources: Iterable[int] | None = None, free: bool = True
    ) -> None:
        """Lead the edges of some nodes (END is the start; None: of all) past one node to another.

        Going there takes a step unless that is `free`.
        """
        for number in [END, *self.nodes] if sources is None else sources:
            if number == END:
                self.start = new if self.start == old else self.start
            elif old in (node := self.nodes[number]).followers:
                self.nodes[number] = node.redirected(lambda n: new if n == old else n)
                self.nodes[number].free = node.free and (free or node.after != old)

    @property
    def computed_jump(self) -> int | None:
        """The first node that jumps to what cannot be seen here, if there is one."""
        computed = (n for n, node in self.nodes.items() if node.op == JUMP and node.jump is None)
        return min(computed, default=None)

    def edges(self) -> dict[int, tuple[int, ...]]:
        """For each node (and ANYWHERE, if a jump is computed) those that may follow it."""
        written = {node.out for node in self.nodes.values()}

        def fixed(operand: Operand) -> int | None:
            if isinstance(operand, Variable):
                return None if operand in written else operand.value
            return operand.value if isinstance(operand, Constant) else operand.node

        def followers(node: Node) -> Iterator[int]:
            condition, target = map(fixed, node.operands) if node.op == JUMP else (1, None)
            if node.op != STOP and condition != 0:
                yield node.after
            if node.op == JUMP and not condition:
                yield ANYWHERE if target is None else target if target in self.nodes else END

        found = {number: tuple(dict.fromkeys(followers(n))) for number, n in self.nodes.items()}
        if any(ANYWHERE in following for following in found.values()):
            found[ANYWHERE] = tuple(self.nodes)
        return found

    def reachable(self) -> list[int]:
        """The nodes that a run can come to, in the order of a walk that jumps as late as it can."""
        edges = self.edges()
        seen: dict[int, None] = {END: None}
        waiting = [self.start]
        while waiting:
            number = waiting.pop()
            if number not in seen:
                seen[number] = None
                waiting += reversed(edges[number])
        return [number for number in seen if number >= 0]
