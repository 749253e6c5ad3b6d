"""The terms of one claim: values that depend on conditions join numbers and conditions."""

from __future__ import annotations

from collections.abc import Mapping

from anc.verify.conditions import Conditions
from anc.verify.terms import Condition, Form, Kind, Node, Value, support_of


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
