"""Block layout: the order of nodes as program lines, by chains of free edges, with tail duplication.

A node can directly follow only one other node; every other edge to it costs a jump, unless its code is copied (an
ending again, or another iteration of a loop). `straighten` makes the busiest edges free and copies jump targets;
`layout` orders chains and inserts jumps, so that the program takes no more steps than the graph says.
"""

from __future__ import annotations

import heapq
import math
from collections.abc import Mapping
from dataclasses import replace

from anc import isa
from anc.compiler.graph import END, JUMP, STOP, Constant, Graph, Node, Target


class NoRoom(Exception):
    """Why a graph has no program of at most M lines without extra steps."""


def layout(graph: Graph) -> dict[int, Node]:
    """The nodes in line order; inserted jumps get new numbers."""
    order = _order(graph)
    is_full = len(order) == graph.M
    zero = graph.instructions.with_meaning(isa.zero)
    lines: dict[int, Node] = {}
    added = max(order) + 1
    for number, following in zip(order, [*order[1:], order[0] if is_full else END], strict=True):
        node = graph.nodes[number]
        is_next = number < graph.anchored or node.op == STOP or node.after == following
        goto = (Constant(0), Target(node.after))
        if node.op is None and (not is_next or zero is None):
            node = replace(node, op=JUMP, operands=goto)
        elif node.op is None:
            assert zero is not None
            node = replace(node, op=graph.instructions[zero].name)
        elif not is_next:
            lines[number], number, node = node, added, Node(JUMP, goto)
            added += 1
        lines[number] = node
    if len(lines) == graph.M and not is_full and _falls_out(graph.nodes[order[-1]]):
        raise NoRoom("a run that leaves the last line would wrap around")
    return lines


def unshare(graph: Graph) -> None:
    """Copy nodes with several free incoming edges, so that each edge can join neighbours."""
    reachable = graph.reachable()
    owner: dict[int, int] = {}  # the node that this will directly follow
    entered = {graph.nodes[n].after for n in reachable if _needs_neighbour(graph.nodes[n])}
    for number in sorted(reachable, key=lambda n: n in entered):
        while _needs_neighbour(node := graph.nodes[number]) and owner.get(node.after) != number:
            if node.after in owner:
                if graph.M is not None and len(graph.nodes) >= graph.M:
                    raise NoRoom(f"the exact program needs more than M = {graph.M} lines")
                node.after = graph.add(replace(graph.nodes[node.after]))
            owner[node.after] = number
            number = node.after


def _needs_neighbour(node: Node) -> bool:
    return node.op != STOP and node.free and node.after != END


def _falls_out(node: Node) -> bool:
    return node.op != STOP and node.after == END


def _order(graph: Graph) -> list[int]:
    anchored = range(graph.anchored)
    if len(anchored) == len(graph.nodes):
        return list(anchored)
    nodes = [number for number in graph.reachable() if number not in anchored]
    chain_of = {number: [number] for number in nodes}
    for free in (True, False):
        for number in nodes:
            node, chain = graph.nodes[number], chain_of[number]
            if node.op == STOP or node.free is not free or node.after < graph.anchored:
                continue  # nothing can precede an anchored line, or END
            behind = chain_of.setdefault(node.after, [node.after])
            if behind is chain and free and chain[0] == node.after:
                return _whole_circle(graph, nodes)
            if behind is not chain and behind[0] == node.after:
                chain += behind
                chain_of.update(dict.fromkeys(behind, chain))
    chains = [chain_of[number] for number in nodes if chain_of[number][0] == number]
    # A run that leaves the last line ends, so the chain that does so comes last.
    chains.sort(key=lambda chain: _falls_out(graph.nodes[chain[-1]]))
    return [*anchored, *(number for chain in chains for number in chain)]


def _whole_circle(graph: Graph, nodes: list[int]) -> list[int]:
    """The nodes, if they are a cycle that fills the memory: line numbers then wrap around."""
    links = zip(nodes, nodes[1:] + nodes[:1], strict=True)
    if len(nodes) == graph.M and all(
        graph.nodes[a].op == STOP or graph.nodes[a].after == b for a, b in links
    ):
        return nodes
    raise NoRoom("lines without room for an extra step form a cycle")


def straighten(graph: Graph, passes: Mapping[int, float], room: int) -> int:
    """Make the busiest edges free, then copy jump targets while lines are left; returns the lines used.

    `passes` says how often each node falls through, `room` is the limit on lines.
    """
    chains = _Chains(graph, passes)
    chains.join()
    chains.copy(room)
    return chains.lines


class _Chains:
    """Chains of nodes joined by free edges; each ends with a STOP or a jump."""

    def __init__(self, graph: Graph, passes: Mapping[int, float]) -> None:
        self.nodes = graph.nodes
        self.passes = {n: passes.get(n, 0.0) for n, node in graph.nodes.items() if _goes_on(node)}
        self.rounds: dict[
            int, tuple[int, float]
        ] = {}  # by the last node of an unrolled loop: copies, and passes

    def join(self) -> None:
        """Form chains, the busiest edges first."""
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
        """Copy jump targets while there is room, those that save most steps per line first."""
        heap = [(-math.inf, n) for n in self.passes if not self.nodes[n].free]
        while heap:
            promised, number = heapq.heappop(heap)
            copied, saved = self._behind(number)
            cost = len(copied) - 1 + (_goes_on(self.nodes[copied[-1]]))
            if saved <= 0 or self.lines + cost > room:
                continue
            worth = -saved / (cost + 1)
            if worth > promised:  # the chain has grown, or this is the first look
                heapq.heappush(heap, (worth, number))
                continue
            self.lines += cost
            new = self._copy(number, copied, saved)
            if _goes_on(self.nodes[new]):
                heapq.heappush(heap, (-math.inf, new))

    def _behind(self, number: int) -> tuple[list[int], float]:
        """The chain that a node jumps to, up to the node itself; the steps that a copy saves."""
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
        """Insert a copy after a node; returns its last node."""
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
