"""Building terms: equal ones are one object, and what depends on one cell is a table."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np

from anc.clock import ENDLESS, Clock
from anc.verify.domains import Domains
from anc.verify.terms import Form, Kind, Node, Term, Value, evaluated, in_order, support_of
from anc.verify.verdict import Undecided

_LOOKS = 256  # terms between two looks at the clock
_TERM = 1  # evaluations that one is worth, with what is done about it


class Builder:
    """All terms over the cells of a tape of M cells; `domains` are the values of each cell.

    Where there are too many of them to be built in time, that is Undecided.
    """

    def __init__(self, domains: Domains, clock: Clock = ENDLESS) -> None:
        self.domains, self.M, self.clock = domains, domains.M, clock
        self._asked_for = 0
        self._built: dict[tuple, Any] = {}
        self._tables: dict[int, np.ndarray] = {}  # of terms that depend on one cell
        self._counter = 0

    def node(self, kind: Kind, args: tuple, data: Any = None, support: int | None = None) -> Node:
        self._asked_for += 1
        if self._asked_for % _LOOKS == 0:
            self.clock.did(_LOOKS * _TERM)
            if self.clock.over:
                raise Undecided("the time is over")
        key = (kind, *args)  # terms are what they are: equal ones are one object
        found = self._built.get(key)
        if found is None:
            self._counter += 1
            support = support_of(args) if support is None else support
            found = self._built[key] = Node(self._counter, kind, args, support, data)
        return found

    def form(self, constant: int, parts: Mapping[Node, int]) -> Value:
        """constant + sum of coefficient * atom."""
        M = self.M
        kept = {node: c for node, coefficient in parts.items() if (c := coefficient % M)}
        by_cell: dict[int, list[Node]] = {}
        for node in kept:
            if node.cell is not None:
                by_cell.setdefault(node.cell, []).append(node)
        for cell, nodes in by_cell.items():
            if len(nodes) > 1 or (nodes[0].kind is not Kind.CELL and kept[nodes[0]] != 1):
                table = np.zeros(M, np.int64)
                for node in nodes:
                    table += kept.pop(node) * self.table(node)
                more, atom, coefficient = self.of_one_cell(cell, table % M)
                constant += more
                if atom is not None:
                    kept[atom] = coefficient
        constant %= M
        if not kept:
            return int(constant)
        ordered = tuple(sorted(kept.items(), key=lambda part: part[0].id))
        key = (constant, *((node.id, coefficient) for node, coefficient in ordered))
        found = self._built.get(key)
        if found is None:
            self._counter += 1
            found = self._built[key] = Form(self._counter, int(constant), ordered)
        return found

    def of_one_cell(self, cell: int, table: np.ndarray) -> tuple[int, Node | None, int]:
        """A function of one cell as constant + coefficient * atom."""
        M, values = self.M, self.domains.values(cell)
        base = int(table[values[0]])
        table = (table - base) % M
        shape = table[values]
        if not shape.any():
            return base, None, 0
        step = int(shape[1]) if values[1] == values[0] + 1 else 1
        if (shape == (values - values[0]) * step % M).all():
            return (
                base - step * int(values[0]),
                self.node(Kind.CELL, (cell,), None, 1 << cell),
                step,
            )
        data = np.zeros(M, np.int64)
        data[values] = shape
        return base, self.node(Kind.TABLE, (cell, data.tobytes()), data, 1 << cell), 1

    def function(self, cell: int, table: np.ndarray) -> Value:
        """The value that is table[c] where the cell is c."""
        constant, node, coefficient = self.of_one_cell(cell, table)
        return self.form(constant, {} if node is None else {node: coefficient})

    def cell(self, cell: int) -> Value:
        """The input value of a cell."""
        return self.function(cell, np.arange(self.M))

    def table(self, term: Term) -> np.ndarray:
        """The values of a term that depends on one cell, for each value of the cell."""
        column = np.arange(self.M)
        for part in in_order(term, lambda t: t.id in self._tables):
            made = evaluated(part, self._tables, self.M, lambda _: column, slice(None))
            self._tables[part.id] = made
        return self._tables[term.id]

    def atom(self, kind: Kind, args: tuple, data: Any = None, support: int | None = None) -> Value:
        node = self.node(kind, args, data, support)
        if node.cell is not None:
            return self.function(node.cell, self.table(node))
        return self.form(0, {node: 1})
