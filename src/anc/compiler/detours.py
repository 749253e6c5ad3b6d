"""Sums in two commands, by way of a value that nobody holds yet.

2x + 6 is (x + 3) + (x + 3), whatever a program adds up to get there.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from anc.compiler.graph import ADD, SUB, Constant, Operand, Variable
from anc.compiler.recipes import Recipe, plus
from anc.compiler.values import Form, Values

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
