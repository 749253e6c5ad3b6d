"""Commands that stand in front of the same node twice are shared: fewer lines, no more steps.

Of several commands that lead to one node all but one need a jump, so that jumping to the shared command
costs nothing. ``x = READ(0)`` before a loop and ``x = READ(x)`` in it are the same command if x is 0 first.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator
from dataclasses import replace

from anc.compiler.copies import join_variables
from anc.compiler.dataflow import fixpoint, liveness
from anc.compiler.graph import STOP, Constant, Graph, Variable


def share_tails(graph: Graph) -> bool:
    """Share all that can be shared; whether there was anything."""
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
                    _replace(graph, other, one)
                    return True
    return False


def _is_same(graph: Graph, one: int, other: int) -> bool:
    """Whether the second may be left out for the first; a first value may make it so."""
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
    """Whether a variable has no use for its first value, and no other before a node is reached."""
    alive = liveness(graph)
    if alive.before[graph.start] & alive.bit.get(variable, 0):
        return False

    def forwards(here: int, written: bool) -> Iterator[tuple[int, bool]]:
        node = graph.nodes[here]
        return ((way, written or node.out is variable) for way in node.followers)

    return not fixpoint({graph.start: False}, forwards, bool.__or__).get(number, True)


def _replace(graph: Graph, old: int, new: int) -> None:
    """Lead all edges of a node to another one."""
    for number, node in list(graph.nodes.items()):
        if old in node.followers:
            free = node.free and node.after != old
            redirected = node.redirected(lambda way: new if way == old else way)
            graph.nodes[number] = replace(redirected, free=free)
    if graph.start == old:
        graph.start = new
    del graph.nodes[old]
