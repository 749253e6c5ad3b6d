"""Which nodes become neighbours, by how often runs go from one to the other.

A node can follow only one other node directly; every other way to it costs the step of a jump, unless
what follows is copied: an ending once more, or another round of a loop.
"""

from __future__ import annotations

import heapq
import math
from collections.abc import Mapping
from dataclasses import replace

from anc.compiler.graph import END, STOP, Graph, Node


def straighten(graph: Graph, passes: Mapping[int, float], room: int) -> int:
    """Mark the busiest edges as free, then copy what is jumped to, while lines are left.

    `passes` says how often each node is left without a jump, `room` how many lines there may be.
    Returns how many there are.
    """
    chains = _Chains(graph, passes)
    chains.join()
    chains.copy(room)
    return chains.lines


class _Chains:
    """Nodes that follow each other by free edges; a chain ends with a STOP or with a jump."""

    def __init__(self, graph: Graph, passes: Mapping[int, float]) -> None:
        self.nodes = graph.nodes
        self.passes = {n: passes.get(n, 0.0) for n, node in graph.nodes.items() if _goes_on(node)}
        self.rounds: dict[int, tuple[int, float]] = {}  # by the last node of an unrolled loop

    def join(self) -> None:
        """Make chains, the busiest edges first."""
        last = {number: number for number in self.nodes}  # of the chain that begins with a node
        first = dict(last)
        entered: set[int] = set()
        for node in self.nodes.values():
            node.free = False
        for number in sorted(self.passes, key=lambda n: -self.passes[n]):
            to = self.nodes[number].after
            if to not in entered and first[number] != to:
                entered.add(to)
                self.nodes[number].free = True
                head, end = first[number], last[to]
                last[head], first[end] = end, head
        self.lines = len(self.nodes) + sum(not self.nodes[n].free for n in self.passes)

    def copy(self, room: int) -> None:
        """Copy what is jumped to, as long as there is room, whatever saves most steps for a line."""
        heap = [(-math.inf, n) for n in self.passes if not self.nodes[n].free]
        while heap:
            promised, number = heapq.heappop(heap)
            copied, saved = self._behind(number)
            cost = len(copied) - 1 + (_goes_on(self.nodes[copied[-1]]))
            if saved <= 0 or self.lines + cost > room:
                continue
            worth = -saved / (cost + 1)
            if worth > promised:  # the chain has grown, or it was not known yet
                heapq.heappush(heap, (worth, number))
                continue
            self.lines += cost
            new = self._copy(number, copied, saved)
            if _goes_on(self.nodes[new]):
                heapq.heappush(heap, (-math.inf, new))

    def _behind(self, number: int) -> tuple[list[int], float]:
        """What a node jumps to, up to the chain's end or to itself; the steps that a copy saves."""
        here = self.nodes[number].after
        times, passes = self.rounds.get(number, (1, self.passes[number]))
        found = [here]
        while here != number and _goes_on(self.nodes[here]) and self.nodes[here].free:
            here = self.nodes[here].after
            found.append(here)
        if here != number:
            return found, self.passes[number]
        return found[: len(found) // times], passes / times - passes / (times + 1)

    def _copy(self, number: int, copied: list[int], saved: float) -> int:
        """Put a copy behind a node; the copy's last node."""
        is_loop = number in self.rounds or copied[-1] == number
        times, passes = self.rounds.get(number, (1, self.passes[number]))
        new = {old: max(self.nodes) + 1 + i for i, old in enumerate(copied)}
        share = saved
        for old, copy in new.items():
            node = self.nodes[copy] = replace(self.nodes[old])
            if _goes_on(node):
                share = self.passes[copy] = min(share, self.passes[old])
                self.passes[old] -= share
                if old != copied[-1]:
                    node.after = new[node.after]
        end = new[copied[-1]]
        if is_loop:
            self.nodes[end].after, self.nodes[end].free = self.nodes[number].after, False
            self.rounds[end] = times + 1, passes
            self.passes[end] = passes / (times + 1)
        self.nodes[number].after, self.nodes[number].free = new[copied[0]], True
        return end


def _goes_on(node: Node) -> bool:
    return node.op != STOP and node.after != END
