"""Commands that only one way of a later jump needs are moved there: the other way is a step shorter."""

from __future__ import annotations

from collections import defaultdict
from dataclasses import replace

from anc.compiler.dataflow import Liveness
from anc.compiler.graph import END, JUMP, READ, WRITE, Graph, Node, Operand
from anc.compiler.stores import WantedCells
from anc.compiler.values import Form, certainly_differ


def sink(graph: Graph, alive: Liveness, wanted: WantedCells) -> None:
    """Move what can be moved."""
    previous: dict[int, list[int]] = defaultdict(list)
    previous[graph.start].append(END)
    for number, node in graph.nodes.items():
        for follower in node.followers:
            previous[follower].append(number)
    for number in wanted.way.order:
        if graph.nodes[number].op == JUMP:
            _Jump(graph, number, alive, wanted, previous).sink()


class _Jump:
    """A jump, and what the commands in front of it that stay there read and write."""

    def __init__(
        self,
        graph: Graph,
        number: int,
        alive: Liveness,
        wanted: WantedCells,
        previous: dict[int, list[int]],
    ) -> None:
        self.graph, self.number, self.previous = graph, number, previous
        self.alive, self.wanted = alive, wanted
        node = graph.nodes[number]
        assert node.jump is not None
        self.ways = (node.after, node.jump)
        self.live = [0 if way == END else alive.before.get(way, -1) for way in self.ways]
        self.cells = [wanted.into(number, way) for way in self.ways]
        self.reads: set[Operand] = set(node.operands)
        self.writes: set[Operand | None] = {node.out}
        self.cells_read: list[Form] = []
        self.cells_written: list[Form] = []

    def sink(self) -> None:
        number = self.number
        between = [number]
        while len(self.previous[number]) == 1:
            number = self.previous[number][0]
            node = self.graph.nodes.get(number)
            if node is None or node.op == JUMP or number in between:
                break
            if node.op is node.out is None:
                continue
            way = self.way_of(number, node)
            if way is not None and self.is_open(way):
                self.move(number, way, between)
                number = between[-1]
            else:
                self.stays(number, node)
                between.append(number)

    def way_of(self, number: int, node: Node) -> int | None:
        """The only way that needs a command, if it can be moved at all."""
        if node.out is not None and node.op == WRITE:
            return None
        if self.writes.intersection(node.operands) or node.out in self.reads:
            return None
        if node.op == WRITE:
            address = self.wanted.addresses[number]
            if not _apart(address, (*self.cells_read, *self.cells_written)):
                return None
            needed = [cells.has(address) for cells in self.cells]
        elif node.out is not None and node.only_computes:
            if node.op == READ and not _apart(self.wanted.addresses[number], self.cells_written):
                return None
            bit = self.alive.bit[node.out]
            needed = [bool(live & bit) for live in self.live]
        else:
            return None
        return needed.index(True) if needed.count(True) == 1 else None

    def is_open(self, way: int) -> bool:
        """Whether commands can be put there: nothing else may have to stand right in front."""
        to, nodes = self.ways[way], self.graph.nodes
        if to == END:
            return False
        others = [n for n in self.previous[to] if n not in (END, self.number)]
        return way == 0 or all(nodes[n].after != to for n in others)

    def stays(self, number: int, node: Node) -> None:
        self.reads.update(node.operands)
        if node.out is not None:
            self.writes.add(node.out)
        if node.op in (READ, WRITE):
            cells = self.cells_read if node.op == READ else self.cells_written
            cells.append(self.wanted.addresses[number])

    def move(self, number: int, way: int, between: list[int]) -> None:
        """Take a command out where it is and put it between the jump and its way."""
        nodes, node, to = self.graph.nodes, self.graph.nodes[number], self.ways[way]
        jump, copy = nodes[self.number], max(nodes) + 1
        self.take_out(number)
        nodes[copy] = replace(node, after=to, free=way == 1 or jump.free)
        if way == 0:
            nodes[self.number] = replace(jump, after=copy, free=True)
        else:
            nodes[self.number] = jump.redirected(lambda n: copy if n == to else n)
        self.previous[to] = [copy if n == self.number else n for n in self.previous[to]]
        self.previous[copy] = [self.number]
        self.ways = (copy, self.ways[1]) if way == 0 else (self.ways[0], copy)
        # What is wanted where the way begins, and on the way from where the command was.
        cells, addresses = self.wanted, self.wanted.addresses
        reads = sum({self.alive.bit[operand] for operand in node.operands})
        self.live[way] |= reads
        if node.out is not None:
            self.live[way] &= ~self.alive.bit[node.out] | reads
        if number in addresses:
            addresses[copy] = addresses[number]
        if node.op == WRITE:
            self.cells[way] = self.cells[way].written(addresses[number])
        elif node.op == READ:
            self.cells[way] = self.cells[way].read(addresses[number])
        for passed in between:
            self.alive.before[passed] = self.alive.before.get(passed, -1) | reads
            if node.op == READ and passed in cells.before:
                cells.before[passed] = cells.before[passed].read(addresses[number])

    def take_out(self, number: int) -> None:
        """Edges go past the command. No step is saved by that: it is taken elsewhere."""
        nodes, node = self.graph.nodes, self.graph.nodes[number]
        for n in self.previous[number]:
            if n == END:
                self.graph.start = node.after
                continue
            free = nodes[n].free and (node.free or nodes[n].after != number)
            new = nodes[n].redirected(lambda to: node.after if to == number else to)
            nodes[n] = replace(new, free=free)
        self.previous[node.after] = self.previous.pop(number)
        nodes[number] = replace(node, op=None, operands=(), out=None)


def _apart(address: Form, others: tuple[Form, ...] | list[Form]) -> bool:
    return all(certainly_differ(address, other) for other in others)
