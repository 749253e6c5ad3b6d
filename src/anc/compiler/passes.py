"""The passes on a graph. None changes what a program does to any tape, or adds a step."""

from __future__ import annotations

from collections.abc import Collection, Hashable, Sequence
from dataclasses import replace

from anc.compiler.constant_propagation import evaluate
from anc.compiler.copy_coalescing import drop_copies, split_variables, use_first_values
from anc.compiler.dataflow import Liveness, liveness
from anc.compiler.dead_stores import WantedCells, drop_dead_stores, sink
from anc.compiler.graph import END, JUMP, STOP, Graph
from anc.compiler.gvn import number_values


def tidy(graph: Graph, counts: Collection[int] | None = None) -> None:
    """Run all passes until nothing changes.

    With `counts`, only these cells of the final tape matter, and only if the run stops.
    """
    graph.nodes = evaluate(graph).nodes
    is_new = True
    while is_new:
        thread_jumps(graph)
        alive = drop_dead_results(graph)
        thread_jumps(graph)
        if graph.computed_jump is not None:
            return
        is_new, has_loops = polish(graph, alive, counts)
        if is_new and has_loops:  # only evaluation finds what is constant in a loop
            graph.nodes = evaluate(graph).nodes


def polish(graph: Graph, alive: Liveness, counts: Collection[int] | None) -> tuple[bool, bool]:
    """The passes for graphs without computed jumps: whether they changed anything, whether there are loops."""
    split_variables(graph, alive)
    nodes = dict(graph.nodes)
    found = number_values(graph)
    wanted = WantedCells(graph, found.way, found.addresses, counts)
    drop_dead_stores(wanted)
    drop_needless_jumps(graph, found.way.order)
    alive = drop_dead_results(graph)
    if drop_copies(graph, alive, found.copies):
        alive = liveness(graph)
    if use_first_values(graph, alive):
        alive = liveness(graph)
    sink(graph, alive, wanted)
    return graph.nodes != nodes, bool(found.way.bodies)


def drop_dead_results(graph: Graph) -> Liveness:
    """Remove commands whose output is dead; those with an effect only lose their output."""
    alive = liveness(graph, only_useful=True)
    for number, node in graph.nodes.items():
        new = node
        if node.out is not None and not alive.after[number] & alive.bit[node.out]:
            new = replace(node, out=None)
        if (node.op is not None and new.out is None and node.only_computes) or (
            node.op == JUMP and node.jump == node.after
        ):
            new = replace(new, op=None, operands=())
        if new is not node:
            graph.nodes[number] = new
    return alive


def drop_needless_jumps(graph: Graph, order: Sequence[int]) -> None:
    """Remove jumps with equivalent branches."""
    same: dict[int, int] = {}  # for each node, the first equivalent one
    kinds: dict[Hashable, int] = {}
    for number in reversed(order):
        node = graph.nodes[number]
        after = 0 if node.op == STOP else same.get(node.after, node.after)
        to = node.jump if node.jump is None else same.get(node.jump, node.jump)
        if to is not None and to == after:
            graph.nodes[number] = replace(node, op=None, operands=())
            node, to = graph.nodes[number], None
        operands = node.operands[:1] if node.op == JUMP else node.operands
        kind = node.op, operands, node.out, node.free or node.op == STOP, after, to
        same[number] = kinds.setdefault(kind, number)


def thread_jumps(graph: Graph) -> None:
    """Redirect edges past empty nodes, and remove unreachable nodes."""

    def last(number: int) -> int:
        """The first non-empty node after an edge; an empty endless loop is one node."""
        seen: dict[int, None] = {}
        while number != END and graph.nodes[number].op is graph.nodes[number].out is None:
            if number in seen:
                return min(list(seen)[list(seen).index(number) :])
            seen[number] = None
            number = graph.nodes[number].after
        return number

    for number, node in reversed(list(graph.nodes.items())):  # shortens chains early
        # The step of a skipped node remains to be spent.
        graph.nodes[number] = node.redirected(last)
        graph.nodes[number].free = node.free and last(node.after) == node.after
    if last(graph.start) != END:
        graph.start = last(graph.start)
    graph.nodes = {number: graph.nodes[number] for number in graph.reachable()}
