"""Gates: values that count only where some cells have certain values, and are 0 elsewhere.

A sum over the entries of a table of which a cell chooses one is a sum of such values. Written like
this, the sum is the same however it came about: by a pointer, by a search, by one jump or several.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping
from itertools import product

import numpy as np

from anc.verify.terms import Form, Kind, Node, Value

_MOST_WAYS = 1 << 10  # of choosing values for the cells of one group
Gates = Mapping[int, int]  # of each cell, the value that it must have


def gated(node: Node) -> tuple[Gates, Value] | None:
    """The gates of an atom that has some, and the value behind them."""
    if node.kind is not Kind.CHOICE:
        return None
    condition, value = node.args
    found = {}
    for part in condition.args if condition.kind is Kind.AND else (condition,):
        if part.kind is not Kind.IN or np.count_nonzero(part.data) != 1:
            return None
        found[part.args[0]] = int(part.data.argmax())
    return found, value


def gate_cells(condition: Node) -> list[tuple[int, int]]:
    """The cells that open parts of the sums that a condition compares: (cell, how many), most first."""
    counts: Counter[int] = Counter()
    waiting: list[Node] = [condition]
    while waiting:
        node = waiting.pop()
        if node.kind in (Kind.NOT, Kind.AND):
            waiting += node.args
        elif node.kind in (Kind.ZERO, Kind.LE):
            for form in node.args:
                for atom, _ in form.parts if isinstance(form, Form) else ():
                    behind = gated(atom)
                    counts.update(behind[0].keys() if behind is not None else ())
    return counts.most_common()


class Group:
    """Those parts of a sum whose gates speak of the same cells: (gates, value, coefficient)."""

    def __init__(self, cells: set[int], parts: list[tuple[Gates, Value, int]]) -> None:
        self.cells, self.parts = cells, parts
        self.atoms: dict[Node | None, int] = {None: 0}  # those behind the gates; None stands for 1
        for _, value, _ in parts:
            for atom, _ in value.parts if isinstance(value, Form) else ():
                self.atoms.setdefault(atom, len(self.atoms))

    def sums(self, values: Mapping[int, np.ndarray]) -> np.ndarray | None:
        """(ways, atoms): the coefficients that the atoms may have together; None: in too many ways.

        `values` has those that the cells can have.
        """
        choices = {}
        total = 1
        for cell in self.cells:
            telling = {gates[cell] for gates, _, _ in self.parts if cell in gates}
            possible = values[cell].tolist()
            others = [value for value in possible if value not in telling][:1]
            choices[cell] = [value for value in possible if value in telling] + others
            total *= len(choices[cell])
        if total > _MOST_WAYS:
            return None
        ways = np.array(list(product(*choices.values())), np.int64)
        column = {cell: ways[:, place] for place, cell in enumerate(choices)}
        found = np.zeros((len(ways), len(self.atoms)), np.int64)
        for gates, value, times in self.parts:
            open_ = np.logical_and.reduce([column[cell] == v for cell, v in gates.items()])
            if isinstance(value, int):
                found[open_, 0] += times * value
                continue
            found[open_, 0] += times * value.constant
            for atom, coefficient in value.parts:
                found[open_, self.atoms[atom]] += times * coefficient
        return np.unique(found, axis=0)


def groups(form: Form, M: int) -> tuple[list[Group], dict[Node, int]]:
    """The parts of a sum in groups that have no gates' cell in common, and those without gates."""
    found: list[Group] = []
    plain: dict[Node, int] = {}
    for node, coefficient in form.parts:
        behind = gated(node)
        if behind is None:
            plain[node] = signed(coefficient, M)
            continue
        cells, parts = set(behind[0]), [(*behind, signed(coefficient, M))]
        for other in [other for other in found if other.cells & cells]:
            found.remove(other)
            cells |= other.cells
            parts = other.parts + parts
        found.append(Group(cells, parts))
    return found, plain


def signed(coefficient: int, M: int) -> int:
    return coefficient if coefficient <= M // 2 else coefficient - M


def shared(plain: dict[Node, int], group: Group, sums: np.ndarray) -> None:
    """Move to a group what its sums lack of atoms that also stand alone.

    Where a cell chooses one of several entries, the first one stands alone, and is taken away again
    behind the gates of the others.
    """
    for atom, place in group.atoms.items():
        times = 0 if atom is None else plain.get(atom, 0)
        lacking = -sums[:, place].min() if times > 0 else -sums[:, place].max()
        if atom is not None and lacking * times > 0:
            moved = min(times, int(lacking), key=abs)
            sums[:, place] += moved
            plain[atom] = times - moved
