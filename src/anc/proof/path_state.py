"""Path conditions: the tapes that a symbolic state covers, and the simplification of terms on them."""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from functools import reduce
from typing import Any

import numpy as np

from anc.proof.facts import Count
from anc.proof.operations import Operation
from anc.proof.space import Space
from anc.proof.terms import Condition, Form, Node, NodeKind, Term, Value, in_order

Steps = tuple[tuple[Condition, Condition], ...]  # (a condition, what holds once all so far do)
Counting = tuple[Count, Steps]  # a count, and as conditions: (the list continues, it is counted)


@dataclass(frozen=True)
class Trail:
    """The choices of a path as a linked list, the last one first."""

    before: Trail | None
    choice: Node
    length: int


@dataclass(frozen=True)
class Path:
    """A path condition: the tapes that satisfy the precondition and all choices of the trail.

    `cells` has the remaining values of cells, `held` the ids of the conditions that hold, `order` for
    each value those that are at least as large (True: larger), and `alive` the numbers of the witnesses
    on this path, of which there is at least one. `facts` imply more conditions, step by step; `reached`
    has the number of steps of each whose conditions hold. `counts` force some conditions once others are
    decided.
    """

    trail: Trail | None = None
    cells: dict[int, np.ndarray] = field(default_factory=dict)
    held: frozenset[int] = frozenset()
    order: dict[Value, tuple[tuple[Value, bool], ...]] = field(default_factory=dict)
    alive: np.ndarray = field(default_factory=lambda: np.zeros(0, np.int64))
    facts: tuple[Steps, ...] = ()
    reached: tuple[int, ...] = ()
    counts: tuple[Counting, ...] = ()

    @property
    def length(self) -> int:
        """The number of choices."""
        return 0 if self.trail is None else self.trail.length

    def choices(self) -> list[Node]:
        """All choices in order."""
        found, trail = [], self.trail
        while trail is not None:
            found.append(trail.choice)
            trail = trail.before
        return found[::-1]

    def assuming(self, space: Space, condition: Node, alive: np.ndarray) -> Path:
        """The part of this path on which a condition holds; the condition becomes a choice."""
        known = self.knowing(space, condition)
        return replace(known, trail=Trail(self.trail, condition, self.length + 1), alive=alive)

    def knowing(self, space: Space, condition: Node) -> Path:
        """The same path with a condition that is implied by it, and its consequences by the facts."""
        path, reached = self._with(space, condition), list(self.reached)
        changed = bool(reached or self.counts) and not path.is_empty
        while changed:
            changed = False
            for number, steps in enumerate(path.facts):
                while reached[number] < len(steps):
                    going, then = steps[reached[number]]
                    if path.decided(space, going) is not True:
                        break
                    reached[number] += 1
                    if isinstance(then, Node):
                        path, changed = path._with(space, then), True
                        if path.is_empty:
                            return path
            for counting in path.counts:
                for more in path._counted(space, *counting):
                    path, changed = path._with(space, more), True
                    if path.is_empty:
                        return path
        return replace(path, reached=tuple(reached))

    def _counted(self, space: Space, fact: Count, steps: Steps) -> list[Node]:
        """The conditions that a count forces, given those that are decided."""
        verdicts = [(self.decided(space, a), self.decided(space, b)) for a, b in steps]
        numbers, are_true = fact.forced(verdicts)
        elements = (steps[number][1] for number in numbers)
        found = [each if are_true else space.opposite(each) for each in elements]
        return [each for each in found if isinstance(each, Node)]

    def _with(self, space: Space, condition: Node) -> Path:
        held, order, cells = set(self.held), self.order, dict(self.cells)
        for part in condition.args if condition.kind is NodeKind.AND else (condition,):
            held.add(part.id)
            if part.kind is NodeKind.IN:
                cell = part.args[0]
                cells[cell] = cells.get(cell, space.domains.cells[cell]) & part.data
            comparison = part.args[0] if part.kind is NodeKind.NOT else part
            if comparison.kind is NodeKind.LE:
                low, high = comparison.args if part is comparison else comparison.args[::-1]
                order = order | {low: (*order.get(low, ()), (high, part is not comparison))}
        return replace(self, held=frozenset(held), order=order, cells=cells)

    def _rises(self, low: Value, high: Value, strictly: bool) -> bool:
        """Whether the order implies low <= high, or low < high."""
        seen = {(low, False)}
        waiting = [(low, False)]
        while waiting:
            value, above = waiting.pop()
            if value is high and above >= strictly:
                return True
            for larger, strict in self.order.get(value, ()):
                step = (larger, above or strict)
                if step not in seen:
                    seen.add(step)
                    waiting.append(step)
        return False

    def _closer(self, space: Space, a: Value, b: Value) -> bool | None:
        """Whether x - z <= y - z, if x and y are known to be at least z."""
        x, y = _difference(space, a), _difference(space, b)
        if x is None or y is None or x[1:] != y[1:]:
            return None
        (near, of, mirrored), far = x, y[0]
        if mirrored:
            near, far = far, near
        if self._rises(of, near, False) and self._rises(near, far, False):
            return True
        return False if self._rises(of, far, False) and self._rises(far, near, True) else None

    def decided(self, space: Space, condition: Condition) -> bool | None:
        """Whether a condition holds on this path; None if that needs the solver."""
        if isinstance(condition, bool):
            return condition
        if condition.id in self.held:
            return True
        opposite = space.opposite(condition)
        if isinstance(opposite, bool):
            return not opposite
        if opposite.id in self.held:
            return False
        kind = condition.kind
        if kind is NodeKind.NOT:
            found = self.decided(space, condition.args[0])
            return None if found is None else not found
        if kind is NodeKind.IN:
            known = self.cells.get(condition.args[0])
            if known is not None:
                if not (known & condition.data).any():
                    return False
                if not (known & ~condition.data).any():
                    return True
        elif kind is NodeKind.ZERO:
            values = space.domains.of(condition.args[0], self._about(condition))
            if not values[0]:
                return False
            return True if np.count_nonzero(values) == 1 else None
        elif kind is NodeKind.LE:
            (low_a, high_a), (low_b, high_b) = (self.bounds(space, v) for v in condition.args)
            if high_a <= low_b or low_a > high_b:
                return high_a <= low_b
            a, b = condition.args
            if not self.order:
                return None
            if self._rises(a, b, strictly=False):
                return True
            return False if self._rises(b, a, strictly=True) else self._closer(space, a, b)
        elif kind in (NodeKind.AND, NodeKind.OR):
            parts = [self._part_decided(space, part) for part in condition.args]
            settling = kind is NodeKind.OR
            if settling in parts:
                return settling
            return None if None in parts else not settling
        return None

    def _part_decided(self, space: Space, part: Node) -> bool | None:
        """`decided` for a part of a condition, without its own parts, which may be very many."""
        if part.kind not in (NodeKind.AND, NodeKind.OR):
            return self.decided(space, part)
        opposite = space.opposite(part)
        if isinstance(opposite, Node) and opposite.id in self.held:
            return False
        return True if part.id in self.held else None

    @property
    def is_empty(self) -> bool:
        """Whether some cell has no value left."""
        return not all(known.any() for known in self.cells.values())

    def settles(self, condition: Node) -> bool:
        """Whether a condition over several cells has a cell with a single value left."""
        if condition.cell is not None:
            return False
        return any(np.count_nonzero(known) == 1 for known in self._about(condition).values())

    def _about(self, term) -> dict[int, np.ndarray]:
        return {cell: known for cell, known in self.cells.items() if term.support >> cell & 1}

    def values(self, space: Space, value: Value) -> np.ndarray:
        """The possible numbers of a value on this path, over-approximated."""
        if isinstance(value, int):
            return np.array([value])
        return np.flatnonzero(space.domains.of(value, self._about(value)))

    def bounds(self, space: Space, value: Value) -> tuple[int, int]:
        values = self.values(space, value)
        return int(values[0]), int(values[-1])


