"""The order in which a graph is walked once, and where its loops begin."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

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
