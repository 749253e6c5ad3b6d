"""How often a program passes each of its edges, as a guess, and an order of its lines to suit it."""

from __future__ import annotations

from collections import defaultdict

from anc.compiler.dataflow import Walk, walk
from anc.compiler.graph import Graph
from anc.compiler.layout import straighten

ROUNDS = 8.0  # how often a loop runs, where nothing is known about it
BACK = 0.99  # what the way back to a loop's beginning counts: the way in is as good otherwise


def neighbours(graph: Graph) -> None:
    """Choose what follows what without a jump, the busiest edges first, in as few lines as it takes."""
    passes = _passes(graph)
    lines = straighten(graph, passes, 0)
    straighten(graph, passes, lines)


def _passes(graph: Graph) -> dict[int, float]:
    """How often each node is left without a jump, for each time that the program runs."""
    way = walk({n: node.followers for n, node in graph.nodes.items()}, graph.start)
    often: dict[int, float] = defaultdict(float, {graph.start: 1.0})
    passes: dict[int, float] = {}
    for number in way.order:
        node = graph.nodes[number]
        if number in way.bodies:
            often[number] *= ROUNDS
        ways = dict.fromkeys(node.followers)
        exits = [_leaves_a_loop(way, number, follower) for follower in ways]
        for follower, leaves in zip(ways, exits, strict=True):
            share = often[number] * _share(leaves, exits)
            is_back = number not in way.previous[follower]
            if not is_back:
                often[follower] += share
            if follower == node.after:
                passes[number] = share * BACK if is_back else share
    return passes


def _leaves_a_loop(way: Walk, number: int, follower: int) -> bool:
    bodies = [body for body in way.bodies.values() if body is not None]
    return any(number in body and follower not in body for body in bodies)


def _share(leaves: bool, exits: list[bool]) -> float:
    """How many of the runs that come to a node go this way: few of them leave a loop."""
    if all(exits) or not any(exits):
        return 1 / len(exits)
    return 1 / ROUNDS if leaves else 1 - 1 / ROUNDS
