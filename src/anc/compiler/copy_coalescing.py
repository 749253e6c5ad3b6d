"""Webs and copies: one variable for each web, copy coalescing, and constants folded into initial values.

After `split_variables`, only definitions with a common reader share a variable, so that values stay available for
longer; `assemble` lets variables share registers again.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator, Mapping, Set
from dataclasses import replace

from anc.compiler.abstract_state import certain_output
from anc.compiler.dataflow import Liveness, fixpoint, liveness
from anc.compiler.graph import END, Constant, Graph, Node, Operand, Variable

Copies = Mapping[int, Variable]  # nodes, and the operand that each copies


def drop_copies(graph: Graph, alive: Liveness, copies: Copies) -> bool:
    """Coalesce copies; returns whether there were any."""
    return _Copies(graph, alive).drop(copies)


def join_variables(graph: Graph, one: Variable, other: Variable) -> bool:
    """Merge two variables if neither is written while the other is live; returns whether they are merged."""
    copies = _Copies(graph, liveness(graph))
    if not copies.fit(one, other, END):
        return False
    copies.join(one, other)
    copies.rename()
    return True


class _Copies:
    def __init__(self, graph: Graph, alive: Liveness) -> None:
        self.graph, self.alive = graph, alive
        self.now: dict[Variable, Variable] = {}  # merged variables
        self.bits: dict[Variable, int] = {}
        self.writers: dict[Variable, list[int]] = defaultdict(list)
        for number, node in graph.nodes.items():
            if node.out is not None:
                self.writers[node.out].append(number)

    def drop(self, copies: Copies) -> bool:
        dropped = False
        for number, held in copies.items():
            node = self.graph.nodes[number]
            if node.out is None or not node.only_computes:
                continue
            out, variable = self.top(node.out), self.top(held)
            if variable is out or self.fit(out, variable, number):
                self.join(out, variable)
                self.graph.empty(number)
                dropped = True
        if dropped:
            self.rename()
        return dropped

    def rename(self) -> None:
        for number, node in self.graph.nodes.items():
            self.graph.nodes[number] = self.renamed(node)

    def top(self, variable: Variable) -> Variable:
        while variable in self.now:
            variable = self.now[variable]
        return variable

    def bit(self, variable: Variable) -> int:
        return self.bits.get(variable, self.alive.bit[variable])

    def fit(self, out: Variable, held: Variable, copy: int) -> bool:
        """Whether neither is written while the other is live, except by the copy."""
        wanted = self.alive.before[self.graph.start]
        if wanted & self.bit(out) and wanted & self.bit(held):
            return False
        return all(
            not self.alive.after[number] & self.bit(other)
            for one, other in ((out, held), (held, out))
            for number in self.writers[one]
            if number != copy
        )

    def join(self, out: Variable, held: Variable) -> None:
        """Keep the variable whose initial value is live."""
        if out is held:
            return
        first = self.alive.before[self.graph.start] & self.bit(out)
        stays, goes = (out, held) if first else (held, out)
        self.bits[stays] = self.bit(stays) | self.bit(goes)
        self.writers[stays] += self.writers[goes]
        self.now[goes] = stays

    def renamed(self, node: Node) -> Node:
        operands = tuple(self.top(o) if isinstance(o, Variable) else o for o in node.operands)
        out = None if node.out is None else self.top(node.out)
        if out is node.out and operands == node.operands:
            return node
        return replace(node, operands=operands, out=out)


def use_first_values(graph: Graph, alive: Liveness) -> bool:
    """Fold the first constant assignment of a variable into its initial value."""
    numbers = {
        number: value
        for number, node in graph.nodes.items()
        if node.out is not None and (value := _number(graph, node)) is not None
    }
    if not numbers:
        return False
    written = _written(graph, {graph.nodes[number].out for number in numbers}, alive)
    taken = alive.before[graph.start]
    changed = False
    for number, value in numbers.items():
        variable = graph.nodes[number].out
        assert variable is not None
        bit = alive.bit[variable]
        if not written[number] & bit and (not taken & bit or (variable.value or 0) == value):
            variable.value, changed = value, True
            taken |= bit
            graph.empty(number)
    return changed


def _number(graph: Graph, node: Node) -> int | None:
    """The constant that a command assigns, if that is all it does."""
    assert graph.M is not None
    if node.op is None:
        return 0
    if not node.only_computes or not all(isinstance(each, Constant) for each in node.operands):
        return None
    values = [each.value for each in node.operands if isinstance(each, Constant)]
    first, second = [*values, 0, 0][:2]
    return certain_output(graph.row(node), first, second, graph.M, False)


def _written(graph: Graph, variables: Set[Variable | None], alive: Liveness) -> dict[int, int]:
    """For each node, which of the variables may have been written before."""

    def forwards(number: int, before: int) -> Iterator[tuple[int, int]]:
        node = graph.nodes[number]
        if node.out is not None and node.out in variables:
            before |= alive.bit[node.out]
        return ((way, before) for way in node.followers)

    return defaultdict(lambda: -1, fixpoint({graph.start: 0}, forwards, int.__or__))


def split_variables(graph: Graph, alive: Liveness) -> None:
    """Give each web a variable of its own; the first web keeps the variable.

    A web is the definitions of a variable that reach common readers.
    """
    leader: list[int] = []  # union-find
    variable_of: list[Variable] = []

    def new(variable: Variable) -> int:
        leader.append(len(leader))
        variable_of.append(variable)
        return len(leader) - 1

    def top(web: int) -> int:
        while leader[web] != web:
            leader[web] = leader[leader[web]]
            web = leader[web]
        return web

    first = alive.variables(alive.before[graph.start])
    entry: dict[int, dict[Operand, int]] = {graph.start: {each: new(each) for each in first}}
    outputs: dict[int, int] = {}
    waiting = [graph.start]
    while waiting:
        number = waiting.pop()
        node, webs = graph.nodes[number], entry[number]
        if node.out is not None:
            outputs[number] = new(node.out)
            webs = {**webs, node.out: outputs[number]}
        for follower in node.followers:
            if follower not in entry:
                entry[follower] = webs
                waiting.append(follower)
                continue
            for each, web in entry[follower].items():
                if each in webs and alive.before[follower] & alive.bit[each]:
                    leader[top(webs[each])] = top(web)

    renamed: dict[int, Variable] = {}
    taken: set[Variable] = set()
    for web in map(top, range(len(leader))):
        if web not in renamed:
            old = variable_of[web]
            renamed[web] = Variable(old.name) if old in taken else old
            taken.add(old)
    for number, webs in entry.items():
        node = graph.nodes[number]
        operands = tuple(renamed[top(webs[o])] if o in webs else o for o in node.operands)
        out = renamed[top(outputs[number])] if number in outputs else None
        if operands != node.operands or out is not node.out:
            graph.nodes[number] = replace(node, operands=operands, out=out)
    graph.declared = tuple(dict.fromkeys((*graph.declared, *renamed.values())))
