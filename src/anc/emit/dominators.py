"""Which blocks every run must pass before others, and which blocks are loops."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from anc.compiler.dataflow import finished_last_first

Edges = Mapping[int, tuple[int, ...]]


@dataclass(frozen=True)
class Flow:
    """The shape of a graph in which every loop is entered at its first block.

    `place` is the order of a walk in which only edges back to a loop's first block go backwards.
    """

    place: dict[int, int]
    dominator: dict[int, int]  # the nearest block that every run to this one passes
    entries: dict[int, int]  # how many edges lead to a block, those that go back not counted
    loops: dict[int, frozenset[int]]  # the blocks of each loop by its first one

    def loop_around(self, block: int) -> int | None:
        """The first block of the innermost loop that a block belongs to."""
        around = [first for first, body in self.loops.items() if block in body]
        return max(around, key=self.place.__getitem__, default=None)


def flow(edges: Edges, start: int) -> Flow | None:
    """The shape of a graph, or None where a loop can be entered at two places."""
    order = finished_last_first(edges, start)
    place = {number: i for i, number in enumerate(order)}
    previous: dict[int, list[int]] = {number: [] for number in order}
    for number in order:
        for follower in edges[number]:
            if follower in place:
                previous[follower].append(number)
    dominator = _dominators(order, place, previous)
    loops: dict[int, set[int]] = {}
    entries = dict.fromkeys(order, 0)
    entries[start] = 1
    for number in order:
        for before in previous[number]:
            if place[before] < place[number]:
                entries[number] += 1
            elif not _dominates(number, before, dominator, place):
                return None
            else:
                loops.setdefault(number, {number}).update(_body(number, before, previous))
    return Flow(place, dominator, entries, {n: frozenset(body) for n, body in loops.items()})


def _dominators(
    order: list[int], place: dict[int, int], previous: dict[int, list[int]]
) -> dict[int, int]:
    """To a fixed point: the nearest common dominator of all ways to a block."""
    found = {order[0]: order[0]}
    changed = True
    while changed:
        changed = False
        for number in order[1:]:
            known = [before for before in previous[number] if before in found]
            nearest = known[0]
            for other in known[1:]:
                while nearest != other:
                    if place[nearest] > place[other]:
                        nearest = found[nearest]
                    else:
                        other = found[other]
            if found.get(number) != nearest:
                found[number] = nearest
                changed = True
    return found


def _dominates(one: int, other: int, dominator: dict[int, int], place: dict[int, int]) -> bool:
    while place[other] > place[one]:
        other = dominator[other]
    return one == other


def _body(first: int, last: int, previous: dict[int, list[int]]) -> set[int]:
    """The blocks from which a run can come to the last one without passing the first."""
    body, waiting = {first}, [last]
    while waiting:
        number = waiting.pop()
        if number not in body:
            body.add(number)
            waiting += previous[number]
    return body
