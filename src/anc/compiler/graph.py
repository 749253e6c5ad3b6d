"""The intermediate representation: a control flow graph of commands over variables and constants.

Listings, programs, weights, guards and search all make graphs; `assemble` turns a graph into a Program.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, field, replace

from anc import isa
from anc.isa import Instruction, InstructionSet, Op
from anc.language.tree import NOWHERE
from anc.support.diagnostics import Span

END = -1  # after the last line: a run that gets there ends
ANYWHERE = -2  # precedes every node: the target of a computed jump

# The instructions that every set has.
STOP, READ, WRITE, JUMP = Op.STOP.value, Op.READ.value, Op.WRITE.value, Op.JUMP.value
ADD, SUB = Op.ADD.value, Op.SUB.value
_PINNED = re.compile(r"R([1-9][0-9]*)")


@dataclass(eq=False)
class Variable:
    """A location that commands read and write, with its initial value (None: undefined)."""

    name: str
    value: int | None = None
    span: Span = NOWHERE

    @property
    def pinned(self) -> int | None:
        """The register (counted from 0) that a variable named R1, R2, ... requires."""
        match = _PINNED.fullmatch(self.name)
        return int(match[1]) - 1 if match else None


@dataclass(frozen=True)
class Constant:
    """An operand that never changes."""

    value: int
    name: str = field(default="", compare=False)


@dataclass(frozen=True)
class Target:
    """An operand that becomes the line number of a node when lines are numbered."""

    node: int
    name: str = field(default="", compare=False)


Operand = Variable | Constant | Target


@dataclass
class Node:
    """One command, and the node that follows unless it jumps.

    A JEZ to a Target goes there if its first operand is 0. If the edge to `after` is `free`, the program
    must not spend a step on it. A node whose `op` is None is empty: it only sets its variable, if it
    has one, to 0 (a jump that is always taken, a command that was removed).
    """

    op: str | None
    operands: tuple[Operand, ...] = ()
    out: Variable | None = None
    after: int = END
    free: bool = True
    span: Span = NOWHERE

    @property
    def jump(self) -> int | None:
        """The target of a JEZ, unless it is computed."""
        target = self.operands[1] if self.op == JUMP else None
        return target.node if isinstance(target, Target) else None

    @property
    def followers(self) -> tuple[int, ...]:
        """The successors that the node itself names."""
        ways = () if self.op == STOP else (self.after, self.jump)
        return tuple(way for way in ways if way is not None and way != END)

    def redirected(self, new: Callable[[int], int]) -> Node:
        """The same command with its edges redirected."""
        operands = tuple(
            Target(new(operand.node), operand.name) if isinstance(operand, Target) else operand
            for operand in self.operands
        )
        return Node(self.op, operands, self.out, new(self.after), self.free, self.span)

    @property
    def only_computes(self) -> bool:
        """Whether its only effect is its output."""
        return self.op not in (STOP, WRITE, JUMP)


def loaded(value: int) -> tuple[str | None, tuple[Operand, ...]]:
    """The command that outputs a number, and its operands."""
    return (ADD, (Constant(value), Constant(0))) if value else (None, ())


@dataclass
class Graph:
    """Nodes by number, and the entry node.

    The first `anchored` nodes are lines with these numbers; only they may jump to numbers instead of
    Targets. `declared` variables come first when registers are allocated.
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
        """Append a node that the last appended one falls through to; returns its number.

        >>> graph, x = Graph(M=10), Variable("x")
        >>> graph.append("READ", Constant(0), out=x), graph.append("STOP")
        (0, 1)
        """
        number = self.add(Node(op, operands, out))
        if number > 0:
            self.nodes[number - 1].after = number
        return number

    def add(self, node: Node) -> int:
        """Add a node; returns its number."""
        number = max(self.nodes, default=-1) + 1
        self.nodes[number] = node
        return number

    def empty(self, number: int) -> None:
        """Remove a command; its edges stay."""
        self.nodes[number] = replace(self.nodes[number], op=None, operands=(), out=None)

    def variables(self) -> list[Variable]:
        """All variables: first the declared ones, then the others in order of appearance."""
        found = dict.fromkeys(self.declared)
        for node in self.nodes.values():
            met = (node.out, *node.operands)
            found |= dict.fromkeys(each for each in met if isinstance(each, Variable))
        return list(found)

    def predecessors(self) -> dict[int, list[int]]:
        """The predecessors of each node (one with both edges counts twice); END precedes the entry."""
        found: dict[int, list[int]] = {number: [] for number in (*self.nodes, self.start)}
        found[self.start].append(END)
        for number, node in self.nodes.items():
            for follower in node.followers:
                found[follower].append(number)
        return found

    def redirect(
        self, old: int, new: int, sources: Iterable[int] | None = None, free: bool = True
    ) -> None:
        """Redirect the edges of some nodes (END is the entry; None: of all nodes) from one node to another.

        The new edges cost a step unless they are `free`.
        """
        for number in [END, *self.nodes] if sources is None else sources:
            if number == END:
                self.start = new if self.start == old else self.start
            elif old in (node := self.nodes[number]).followers:
                self.nodes[number] = node.redirected(lambda n: new if n == old else n)
                self.nodes[number].free = node.free and (free or node.after != old)

    @property
    def computed_jump(self) -> int | None:
        """The first node with a computed jump, if there is one."""
        computed = (n for n, node in self.nodes.items() if node.op == JUMP and node.jump is None)
        return min(computed, default=None)

    def edges(self) -> dict[int, tuple[int, ...]]:
        """The successors of each node, and of ANYWHERE if a jump is computed."""
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
        """The reachable nodes, depth first, fall-through edges before jumps."""
        edges = self.edges()
        seen: dict[int, None] = {END: None}
        waiting = [self.start]
        while waiting:
            number = waiting.pop()
            if number not in seen:
                seen[number] = None
                waiting += reversed(edges[number])
        return [number for number in seen if number >= 0]
