"""Plans: straight lines and decisions between them, before they are programs."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from anc.compiler.assemble import NoRoom, assemble
from anc.compiler.graph import (
    END,
    JUMP,
    STOP,
    WRITE,
    Graph,
    Node,
    Operand,
    Target,
    Variable,
)
from anc.program import Program


@dataclass
class Value:
    """Something that has been computed: its variable, and its column over all cases."""

    variable: Variable
    column: np.ndarray


@dataclass(frozen=True, eq=False)
class Test:
    """Which of the chosen cases jump, and a column that is 0 for them, if it is not one of the hints."""

    __test__ = False

    jumps: np.ndarray
    column: np.ndarray | None = None


@dataclass
class Step:
    """An instruction and the value that it computes."""

    op: str
    operands: tuple[Operand, ...]
    value: Value


@dataclass
class Plan:
    """Instructions, then WRITEs and STOP, or a decision between two plans."""

    steps: list[Step]
    writes: list[tuple[Operand, Operand]]
    test: Variable | None = None
    if_zero: Plan | None = None
    otherwise: Plan | None = None
    cost: float = np.inf  # mean steps

    @property
    def lines(self) -> int:
        parts = [part.lines for part in (self.if_zero, self.otherwise) if part is not None]
        return len(self.steps) + (1 + sum(parts) if parts else len(self.writes) + 1)


def program_of(plan: Plan, M: int) -> Program | None:
    """The program of a plan; None if it needs more than M lines."""
    graph = Graph(M=M)
    if plan.lines > M:
        return None
    graph.start = _laid_out(graph, plan)
    try:
        return assemble(graph)
    except NoRoom:
        return None


def _laid_out(graph: Graph, plan: Plan) -> int:
    """Put a plan into a graph; the number of its first node."""
    nodes = [Node(step.op, step.operands, step.value.variable) for step in plan.steps]
    if plan.test is None:
        nodes += [Node(WRITE, pair) for pair in plan.writes]
        nodes.append(Node(STOP))
    begin = max(graph.nodes, default=-1) + 1
    for i, node in enumerate(nodes):
        node.after = begin + i + 1
        graph.nodes[begin + i] = node
    if plan.test is None:
        graph.nodes[begin + len(nodes) - 1].after = END
        return begin
    jump = begin + len(nodes)
    graph.nodes[jump] = Node(JUMP)
    assert plan.if_zero is not None and plan.otherwise is not None
    otherwise = _laid_out(graph, plan.otherwise)
    zero = _laid_out(graph, plan.if_zero)
    graph.nodes[jump] = Node(JUMP, (plan.test, Target(zero)), None, otherwise)
    return begin if nodes else jump
