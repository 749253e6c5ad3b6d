"""What holds at every point of a program, to a fixed point."""

from __future__ import annotations

from collections import deque
from collections.abc import Callable, Hashable, Iterable, Mapping
from dataclasses import dataclass
from typing import TypeVar

from anc.compiler.graph import END, Graph, Operand

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
    """The operands that are still wanted before and after each node, as bit masks."""

    before: dict[int, int]
    after: dict[int, int]
    bit: dict[Operand, int]


def liveness(graph: Graph) -> Liveness:
    """Backwards: wanted before = read | (wanted after & ~written)."""
    edges = graph.edges()
    bit: dict[Operand, int] = {}
    reads, kept = dict.fromkeys(edges, 0), dict.fromkeys(edges, -1)
    for number, node in graph.nodes.items():
        for operand in node.operands:
            reads[number] |= bit.setdefault(operand, 1 << len(bit))
        if node.out is not None:
            kept[number] = ~bit.setdefault(node.out, 1 << len(bit))
    previous: dict[int, list[int]] = {number: [] for number in (*edges, END)}
    for number, followers in edges.items():
        for follower in followers:
            previous[follower].append(number)

    def backwards(number: int, wanted: int) -> Iterable[tuple[int, int]]:
        return ((p, reads[p] | (wanted & kept[p])) for p in previous[number])

    before = fixpoint(dict(reversed(reads.items())), backwards, int.__or__)
    after = dict.fromkeys(edges, 0)
    for number, wanted in before.items():
        for p in previous[number]:
            after[p] |= wanted
    return Liveness(before, after, bit)
