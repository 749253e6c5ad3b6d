"""The order of a graph's nodes as program lines, with jumps where neighbours do not follow.

Free edges join neighbours, so that the program takes no more steps than the graph says.
"""

from __future__ import annotations

from dataclasses import replace

from anc import isa
from anc.compiler.graph import END, JUMP, STOP, Constant, Graph, Node, Target


class NoRoom(Exception):
    """Why a graph is no program of at most M lines that takes no more steps."""


def layout(graph: Graph) -> dict[int, Node]:
    """The nodes in the order of their lines; the jumps between them have new numbers."""
    order = _order(graph)
    is_full = len(order) == graph.M
    zero = graph.instructions.with_meaning(isa.zero)
    lines: dict[int, Node] = {}
    added = max(order) + 1
    for number, following in zip(order, [*order[1:], order[0] if is_full else END], strict=True):
        node = graph.nodes[number]
        is_next = number < graph.anchored or node.op == STOP or node.after == following
        goto = (Constant(0), Target(node.after))
        if node.op is None and (not is_next or zero is None):
            node = replace(node, op=JUMP, operands=goto)
        elif node.op is None:
            assert zero is not None
            node = replace(node, op=graph.instructions[zero].name)
        elif not is_next:
            lines[number], number, node = node, added, Node(JUMP, goto)
            added += 1
        lines[number] = node
    if len(lines) == graph.M and not is_full and _falls_out(graph.nodes[order[-1]]):
        raise NoRoom("a run that leaves the last line would begin again")
    return lines


def unshare(graph: Graph) -> None:
    """Copy what several free edges lead to, so that each of them can join neighbours."""
    reachable = graph.reachable()
    owner: dict[int, int] = {}  # the node whose neighbour this will be
    entered = {graph.nodes[n].after for n in reachable if _needs_neighbour(graph.nodes[n])}
    for number in sorted(reachable, key=lambda n: n in entered):
        while _needs_neighbour(node := graph.nodes[number]) and owner.get(node.after) != number:
            if node.after in owner:
                if graph.M is not None and len(graph.nodes) >= graph.M:
                    raise NoRoom(f"the exact program needs more than M = {graph.M} lines")
                copy = max(graph.nodes) + 1
                graph.nodes[copy] = replace(graph.nodes[node.after])
                node.after = copy
            owner[node.after] = number
            number = node.after


def _needs_neighbour(node: Node) -> bool:
    return node.op != STOP and node.free and node.after != END


def _falls_out(node: Node) -> bool:
    return node.op != STOP and node.after == END


def _order(graph: Graph) -> list[int]:
    anchored = range(graph.anchored)
    if len(anchored) == len(graph.nodes):
        return list(anchored)
    nodes = [number for number in graph.reachable() if number not in anchored]
    chain_of = {number: [number] for number in nodes}
    for free in (True, False):
        for number in nodes:
            node, chain = graph.nodes[number], chain_of[number]
            if node.op == STOP or node.free is not free or node.after < graph.anchored:
                continue  # nothing can be put in front of an anchored line, or of END
            behind = chain_of.setdefault(node.after, [node.after])
            if behind is chain and free and chain[0] == node.after:
                return _whole_circle(graph, nodes)
            if behind is not chain and behind[0] == node.after:
                chain += behind
                chain_of.update(dict.fromkeys(behind, chain))
    chains = [chain_of[number] for number in nodes if chain_of[number][0] == number]
    # A run that leaves the last line ends: the chain that does so comes last.
    chains.sort(key=lambda chain: _falls_out(graph.nodes[chain[-1]]))
    return [*anchored, *(number for chain in chains for number in chain)]


def _whole_circle(graph: Graph, nodes: list[int]) -> list[int]:
    """The nodes, if they follow each other in a circle and fill the memory: then it may wrap."""
    links = zip(nodes, nodes[1:] + nodes[:1], strict=True)
    if len(nodes) == graph.M and all(
        graph.nodes[a].op == STOP or graph.nodes[a].after == b for a, b in links
    ):
        return nodes
    raise NoRoom("lines that take no extra step follow each other in a circle")
