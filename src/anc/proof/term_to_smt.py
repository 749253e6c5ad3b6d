"""The SMT encoding of terms: bit-vectors with values from 0 to M - 1.

If M is a power of two, values wrap around without a reduction. Otherwise a sum gets as many bits as it
needs and is reduced modulo M.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
import z3  # type: ignore[import-untyped]

from anc.proof.fact_to_smt import formula
from anc.proof.facts import Fact
from anc.proof.operations import Operation
from anc.proof.presolve import Inputs
from anc.proof.semantics import Vectors, entry
from anc.proof.space import Space
from anc.proof.terms import Form, Node, NodeKind, Term, Value, children, in_order
from anc.proof.verdict import Undecided

_PART = 3  # evaluations that a formula costs, and each of its parts
_MOST_PIECES = 1 << 12  # of a table


class Lowered(Vectors, Sequence[Any]):
    """The formulas of terms in one context; as a sequence, the formulas of the M input cells."""

    def __init__(self, space: Space, inputs: Inputs, ctx: z3.Context) -> None:
        super().__init__(space.M, ctx)
        self.space, self.inputs = space, inputs
        self.made: dict[int, Any] = {}
        self.cells: dict[int, z3.BitVecRef] = {}
        self.facts: dict[Fact, z3.BoolRef] = {}

    def __len__(self) -> int:
        return self.M

    def __getitem__(self, cell: Any) -> Any:
        root, more = self.inputs.root[cell], self.inputs.offset[cell]
        constant = self.inputs.constant(root)
        if constant is not None:
            return constant + more
        return self.cell(root) + more if more else self.cell(root)

    def cell(self, cell: int) -> z3.BitVecRef:
        """The value of a root."""
        found = self.cells.get(cell)
        if found is None:
            found = self.cells[cell] = self.variable(f"tape[{cell}]")
        return found

    def value(self, value: Value) -> z3.BitVecRef:
        if isinstance(value, int):
            return self.number(value)
        return self.term(value)

    def term(self, term: Term) -> Any:
        """The formula of a value or a condition; raises Undecided when the time is over."""
        clock = self.space.clock
        for part in in_order(term, lambda t: t.id in self.made):
            clock.did(_PART * (1 + len(children(part))))
            if clock.over:
                raise Undecided("the time is over")
            self.made[part.id] = self.form(part) if isinstance(part, Form) else self.node(part)
        return self.made[term.id]

    # -- sums ------------------------------------------------------------------------

    def form(self, form: Form) -> z3.BitVecRef:
        if self.wraps:
            return self._total(form, self.width)
        total, low, high = self._plain(form)
        M = self.M
        if low < 0:
            lift = -(low // M) * M
            total, high = total + lift, high + lift
        else:
            high -= low // M * M
            total = total - low // M * M
        for more in reversed(range((high // M).bit_length())):
            total = z3.If(z3.UGE(total, M << more), total - (M << more), total)
        return z3.Extract(self.width - 1, 0, total)

    def _total(self, form: Form, bits: int) -> z3.BitVecRef:
        """The sum in the given number of bits."""
        total = self.number(form.constant, bits)
        for node, coefficient in form.parts:
            value = self.made[node.id]
            if bits > self.width:
                value = z3.ZeroExt(bits - self.width, value)
            signed = coefficient if coefficient <= self.M // 2 else coefficient - self.M
            if signed == 1:
                total = total + value
            elif signed == -1:
                total = total - value
            else:
                total = total + value * self.number(signed, bits)
        return total

    def _plain(self, form: Form) -> tuple[z3.BitVecRef, int, int]:
        """The sum over the integers, with the smallest signed coefficients, and its bounds."""
        low = high = form.constant
        for node, coefficient in form.parts:
            signed = coefficient if coefficient <= self.M // 2 else coefficient - self.M
            values = self.space.domains.images(node)
            ends = sorted((signed * int(values[0]), signed * int(values[-1])))
            low, high = low + ends[0], high + ends[1]
        bits = max(self.width, max(abs(low), abs(high), 1).bit_length()) + 2
        bits = max(bits, (high - low + 2 * self.M).bit_length() + 1)
        return self._total(form, bits), low, high

    def _is_zero(self, form: Form) -> z3.BoolRef:
        """The condition that a sum is 0 modulo M."""
        if self.wraps:
            return self.made[form.id] == 0
        total, low, high = self._plain(form)
        multiples = range(-(-low // self.M), high // self.M + 1)
        return z3.Or(
            [total == self.number(times * self.M, total.size()) for times in multiples]
            + [z3.BoolVal(False, self.ctx)]
        )

    # -- atoms and conditions ----------------------------------------------------------

    def node(self, node: Node) -> Any:
        kind, args = node.kind, node.args
        if kind is NodeKind.CELL:
            return self.cell(args[0])
        if kind is NodeKind.TABLE:
            return self._table(self.cell(args[0]), node.data, self.space.domains.values(args[0]))
        if kind is NodeKind.IN:
            return self.one_of(self.cell(args[0]), node.data, self.space.domains.values(args[0]))
        if kind is NodeKind.MAX:
            largest = self.value(args[0])
            for other in map(self.value, args[1:]):
                largest = z3.If(z3.UGE(largest, other), largest, other)
            return largest
        if kind is NodeKind.CHOICE:
            return z3.If(self.made[args[0].id], self.value(args[1]), self.number(0))
        if kind is NodeKind.SELECT:
            entries = [(number, self.value(value)) for number, value in args[1]]
            return entry(entries, self.value(args[0]))
        if kind is NodeKind.MAPPED:
            reached = np.flatnonzero(self.space.domains.of(args[1]))
            return self._table(self.value(args[1]), node.data, reached)
        if kind is NodeKind.MAPPED2:
            return self._table2(node.data, *map(self.value, args[1:]))
        if kind is NodeKind.OUTPUT:
            return self._output(*args)
        if kind is NodeKind.ZERO:
            return self._is_zero(args[0])
        if kind is NodeKind.LE:
            return z3.ULE(*map(self.value, args))
        if kind is NodeKind.NOT:
            return z3.Not(self.made[args[0].id])
        parts = [self.made[part.id] for part in args]
        return z3.And(parts) if kind is NodeKind.AND else z3.Or(parts)

    def _output(self, operation: Operation, first: Value, *others: Value) -> z3.BitVecRef:
        domains = self.space.domains
        found, bounds = self.value(first), domains.bounds(first)
        for other in others:
            more = domains.bounds(other)
            found = operation.vectors(self, found, self.value(other), bounds[1] * more[1])
            bounds = operation.bounds(bounds, more, self.M)
        return found

    def _table(self, at: z3.BitVecRef, data: np.ndarray, values: np.ndarray) -> z3.BitVecRef:
        """data[at], where `at` is one of these values, as pieces that are constant or rise by one."""
        shapes = [(data[values].astype(np.int64) - slope * values) % self.M for slope in (0, 1)]
        ends = [np.append(np.flatnonzero(np.diff(shape)) + 1, len(values)) for shape in shapes]
        pieces = []  # (last value, slope, constant)
        begin = 0
        while begin < len(values):
            level, rising = (int(each[np.searchsorted(each, begin, "right")]) for each in ends)
            slope = int(rising > level)
            pieces.append((int(values[max(level, rising) - 1]), slope, int(shapes[slope][begin])))
            if len(pieces) > _MOST_PIECES:
                raise Undecided("a table of one value is too long for the solver")
            begin = max(level, rising)
        found = None
        for last, slope, constant in reversed(pieces):
            more = self.number(constant)
            value = self.added(at, more) if slope else more
            found = value if found is None else z3.If(z3.ULE(at, last), value, found)
        return found

    def _table2(self, data: np.ndarray, a: z3.BitVecRef, b: z3.BitVecRef) -> z3.BitVecRef:
        everything = np.arange(self.M)
        rows: dict[bytes, list[int]] = {}
        for number, row in enumerate(data):
            rows.setdefault(row.tobytes(), []).append(number)
        found = None
        for numbers in rows.values():
            value = self._table(b, data[numbers[0]], everything)
            here = z3.Or([a == number for number in numbers])
            found = value if found is None else z3.If(here, value, found)
        return found

    def domain(self, cell: int, allowed: np.ndarray) -> z3.BoolRef:
        """The condition that a root has one of the allowed values."""
        if allowed.all() and self.wraps:
            return z3.BoolVal(True, self.ctx)
        return self.one_of(self.cell(cell), allowed)

    def fact(self, fact: Fact) -> z3.BoolRef:
        if fact not in self.facts:
            self.facts[fact] = formula(fact, self, self.ctx)
        return self.facts[fact]
