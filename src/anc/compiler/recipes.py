"""The ways to compute a form with one command, or with two, from what variables hold."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from itertools import islice

from anc.compiler.graph import ADD, READ, SUB, Constant, Operand, Variable
from anc.compiler.knowledge import Knowledge
from anc.compiler.values import Form, Values

Recipe = tuple[str, tuple[Operand, ...]]
NEWEST = 64  # so many variables are tried as operands of a sum of two


class Recipes:
    """Recipes with variables that somebody reads anyway; the oldest of those that hold the same."""

    def __init__(self, values: Values, readers: Mapping[Operand, int], age: Mapping[Operand, int]):
        self.values, self.readers, self.age = values, readers, age

    def age_of(self, operand: Operand) -> int:
        return self.age.get(operand, -1)

    def holder(self, known: Knowledge, form: Form) -> Operand | None:
        """The oldest variable that holds a form, or its number."""
        if not form[1]:
            return Constant(form[0])
        fitting = [
            v
            for v in known.holders(form[1])
            if self.readers[v] and known.settled(known.variables[v]) == form
        ]
        return min(fitting, key=self.age_of, default=None)

    def shifted(self, form: Form, known: Knowledge) -> Iterator[Recipe]:
        """A variable plus a number, or a number minus a variable."""
        M = self.values.M
        for variable in known.holders(form[1]):
            if self.readers[variable]:
                other = known.settled(known.variables[variable])
                yield plus(variable, (form[0] - other[0]) % M)
        for variable in known.holders(self.values.negated(form)[1]):
            if self.readers[variable]:
                other = known.settled(known.variables[variable])
                number = Constant((form[0] + other[0]) % M)
                yield SUB, (number, variable)

    def sums(self, form: Form, known: Knowledge) -> Iterator[Recipe]:
        """A variable plus or minus another one; one of the two has an atom of the form."""
        atoms = {atom for atom, _ in form[1]}
        for variable, held in list(islice(reversed(known.variables.items()), NEWEST)):
            held = known.settled(held)
            if not self.readers[variable] or not any(atom in atoms for atom, _ in held[1]):
                continue
            rest = self.values.sum(form, held, -1)
            if not rest[1]:
                continue
            other = self.holder(known, rest)
            if other is not None:
                yield ADD, (variable, other)
            other = self.holder(known, self.values.negated(rest))
            if other is not None:
                yield SUB, (variable, other)
            rest = self.values.sum(form, held)
            other = self.holder(known, rest) if rest[1] else None
            if other is not None:
                yield SUB, (other, variable)

    def outputs(self, form: Form, known: Knowledge) -> Iterator[Recipe]:
        """The instruction that a form is the output of."""
        parts = self.values.parts(form)
        if parts is not None:
            op, *forms = parts
            wanted = forms[: self.values.instructions[op].operands]
            operands = [each for f in wanted if (each := self.holder(known, f)) is not None]
            if len(operands) == len(wanted):
                yield op, tuple(operands)

    def reads(self, form: Form, known: Knowledge) -> Iterator[Recipe]:
        """A cell that holds it."""
        for cell, held in known.cells.items():
            if known.settled(held) == form:
                yield READ, (Constant(cell),)


def plus(variable: Variable, number: int) -> Recipe:
    """A variable plus a number."""
    return ADD, (variable, Constant(number))


Held = Sequence[tuple[Variable, Form]]
Detour = tuple[Form, Recipe, Recipe]  # the value between, its recipe, and how it is used


def detours(values: Values, form: Form, held: Held, between: Variable) -> Iterator[Detour]:
    """Two sums that make a form of what is held; `between` holds the first one's output."""
    for one, a in held:
        for two, b in held:
            for op, factor in ((ADD, 1), (SUB, -1)):
                middle = values.sum(a, b, factor)
                for last in _last(values, form, middle, held, between):
                    yield middle, (op, (one, two)), last
        for factor in (1, -1):
            multiple = values.sum((0, ()), a, factor)
            for number, last in _shifted(values, form, multiple, held, between):
                new = (multiple[0] + number) % values.M, multiple[1]
                shift = plus(one, number)
                first = shift if factor == 1 else (SUB, (Constant(number), one))
                yield new, first, last


def _last(
    values: Values, form: Form, middle: Form, held: Held, between: Variable
) -> Iterator[Recipe]:
    """The second command, if the first one outputs exactly this."""
    rest, both = values.sum(form, middle, -1), values.sum(form, middle)
    if not rest[1]:
        yield plus(between, rest[0])
    if not both[1]:
        yield SUB, (Constant(both[0]), between)
    if rest == middle:
        yield ADD, (between, between)
    for variable, value in held:
        if value == rest:
            yield ADD, (between, variable)
        if value == both:
            yield SUB, (variable, between)
        if value == values.negated(rest):
            yield SUB, (between, variable)


def _shifted(
    values: Values, form: Form, multiple: Form, held: Held, between: Variable
) -> Iterator[tuple[int, Recipe]]:
    """The second command, if the first one outputs this plus some number; and that number."""
    M = values.M
    rest, both = values.sum(form, multiple, -1), values.sum(form, multiple)
    if rest[1] == multiple[1]:
        twice = (rest[0] - multiple[0]) % M
        if twice % 2 == 0 or M % 2:
            yield (twice if twice % 2 == 0 else twice + M) // 2, (ADD, (between, between))
    for variable, value in held:
        operands: tuple[Operand, Operand] = (between, variable)
        if value[1] == rest[1]:
            yield (rest[0] - value[0]) % M, (ADD, operands)
        if value[1] == both[1]:
            yield (value[0] - both[0]) % M, (SUB, operands[::-1])
        if value[1] == values.negated(rest)[1]:
            yield (rest[0] + value[0]) % M, (SUB, operands)
