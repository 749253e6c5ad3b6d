"""The term space of a claim: conditions on values, and values that depend on conditions."""

from __future__ import annotations

from collections.abc import Iterable, Mapping

import numpy as np

from anc.proof import arithmetic
from anc.proof.operations import Operation
from anc.proof.term_builder import Builder, key_of
from anc.proof.terms import Condition, Form, Node, NodeKind, Value, only, support_of
from anc.proof.value_sets import Gates, gated

_FEW_VALUES = 16  # values of a cell that may be a gate
_VERY_FEW = 4  # values of a gated cell that is itself expanded into gates
_MOST_PARTS = 120  # parts that a gate adds to a sum; more of them are gated as one value


class Space(Builder):
    """The builder of all terms of a claim; equal conditions mostly have one normal form."""

    def one_of(self, cell: int, allowed: np.ndarray) -> Condition:
        """The condition that a cell is one of the values where `allowed` (M,) is true."""
        domain = self.domains.cells[cell]
        allowed = allowed & domain
        if not allowed.any():
            return False
        if (allowed == domain).all():
            return True
        return self.node(NodeKind.IN, (cell, key_of(allowed)), allowed, 1 << cell)

    def computed(self, operation: Operation, a: Value, b: Value) -> Value:
        """The output of an operation, in its normal form."""
        return arithmetic.computed(self, operation, a, b)

    def rejoined(self, constant: int, parts: dict[Node, int]) -> tuple[int, dict[Node, int]]:
        return arithmetic.rejoined(self, constant, parts)

    def equal(self, a: Value, b: Value) -> Condition:
        return self.zero(self.difference(a, b))

    def _condition(self, kind: NodeKind, args: tuple) -> Condition:
        node = self.node(kind, args)
        if node.cell is not None:
            return self.one_of(node.cell, self.table(node))
        return node

    def zero(self, value: Value) -> Condition:
        """The condition that a value is 0."""
        if isinstance(value, int):
            return value == 0
        cell = only(value.support)
        if cell is not None:
            return self.one_of(cell, self.table(value) == 0)
        if not self.domains.of(value)[0]:
            return False
        if len(value.parts) == 1 and value.parts[0][0].kind is NodeKind.CHOICE:
            ((node, coefficient),) = value.parts
            condition, chosen = node.args
            then = self.sum(value.constant, chosen, coefficient)
            holds, fails = self.zero(then), value.constant == 0
            if not fails:
                return self.all_of([condition, holds])
            return self.any_of([self.opposite(condition), holds])
        found = arithmetic.is_zero(self, value)
        if found is not None:
            return found
        for node, coefficient in value.parts:
            if node.kind is NodeKind.MAX and coefficient in (1, self.M - 1):
                rest = self.form(0, {node: coefficient})
                other = (
                    self.difference(rest, value)
                    if coefficient == 1
                    else self.difference(value, rest)
                )
                below = [part for part in node.args if part not in self.compared(other)]
                if len(below) + len(self.compared(other)) == len(node.args):
                    largest = below[0]
                    for part in below[1:]:
                        largest = self.larger(largest, part)
                    return self.at_most(largest, other)
        turned = self.difference(0, value)
        assert isinstance(turned, Form)
        return self._condition(NodeKind.ZERO, (min(value, turned, key=lambda form: form.id),))

    def at_most(self, a: Value, b: Value) -> Condition:
        """The condition a <= b."""
        if a is b:
            return True
        if isinstance(a, int) and isinstance(b, int):
            return a <= b
        (low_a, high_a), (low_b, high_b) = self.domains.bounds(a), self.domains.bounds(b)
        if high_a <= low_b:
            return True
        if low_a > high_b:
            return False
        if isinstance(b, int) and len(parts := self.compared(a)) > 1:
            return self.all_of(self.at_most(part, b) for part in parts)
        if isinstance(a, int) and len(parts := self.compared(b)) > 1:
            return self.any_of(self.at_most(a, part) for part in parts)
        found = arithmetic.is_at_most(self, a, b)
        if found is not None:
            return found
        turned = (self.mirrored(b), self.mirrored(a))
        if any(len(self.compared(side)) > 1 for side in turned) and isinstance(a, int):
            return self.all_of(self.at_most(p, turned[1]) for p in self.compared(turned[0]))
        if any(len(self.compared(side)) > 1 for side in turned) and isinstance(b, int):
            return self.any_of(self.at_most(turned[0], p) for p in self.compared(turned[1]))
        sides = min((a, b), turned, key=_plainness)
        return self._condition(NodeKind.LE, sides)

    def opposite(self, condition: Condition) -> Condition:
        if isinstance(condition, bool):
            return not condition
        if condition.kind is NodeKind.NOT:
            return condition.args[0]
        if condition.opposite is None:
            found: Condition
            if condition.kind is NodeKind.IN:
                found = self.one_of(condition.args[0], ~condition.data)
            elif condition.kind is NodeKind.AND:
                found = self.any_of([self.opposite(part) for part in condition.args])
            elif condition.kind is NodeKind.OR:
                found = self.all_of([self.opposite(part) for part in condition.args])
            else:
                found = self.node(NodeKind.NOT, (condition,))
            if isinstance(found, bool):
                return found
            condition.opposite = found
        return condition.opposite

    def all_of(self, conditions: Iterable[Condition]) -> Condition:
        return self._joined(NodeKind.AND, conditions, True)

    def any_of(self, conditions: Iterable[Condition]) -> Condition:
        return self._joined(NodeKind.OR, conditions, False)

    def _joined(self, kind: NodeKind, conditions: Iterable[Condition], neutral: bool) -> Condition:
        sets: dict[int, Condition] = {}  # the condition on each single cell
        others: dict[int, Node] = {}
        for condition in conditions:
            if isinstance(condition, bool):
                if condition is not neutral:
                    return condition
                continue
            for part in condition.args if condition.kind is kind else (condition,):
                if part.kind is NodeKind.IN:
                    cell = part.args[0]
                    before = sets.get(cell, neutral)
                    if isinstance(before, Node):
                        allowed = before.data & part.data if neutral else before.data | part.data
                        sets[cell] = self.one_of(cell, allowed)
                    else:
                        sets[cell] = part
                    if isinstance(sets[cell], bool):
                        return not neutral
                else:
                    others[part.id] = part
        for part in others.values():
            other = self.opposite(part)
            if isinstance(other, Node) and other.id in others:
                return not neutral
        parts = [*(part for part in sets.values() if isinstance(part, Node)), *others.values()]
        if not parts:
            return neutral
        if len(parts) == 1:
            return parts[0]
        return self._condition(kind, tuple(sorted(parts, key=lambda part: part.id)))

    # -- values that depend on conditions --------------------------------------------------

    def choice(self, condition: Condition, yes: Value, no: Value) -> Value:
        """`yes` if the condition holds, else `no`."""
        if yes is no or (isinstance(yes, int) and yes == no):
            return yes
        if isinstance(condition, bool):
            return yes if condition else no
        if self._is_turned(condition):
            return self.choice(self.opposite(condition), no, yes)
        more = self.difference(yes, no)
        if condition.kind is NodeKind.LE:
            a, b = condition.args
            if more is self.difference(b, a):
                return self.sum(no, self.difference(self.larger(a, b), a))
            if more is self.difference(a, b):
                return self.sum(no, self.difference(self.smaller(a, b), b))
        if condition.kind is NodeKind.ZERO:
            form = condition.args[0]
            if more is form or more is self.difference(0, form):
                return no
        if isinstance(more, int):
            return self.sum(no, self.atom(NodeKind.CHOICE, (condition, 1)), more)
        opened = self._behind(condition, more)
        if opened is not None:
            return self.sum(no, opened)
        if condition.kind is NodeKind.IN:
            cell = condition.args[0]
            alone = {node: c for node, c in more.parts if node.cell == cell}
            rest = {node: c for node, c in more.parts if node.cell != cell}
            if alone and rest:
                found = self.sum(no, self.atom(NodeKind.CHOICE, (condition, self.form(0, alone))))
                rest_value = self.form(more.constant, rest)
                return self.sum(found, self.atom(NodeKind.CHOICE, (condition, rest_value)))
        return self.sum(no, self.atom(NodeKind.CHOICE, (condition, more)))

    def _behind(self, condition: Node, value: Form) -> Value | None:
        """The value if the condition holds, else 0, as a sum of gated values.

        None unless the condition is a conjunction over single cells with few values.
        """
        found: Value = value
        for part in condition.args if condition.kind is NodeKind.AND else (condition,):
            if part.kind is not NodeKind.IN or len(self.domains.values(part.args[0])) > _FEW_VALUES:
                return None
            first = self.domains.values(part.args[0])[0]
            if part.data[first]:
                other = self.opposite(part)
                assert isinstance(other, Node)
                found = self.difference(found, self._opened(other, found))
            else:
                found = self._opened(part, found)
        return found

    def _opened(self, gate: Node, value: Value) -> Value:
        """The value if the gate holds, else 0; the gate excludes the first value of its cell."""
        is_open = self.atom(NodeKind.CHOICE, (gate, 1))
        if isinstance(value, int):
            return self.sum(0, is_open, value)
        cell, numbers = gate.args[0], np.flatnonzero(gate.data).tolist()
        found: list[tuple[Value, int]] = [(is_open, value.constant)]
        rest: list[tuple[Gates, Value, int]] = []
        together_with: set[int] = set()  # cells that share gates with this cell
        for node, times in value.parts:
            if node.cell == cell:
                found.append((self.function(cell, gate.data * self.table(node)), times))
                continue
            for gates, base, more in self._monomials(node):
                if cell not in gates:
                    rest.append((gates, base, times * more))
                    continue
                together_with |= gates.keys()
                if gate.data[gates[cell]]:
                    found.append((self._monomial(gates, base), times * more))
        if len(rest) * len(numbers) > _MOST_PARTS:
            far = [part for part in rest if part[0] and not together_with & part[0].keys()]
            together = self.total(0, ((self._monomial(g, base), c) for g, base, c in far))
            found.append((self.atom(NodeKind.CHOICE, (gate, together)), 1))
            rest = [part for part in rest if part not in far]
        for gates, base, times in rest:
            found += [(self._monomial({**gates, cell: n}, base), times) for n in numbers]
        return self.total(0, found)

    def _monomials(self, node: Node) -> list[tuple[Gates, Value, int]]:
        """An atom as a sum of gated values (gates, value, coefficient)."""
        place = node.cell
        if place is not None:
            numbers = self.domains.values(place)
            if len(numbers) > (_FEW_VALUES if node.kind is NodeKind.TABLE else _VERY_FEW):
                return [({}, self.form(0, {node: 1}), 1)]
            table = self.table(node)
            base = int(table[numbers[0]])
            return [
                ({}, 1, base),
                *(({place: n}, 1, int(table[n]) - base) for n in numbers[1:].tolist()),
            ]
        gating = gated(node)
        return [({}, self.form(0, {node: 1}), 1)] if gating is None else [(*gating, 1)]

    def _monomial(self, gates: Gates, base: Value) -> Value:
        points = []
        for cell, number in gates.items():
            allowed = np.zeros(self.M, np.bool_)
            allowed[number] = True
            points.append(self.one_of(cell, allowed))
        condition = self.all_of(points)
        if isinstance(condition, bool):
            return base if condition else 0
        return self.atom(NodeKind.CHOICE, (condition, base))

    def _is_turned(self, condition: Node) -> bool:
        """Whether a choice is expressed by the opposite of this condition."""
        if condition.kind is NodeKind.IN:
            return bool(condition.data[self.domains.values(condition.args[0])[0]])
        return condition.kind in (NodeKind.NOT, NodeKind.OR)

    def select(self, address: Form, entries: Mapping[int, Value]) -> Value:
        """The entry at an address, which is one of the keys."""
        first = next(iter(entries.values()))
        if all(value is first or value == first for value in entries.values()):
            return first
        cell = only(address.support)
        if cell is not None and len(self.domains.values(cell)) <= _FEW_VALUES:
            table, found = self.table(address), first
            for number, value in entries.items():
                found = self.choice(self.one_of(cell, table == number), value, found)
            return found
        if len(entries) == 2:
            (a, yes), (_, no) = entries.items()
            return self.choice(self.zero(self.difference(address, a)), yes, no)
        support = support_of([address, *entries.values()])
        return self.atom(NodeKind.SELECT, (address, tuple(entries.items())), None, support)


def _plainness(sides: tuple[Value, Value]) -> tuple[int, tuple[int, ...]]:
    """The sort key of the two forms of a comparison: the one with fewer negative coefficients wins."""
    coefficients = [c for v in sides if isinstance(v, Form) for _, c in v.parts]
    ids = tuple(-1 if isinstance(value, int) else value.id for value in sides)
    return sum(coefficients), ids
