"""Constructors of values: sums modulo M, maxima, tables.

Equal terms are one object. A value that depends on one cell is a table.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from functools import cache
from hashlib import blake2b
from typing import Any

import numpy as np

from anc import isa
from anc.proof.operations import DIVIDE
from anc.proof.terms import Form, Node, NodeKind, Term, Value, evaluated, in_order, only, support_of
from anc.proof.value_sets import Domains
from anc.proof.verdict import Undecided
from anc.support.clock import ENDLESS, Clock

_LARGEST = 256  # cells of the largest memory with tables of two operands; larger ones take minutes
_LOOKS = 256  # terms between two checks of the clock
_TERM = 1  # evaluations that a term costs
_MOST_REMEMBERED = 1 << 25  # outputs of terms of one cell
_LONG_KEY = 1 << 13  # bytes of a table beyond which a hash stands for them


def key_of(data: np.ndarray) -> bytes:
    """What equal tables or sets have in common, and no others."""
    found = data.tobytes()
    return found if len(found) <= _LONG_KEY else blake2b(found, digest_size=32).digest()


class Builder:
    """A hash-consing builder of values over a tape of M cells; `domains` has the values of each cell.

    With `compact`, the values of a table are as small as a shift of them makes them, so that sums of tables do not
    wrap around. It raises Undecided when the time is over.
    """

    def __init__(self, domains: Domains, clock: Clock = ENDLESS, compact: bool = False) -> None:
        self.domains, self.M, self.clock, self.compact = domains, domains.M, clock, compact
        self._asked_for = 0
        self._built: dict[tuple, Any] = {}
        self._tables: dict[int, np.ndarray] = {}  # of terms that depend on one cell
        self._counter = 0
        self._has_quotients = False

    def node(
        self, kind: NodeKind, args: tuple, data: Any = None, support: int | None = None
    ) -> Node:
        self._asked_for += 1
        if self._asked_for % _LOOKS == 0:
            self.clock.did(_LOOKS * _TERM)
            if self.clock.over:
                raise Undecided("the time is over")
        key = (kind, *args)
        found = self._built.get(key)
        if found is None:
            self._counter += 1
            support = support_of(args) if support is None else support
            found = self._built[key] = Node(self._counter, kind, args, support, data)
            if data is not None:
                self.domains.keep(data)
            self._has_quotients |= kind is NodeKind.OUTPUT and args[0] is DIVIDE
        return found

    def find(self, kind: NodeKind, args: tuple) -> Any:
        """A node, if it has been built."""
        return self._built.get((kind, *args))

    def signed(self, coefficient: int) -> int:
        """The smallest number that is equal to a coefficient modulo M."""
        return coefficient if coefficient <= self.M // 2 else coefficient - self.M

    def rejoined(self, constant: int, parts: dict[Node, int]) -> tuple[int, dict[Node, int]]:
        """A sum without quotients that are not needed; a `Space` does it."""
        return constant, parts

    def form(self, constant: int, parts: Mapping[Node, int]) -> Value:
        """constant + sum of coefficient * atom."""
        M = self.M
        kept = {node: c for node, coefficient in parts.items() if (c := coefficient % M)}
        if self._has_quotients:
            constant, kept = self.rejoined(constant, kept)
        by_cell: dict[int, list[Node]] = {}
        for node in kept:
            if node.cell is not None:
                by_cell.setdefault(node.cell, []).append(node)
        for cell, nodes in by_cell.items():
            if len(nodes) > 1 or (nodes[0].kind is not NodeKind.CELL and kept[nodes[0]] != 1):
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
                self.node(NodeKind.CELL, (cell,), None, 1 << cell),
                step,
            )
        if self.compact:
            least = _least(shape, M)
            base, shape = base + least, (shape - least) % M
        data = np.zeros(M, np.uint16)
        data[values] = shape
        return base, self.node(NodeKind.TABLE, (cell, key_of(data)), data, 1 << cell), 1

    def function(self, cell: int, table: np.ndarray) -> Value:
        """The value table[c], where c is the cell."""
        constant, node, coefficient = self.of_one_cell(cell, table)
        return self.form(constant, {} if node is None else {node: coefficient})

    def cell(self, cell: int) -> Value:
        """The input value of a cell."""
        return self.function(cell, np.arange(self.M))

    def table(self, term: Term) -> np.ndarray:
        """The values of a term that depends on one cell, for each value of the cell."""
        if len(self._tables) * self.M > _MOST_REMEMBERED:
            self._tables.clear()
        column = np.arange(self.M)
        for part in in_order(term, lambda t: t.id in self._tables):
            made = evaluated(part, self._tables, self.M, lambda _: column, slice(None))
            self._tables[part.id] = made
        return self._tables[term.id]

    def atom(
        self, kind: NodeKind, args: tuple, data: Any = None, support: int | None = None
    ) -> Value:
        node = self.node(kind, args, data, support)
        if node.cell is not None:
            return self.function(node.cell, self.table(node))
        return self.form(0, {node: 1})

    def sum(self, a: Value, b: Value, times: int = 1) -> Value:
        """a + times * b, modulo M."""
        if isinstance(a, int) and isinstance(b, int):
            return (a + times * b) % self.M
        if isinstance(b, int):
            assert isinstance(a, Form)
            return self.form(a.constant + times * b, dict(a.parts))
        parts = dict(a.parts) if isinstance(a, Form) else {}
        constant = a.constant if isinstance(a, Form) else a
        for node, coefficient in b.parts:
            parts[node] = parts.get(node, 0) + times * coefficient
        return self.form(constant + times * b.constant, parts)

    def total(self, constant: int, summands: Iterable[tuple[Value, int]]) -> Value:
        """The constant plus all (summand, coefficient) pairs; faster than repeated sums."""
        parts: dict[Node, int] = {}
        for value, times in summands:
            if isinstance(value, int):
                constant += times * value
                continue
            constant += times * value.constant
            for node, coefficient in value.parts:
                parts[node] = parts.get(node, 0) + times * coefficient
        return self.form(constant, parts)

    def difference(self, a: Value, b: Value) -> Value:
        return self.sum(a, b, -1)

    def larger(self, a: Value, b: Value) -> Value:
        """The maximum; nested maxima become one."""
        number, forms = 0, dict[Form, None]()
        for part in (*self.compared(a), *self.compared(b)):
            if isinstance(part, int):
                number = max(number, part)
            else:
                forms[part] = None
        by_cell: dict[int | None, list[Form]] = {}
        for form in forms:
            by_cell.setdefault(only(form.support), []).append(form)
        items: list[Value] = [number, *by_cell.pop(None, [])]
        for cell, alike in by_cell.items():
            assert cell is not None
            tables = [self.table(form) for form in alike]
            items.append(self.function(cell, np.maximum.reduce(tables)))
        bounds = [self.domains.bounds(item) for item in items]
        kept = list(range(len(items)))
        for i in range(len(items)):
            if any(bounds[j][0] >= bounds[i][1] for j in kept if j != i):
                kept.remove(i)
        if len(kept) == 1:
            return items[kept[0]]
        left = sorted((items[i] for i in kept), key=lambda v: -1 if isinstance(v, int) else v.id)
        return self.atom(NodeKind.MAX, tuple(left))

    def compared(self, value: Value) -> Sequence[Value]:
        """The operands of a maximum; a value that is none is its own operand."""
        if isinstance(value, Form) and value.constant == 0 and len(value.parts) == 1:
            ((node, coefficient),) = value.parts
            if node.kind is NodeKind.MAX and coefficient == 1:
                return node.args
        return (value,)

    def mirrored(self, value: Value) -> Value:
        """M - 1 - value, which reverses the order."""
        return self.difference(self.M - 1, value)

    def smaller(self, a: Value, b: Value) -> Value:
        return self.mirrored(self.larger(self.mirrored(a), self.mirrored(b)))

    def mapped(self, outputs: np.ndarray, value: Form) -> Value:
        """outputs[value]."""
        values = np.flatnonzero(self.domains.of(value))
        reached = outputs[values]
        if (reached == reached[0]).all():
            return int(reached[0])
        if (reached == values).all():
            return value
        data = outputs.astype(np.uint16)
        return self.atom(NodeKind.MAPPED, (key_of(data), value), data)

    def mapped2(self, outputs: np.ndarray, a: Form, b: Form) -> Value:
        """outputs[a, b]."""
        if (outputs == outputs[:1]).all():
            return self.mapped(outputs[0], b)
        if (outputs == outputs[:, :1]).all():
            return self.mapped(outputs[:, 0], a)
        data = outputs.astype(np.int64)
        return self.atom(NodeKind.MAPPED2, (data.tobytes(), a, b), data)

    def looked_up(self, row: isa.Instruction, a: Value, b: Value) -> Value:
        """The tabulated output of an instruction without a formula; one operand at least is a form."""
        every, M = range(self.M), self.M
        if isinstance(b, Form) and isinstance(a, int):
            return self.mapped(np.array([row.output(a, y, M) for y in every]), b)
        if isinstance(a, Form) and isinstance(b, int):
            return self.mapped(np.array([row.output(x, b, M) for x in every]), a)
        if M > _LARGEST:
            raise Undecided(f"a look-up among {M} times {M} outputs is too large")
        assert isinstance(a, Form) and isinstance(b, Form)
        return self.mapped2(_outputs(row, M), a, b)


def _least(shape: np.ndarray, M: int) -> int:
    """The value after the largest gap between values modulo M; of several, the one that comes first."""
    values, first = np.unique(shape, return_index=True)
    gaps = np.diff(values, prepend=values[-1] - M)
    widest = gaps == gaps.max()
    return int(values[widest][first[widest].argmin()])


@cache
def _outputs(row: isa.Instruction, M: int) -> np.ndarray:
    """(M, M): the outputs of an instruction for all operands."""
    return np.array([[row.output(a, b, M) for b in range(M)] for a in range(M)], np.int64)
