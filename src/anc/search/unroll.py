"""Loop optimisation: elimination of induction variables, and unrolling.

Programs keep their meaning on any tape; whether they take fewer steps depends on the cases. A program that counts the
characters of a field in addition to the pointer needs only the pointer: ``length`` is ``p - begin``. The second
counter is replaced by a difference (`differences`), which saves a command in each iteration and adds one wherever
the length is read.
"""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping
from dataclasses import replace
from itertools import permutations

import numpy as np

from anc import isa
from anc.compiler.assemble import assembled, graph_of
from anc.compiler.chain_layout import straighten
from anc.compiler.graph import (
    ADD,
    END,
    JUMP,
    STOP,
    SUB,
    Constant,
    Graph,
    Node,
    Operand,
    Target,
    Variable,
)
from anc.compiler.passes import tidy
from anc.isa import InstructionSet
from anc.machine.encoded import Cases
from anc.program import Program
from anc.search.cost import STEPS, Cost, score
from anc.search.traces import record
from anc.support.clock import look

_MOST_MOVES = 200
_ROUNDS = 3  # times the lines: nearly as fast as more, and still quick to prove
_MOST_LINES = 64  # of a program that is unrolled
_TRACED = 40  # cases that say which edges are busy


def differences(graph: Graph) -> Iterator[Graph]:
    """For each pair of counters, the graph in which the second one is a difference."""
    counters = [variable for variable in graph.variables() if _is_counter(graph, variable)]
    for leading, other in permutations(counters, 2):
        made = _Difference(graph, leading, other)
        if made.pays:
            yield made.graph


def _is_counter(graph: Graph, variable: Variable) -> bool:
    """Whether a variable is only incremented, decremented or reset to 0."""
    opposite = _opposite(graph.instructions)
    writers = [node for node in graph.nodes.values() if node.out is variable]
    others = [node for node in writers if not _counts(node, variable, opposite)]
    return len(others) < len(writers) and all(
        node.op is None or (not node.operands and graph.row(node).output is isa.zero)
        for node in others
    )


def _opposite(instructions: InstructionSet) -> dict[str | None, str]:
    """INC and DEC, each with its inverse."""
    up, down = map(instructions.with_meaning, (isa.increment, isa.decrement))
    if up is None or down is None:
        return {}
    names = instructions.names
    return {names[up]: names[down], names[down]: names[up]}


def _counts(node: Node, variable: Variable, opposite: Mapping[str | None, str]) -> bool:
    return node.op in opposite and node.out is variable and node.operands[0] is variable


class _Difference:
    """A graph in which `other` is `leading` minus a new variable."""

    def __init__(self, graph: Graph, leading: Variable, other: Variable) -> None:
        assert graph.M is not None
        self.leading, self.other = leading, other
        self.opposite = _opposite(graph.instructions)
        first = ((leading.value or 0) - (other.value or 0)) % graph.M
        self.apart = Variable(f"before_{other.name}", first)
        self.held = Variable(other.name)  # the difference, where it is read
        self.graph = replace(graph, nodes=dict(graph.nodes), anchored=0)
        self.nodes = self.graph.nodes
        self.cancelled = 0
        for number in list(self.nodes):
            self._rewrite(number)
        self._sink()

    @property
    def pays(self) -> bool:
        """Whether two updates cancelled somewhere."""
        return self.cancelled > 0

    def _rewrite(self, number: int) -> None:
        node = self.nodes[number]
        if _counts(node, self.leading, self.opposite):
            assert node.op is not None
            self._behind(number, Node(node.op, (self.apart,), self.apart))
        elif _counts(node, self.other, self.opposite):
            assert node.op is not None
            self.nodes[number] = replace(
                node, op=self.opposite[node.op], operands=(self.apart,), out=self.apart
            )
        elif node.out is self.other:
            operands: tuple[Operand, ...] = (self.leading, Constant(0))
            self.nodes[number] = replace(node, op=ADD, operands=operands, out=self.apart)
        elif node.out is self.leading:
            self._behind(number, Node(SUB, (self.leading, self.held), self.apart))
            self._before(number, Node(SUB, (self.leading, self.apart), self.held))
        elif self.other in node.operands:
            instead = tuple(self.held if each is self.other else each for each in node.operands)
            self.nodes[number] = replace(node, operands=instead)
            self._before(number, Node(SUB, (self.leading, self.apart), self.held))

    def _behind(self, number: int, node: Node) -> None:
        """Insert a command after another that does not jump."""
        node.after = self.nodes[number].after
        self.nodes[number] = replace(self.nodes[number], after=self.graph.add(node))

    def _before(self, number: int, node: Node) -> None:
        """Insert a command before another, which gets a new number."""
        node.after = self.graph.add(self.nodes[number])
        self.nodes[number] = node

    def _sink(self) -> None:
        """Move the updates of the difference forwards until they cancel or are blocked."""
        for _ in range(_MOST_MOVES):
            previous = self.graph.predecessors()
            if not any(self._move(number, previous) for number in list(self.nodes)):
                return

    def _move(self, number: int, previous: Mapping[int, list[int]]) -> bool:
        """Move a command past its successor, which must have no other predecessor."""
        node = self.nodes[number]
        if (
            not _counts(node, self.apart, self.opposite)
            or node.after == END
            or len(previous[node.after]) != 1
        ):
            return False
        behind = self.nodes[node.after]
        if _counts(behind, self.apart, self.opposite):
            if behind.op == node.op:
                return False
            self.cancelled += 1
            self.nodes[number] = replace(node, op=None, operands=(), out=None, after=behind.after)
            return True
        if behind.op == STOP or self.apart in (behind.out, *behind.operands):
            return False
        self.nodes[number] = behind
        moved = node.after
        if behind.op != JUMP:
            self.nodes[moved] = replace(node, after=behind.after)
            self.nodes[number] = replace(behind, after=moved)
            return True
        assert behind.jump is not None
        self.nodes[moved] = replace(node, after=behind.after)
        elsewhere = self.graph.add(replace(node, after=behind.jump))
        operands = (behind.operands[0], Target(elsewhere))
        self.nodes[number] = replace(behind, operands=operands, after=moved)
        return True


def unrolled(program: Program, cases: Cases, max_steps: int, cost: Cost = STEPS) -> Program | None:
    """An equivalent program with fewer steps on these cases, if there is one."""
    if program.L > _MOST_LINES:
        return None
    M, counts = cases.M, np.flatnonzero(cases.masks.any(axis=0)).tolist()
    few = cases.choose(range(min(_TRACED, cases.C)))
    best = program
    while (better := _better(best, few, counts, max_steps, cost)) is not None:
        best = better
    traces, graph = record(best, few, max_steps), graph_of(best, M)
    if traces is None or isinstance(graph, str):
        return None
    tidy(graph, counts)
    straighten(graph, dict(enumerate(traces.passes().tolist())), min(M, _ROUNDS * best.L))
    return assembled(graph)


def _better(
    program: Program, cases: Cases, counts: Collection[int], max_steps: int, cost: Cost
) -> Program | None:
    """The best program with one counter less; None if none is better."""
    graph = graph_of(program, cases.M)
    if isinstance(graph, str):
        return None
    found = []
    for made in differences(graph):
        look()
        tidy(made, counts)
        found.append(assembled(made))
    programs = [each for each in found if each is not None]
    scores = [score(each, cases, max_steps, cost).cost for each in (program, *programs)]
    best = int(np.argmin(scores))
    return programs[best - 1] if best else None
