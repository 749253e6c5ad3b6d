"""Data-flow analysis: a fixpoint solver, liveness, reverse postorder and natural loops."""

from __future__ import annotations

from collections import deque
from collections.abc import Callable, Hashable, Iterable, Mapping
from dataclasses import dataclass
from functools import cached_property
from typing import TypeVar

from anc.compiler.graph import END, Graph, Operand, Variable
from anc.support.clock import look

Edges = Mapping[int, tuple[int, ...]]


@dataclass(frozen=True)
class Walk:
    """Nodes in reverse postorder: all edges go forward, except back edges to loop headers.

    The body of an irreducible loop, which has a second entry, is None: nothing is known at its header.
    """

    order: list[int]
    previous: dict[int, list[int]]  # without back edges
    bodies: dict[int, set[int] | None]  # by loop header


def walk(edges: Edges, start: int) -> Walk:
    """The reachable nodes in reverse postorder, and their loops."""
    order = finished_last_first(edges, start)
    place = {number: i for i, number in enumerate(order)}
    previous: dict[int, list[int]] = {number: [] for number in order}
    back: dict[int, list[int]] = {}
    for number in order:
        for follower in edges[number]:
            if place[follower] > place[number]:
                previous[follower].append(number)
            else:
                back.setdefault(follower, []).append(number)
    bodies: dict[int, set[int] | None] = {}
    if back:
        every = {number: list(ways) for number, ways in previous.items()}
        for first, sources in back.items():
            every[first] += sources
        bodies = {first: _body(first, back[first], every, place) for first in back}
    return Walk(order, previous, bodies)


def finished_last_first(edges: Edges, start: int) -> list[int]:
    """The reachable nodes in reverse postorder."""
    done: list[int] = []
    seen = {start}
    path = [(start, iter(edges[start]))]
    while path:
        number, ways = path[-1]
        for way in ways:
            if way not in seen and way in edges:
                seen.add(way)
                path.append((way, iter(edges[way])))
                break
        else:
            done.append(number)
            path.pop()
    return done[::-1]


def _body(
    first: int, sources: list[int], previous: dict[int, list[int]], place: dict[int, int]
) -> set[int] | None:
    """The natural loop of a header: the nodes that reach its back edges; None if it has another entry."""
    body, waiting = {first}, list(sources)
    while waiting:
        number = waiting.pop()
        if place[number] < place[first]:
            return None
        if number not in body:
            body.add(number)
            waiting += previous[number]
    return body


Point = TypeVar("Point", bound=Hashable)
State = TypeVar("State")


def fixpoint(
    states: Mapping[Point, State],
    transfer: Callable[[Point, State], Iterable[tuple[Point, State]]],
    join: Callable[[State, State], State],
) -> dict[Point, State]:
    """The states of all points reachable from the given ones, by a worklist.

    `transfer` maps a point and its state to its successors and theirs; `join` merges two states.
    """
    found = dict(states)
    waiting, queue = set(found), deque(found)
    while queue:
        look()
        point = queue.popleft()
        waiting.remove(point)
        for other, state in transfer(point, found[point]):
            if other in found:
                state = join(found[other], state)
                if state == found[other]:
                    continue
            found[other] = state
            if other not in waiting:
                waiting.add(other)
                queue.append(other)
    return found


@dataclass(frozen=True)
class Liveness:
    """The operands that are live before and after each node, as bit masks; bits in order of appearance."""

    before: dict[int, int]
    after: dict[int, int]
    bit: dict[Operand, int]

    @cached_property
    def _operands(self) -> list[Operand]:
        return list(self.bit)

    def variables(self, wanted: int) -> list[Variable]:
        """The variables of a bit mask."""
        digits = bin(wanted)[:1:-1]
        found, place = [], digits.find("1")
        while place >= 0:
            operand = self._operands[place]
            if isinstance(operand, Variable):
                found.append(operand)
            place = digits.find("1", place + 1)
        return found


def liveness(graph: Graph, only_useful: bool = False) -> Liveness:
    """Backwards: live before = read | (live after & ~written).

    With `only_useful`, the operands of a command whose output is dead are not live.
    """
    edges = graph.edges()
    bit: dict[Operand, int] = {}
    reads, kept = dict.fromkeys(edges, 0), dict.fromkeys(edges, -1)
    useless: dict[int, int] = {}  # commands that are dead unless this is live
    for number, node in graph.nodes.items():
        for operand in node.operands:
            reads[number] |= bit.setdefault(operand, 1 << len(bit))
        if node.out is not None:
            kept[number] = ~bit.setdefault(node.out, 1 << len(bit))
        if only_useful and node.only_computes:
            useless[number] = ~kept[number]
    previous: dict[int, list[int]] = {number: [] for number in (*edges, END)}
    for number, followers in edges.items():
        for follower in followers:
            previous[follower].append(number)

    def backwards(number: int, wanted: int) -> Iterable[tuple[int, int]]:
        for p in previous[number]:
            is_useful = p not in useless or wanted & useless[p]
            yield p, (wanted & kept[p]) | (reads[p] if is_useful else 0)

    # Last nodes first, so that most states are final at once.
    order = dict.fromkeys((*reversed(finished_last_first(edges, graph.start)), *edges))
    begin = {number: 0 if number in useless else reads[number] for number in order}
    before = fixpoint(begin, backwards, int.__or__)
    after = dict.fromkeys(edges, 0)
    for number, wanted in before.items():
        for p in previous[number]:
            after[p] |= wanted
    return Liveness(before, after, bit)
