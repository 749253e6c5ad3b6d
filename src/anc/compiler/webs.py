"""One variable for each value that lives on its own, instead of one that is used again and again.

Outputs that reach a common reader must be one variable; all others may be different ones. A variable
then keeps its value as long as it can be of use, and registers are shared again by `assemble`.
"""

from __future__ import annotations

from dataclasses import replace

from anc.compiler.dataflow import Liveness
from anc.compiler.graph import Graph, Operand, Variable


def split_variables(graph: Graph, alive: Liveness) -> None:
    """Give outputs that never meet different variables."""
    meetings = {number for number, ways in graph.predecessors().items() if len(ways) > 1}
    webs = _Webs(graph, alive, meetings)
    webs.entry[graph.start] = {each: webs.new(each) for each in webs.wanted(graph.start)}
    waiting = [graph.start]
    seen = {graph.start}
    while waiting:
        number = waiting.pop()
        after = webs.through(number)
        followers = graph.nodes[number].followers
        for follower in followers:
            if follower in webs.meetings:
                webs.join(follower, after)
            else:
                webs.entry[follower] = after if len(followers) == 1 else dict(after)
            if follower not in seen:
                seen.add(follower)
                waiting.append(follower)
    webs.rename()


class _Webs:
    """The webs that variables belong to at the entry of nodes, as far as they are known."""

    def __init__(self, graph: Graph, alive: Liveness, meetings: set[int]) -> None:
        self.graph, self.alive, self.meetings = graph, alive, meetings
        self.leader: list[int] = []
        self.variable_of: list[Variable] = []
        self.entry: dict[int, dict[Operand, int]] = {}
        self.used: dict[int, tuple[list[int | None], int | None]] = {}

    def new(self, variable: Variable) -> int:
        self.leader.append(len(self.leader))
        self.variable_of.append(variable)
        return len(self.leader) - 1

    def wanted(self, number: int) -> list[Variable]:
        """The variables whose values are still wanted before a node."""
        return self.alive.variables(self.alive.before[number])

    def join(self, number: int, webs: dict[Operand, int]) -> None:
        """Another way to a node: what is wanted there is one web, whichever way was taken."""
        if number not in self.entry:
            self.entry[number] = {variable: webs[variable] for variable in self.wanted(number)}
            return
        for variable, web in self.entry[number].items():
            if variable in webs:
                self.leader[self.top(webs[variable])] = self.top(web)

    def through(self, number: int) -> dict[Operand, int]:
        """The webs behind a node; notes those that it reads and writes."""
        node, webs = self.graph.nodes[number], self.entry[number]
        if number in self.meetings:
            webs = dict(webs)
        reads = [webs.get(operand) for operand in node.operands]
        if node.out is not None:
            webs[node.out] = self.new(node.out)
        self.used[number] = reads, None if node.out is None else webs[node.out]
        return webs

    def top(self, web: int) -> int:
        while self.leader[web] != web:
            self.leader[web] = self.leader[self.leader[web]]
            web = self.leader[web]
        return web

    def rename(self) -> None:
        """The first web of a variable keeps it, so that a variable with one web is left alone."""
        renamed: dict[int, Variable] = {}
        taken: set[Variable] = set()

        def name(web: int) -> Variable:
            web = self.top(web)
            if web not in renamed:
                old = self.variable_of[web]
                renamed[web] = Variable(old.name) if old in taken else old
                taken.add(old)
            return renamed[web]

        for web in range(len(self.leader)):
            name(web)
        for number, (reads, out) in self.used.items():
            node = self.graph.nodes[number]
            operands = tuple(
                operand if web is None else name(web)
                for operand, web in zip(node.operands, reads, strict=True)
            )
            new = None if out is None else name(out)
            if operands != node.operands or new is not node.out:
                self.graph.nodes[number] = replace(node, operands=operands, out=new)
        added = [v for v in renamed.values() if v not in set(self.graph.declared)]
        self.graph.declared = (*self.graph.declared, *added)
