"""Value-set analysis of terms: exact for terms of one cell, an over-approximation for others.

A *gated* value counts only if some cells, its *gates*, have certain values; otherwise it is 0. The entry of
a table that a cell selects is a sum of gated values. This form of the sum does not depend on how the
program found the entry: by a pointer, by a search, by one jump or by several.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Mapping, Sequence
from itertools import product
from typing import Any

import numpy as np

from anc.proof.operations import Operation
from anc.proof.terms import Form, Node, NodeKind, Value, in_order
from anc.proof.verdict import Undecided
from anc.support.clock import ENDLESS, Clock

_MOST_COMBINATIONS = 1 << 10  # combinations of values for the cells of one group
Gates = Mapping[int, int]  # the value that each cell must have
NOTHING: Mapping[int, np.ndarray] = {}
_COMPOUND = (
    NodeKind.CHOICE,
    NodeKind.SELECT,
    NodeKind.MAX,
    NodeKind.MAPPED,
    NodeKind.MAPPED2,
    NodeKind.OUTPUT,
)  # atoms of terms
_ATOM = 0.5  # evaluations that an atom of a group costs ...
_COMBINATION = 5  # ... and each combination of values of its cells
_MOST_SUMS = 1 << 14  # pairs of values that are added at most
_MOST_KEPT = 1 << 30  # bytes of all tables and sets of a proof


def _alike(domains: Sequence[np.ndarray], values: Callable[[np.ndarray], Any]) -> list[Any]:
    """What is computed from each domain; once for those that cells share."""
    found = {id(domain): values(domain) for domain in {id(d): d for d in domains}.values()}
    return [found[id(domain)] for domain in domains]


def gated(node: Node) -> tuple[Gates, Value] | None:
    """The gates of an atom and the value that they gate; None if it has no gates."""
    if node.kind is not NodeKind.CHOICE:
        return None
    condition, value = node.args
    found = {}
    for part in condition.args if condition.kind is NodeKind.AND else (condition,):
        if part.kind is not NodeKind.IN or np.count_nonzero(part.data) != 1:
            return None
        found[part.args[0]] = int(part.data.argmax())
    return found, value


def gate_cells(condition: Node) -> list[tuple[int, int]]:
    """The gate cells in the sums that a condition compares, with their counts, most frequent first."""
    counts: Counter[int] = Counter()
    waiting: list[Node] = [condition]
    while waiting:
        node = waiting.pop()
        if node.kind in (NodeKind.NOT, NodeKind.AND):
            waiting += node.args
        elif node.kind in (NodeKind.ZERO, NodeKind.LE):
            for form in node.args:
                for atom, _ in form.parts if isinstance(form, Form) else ():
                    gating = gated(atom)
                    counts.update(gating[0].keys() if gating is not None else ())
    return counts.most_common()


class GateGroup:
    """The parts (gates, value, coefficient) of a sum whose gates share cells."""

    def __init__(self, cells: set[int], parts: list[tuple[Gates, Value, int]]) -> None:
        self.cells, self.parts = cells, parts
        self.atoms: dict[Node | None, int] = {None: 0}  # the gated atoms; None stands for 1
        for _, value, _ in parts:
            for atom, _ in value.parts if isinstance(value, Form) else ():
                self.atoms.setdefault(atom, len(self.atoms))

    def sums(self, values: Mapping[int, np.ndarray]) -> np.ndarray | None:
        """(n, atoms): the possible combinations of the atoms' coefficients; None if there are too many.

        `values` has the values of the cells.
        """
        choices = {}
        total = 1
        for cell in self.cells:
            telling = {gates[cell] for gates, _, _ in self.parts if cell in gates}
            possible = values[cell].tolist()
            others = [value for value in possible if value not in telling][:1]
            choices[cell] = [value for value in possible if value in telling] + others
            total *= len(choices[cell])
        if total > _MOST_COMBINATIONS:
            return None
        combinations = np.array(list(product(*choices.values())), np.int64)
        column = {cell: combinations[:, place] for place, cell in enumerate(choices)}
        found = np.zeros((len(combinations), len(self.atoms)), np.int64)
        for gates, value, times in self.parts:
            open_ = np.logical_and.reduce([column[cell] == v for cell, v in gates.items()])
            if isinstance(value, int):
                found[open_, 0] += times * value
                continue
            found[open_, 0] += times * value.constant
            for atom, coefficient in value.parts:
                found[open_, self.atoms[atom]] += times * coefficient
        return np.unique(found, axis=0)


def groups(form: Form, M: int) -> tuple[list[GateGroup], dict[Node, int]]:
    """The gated parts of a sum, in groups that share no gate cell, and the parts without gates."""
    found: list[GateGroup] = []
    plain: dict[Node, int] = {}
    for node, coefficient in form.parts:
        gating = gated(node)
        if gating is None:
            plain[node] = signed(coefficient, M)
            continue
        cells, parts = set(gating[0]), [(*gating, signed(coefficient, M))]
        for other in [other for other in found if other.cells & cells]:
            found.remove(other)
            cells |= other.cells
            parts = other.parts + parts
        found.append(GateGroup(cells, parts))
    return found, plain


def signed(coefficient: int, M: int) -> int:
    return coefficient if coefficient <= M // 2 else coefficient - M


def shared(plain: dict[Node, int], group: GateGroup, sums: np.ndarray) -> None:
    """Move coefficients of plain atoms into a group whose sums subtract the same atoms.

    If a cell selects one of several entries, the first entry is a plain atom, and the gates of the other
    entries subtract it.
    """
    for atom, place in group.atoms.items():
        times = 0 if atom is None else plain.get(atom, 0)
        lacking = -sums[:, place].min() if times > 0 else -sums[:, place].max()
        if atom is not None and lacking * times > 0:
            moved = min(times, int(lacking), key=abs)
            sums[:, place] += moved
            plain[atom] = times - moved


class Domains:
    """The sets of values (arrays of M truth values) of the input cells and of terms over them.

    The sets of the cells come from the precondition. A path that knows more about some cells passes its own
    sets for these.
    """

    def __init__(self, M: int, cells: Sequence[np.ndarray], clock: Clock = ENDLESS) -> None:
        self.M, self.cells, self.clock = M, list(cells), clock
        self._everything = np.ones(M, np.bool_)
        self._all_values = np.arange(M)
        self._everything.flags.writeable = self._all_values.flags.writeable = False
        self._values = _alike(self.cells, np.flatnonzero)
        self._kept = 0  # bytes
        self._nodes: dict[int, np.ndarray] = {}
        self._forms: dict[int, np.ndarray] = {}

    def values(self, cell: int) -> np.ndarray:
        return self._values[cell]

    def keep(self, data: np.ndarray) -> None:
        """Count what a term keeps; raises Undecided if it is too much."""
        self._kept += data.nbytes
        if self._kept > _MOST_KEPT:
            raise Undecided("the tables of the proof take too much memory")

    def _kept_once(self, found: np.ndarray, everything: np.ndarray) -> np.ndarray:
        """A set or its values; those of all numbers are kept once."""
        if len(found) == self.M and (found.dtype != np.bool_ or found.all()):
            return everything
        self.keep(found)
        return found

    def of(self, value: Value, cells: Mapping[int, np.ndarray] | None = None) -> np.ndarray:
        """The values of a form; `cells` has smaller sets for some cells."""
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
        """All sums of the constant and one value of each summand."""
        total = np.array([constant % self.M])
        for more in summands:
            if len(more) * len(total) > _MOST_SUMS:
                return np.arange(self.M)
            total = np.flatnonzero(self._set((total[:, None] + more).ravel() % self.M))
        return total

    def _of_groups(self, form: Form, cells: Mapping[int, np.ndarray]) -> list[np.ndarray] | None:
        """The summands of a form with gated parts; a group of them is one summand."""
        together, plain = groups(form, self.M)
        found = []
        for group in together:
            values = {
                c: np.flatnonzero(cells[c]) if c in cells else self._values[c] for c in group.cells
            }
            sums = group.sums(values)
            if sums is None:
                return None
            self.clock.did(_ATOM * len(group.atoms) + _COMBINATION * len(sums))
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
        if node.kind in (NodeKind.CELL, NodeKind.TABLE):
            cell = node.args[0]
            known = cells.get(cell)
            values = self._values[cell] if known is None else np.flatnonzero(known)
            return (
                values
                if node.kind is NodeKind.CELL
                else np.unique(node.data[values]).astype(np.int64)
            )
        if node.id not in self._nodes:
            self._settle(node)
        return self._nodes[node.id]

    def _settle(self, root: Form | Node) -> None:
        """Compute the values of a term and its parts, without recursion: terms may be deep."""
        for term in in_order(root, self._is_settled):
            if self.clock.over:
                raise Undecided("the time is over")
            if isinstance(term, Form):
                self._forms[term.id] = self._kept_once(self._sum(term, {}), self._everything)
            else:
                values = np.flatnonzero(self._atom(term))
                self._nodes[term.id] = self._kept_once(values, self._all_values)

    def _is_settled(self, term: Form | Node) -> bool:
        if isinstance(term, Form):
            return term.id in self._forms
        return term.kind not in _COMPOUND or term.id in self._nodes

    def _atom(self, node: Node) -> np.ndarray:
        args = node.args
        if node.kind is NodeKind.CHOICE:
            found = self.of(args[1]).copy()
            found[0] = True
            return found
        if node.kind is NodeKind.SELECT:
            return np.logical_or.reduce([self.of(value) for _, value in args[1]])
        if node.kind is NodeKind.MAX:
            sets = [self.of(value) for value in args]
            least = max(int(np.flatnonzero(one)[0]) for one in sets)
            found = np.logical_or.reduce(sets)
            found[:least] = False
            return found
        if node.kind is NodeKind.MAPPED:
            return self._set(node.data[np.flatnonzero(self.of(args[1]))])
        if node.kind is NodeKind.OUTPUT:
            return self._of_output(*args)
        return self._set(np.unique(node.data))

    def _of_output(self, operation: Operation, first: Value, *others: Value) -> np.ndarray:
        """Every output if the operands have few values, else those between bounds."""
        found = self.of(first)
        for other in others:
            a, b = np.flatnonzero(found), np.flatnonzero(self.of(other))
            if len(a) * len(b) <= _MOST_SUMS:
                found = self._set(operation.column([a[:, None], b], self.M).ravel())
            else:
                ends = [(int(values[0]), int(values[-1])) for values in (a, b)]
                low, high = operation.bounds(ends[0], ends[1], self.M)
                found = self._set(np.arange(low, high + 1))
        return found
