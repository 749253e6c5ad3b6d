"""Clean-ups of a graph. None of them changes what a program does to any tape, or adds a step."""

from __future__ import annotations

from dataclasses import replace

from anc.compiler.dataflow import liveness
from anc.compiler.evaluate import evaluate
from anc.compiler.graph import END, Graph


def tidy(graph: Graph) -> None:
    """All clean-ups, again and again until nothing changes."""
    nodes = None
    while nodes != graph.nodes:
        nodes = dict(graph.nodes)
        graph.nodes = evaluate(graph).nodes
        drop_dead_results(graph)
        thread_jumps(graph)


def drop_dead_results(graph: Graph) -> None:
    """Commands that only compute something nobody reads go; others lose their output."""
    alive = liveness(graph)
    for number, node in graph.nodes.items():
        if node.out is not None and not alive.after[number] & alive.bit[node.out]:
            node = replace(node, out=None)
        if (node.only_computes and node.out is None) or node.jump == node.after:
            node = replace(node, op=None, operands=())
        graph.nodes[number] = node


def thread_jumps(graph: Graph) -> None:
    """Edges go past nodes that only pass on; what nobody reaches is dropped."""

    def last(number: int) -> int:
        """Where an edge leads in the end; an endless loop that does nothing is one node."""
        seen: dict[int, None] = {}
        while number != END and graph.nodes[number].op is graph.nodes[number].out is None:
            if number in seen:
                return min(list(seen)[list(seen).index(number) :])
            seen[number] = None
            number = graph.nodes[number].after
        return number

    for number, node in reversed(list(graph.nodes.items())):  # so that chains are short soon
        # Going past a node that took a step leaves that step to be spent.
        graph.nodes[number] = node.redirected(last)
        graph.nodes[number].free = node.free and last(node.after) == node.after
    if last(graph.start) != END:
        graph.start = last(graph.start)
    graph.nodes = {number: graph.nodes[number] for number in graph.reachable()}
