"""The terms of one claim: values that depend on conditions join numbers and conditions."""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np

from anc.verify.conditions import Conditions
from anc.verify.gates import Gates, gated
from anc.verify.terms import Condition, Form, Kind, Node, Value, only, support_of

_FEW_VALUES = 16  # of a cell that may be a gate
_VERY_FEW = 4  # values of a cell that is itself behind gates, to be taken one by one
_MOST_PARTS = 120  # that a gate adds to a sum; more are put behind it together


class Space(Conditions):
    """All terms of a claim."""

    def choice(self, condition: Condition, yes: Value, no: Value) -> Value:
        """`yes` where the condition holds, `no` elsewhere."""
        if yes is no or (isinstance(yes, int) and yes == no):
            return yes
        if isinstance(condition, bool):
            return yes if condition else no
        if self._is_turned(condition):
            return self.choice(self.opposite(condition), no, yes)
        more = self.difference(yes, no)
        if condition.kind is Kind.LE:
            a, b = condition.args
            if more is self.difference(b, a):
                return self.sum(no, self.difference(self.larger(a, b), a))
            if more is self.difference(a, b):
                return self.sum(no, self.difference(self.smaller(a, b), b))
        if condition.kind is Kind.ZERO:
            form = condition.args[0]
            if more is form or more is self.difference(0, form):
                return no
        if isinstance(more, int):
            return self.sum(no, self.atom(Kind.CHOICE, (condition, 1)), more)
        opened = self._behind(condition, more)
        if opened is not None:
            return self.sum(no, opened)
        if condition.kind is Kind.IN:
            cell = condition.args[0]
            alone = {node: c for node, c in more.parts if node.cell == cell}
            rest = {node: c for node, c in more.parts if node.cell != cell}
            if alone and rest:
                found = self.sum(no, self.atom(Kind.CHOICE, (condition, self.form(0, alone))))
                rest_value = self.form(more.constant, rest)
                return self.sum(found, self.atom(Kind.CHOICE, (condition, rest_value)))
        more = self._given(more, condition)
        return self.sum(no, self.atom(Kind.CHOICE, (condition, more)))

    def _behind(self, condition: Node, value: Form) -> Value | None:
        """The value where the condition holds and 0 elsewhere, as values behind gates.

        None unless the condition only says what cells with few values are.
        """
        found: Value = value
        for part in condition.args if condition.kind is Kind.AND else (condition,):
            if part.kind is not Kind.IN or len(self.domains.values(part.args[0])) > _FEW_VALUES:
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
        """The value where a cell is one of some values, of which its first is none; 0 elsewhere."""
        is_open = self.atom(Kind.CHOICE, (gate, 1))
        if isinstance(value, int):
            return self.sum(0, is_open, value)
        cell, numbers = gate.args[0], np.flatnonzero(gate.data).tolist()
        found: list[tuple[Value, int]] = [(is_open, value.constant)]
        rest: list[tuple[Gates, Value, int]] = []
        beside: set[int] = set()  # cells of gates that stand together with one of this cell
        for node, times in value.parts:
            if node.cell == cell:
                found.append((self.function(cell, gate.data * self.table(node)), times))
                continue
            for gates, base, more in self._monomials(node):
                if cell not in gates:
                    rest.append((gates, base, times * more))
                    continue
                beside |= gates.keys()
                if gate.data[gates[cell]]:
                    found.append((self._monomial(gates, base), times * more))
        if len(rest) * len(numbers) > _MOST_PARTS:
            far = [part for part in rest if part[0] and not beside & part[0].keys()]
            together = self.total(0, ((self._monomial(g, base), c) for g, base, c in far))
            found.append((self.atom(Kind.CHOICE, (gate, together)), 1))
            rest = [part for part in rest if part not in far]
        for gates, base, times in rest:
            found += [(self._monomial({**gates, cell: n}, base), times) for n in numbers]
        return self.total(0, found)

    def _monomials(self, node: Node) -> list[tuple[Gates, Value, int]]:
        """An atom as a sum of values behind gates, or as it is."""
        place = node.cell
        if place is not None:
            numbers = self.domains.values(place)
            if len(numbers) > (_FEW_VALUES if node.kind is Kind.TABLE else _VERY_FEW):
                return [({}, self.form(0, {node: 1}), 1)]
            table = self.table(node)
            base = int(table[numbers[0]])
            return [
                ({}, 1, base),
                *(({place: n}, 1, int(table[n]) - base) for n in numbers[1:].tolist()),
            ]
        behind = gated(node)
        return [({}, self.form(0, {node: 1}), 1)] if behind is None else [(*behind, 1)]

    def _monomial(self, gates: Gates, base: Value) -> Value:
        points = []
        for cell, number in gates.items():
            allowed = np.zeros(self.M, np.bool_)
            allowed[number] = True
            points.append(self.one_of(cell, allowed))
        condition = self.all_of(points)
        if isinstance(condition, bool):
            return base if condition else 0
        return self.atom(Kind.CHOICE, (condition, base))

    def _is_turned(self, condition: Node) -> bool:
        """Of a condition and its opposite, choices are made by the one for which this is false."""
        if condition.kind is Kind.IN:
            return bool(condition.data[self.domains.values(condition.args[0])[0]])
        return condition.kind in (Kind.NOT, Kind.OR)

    def _given(self, value: Form, condition: Node) -> Value:
        """The same value where the condition holds, without choices that it decides."""
        found: Value = value
        for node, coefficient in value.parts:
            if node.kind is Kind.CHOICE and node.args[0] is condition:
                found = self.sum(found, self.form(0, {node: coefficient}), -1)
                found = self.sum(found, node.args[1], coefficient)
        return found

    def select(self, address: Form, entries: Mapping[int, Value]) -> Value:
        """The entry at an address, which is surely one of these."""
        known = {number: self._at(value, address, number) for number, value in entries.items()}
        first = next(iter(known.values()))
        if all(value is first or value == first for value in known.values()):
            return first
        cell = only(address.support)
        if cell is not None and len(self.domains.values(cell)) <= _FEW_VALUES:
            table, found = self.table(address), first
            for number, value in known.items():
                found = self.choice(self.one_of(cell, table == number), value, found)
            return found
        if len(known) == 2:
            (a, yes), (_, no) = known.items()
            return self.choice(self.zero(self.difference(address, a)), yes, no)
        support = support_of([address, *known.values()])
        return self.atom(Kind.SELECT, (address, tuple(known.items())), None, support)

    def _at(self, value: Value, address: Form, number: int) -> Value:
        """The same value where the address is that number."""
        if isinstance(value, int):
            return value
        found: Value = value
        for node, coefficient in value.parts:
            if node.kind is Kind.CHOICE and node.args[0].kind is Kind.ZERO:
                form = node.args[0].args[0]
                for sign in (1, -1):
                    rest = self.sum(form, address, sign)
                    if isinstance(rest, int):
                        holds = (rest - sign * number) % self.M == 0
                        found = self.sum(found, self.form(0, {node: coefficient}), -1)
                        if holds:
                            found = self.sum(found, node.args[1], coefficient)
                        break
        return found
