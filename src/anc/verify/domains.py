"""The values that terms can have: exactly for terms of one cell, a few too many for others."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence

import numpy as np

from anc.clock import ENDLESS, Clock
from anc.verify.gates import groups, shared
from anc.verify.terms import Form, Kind, Node, Value, in_order
from anc.verify.verdict import Undecided

NOTHING: Mapping[int, np.ndarray] = {}
_COMPOUND = (Kind.CHOICE, Kind.SELECT, Kind.MAX, Kind.MAPPED, Kind.MAPPED2)  # atoms of terms
_ATOM = 0.5  # evaluations that an atom of a group of gates is worth ...
_WAY = 5  # ... and each way of the cells to open them
_MOST_SUMS = 1 << 14  # sums of two sets of values that are formed at most


class Domains:
    """Sets of values (arrays of M truth values) of the input cells, and of terms over them.

    The sets are those of the precondition; a path may know more of some cells, and asks for the
    values of a form with these.
    """

    def __init__(self, M: int, cells: Sequence[np.ndarray], clock: Clock = ENDLESS) -> None:
        self.M, self.cells, self.clock = M, list(cells), clock
        self._values = [np.flatnonzero(domain) for domain in self.cells]
        self._nodes: dict[int, np.ndarray] = {}
        self._forms: dict[int, np.ndarray] = {}

    def values(self, cell: int) -> np.ndarray:
        return self._values[cell]

    def of(self, value: Value, cells: Mapping[int, np.ndarray] | None = None) -> np.ndarray:
        """The values of a form; `cells` says more of some cells."""
        if isinstance(value, int):
            return self._set([value])
        if cells:
            return self._sum(value, cells)
        if value.id not in self._forms:
            self._settle(value)
        return self._forms[value.id]

    def bounds(self, value: Value) -> tuple[int, int]:
        """The least and the greatest value."""
        if isinstance(value, int):
            return value, value
        places = np.flatnonzero(self.of(value))
        return int(places[0]), int(places[-1])

    def _set(self, values: Sequence[int] | np.ndarray) -> np.ndarray:
        found = np.zeros(self.M, np.bool_)
        found[values] = True
        return found

    def _sum(self, form: Form, cells: Mapping[int, np.ndarray]) -> np.ndarray:
        summands: Iterable[np.ndarray] | None = None
        if len(form.parts) > 2:
            summands = self._of_groups(form, cells)
        if summands is None:
            summands = (self.images(node, cells) * times for node, times in form.parts)
        return self._set(self._sums(form.constant, summands))

    def _sums(self, constant: int, summands: Iterable[np.ndarray]) -> np.ndarray:
        """The constant, plus any value of each summand."""
        total = np.array([constant % self.M])
        for more in summands:
            if len(more) * len(total) > _MOST_SUMS:
                return np.arange(self.M)
            total = np.flatnonzero(self._set((total[:, None] + more).ravel() % self.M))
        return total

    def _of_groups(self, form: Form, cells: Mapping[int, np.ndarray]) -> list[np.ndarray] | None:
        """The summands of a form whose parts have gates: what the same cells open is one of them."""
        together, plain = groups(form, self.M)
        found = []
        for group in together:
            values = {
                c: np.flatnonzero(cells[c]) if c in cells else self._values[c] for c in group.cells
            }
            sums = group.sums(values)
            if sums is None:
                return None
            self.clock.did(_ATOM * len(group.atoms) + _WAY * len(sums))
            shared(plain, group, sums)
            possible = np.zeros(self.M, np.bool_)
            for row in sums:
                images = (
                    self.images(atom, cells) * row[place]
                    for atom, place in group.atoms.items()
                    if atom is not None and row[place]
                )
                possible[self._sums(int(row[0]), images)] = True
            found.append(np.flatnonzero(possible))
        if not found:
            return None
        return found + [self.images(node, cells) * times for node, times in plain.items() if times]

    def images(self, node: Node, cells: Mapping[int, np.ndarray] = NOTHING) -> np.ndarray:
        """The values of an atom."""
        if node.kind in (Kind.CELL, Kind.TABLE):
            cell = node.args[0]
            known = cells.get(cell)
            values = self._values[cell] if known is None else np.flatnonzero(known)
            return values if node.kind is Kind.CELL else np.unique(node.data[values])
        if node.id not in self._nodes:
            self._settle(node)
        return self._nodes[node.id]

    def _settle(self, root: Form | Node) -> None:
        """Find the values of a term after those of its parts: terms are deeper than Python recurses."""
        for term in in_order(root, self._is_settled):
            if self.clock.over:
                raise Undecided("the time is over")
            if isinstance(term, Form):
                self._forms[term.id] = self._sum(term, {})
            else:
                self._nodes[term.id] = np.flatnonzero(self._atom(term))

    def _is_settled(self, term: Form | Node) -> bool:
        if isinstance(term, Form):
            return term.id in self._forms
        return term.kind not in _COMPOUND or term.id in self._nodes

    def _atom(self, node: Node) -> np.ndarray:
        args = node.args
        if node.kind is Kind.CHOICE:
            found = self.of(args[1]).copy()
            found[0] = True
            return found
        if node.kind is Kind.SELECT:
            return np.logical_or.reduce([self.of(value) for _, value in args[1]])
        if node.kind is Kind.MAX:
            sets = [self.of(value) for value in args]
            least = max(int(np.flatnonzero(one)[0]) for one in sets)
            found = np.logical_or.reduce(sets)
            found[:least] = False
            return found
        if node.kind is Kind.MAPPED:
            return self._set(node.data[np.flatnonzero(self.of(args[1]))])
        return self._set(np.unique(node.data))
