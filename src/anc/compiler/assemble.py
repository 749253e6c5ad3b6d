"""A graph to a Program: lines in an order, their numbers, registers."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import replace

from anc.compiler.graph import END, Constant, Graph, Operand, Target
from anc.compiler.layout import NoRoom, layout
from anc.compiler.registers import with_registers
from anc.program import Program


def assemble(graph: Graph, order: Iterable[int] | None = None) -> Program:
    """The program of a graph, its lines in the given order or in the one that `layout` finds.

    Raises NoRoom where there are not lines enough, or no order without extra steps. In a given order
    every node must be followed by the one that it falls into.
    """
    lines = layout(graph) if order is None else {n: graph.nodes[n] for n in order}
    L, M = len(lines), graph.M
    if M is not None and L > M:
        raise NoRoom(f"it has {L} lines, the memory has {M} cells")
    line_of = {number: line for line, number in enumerate(lines)}

    def numbered(operand: Operand) -> Operand:
        if not isinstance(operand, Target):
            return operand
        if operand.node == END:
            if M is None or L == M:
                raise NoRoom("no line number is left that lies behind the last line")
            return Constant(M - 1)
        line = line_of[operand.node]
        return Constant(line, operand.name or f"l_{line}")

    # Leaving the last line wraps to line 0 when the program fills its memory; assume that it may.
    nodes = {
        line: replace(node, operands=tuple(map(numbered, node.operands)), after=(line + 1) % L)
        for line, node in enumerate(lines.values())
    }
    return with_registers(replace(graph, nodes=nodes, start=line_of[graph.start], anchored=L))
