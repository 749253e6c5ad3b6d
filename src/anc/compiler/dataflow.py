"""What holds at every point of a program, to a fixed point; the order of a walk, and loops."""

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
    """Nodes in an order in which all edges go forward, except those back to a loop's first node.

    A loop's body is None where it can be entered elsewhere: then nothing is certain at its beginning.
    """

    order: list[int]
    previous: dict[int, list[int]]  # edges that go back are not in it
    bodies: dict[int, set[int] | None]  # by first node


def walk(edges: Edges, start: int) -> Walk:
    """The nodes that can be reached, with what `order` promises."""
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
    """Depth first, the nodes that are left last in front."""
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
    """The nodes from which a run can come back to the first one without leaving the loop."""
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
    """The states of all points that the given ones lead to.

    `transfer` says what a point's state means for the points next to it, `join` what holds where two
    states meet.
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
    """The operands that are still wanted before and after each node, as bit masks.

    The operands have their bits in the order in which they were met.
    """

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
    """Backwards: wanted before = read | (wanted after & ~written).

    What a command reads is wanted even if nobody wants its output, unless `only_useful` is asked for.
    """
    edges = graph.edges()
    bit: dict[Operand, int] = {}
    reads, kept = dict.fromkeys(edges, 0), dict.fromkeys(edges, -1)
    useless: dict[int, int] = {}  # commands that are of no use unless somebody wants this
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

    # Last nodes first, so that most states are right at once.
    order = dict.fromkeys((*reversed(finished_last_first(edges, graph.start)), *edges))
    begin = {number: 0 if number in useless else reads[number] for number in order}
    before = fixpoint(begin, backwards, int.__or__)
    after = dict.fromkeys(edges, 0)
    for number, wanted in before.items():
        for p in previous[number]:
            after[p] |= wanted
    return Liveness(before, after, bit)
