"""Values: sums modulo M, the larger and the smaller one, and whatever is tabulated."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from functools import cache

import numpy as np

from anc import isa
from anc.verify.building import Builder
from anc.verify.terms import Form, Kind, Node, Value, only
from anc.verify.verdict import Undecided

_LARGEST = 256  # a memory with more cells takes minutes to look up in


class Numbers(Builder):
    """Values made of values."""

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
        """The constant and all summands, each so many times: faster than one after the other."""
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
        """The larger one; of larger ones of larger ones, the largest of all."""
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
        return self.atom(Kind.MAX, tuple(left))

    def compared(self, value: Value) -> Sequence[Value]:
        """The values that a value is the largest of."""
        if isinstance(value, Form) and value.constant == 0 and len(value.parts) == 1:
            ((node, coefficient),) = value.parts
            if node.kind is Kind.MAX and coefficient == 1:
                return node.args
        return (value,)

    def mirrored(self, value: Value) -> Value:
        """M - 1 - value, which turns the order round."""
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
        data = outputs.astype(np.int64)
        return self.atom(Kind.MAPPED, (data.tobytes(), value), data)

    def mapped2(self, outputs: np.ndarray, a: Form, b: Form) -> Value:
        """outputs[a, b]."""
        if (outputs == outputs[:1]).all():
            return self.mapped(outputs[0], b)
        if (outputs == outputs[:, :1]).all():
            return self.mapped(outputs[:, 0], a)
        data = outputs.astype(np.int64)
        return self.atom(Kind.MAPPED2, (data.tobytes(), a, b), data)

    def looked_up(self, row: isa.Instruction, a: Value, b: Value) -> Value:
        """The output of an instruction of any meaning at all; at least one operand is no number."""
        every, M = range(self.M), self.M
        if isinstance(b, Form) and isinstance(a, int):
            return self.mapped(np.array([row.output(a, y, M) for y in every]), b)
        if isinstance(a, Form) and isinstance(b, int):
            return self.mapped(np.array([row.output(x, b, M) for x in every]), a)
        if M > _LARGEST:
            raise Undecided(f"a look-up among {M} times {M} outputs is too large")
        assert isinstance(a, Form) and isinstance(b, Form)
        return self.mapped2(_outputs(row, M), a, b)


@cache
def _outputs(row: isa.Instruction, M: int) -> np.ndarray:
    """(M, M): what an instruction outputs for all operands."""
    return np.array([[row.output(a, b, M) for b in range(M)] for a in range(M)], np.int64)
