"""A program as a graph: commands over variables and constants, edges instead of line numbers.

Cleaning and specialisation work on it. Only a program whose jumps are all known can become a graph:
lines of others must not move, because a register may hold any line number as a plain number.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass, field

from anc import isa
from anc.machine.exact import Numbers
from anc.program import Program

END = -1  # where a run that leaves the last line goes

JUMP = isa.NAMES[isa.JUMP]
STOP = isa.NAMES[isa.STOP]


@dataclass(frozen=True)
class Number:
    """An operand that is the same number at all times."""

    value: int


@dataclass(frozen=True)
class Variable:
    """An operand that is what a variable holds at that time."""

    index: int


Operand = Number | Variable


@dataclass
class Node:
    """One command. `zero` is where a JEZ goes if its operand is 0, `after` where all else goes.

    `free` says that going `after` took no step in the program that this graph was made from: the new
    program must not spend one there either. A node whose `op` is None only passes on (a jump that
    always jumps, or a command that is of no use any more).
    """

    op: str | None
    operands: tuple[Operand, ...]
    out: int | None  # the variable that takes the output, None if nobody wants it
    after: int
    zero: int | None = None
    free: bool = True

    @property
    def reads(self) -> Iterator[int]:
        return (operand.index for operand in self.operands if isinstance(operand, Variable))

    @property
    def followers(self) -> tuple[int, ...]:
        if self.op == STOP:
            return ()
        return (self.after,) if self.zero is None else (self.after, self.zero)


@dataclass
class Graph:
    """Nodes by number, the first node, and what the variables hold first."""

    nodes: dict[int, Node]
    start: int
    initial: dict[int, int]
    M: int
    names: dict[int, str] = field(default_factory=dict)

    def reachable(self) -> list[int]:
        """The nodes that can be reached, in the order of a walk that prefers `after`."""
        seen: dict[int, None] = {}
        waiting = [self.start]
        while waiting:
            number = waiting.pop()
            if number == END or number in seen:
                continue
            seen[number] = None
            node = self.nodes[number]
            waiting += reversed(node.followers)
        return list(seen)


Known = dict[int, int | None]  # what is known of each variable: a number, or None for anything


def output(op: str, first: int | None, second: int | None, M: int) -> int | None:
    """What an instruction outputs if that is known."""
    row = isa.instruction(op)
    if op == "READ":
        return None
    taken = (first, second)[: row.operands]
    if any(value is None for value in taken):
        if op in ("SUB",) and first is not None and first == second:
            return 0
        return 0 if row.effect is not isa.Effect.NONE else None
    return row.output(Numbers(M), first or 0, second or 0)


def flow_of_constants(
    start: int,
    initial: Known,
    step: Callable[[int, Known], list[tuple[int, Known]]],
) -> dict[int, Known]:
    """What is known before every line that can be reached, to a fixed point."""
    before: dict[int, Known] = {start: dict(initial)}
    waiting = [start]
    while waiting:
        line = waiting.pop()
        for follower, known in step(line, dict(before[line])):
            if follower == END:
                continue
            old = before.get(follower)
            if old is None:
                before[follower] = known
                waiting.append(follower)
                continue
            joined = {v: value if known[v] == value else None for v, value in old.items()}
            if joined != old:
                before[follower] = joined
                waiting.append(follower)
    return before


@dataclass(frozen=True)
class Observed:
    """Where the runs on some cases went: per line, the lines that came next."""

    jumps: tuple[frozenset[int], ...]  # targets of the jumps that were made
    passes: tuple[bool, ...]  # whether the line after it was ever next


def graph_of(program: Program, M: int, observed: Observed | None = None) -> Graph | None:
    """The graph of a program on M cells, with known operands as numbers; None if it computes jumps.

    With observations, only the ways that were seen are in the graph: it means the same as the program
    on those cases, not on others.
    """
    L = program.L
    computed = False

    def ways(here: int, condition: int | None, target: int | None) -> tuple[int | None, int | None]:
        """Where a line leads if it does not jump, and if it does (None: it never does)."""
        nonlocal computed
        line = program.lines[here]
        after = here + 1 if here + 1 < L else 0 if L == M else END
        if line.op != JUMP:
            return after, None
        to: int | None = None
        if condition is None or condition == 0:
            seen = None if observed is None else observed.jumps[here]
            if target is not None:
                to = target if seen is None or target in seen else None
            elif seen is not None and len(seen) <= 1:
                to = next(iter(seen), None)
            else:
                computed = True
        to = END if to is not None and to >= L else to
        passes = condition != 0 and (observed is None or observed.passes[here])
        return (after if passes else None), to

    def step(here: int, known: Known) -> list[tuple[int, Known]]:
        line = program.lines[here]
        first, second = (None if r is None else known[r] for r in (line.first, line.second))
        known[line.out] = output(line.op, first, second, M)
        if line.op == STOP:
            return []
        return [(way, dict(known)) for way in ways(here, first, second) if way is not None]

    registers = {r: value or 0 for r, value in enumerate(program.registers)}
    before = flow_of_constants(program.start, dict(registers), step)
    if computed:
        return None
    nodes = {}
    for here, known in before.items():
        line = program.lines[here]
        values = [known[r] for r in line.operands]
        operands = tuple(
            Variable(r) if value is None else Number(value)
            for r, value in zip(line.operands, values, strict=True)
        )
        after, zero = ways(here, *(values if line.op == JUMP else (None, None)))
        if line.op != JUMP:
            nodes[here] = Node(line.op, operands, line.out, END if after is None else after)
        elif after is not None and zero is not None:
            nodes[here] = Node(line.op, operands[:1], line.out, after, zero)
        elif zero is not None:
            nodes[here] = Node("ZERO", (), line.out, zero, free=False)
        else:
            nodes[here] = Node("ZERO", (), line.out, END if after is None else after)
    return Graph(nodes, program.start, registers, M, dict(enumerate(program.names)))
