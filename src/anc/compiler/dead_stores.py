"""Dead store elimination, and sinking of commands into the only branch that needs them."""

from __future__ import annotations

from collections.abc import Collection, Iterator
from dataclasses import replace
from typing import NamedTuple

from anc.compiler.affine import AffineForm, certainly_differ
from anc.compiler.dataflow import Liveness, Walk
from anc.compiler.graph import END, JUMP, READ, STOP, WRITE, Graph, Node, Operand
from anc.support.clock import look

Addresses = dict[int, AffineForm]  # of the cells that nodes read and write


class LiveCells(NamedTuple):
    """The live cells: these, or all but these."""

    but: bool
    cells: frozenset[AffineForm]

    def has(self, cell: AffineForm) -> bool:
        """Whether a cell may be one of them."""
        if self.but:
            return cell not in self.cells
        return any(not certainly_differ(cell, other) for other in self.cells)

    def read(self, cell: AffineForm) -> LiveCells:
        """Before a READ of this cell."""
        if not self.but:
            return self if cell in self.cells else LiveCells(False, self.cells | {cell})
        if all(certainly_differ(cell, other) for other in self.cells):
            return self
        return LiveCells(True, frozenset(c for c in self.cells if certainly_differ(cell, c)))

    def written(self, cell: AffineForm) -> LiveCells:
        """Before a WRITE to this cell."""
        if self.but:
            return self if cell in self.cells else LiveCells(True, self.cells | {cell})
        return LiveCells(False, self.cells - {cell}) if cell in self.cells else self

    def either(self, other: LiveCells) -> LiveCells:
        """Before a branch."""
        if self == other:
            return self
        if self.but and other.but:
            return LiveCells(True, self.cells & other.cells)
        if not self.but and not other.but:
            return LiveCells(False, self.cells | other.cells)
        every, some = (self, other) if self.but else (other, self)
        return LiveCells(True, frozenset(c for c in every.cells if not some.has(c)))

    def in_the_round_before(self) -> LiveCells:
        """The same across a back edge, where only constant addresses mean the same cells."""
        if not any(terms for _, terms in self.cells):
            return self
        if not self.but:
            return LiveCells(True, frozenset())
        return LiveCells(True, frozenset(cell for cell in self.cells if not cell.terms))


NOTHING = LiveCells(False, frozenset())
EVERYTHING = LiveCells(True, frozenset())


class WantedCells:
    """The cells that are live before and after every node.

    `counts` are the cells of the final tape that matter; then nothing matters to a run that never
    stops.
    """

    def __init__(
        self, graph: Graph, way: Walk, addresses: Addresses, counts: Collection[int] | None
    ) -> None:
        assert graph.M is not None
        self.graph, self.way, self.addresses = graph, way, addresses
        self.at_end = EVERYTHING if counts is None else NOTHING
        others = () if counts is None else set(range(graph.M)).difference(counts)
        self.at_stop = LiveCells(True, frozenset(map(AffineForm, others)))
        self.before: dict[int, LiveCells] = {}
        self.unknown = NOTHING
        is_new = True
        while is_new:
            is_new = False
            for number in reversed(way.order):
                look()
                found = self._through(number)
                is_new |= number in way.bodies and self.before.get(number) != found
                self.before[number] = found
        self.unknown = EVERYTHING

    def after(self, number: int) -> LiveCells:
        node = self.graph.nodes[number]
        if node.op == STOP:
            return self.at_stop
        found, *others = self._ways(number)
        for other in others:
            found = found.either(other)
        return found

    def into(self, number: int, follower: int) -> LiveCells:
        """The live cells on an edge."""
        if follower == END:
            return self.at_end
        found = self.before.get(follower, self.unknown)
        goes_back = number not in self.way.previous.get(follower, ())
        return found.in_the_round_before() if goes_back else found

    def _ways(self, number: int) -> Iterator[LiveCells]:
        node = self.graph.nodes[number]
        yield self.into(number, node.after)
        if node.jump is not None:
            yield self.into(number, node.jump)

    def _through(self, number: int) -> LiveCells:
        op, after = self.graph.nodes[number].op, self.after(number)
        if op == READ:
            return after.read(self.addresses[number])
        return after.written(self.addresses[number]) if op == WRITE else after


def drop_dead_stores(wanted: WantedCells) -> None:
    """Remove WRITEs to dead cells."""
    nodes = wanted.graph.nodes
    dead = [
        number
        for number in wanted.way.order
        if nodes[number].op == WRITE and not wanted.after(number).has(wanted.addresses[number])
    ]
    for number in dead:
        nodes[number] = replace(nodes[number], op=None, operands=())


def sink(graph: Graph, alive: Liveness, wanted: WantedCells) -> None:
    """Move commands past a jump into the only branch that needs them."""
    previous = graph.predecessors()
    for number in wanted.way.order:
        if graph.nodes[number].op == JUMP:
            _Jump(graph, number, alive, wanted, previous).sink()


class _Jump:
    """A jump, with all that is read and written between a candidate and the jump."""

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
        self.cells_read: list[AffineForm] = []
        self.cells_written: list[AffineForm] = []

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
        """The only branch that needs a command, if the command can be moved."""
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
        """Whether commands can be inserted on a branch: its target must not have another neighbour."""
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
        """Move a command to the edge between the jump and a branch."""
        nodes, node, to = self.graph.nodes, self.graph.nodes[number], self.ways[way]
        jump = nodes[self.number]
        self.take_out(number)
        copy = self.graph.add(replace(node, after=to, free=way == 1 or jump.free))
        if way == 0:
            nodes[self.number] = replace(jump, after=copy, free=True)
        else:
            nodes[self.number] = jump.redirected(lambda n: copy if n == to else n)
        self.previous[to] = [copy if n == self.number else n for n in self.previous[to]]
        self.previous[copy] = [self.number]
        self.ways = (copy, self.ways[1]) if way == 0 else (self.ways[0], copy)
        # Update liveness on the branch, and from the old place of the command to the jump.
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
        """Unlink the command; its step is spent elsewhere."""
        node = self.graph.nodes[number]
        self.graph.redirect(number, node.after, self.previous[number], node.free)
        self.previous[node.after] = self.previous.pop(number)
        self.graph.empty(number)


def _apart(address: AffineForm, others: tuple[AffineForm, ...] | list[AffineForm]) -> bool:
    return all(certainly_differ(address, other) for other in others)
