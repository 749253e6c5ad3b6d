"""A program back to a graph: the reverse of `assemble`."""

from __future__ import annotations

from dataclasses import dataclass, replace

from anc.compiler.constant_propagation import evaluate
from anc.compiler.graph import END, JUMP, Constant, Graph, Node, Operand, Target, Variable
from anc.language.tree import NOWHERE
from anc.program import Line, Program
from anc.support.diagnostics import Span


@dataclass(frozen=True)
class Observed:
    """Where the runs on some cases went: per line, the lines that came next."""

    jumps: tuple[frozenset[int], ...]  # targets of the jumps that were made
    passes: tuple[bool, ...]  # whether the line after it was ever next


def lines_of(program: Program, M: int) -> Graph:
    """The graph whose nodes are the program's lines, which stay where they are."""
    written = {line.out for line in program.lines}
    variables = [Variable(_name(program, r), v or 0) for r, v in enumerate(program.registers)]

    def operand(register: int, is_target: bool) -> Operand:
        if register in written:
            return variables[register]
        name = variables[register].name if is_target and program.names else ""
        return Constant(program.registers[register] or 0, "" if name.isdigit() else name)

    def node(number: int, line: Line) -> Node:
        after = number + 1 if number + 1 < program.L else 0 if program.L == M else END
        operands = (
            operand(register, line.op == JUMP and place == 1)
            for place, register in enumerate(line.operands)
        )
        span = NOWHERE if line.source_line is None else Span(line.source_line, 1)
        return Node(line.op, tuple(operands), variables[line.out], after, span=span)

    nodes = {number: node(number, line) for number, line in enumerate(program.lines)}
    return Graph(
        nodes, program.start, M, variables, anchored=program.L, instructions=program.instructions
    )


def graph_of(program: Program, M: int, observed: Observed | None = None) -> Graph | str:
    """The graph of a program on M cells, with known operands as numbers; or why its lines must stay.

    A register may hold any line number as a plain number, so that lines can only move if all jumps
    are known. With observations, only the ways that were seen are in the graph: it means the same as
    the program on those cases, not on others.
    """
    graph = lines_of(program, M)
    if observed is not None:
        for number, node in graph.nodes.items():
            if node.op == JUMP:
                seen = observed.jumps[number], observed.passes[number]
                graph.nodes[number] = _only_seen(node, *seen, program.L)
    graph = evaluate(graph)
    jump = graph.computed_jump
    return graph if jump is None else f"it computes where the jump in its line {jump} goes"


def _only_seen(node: Node, jumps: frozenset[int], passes: bool, L: int) -> Node:
    """A jump with the ways only that it was seen to go."""
    if len(jumps) > 1:
        return node
    target = Target(next((line if line < L else END for line in jumps), END))
    if jumps and passes:
        return replace(node, operands=(node.operands[0], target))
    if jumps:
        return replace(node, op=None, operands=(), after=target.node, free=False)
    return replace(node, op=None, operands=(), after=node.after if passes else END)


def _name(program: Program, register: int) -> str:
    """The first of a register's names, unless it would choose a register again."""
    name = Variable(program.name_of(register).split("/")[0])
    return f"v{register}" if name.pinned is not None else name.name