def _difference(space: Space, value: Value) -> tuple[Value, Value, bool] | None:
    """(x, z, False) of x - z, and (x, z, True) of M - 1 - (x - z), modulo M."""
    if isinstance(value, int) or len(value.parts) != 2 or value.constant not in (0, space.M - 1):
        return None
    mirrored = value.constant == space.M - 1
    signs = {coefficient: space.form(0, {node: 1}) for node, coefficient in value.parts}
    if len(signs) != 2 or signs.keys() != {1, space.M - 1}:
        return None
    plus, minus = signs[1], signs[space.M - 1]
    return (minus, plus, True) if mirrored else (plus, minus, False)


class Simplified:
    """The simplification of terms on a path."""

    def __init__(self, space: Space, path: Path) -> None:
        self.space, self.path = space, path
        self._made: dict[int, Any] = {}

    def condition(self, condition: Node) -> Condition:
        """A condition that is equivalent on this path."""
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
        if kind in (NodeKind.CELL, NodeKind.TABLE):
            value = space.form(0, {node: 1})
            numbers = path.values(space, value)
            return int(numbers[0]) if len(numbers) == 1 else value
        if kind is NodeKind.MAX:
            return self._largest([self._of(value) for value in args])
        if kind is NodeKind.CHOICE:
            condition = self._decided(self._of(args[0]))
            return space.choice(condition, self._of(args[1]), 0)
        if kind is NodeKind.SELECT:
            address, entries = self._of(args[0]), dict(args[1])
            reached = [n for n in path.values(space, address).tolist() if n in entries]
            if len(reached) == 1 or isinstance(address, int):
                return self._of(entries[reached[0]])
            return space.select(address, {number: self._of(entries[number]) for number in reached})
        if kind is NodeKind.MAPPED:
            value = self._of(args[1])
            return (
                int(node.data[value]) if isinstance(value, int) else space.mapped(node.data, value)
            )
        if kind is NodeKind.MAPPED2:
            return space.form(0, {node: 1})
        if kind is NodeKind.OUTPUT:
            return self._output(args[0], [self._of(value) for value in args[1:]])
        if kind is NodeKind.ZERO:
            return self._decided(space.zero(self._of(args[0])))
        if kind is NodeKind.LE:
            return self._decided(space.at_most(self._of(args[0]), self._of(args[1])))
        if kind is NodeKind.NOT:
            return space.opposite(self._of(args[0]))
        if kind is NodeKind.AND:
            return space.all_of(self._of(part) for part in args)
        if kind is NodeKind.OR:
            return space.any_of(self._of(part) for part in args)
        return self._decided(node)

    def _output(self, operation: Operation, operands: list[Value]) -> Value:
        return reduce(lambda a, b: self.space.computed(operation, a, b), operands)

    def _decided(self, condition: Condition) -> Condition:
        decided = self.path.decided(self.space, condition)
        return condition if decided is None else decided

    def _largest(self, values: list[Value]) -> Value:
        """The maximum of some values, without those that another one dominates."""
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
