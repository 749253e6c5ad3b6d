"""WRITEs that nobody can notice: overwritten before they are read, or to cells that do not count."""

from __future__ import annotations

from collections.abc import Collection, Iterator
from dataclasses import replace
from typing import NamedTuple

from anc.compiler.graph import END, READ, STOP, WRITE, Graph
from anc.compiler.loops import Walk
from anc.compiler.values import Form, certainly_differ

Addresses = dict[int, Form]  # of the cells that nodes read and write


class Wanted(NamedTuple):
    """The cells whose content somebody may still notice: these, or all but these."""

    but: bool
    cells: frozenset[Form]

    def has(self, cell: Form) -> bool:
        """Whether a cell may be one of them."""
        if self.but:
            return cell not in self.cells
        return any(not certainly_differ(cell, other) for other in self.cells)

    def read(self, cell: Form) -> Wanted:
        """Before a READ of this cell."""
        if not self.but:
            return self if cell in self.cells else Wanted(False, self.cells | {cell})
        if all(certainly_differ(cell, other) for other in self.cells):
            return self
        return Wanted(True, frozenset(c for c in self.cells if certainly_differ(cell, c)))

    def written(self, cell: Form) -> Wanted:
        """Before a WRITE to this cell."""
        if self.but:
            return self if cell in self.cells else Wanted(True, self.cells | {cell})
        return Wanted(False, self.cells - {cell}) if cell in self.cells else self

    def either(self, other: Wanted) -> Wanted:
        """Before a jump that leads to one or the other."""
        if self == other:
            return self
        if self.but and other.but:
            return Wanted(True, self.cells & other.cells)
        if not self.but and not other.but:
            return Wanted(False, self.cells | other.cells)
        every, some = (self, other) if self.but else (other, self)
        return Wanted(True, frozenset(c for c in every.cells if not some.has(c)))

    def in_the_round_before(self) -> Wanted:
        """The same where a loop goes back: only cells with a number are the same ones there."""
        if not any(terms for _, terms in self.cells):
            return self
        if not self.but:
            return Wanted(True, frozenset())
        return Wanted(True, frozenset(cell for cell in self.cells if not cell[1]))


NOTHING = Wanted(False, frozenset())
EVERYTHING = Wanted(True, frozenset())


class WantedCells:
    """The cells that are wanted before and after every node.

    `counts` are the cells of the final tape that matter; then nothing matters to a run that does not
    come to a STOP.
    """

    def __init__(
        self, graph: Graph, way: Walk, addresses: Addresses, counts: Collection[int] | None
    ) -> None:
        assert graph.M is not None
        self.graph, self.way, self.addresses = graph, way, addresses
        self.at_end = EVERYTHING if counts is None else NOTHING
        others = () if counts is None else set(range(graph.M)).difference(counts)
        self.at_stop = Wanted(True, frozenset((cell, ()) for cell in others))
        self.before: dict[int, Wanted] = {}
        self.unknown = NOTHING
        is_new = True
        while is_new:
            is_new = False
            for number in reversed(way.order):
                found = self._through(number)
                is_new |= number in way.bodies and self.before.get(number) != found
                self.before[number] = found
        self.unknown = EVERYTHING

    def after(self, number: int) -> Wanted:
        node = self.graph.nodes[number]
        if node.op == STOP:
            return self.at_stop
        found, *others = self._ways(number)
        for other in others:
            found = found.either(other)
        return found

    def into(self, number: int, follower: int) -> Wanted:
        """What is wanted on the way from a node to one that follows."""
        if follower == END:
            return self.at_end
        found = self.before.get(follower, self.unknown)
        goes_back = number not in self.way.previous.get(follower, ())
        return found.in_the_round_before() if goes_back else found

    def _ways(self, number: int) -> Iterator[Wanted]:
        node = self.graph.nodes[number]
        yield self.into(number, node.after)
        if node.jump is not None:
            yield self.into(number, node.jump)

    def _through(self, number: int) -> Wanted:
        op, after = self.graph.nodes[number].op, self.after(number)
        if op == READ:
            return after.read(self.addresses[number])
        return after.written(self.addresses[number]) if op == WRITE else after


def drop_dead_stores(wanted: WantedCells) -> None:
    """WRITEs to cells that nobody wants go."""
    nodes = wanted.graph.nodes
    dead = [
        number
        for number in wanted.way.order
        if nodes[number].op == WRITE and not wanted.after(number).has(wanted.addresses[number])
    ]
    for number in dead:
        nodes[number] = replace(nodes[number], op=None, operands=())
