"""Commands that give the same in every round of a loop are moved in front of it.

Only those that the rounds of the loop cannot avoid are moved, so that it costs a step at most where
the loop is left before its first round is over.
"""

from __future__ import annotations

from dataclasses import replace

from anc.compiler.dataflow import Liveness, liveness
from anc.compiler.graph import JUMP, READ, WRITE, Graph, Node, Operand, Variable
from anc.compiler.loops import walk


def hoist(graph: Graph) -> bool:
    """Move all that can be moved; whether there was anything."""
    found = False
    while _hoist_one(graph):
        found = True
    return found


def _hoist_one(graph: Graph) -> bool:
    way = walk({n: node.followers for n, node in graph.nodes.items()}, graph.start)
    alive = liveness(graph)
    inner_first = sorted(way.bodies, key=lambda first: len(way.bodies[first] or ()))
    for first in inner_first:
        body = way.bodies[first]
        number = None if body is None else _movable(graph, first, body, alive)
        if number is not None and body is not None:
            _move(graph, number, first, body)
            return True
    return False


def _movable(graph: Graph, first: int, body: set[int], alive: Liveness) -> int | None:
    """The first command of a loop that can be moved in front of it."""
    inside = [graph.nodes[number] for number in body]
    written: list[Operand | None] = [node.out for node in inside]
    has_writes = any(node.op == WRITE for node in inside)
    wanted = alive.before[first]
    number, seen = first, set()
    while number in body and number not in seen:
        seen.add(number)
        node = graph.nodes[number]
        if (
            node.op is not None
            and node.only_computes
            and node.out is not None
            and not (node.op == READ and has_writes)
            and written.count(node.out) == 1
            and not wanted & alive.bit[node.out]
            and not any(each in written for each in node.operands if isinstance(each, Variable))
        ):
            return number
        ways = [follower for follower in node.followers if follower in body]
        if node.op == JUMP and len(set(ways)) > 1:
            return None
        number = ways[0] if ways else -1
    return None


def _move(graph: Graph, number: int, first: int, body: set[int]) -> None:
    """Put a command in front of a loop, and of those before it that it does not meddle with."""
    node = graph.nodes[number]
    graph.nodes[number] = replace(node, op=None, operands=(), out=None)
    before = [n for n, other in graph.nodes.items() if first in other.followers and n not in body]
    place = first
    while len(before) == 1 and place != graph.start and _commute(node, graph.nodes[before[0]]):
        place = before[0]
        before = [n for n, other in graph.nodes.items() if place in other.followers]
    new = max(graph.nodes) + 1
    for other in before:
        moved = graph.nodes[other].redirected(lambda way: new if way == place else way)
        graph.nodes[other] = replace(moved, free=graph.nodes[other].free)
    graph.nodes[new] = Node(node.op, node.operands, node.out, place, False, node.span)
    if graph.start == place:
        graph.start = new


def _commute(one: Node, other: Node) -> bool:
    """Whether two commands may change places."""
    if other.op in (JUMP, WRITE, None):
        return False
    return (
        other.out is not one.out and other.out not in one.operands and one.out not in other.operands
    )
