"""A graph back to a program: an order of its nodes, jumps where they are needed, registers.

Edges that took no step stay neighbours, so that the new program never takes more steps than the one
that the graph was made from. The compiler chooses the registers.
"""

from __future__ import annotations

import re

from anc import isa
from anc.compiler import compile_source
from anc.diagnostics import AncError
from anc.language.source import Source
from anc.program import Program
from anc.search.graph import END, STOP, Graph, Node, Number, Operand

_TAKEN = re.compile(r"R[0-9]+|l_.*|v[0-9]+")
_WORDS = {*isa.NAMES, "var", "memory", "start"}


def program_of(graph: Graph) -> Program | None:
    """The program of a graph; None if it does not fit, or cannot be had without more steps."""
    order = _order(graph)
    if order is None:
        return None
    lines = _Text(graph, order).lines()
    try:
        return compile_source(Source("\n".join(lines)), memory=graph.M).program
    except AncError:
        return None


def _order(graph: Graph) -> list[int] | None:
    """The nodes in the order of the new program's lines."""
    nodes = graph.reachable()
    following: dict[int, int] = {}
    head = {number: number for number in nodes}  # the first node of the chain that ends here
    has_previous: set[int] = set()
    for free in (True, False):
        for number in nodes:
            node = graph.nodes[number]
            after = node.after
            if node.op == STOP or node.free is not free or after == END or after in has_previous:
                continue
            if number in following or head[number] == after:
                if free and number not in following:
                    return nodes if _is_whole_circle(graph, nodes) else None
                continue
            following[number] = after
            has_previous.add(after)
            first, last = head[number], after
            while last in following:
                last = following[last]
            head[last] = first
    chains = []
    for number in nodes:
        if number in has_previous:
            continue
        chain = [number]
        while chain[-1] in following:
            chain.append(following[chain[-1]])
        chains.append(chain)
    # A run that leaves the last line ends: the chain that does so comes last.
    chains.sort(key=lambda chain: _falls_out(graph.nodes[chain[-1]]))
    return [number for chain in chains for number in chain]


def _falls_out(node: Node) -> bool:
    return node.op != STOP and node.after == END


def _is_whole_circle(graph: Graph, nodes: list[int]) -> bool:
    """Whether the nodes follow each other in a circle and fill the memory: then it may wrap."""
    links = zip(nodes, nodes[1:] + nodes[:1], strict=True)
    return len(nodes) == graph.M and all(
        graph.nodes[a].op == STOP or graph.nodes[a].after == b for a, b in links
    )


class _Text:
    """The listing of a graph's nodes in an order."""

    def __init__(self, graph: Graph, order: list[int]) -> None:
        self.graph, self.order = graph, order
        self.names: dict[int, str] = {}
        self.wraps = len(order) == graph.M

    def lines(self) -> list[str]:
        body: list[str] = []
        for place, number in enumerate(self.order):
            following = self.order[(place + 1) % len(self.order)]
            is_last = place + 1 == len(self.order)
            if is_last and not self.wraps:
                following = END
            node = self.graph.nodes[number]
            commands = self.commands(node, node.op == STOP or node.after == following)
            body += [f"l_{number}: {commands[0]}", *commands[1:]]
        declarations = [
            f"var {self.name(v)} = {self.graph.initial.get(v, 0)}" for v in self.variables()
        ]
        return [f"start l_{self.graph.start}", *declarations, *body]

    def commands(self, node: Node, is_next: bool) -> list[str]:
        goto = f"JEZ(0, {self.label(node.after)})"
        out = "" if node.out is None else f"{self.name(node.out)} = "
        if node.op is None or node.op == "ZERO":
            return [f"{out}ZERO()" if is_next else out + goto]
        operands = [self.operand(operand) for operand in node.operands]
        if node.zero is not None:
            operands.append(self.label(node.zero))
        command = f"{out}{node.op}({', '.join(operands)})"
        return [command] if is_next else [command, goto]

    def label(self, number: int) -> str:
        return str(self.graph.M - 1) if number == END else f"l_{number}"

    def operand(self, operand: Operand) -> str:
        if isinstance(operand, Number):
            return str(operand.value)
        return self.name(operand.index)

    def variables(self) -> list[int]:
        found: set[int] = set()
        for number in self.order:
            node = self.graph.nodes[number]
            found |= set(node.reads)
            if node.out is not None:
                found.add(node.out)
        return sorted(found)

    def name(self, variable: int) -> str:
        if variable not in self.names:
            given = self.graph.names.get(variable, "").split("/")[0]
            usable = re.fullmatch(r"[A-Za-z_]\w*", given, re.ASCII) and not _TAKEN.fullmatch(given)
            taken = given in _WORDS or given in self.names.values()
            self.names[variable] = given if usable and not taken else f"v{variable}"
        return self.names[variable]
