"""Terms: hash-consed values and conditions over the input tape, in a normal form.

A *value* is a number, or a `Form`: a constant plus atoms times coefficients, modulo M. A *condition* is
True, False or a `Node`. Terms over a single cell are tabulated: a value becomes a table indexed by the
cell, a condition the set of the cell's values for which it holds. Equal terms are therefore mostly one
object, and most questions about them need no solver.
"""

from __future__ import annotations

from collections.abc import Iterable
from enum import Enum
from typing import Any

import numpy as np


class NodeKind(Enum):
    """The kinds of nodes: first the atoms (numbers), then the conditions."""

    CELL = "cell of the input"  # (cell,)
    TABLE = "function of one cell"  # (cell, outputs)
    MAX = "largest of"  # (values, ...)
    CHOICE = "if c then v else 0"  # (condition, value)
    SELECT = "value at an address"  # (address, ((number, value), ...))
    MAPPED = "table of one value"  # (outputs, value)
    MAPPED2 = "table of two values"  # (outputs, value, value)
    OUTPUT = "output of an operation"  # (operation, value, value, ...)
    IN = "cell is one of"  # (cell, set)
    ZERO = "form is 0"  # (form,)
    LE = "first <= second"  # (value, value)
    NOT = "not"  # (condition,)
    AND = "and"  # (conditions, ...)
    OR = "or"  # (conditions, ...)


class Node:
    """An atom or a condition; `support` has a bit for each cell that it depends on."""

    __slots__ = ("args", "data", "id", "kind", "opposite", "support")

    def __init__(self, id: int, kind: NodeKind, args: tuple, support: int, data: Any) -> None:
        self.id, self.kind, self.args, self.support, self.data = id, kind, args, support, data
        self.opposite: Node | None = None

    @property
    def cell(self) -> int | None:
        """The cell that it depends on, if there is exactly one."""
        return only(self.support)


class Form:
    """constant + sum of coefficient * atom, modulo M; at least one atom."""

    __slots__ = ("constant", "id", "parts", "support")

    def __init__(self, id: int, constant: int, parts: tuple[tuple[Node, int], ...]) -> None:
        self.id, self.constant, self.parts = id, constant, parts
        self.support = 0
        for node, _ in parts:
            self.support |= node.support


Value = int | Form
Condition = bool | Node
Term = Form | Node


def only(support: int) -> int | None:
    """The position of the bit, if exactly one is set."""
    return support.bit_length() - 1 if support and support & (support - 1) == 0 else None


def bits(support: int) -> list[int]:
    """The positions of all bits that are set."""
    found = []
    while support:
        low = support & -support
        found.append(low.bit_length() - 1)
        support ^= low
    return found


def support_of(things: Iterable[Any]) -> int:
    """The cells that these values or conditions depend on, as bits."""
    found = 0
    for thing in things:
        found |= getattr(thing, "support", 0)
    return found


def children(term: Term) -> list[Term]:
    """The direct subterms of a term."""
    if isinstance(term, Form):
        return [node for node, _ in term.parts]
    if term.kind is NodeKind.SELECT:
        address, entries = term.args
        found = [address, *(value for _, value in entries)]
    else:
        found = list(term.args)
    return [part for part in found if isinstance(part, Form | Node)]


def in_order(root: Term, is_done: Any) -> list[Term]:
    """A term and its subterms that are not done, in post-order."""
    found: list[Term] = []
    seen: set[int] = set()
    stack: list[tuple[Term, bool]] = [(root, False)]
    while stack:
        term, ready = stack.pop()
        if ready:
            found.append(term)
        elif term.id not in seen and not is_done(term):
            seen.add(term.id)
            stack.append((term, True))
            stack.extend((part, False) for part in children(term))
    return found


def evaluated(term: Term, parts: dict[int, Any], M: int, column: Any, part: slice) -> np.ndarray:
    """The values of a term on many tapes, from the values of its parts; `column` has those of a cell."""

    def of(value: Any) -> Any:
        return parts[value.id][part] if isinstance(value, Form | Node) else value

    if isinstance(term, Form):
        total: Any = term.constant
        for node, coefficient in term.parts:
            total = total + coefficient * of(node)
        return total % M
    kind, args = term.kind, term.args
    if kind is NodeKind.CELL:
        return column(args[0])
    if kind is NodeKind.TABLE or kind is NodeKind.IN:
        return _entries(term.data, column(args[0]))
    if kind is NodeKind.MAX:
        result = of(args[0])
        for value in args[1:]:
            result = np.maximum(result, of(value))
        return result
    if kind is NodeKind.CHOICE:
        return np.where(of(args[0]), of(args[1]), 0)
    if kind is NodeKind.SELECT:
        return _selected(of(args[0]), dict(args[1]), of)
    if kind is NodeKind.MAPPED:
        return _entries(term.data, of(args[1]))
    if kind is NodeKind.MAPPED2:
        return _entries(term.data, (of(args[1]), of(args[2])))
    if kind is NodeKind.OUTPUT:
        return args[0].column([of(value) for value in args[1:]], M)
    if kind is NodeKind.ZERO:
        return of(args[0]) == 0
    if kind is NodeKind.LE:
        return of(args[0]) <= of(args[1])
    if kind is NodeKind.NOT:
        return ~of(args[0])
    if kind is NodeKind.AND:
        return np.logical_and.reduce([of(part) for part in args])
    if kind is NodeKind.OR:
        return np.logical_or.reduce([of(part) for part in args])
    raise TypeError(f"{kind} has no values")


def _entries(data: np.ndarray, at: Any) -> np.ndarray:
    """Entries of a table of numbers, which is kept with few bits, or of a set of values."""
    found = data[at]
    return found if found.dtype == np.bool_ else found.astype(np.int64)


def _selected(address: np.ndarray, entries: dict[int, Value], of: Any) -> np.ndarray:
    """The entry at each address; only the addresses that occur are visited."""
    result = np.zeros_like(address)
    for number in np.unique(address).tolist():
        here = address == number
        value = entries.get(number, 0)
        result[here] = value if isinstance(value, int) else of(value)[here]
    return result
