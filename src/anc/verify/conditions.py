"""Conditions on values, and conditions made of conditions."""

from __future__ import annotations

from collections.abc import Iterable

import numpy as np

from anc.verify.numbers import Numbers
from anc.verify.terms import Condition, Form, Kind, Node, Value, only


class Conditions(Numbers):
    """Conditions, in one form wherever that is easy to see."""

    def one_of(self, cell: int, allowed: np.ndarray) -> Condition:
        """That a cell is one of the values where `allowed` (M,) is true."""
        domain = self.domains.cells[cell]
        allowed = allowed & domain
        if not allowed.any():
            return False
        if (allowed == domain).all():
            return True
        return self.node(Kind.IN, (cell, allowed.tobytes()), allowed, 1 << cell)

    def _condition(self, kind: Kind, args: tuple) -> Condition:
        node = self.node(kind, args)
        if node.cell is not None:
            return self.one_of(node.cell, self.table(node))
        return node

    def zero(self, value: Value) -> Condition:
        """That a value is 0."""
        if isinstance(value, int):
            return value == 0
        cell = only(value.support)
        if cell is not None:
            return self.one_of(cell, self.table(value) == 0)
        if not self.domains.of(value)[0]:
            return False
        if len(value.parts) == 1 and value.parts[0][0].kind is Kind.CHOICE:
            ((node, coefficient),) = value.parts
            condition, chosen = node.args
            then = self.sum(value.constant, chosen, coefficient)
            holds, fails = self.zero(then), value.constant == 0
            if not fails:
                return self.all_of([condition, holds])
            return self.any_of([self.opposite(condition), holds])
        for node, coefficient in value.parts:
            if node.kind is Kind.MAX and coefficient in (1, self.M - 1):
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
        return self._condition(Kind.ZERO, (min(value, turned, key=lambda form: form.id),))

    def at_most(self, a: Value, b: Value) -> Condition:
        """That a <= b."""
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
        turned = (self.mirrored(b), self.mirrored(a))
        if any(len(self.compared(side)) > 1 for side in turned) and isinstance(a, int):
            return self.all_of(self.at_most(p, turned[1]) for p in self.compared(turned[0]))
        if any(len(self.compared(side)) > 1 for side in turned) and isinstance(b, int):
            return self.any_of(self.at_most(turned[0], p) for p in self.compared(turned[1]))
        sides = min((a, b), turned, key=_plainness)
        return self._condition(Kind.LE, sides)

    def opposite(self, condition: Condition) -> Condition:
        if isinstance(condition, bool):
            return not condition
        if condition.kind is Kind.NOT:
            return condition.args[0]
        if condition.opposite is None:
            found: Condition
            if condition.kind is Kind.IN:
                found = self.one_of(condition.args[0], ~condition.data)
            elif condition.kind is Kind.AND:
                found = self.any_of([self.opposite(part) for part in condition.args])
            elif condition.kind is Kind.OR:
                found = self.all_of([self.opposite(part) for part in condition.args])
            else:
                found = self.node(Kind.NOT, (condition,))
            if isinstance(found, bool):
                return found
            condition.opposite = found
        return condition.opposite

    def all_of(self, conditions: Iterable[Condition]) -> Condition:
        return self._joined(Kind.AND, conditions, True)

    def any_of(self, conditions: Iterable[Condition]) -> Condition:
        ways = list(conditions)
        parts = [
            way.args if way.kind is Kind.AND else (way,) for way in ways if isinstance(way, Node)
        ]
        common: set[Node] = set()
        if len(parts) == len(ways) > 1:
            common = set.intersection(*map(set, parts))
        if common:  # (c and x) or (c and y) is c and (x or y)
            kept = [part for part in parts[0] if part in common]
            ways = [self.all_of(part for part in each if part not in common) for each in parts]
            return self.all_of([*kept, self.any_of(ways)])
        return self._joined(Kind.OR, ways, False)

    def _joined(self, kind: Kind, conditions: Iterable[Condition], neutral: bool) -> Condition:
        sets: dict[int, Condition] = {}  # of each cell, what is said of it alone
        others: dict[int, Node] = {}
        for condition in conditions:
            if isinstance(condition, bool):
                if condition is not neutral:
                    return condition
                continue
            for part in condition.args if condition.kind is kind else (condition,):
                if part.kind is Kind.IN:
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


def _plainness(sides: tuple[Value, Value]) -> tuple[int, tuple[int, ...]]:
    """Of two ways to say a comparison, the one with fewer negative coefficients is plainer."""
    coefficients = [c for v in sides if isinstance(v, Form) for _, c in v.parts]
    ids = tuple(-1 if isinstance(value, int) else value.id for value in sides)
    return sum(coefficients), ids
