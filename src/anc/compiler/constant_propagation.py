"""Conditional constant propagation, partial evaluation of loops, and jump threading.

A jump that is decided on one incoming edge is threaded: the edge goes past it. ``while a != 0 and b != 0`` has two
exits; a test of `a` after the loop is decided on each.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Iterator
from dataclasses import replace

from anc.compiler.abstract_state import UNKNOWN, AbstractState, Interpreter, Way
from anc.compiler.dataflow import fixpoint, liveness
from anc.compiler.graph import END, Graph, Node

Point = tuple[int, tuple | None]  # a node and, where loops are unrolled, what is known there


class TooMany(Exception):
    """Unrolling makes too many states."""


def evaluate(graph: Graph, cells: dict[int, int] | None = None, unroll: int = 0) -> Graph:
    """The same program on tapes that hold these cells, with known values substituted.

    Decided jumps are removed; the others get a Target, unless it is computed from unknown values (these are
    not followed). With `unroll`, each node is copied for every state, up to that many copies, so that loops
    with a known number of iterations disappear.
    """
    alive = liveness(graph)
    wanted = alive.variables(alive.before[graph.start])
    interpreter = Interpreter(graph, cells or {})
    known = AbstractState({variable: variable.value or 0 for variable in wanted})
    start = graph.start, known.key if unroll else None
    numbers: dict[Point, int] = {start: 0 if unroll else graph.start}
    nodes: dict[int, Node] = {}

    def transfer(here: Point, known: AbstractState) -> Iterator[tuple[Point, AbstractState]]:
        """Called again whenever less is known; the last call leaves the final node."""
        number = numbers[here]
        node, ways = interpreter.step(here[0], known)
        new: dict[int, int] = defaultdict(lambda: END)
        for way, after in ways:
            if way == END:
                continue
            if unroll:
                bits = alive.before[way]
                kept = {v: n for v, n in after.variables.items() if bits & alive.bit.get(v, 0)}
                after = AbstractState(kept, after.cells, after.assumed)
            point = way, after.key if unroll else None
            new[way] = numbers.setdefault(point, len(numbers) if unroll else way)
            yield point, after
        nodes[number] = node.redirected(new.__getitem__)
        if len(numbers) > unroll > 0:
            raise TooMany

    fixpoint({start: known}, transfer, interpreter.meet)
    return replace(graph, nodes=nodes, start=numbers[start], anchored=0)


def thread_known_jumps(graph: Graph) -> bool:
    """Redirect edges past jumps that they decide; returns whether there were any."""
    interpreter = Interpreter(graph)

    def transfer(number: int, known: AbstractState) -> Iterable[Way]:
        _, ways = interpreter.step(number, known)
        return [way for way in ways if way[0] != END]

    states = fixpoint({graph.start: AbstractState()}, transfer, interpreter.meet)
    changed = False
    for number, known in states.items():
        node = graph.nodes[number]
        new = {way: _past(graph, way, after) for way, after in transfer(number, known)}
        if any(way != last for way, last in new.items()):
            free = node.free and new.get(node.after, node.after) == node.after
            redirected = node.redirected(lambda way, new=new: new.get(way, way))  # type: ignore[misc]
            graph.nodes[number] = replace(redirected, free=free)
            changed = True
    return changed


def _past(graph: Graph, number: int, known: AbstractState) -> int:
    """The first node after an edge that is neither empty nor a decided jump."""
    seen: set[int] = set()
    while number != END and number not in seen:
        seen.add(number)
        node = graph.nodes[number]
        value = UNKNOWN if node.jump is None else known.value(node.operands[0])
        if node.out is not None or (node.op is not None and value == UNKNOWN):
            break
        number = node.jump if node.jump is not None and value == 0 else node.after
    return number
