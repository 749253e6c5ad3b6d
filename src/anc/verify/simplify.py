"""Terms on one path: without the choices that the path has made and the values that it excludes."""

from __future__ import annotations

from typing import Any

from anc.verify.space import Space
from anc.verify.states import Path
from anc.verify.terms import Condition, Form, Kind, Node, Term, Value, in_order


class Simplified:
    """What terms come to on a path."""

    def __init__(self, space: Space, path: Path) -> None:
        self.space, self.path = space, path
        self._made: dict[int, Any] = {}

    def condition(self, condition: Node) -> Condition:
        """A condition that says the same on this path."""
        return self._term(condition)

    def _term(self, term: Term) -> Any:
        for part in in_order(term, lambda t: t.id in self._made):
            made = self._form(part) if isinstance(part, Form) else self._node(part)
            self._made[part.id] = made
        return self._made[term.id]

    def _of(self, thing: Any) -> Any:
        return self._made[thing.id] if isinstance(thing, Form | Node) else thing

    def _form(self, form: Form) -> Value:
        return self.space.total(form.constant, ((self._of(node), c) for node, c in form.parts))

    def _node(self, node: Node) -> Any:
        space, path, args = self.space, self.path, node.args
        kind = node.kind
        if kind in (Kind.CELL, Kind.TABLE):
            value = space.form(0, {node: 1})
            numbers = path.values(space, value)
            return int(numbers[0]) if len(numbers) == 1 else value
        if kind is Kind.MAX:
            return self._largest([self._of(value) for value in args])
        if kind is Kind.CHOICE:
            condition = self._decided(self._of(args[0]))
            return space.choice(condition, self._of(args[1]), 0)
        if kind is Kind.SELECT:
            address, entries = self._of(args[0]), dict(args[1])
            reached = [n for n in path.values(space, address).tolist() if n in entries]
            if len(reached) == 1 or isinstance(address, int):
                return self._of(entries[reached[0]])
            return space.select(address, {number: self._of(entries[number]) for number in reached})
        if kind is Kind.MAPPED:
            value = self._of(args[1])
            return (
                int(node.data[value]) if isinstance(value, int) else space.mapped(node.data, value)
            )
        if kind is Kind.MAPPED2:
            return space.form(0, {node: 1})
        if kind is Kind.ZERO:
            return self._decided(space.zero(self._of(args[0])))
        if kind is Kind.LE:
            return self._decided(space.at_most(self._of(args[0]), self._of(args[1])))
        if kind is Kind.NOT:
            return space.opposite(self._of(args[0]))
        if kind is Kind.AND:
            return space.all_of(self._of(part) for part in args)
        if kind is Kind.OR:
            return space.any_of(self._of(part) for part in args)
        return self._decided(node)

    def _decided(self, condition: Condition) -> Condition:
        decided = self.path.decided(self.space, condition)
        return condition if decided is None else decided

    def _largest(self, values: list[Value]) -> Value:
        """The largest of some values, without those that are never above another one."""
        space = self.space
        kept: list[Value] = []
        for value in values:
            if any(self._decided(space.at_most(value, other)) is True for other in kept):
                continue
            kept = [v for v in kept if self._decided(space.at_most(v, value)) is not True]
            kept.append(value)
        largest = kept[0]
        for value in kept[1:]:
            largest = space.larger(largest, value)
        return largest
