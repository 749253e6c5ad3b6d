"""Loop-invariant code motion, and tail merging.

Only invariant commands that every iteration executes are hoisted, so that a step is lost at most if a loop is left
in its first iteration.

Equal commands with the same successor are merged: fewer lines, no more steps, for all but one of the predecessors
of a node need a jump anyway. ``x = READ(0)`` before a loop and ``x = READ(x)`` in it are equal if x is 0 at first.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator
from dataclasses import replace

from anc.compiler.copy_coalescing import join_variables
from anc.compiler.dataflow import Liveness, fixpoint, liveness, walk
from anc.compiler.graph import (
    END,
    JUMP,
    READ,
    STOP,
    WRITE,
    Constant,
    Graph,
    Node,
    Operand,
    Variable,
)


def hoist(graph: Graph) -> bool:
    """Hoist all invariant commands; returns whether there were any."""
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
    """The first command of a loop that can be hoisted."""
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
    """Move a command before a loop, and before the commands there that it commutes with."""
    node = graph.nodes[number]
    graph.empty(number)
    previous = graph.predecessors()
    place, before = first, [n for n in previous[first] if n not in body]
    while len(before) == 1 and before[0] != END and _commute(node, graph.nodes[before[0]]):
        place = before[0]
        before = previous[place]
    new = graph.add(replace(node, after=place, free=False))
    graph.redirect(place, new, before)


def _commute(one: Node, other: Node) -> bool:
    """Whether two commands commute."""
    if other.op in (JUMP, WRITE, None):
        return False
    return (
        other.out is not one.out and other.out not in one.operands and one.out not in other.operands
    )


def share_tails(graph: Graph) -> bool:
    """Merge all equal tails; returns whether there were any."""
    found = False
    while _share_once(graph):
        found = True
    return found


def _share_once(graph: Graph) -> bool:
    before: dict[int, list[int]] = defaultdict(list)
    for number, node in graph.nodes.items():
        if node.op != STOP and node.after in graph.nodes:
            before[node.after].append(number)
    for numbers in before.values():
        for one in numbers:
            for other in numbers:
                if one != other and _is_same(graph, one, other):
                    graph.redirect(other, one, free=False)
                    del graph.nodes[other]
                    return True
    return False


def _is_same(graph: Graph, one: int, other: int) -> bool:
    """Whether the second command is redundant, perhaps after an initial value is set."""
    a, b = graph.nodes[one], graph.nodes[other]
    if (a.op, a.out, a.jump) != (b.op, b.out, b.jump) or a.op is None:
        return False
    if a.operands == b.operands:
        return True
    differing = [pair for pair in zip(a.operands, b.operands, strict=True) if pair[0] != pair[1]]
    variables = {x for x, _ in differing}
    values = {y for _, y in differing}
    if len(variables) > 1 or len(values) > 1 or a.out not in variables:
        return False
    (variable,), (value,) = variables, values
    if not isinstance(variable, Variable):
        return False
    if isinstance(value, Variable):
        return join_variables(graph, variable, value)
    if not isinstance(value, Constant) or not _is_untouched(graph, variable, other):
        return False
    variable.value = value.value
    return True


def _is_untouched(graph: Graph, variable: Variable, number: int) -> bool:
    """Whether the initial value of a variable is dead, and no path to a node writes it."""
    alive = liveness(graph)
    if alive.before[graph.start] & alive.bit.get(variable, 0):
        return False

    def forwards(here: int, written: bool) -> Iterator[tuple[int, bool]]:
        node = graph.nodes[here]
        return ((way, written or node.out is variable) for way in node.followers)

    return not fixpoint({graph.start: False}, forwards, bool.__or__).get(number, True)
