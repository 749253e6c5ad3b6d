"""The expression IR of emitted code: numbers, names, cells of the tape, sums modulo M, and tests.

Sums are flat, so that ``INC(INC(x))`` becomes ``x + 2``. A test of a difference becomes a comparison:
``SUB(x, y)`` is 0 if and only if ``x == y``.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace
from typing import Any, TypeVar

from anc import isa
from anc.compiler.affine import ORDERS, SUMS

OPPOSITE = {"==": "!=", "!=": "==", "<=": ">", ">": "<=", "<": ">=", ">=": "<"}
TURNED = {"==": "==", "!=": "!=", "<=": ">=", ">=": "<=", "<": ">", ">": "<"}
WORDS = {"and": "or", "or": "and"}


@dataclass(frozen=True)
class Number:
    value: int


@dataclass(frozen=True)
class Name:
    """A variable of the emitted function."""

    text: str


@dataclass(frozen=True)
class Cell:
    """The value of a cell of the tape."""

    address: Expression


@dataclass(frozen=True)
class Total:
    """A sum of signed terms and a number; modulo M unless it cannot wrap around."""

    terms: tuple[tuple[int, Expression], ...]  # (1 or -1, term)
    number: int = 0
    wraps: bool = True


@dataclass(frozen=True)
class Apply:
    """The output of an instruction other than a sum."""

    row: isa.Instruction
    operands: tuple[Expression, ...]


@dataclass(frozen=True)
class Argument:
    """An argument, ``limit``, or an element of one, ``values[3]``, as in both Python and C."""

    name: str
    place: int | None = None

    def __str__(self) -> str:
        return self.name if self.place is None else f"{self.name}[{self.place}]"


Expression = Number | Name | Cell | Total | Apply | Argument


@dataclass(frozen=True)
class Test:
    """A comparison of two numbers from 0 to M - 1."""

    left: Expression
    op: str
    right: Expression


@dataclass(frozen=True)
class Both:
    """A conjunction or disjunction of conditions."""

    word: str
    parts: tuple[Condition, ...]


Condition = Test | Both


def output(row: isa.Instruction, operands: tuple[Expression, ...], M: int) -> Expression:
    """The output of an instruction without effects."""
    factors = SUMS.get(row.output)
    if factors is None:
        return Apply(row, operands)
    total = Total((), factors[2])
    for factor, operand in zip(factors, operands, strict=False):
        total = _plus(total, factor, operand)
    return _tidied(total, M)


def _plus(total: Total, sign: int, part: Expression) -> Total:
    """A sum plus a signed expression; flat, as a modulo inside of a modulo changes nothing."""
    if sign == 0:
        return total
    if isinstance(part, Number):
        return Total(total.terms, total.number + sign * part.value)
    if isinstance(part, Total):
        added = tuple((sign * each, term) for each, term in part.terms)
        return Total(total.terms + added, total.number + sign * part.number)
    return Total((*total.terms, (sign, part)), total.number)


def _tidied(total: Total, M: int) -> Expression:
    """The normal form of a sum: no cancelling terms, positive ones first, a number close to 0."""
    terms = list(total.terms)
    for sign, term in total.terms:
        if sign == 1 and (1, term) in terms and (-1, term) in terms:
            terms.remove((1, term))
            terms.remove((-1, term))
    number = total.number % M
    if number > M // 2:
        number -= M
    if not terms:
        return Number(number % M)
    if number == 0 and len(terms) == 1 and terms[0][0] == 1:
        return terms[0][1]
    return Total(tuple(sorted(terms, key=lambda part: -part[0])), number)


def is_zero(value: Expression, M: int) -> Condition:
    """The test whether a value is 0; of a difference, the comparison of its sides."""
    if isinstance(value, Total):
        match value.terms:
            case ((1, one), (-1, other)) if value.number == 0:
                return _compared(one, other)
            case ((1, one),):
                return _compared(one, Number(-value.number % M))
            case ((-1, one),):
                return Test(one, "==", Number(value.number % M))
    return Test(value, "==", Number(0))


def _compared(one: Expression, other: Expression) -> Condition:
    """The test whether two values are equal; ``max(x, y) == y`` becomes ``x <= y``."""
    for whole, part in ((one, other), (other, one)):
        match whole:
            case Apply(row, (first, second)) if part in (first, second):
                if row.output in ORDERS:
                    second_is_larger = (row.output is isa.larger) == (part == second)
                    return _turned(Test(first, "<=" if second_is_larger else ">=", second))
    return _turned(Test(one, "==", other))


def _turned(test: Test) -> Test:
    """The test with a number on its right side."""
    if not isinstance(test.left, Number):
        return test
    return Test(test.right, TURNED[test.op], test.left)


def negated(condition: Condition) -> Condition:
    if isinstance(condition, Test):
        return Test(condition.left, OPPOSITE[condition.op], condition.right)
    return Both(WORDS[condition.word], tuple(map(negated, condition.parts)))


def joined(word: str, *parts: Condition) -> Both:
    """A conjunction or disjunction, flattened."""
    flat: list[Condition] = []
    for part in parts:
        flat += part.parts if isinstance(part, Both) and part.word == word else [part]
    return Both(word, tuple(flat))


T = TypeVar("T", bound=Expression | Condition)


def parts_of(value: Expression | Condition) -> tuple[Expression | Condition, ...]:
    """The direct subexpressions of an expression or a condition."""
    match value:
        case Both(_, parts):
            return parts
        case Test(left, _, right):
            return left, right
        case Cell(address):
            return (address,)
        case Total(terms):
            return tuple(term for _, term in terms)
        case Apply(_, operands):
            return operands
    return ()


def with_parts(value: T, change: Callable[[Any], Any]) -> T:
    """The same with each direct subexpression changed."""
    match value:
        case Both(_, parts):
            return replace(value, parts=tuple(map(change, parts)))
        case Test(left, _, right):
            return replace(value, left=change(left), right=change(right))
        case Cell(address):
            return replace(value, address=change(address))
        case Total(terms):
            return replace(value, terms=tuple((sign, change(term)) for sign, term in terms))
        case Apply(_, operands):
            return replace(value, operands=tuple(map(change, operands)))
    return value


def inside(value: Expression | Condition) -> Iterator[Expression | Condition]:
    """All subexpressions, including the expression itself."""
    yield value
    for part in parts_of(value):
        yield from inside(part)


def names_in(value: Expression | Condition) -> set[str]:
    return {part.text for part in inside(value) if isinstance(part, Name)}


def reads_tape(value: Expression | Condition) -> bool:
    return any(isinstance(part, Cell) for part in inside(value))


def replaced(value: Expression, name: str, by: Expression, M: int) -> Expression:
    """An expression with a name substituted, in normal form."""
    if value == Name(name):
        return by
    new = with_parts(value, lambda part: replaced(part, name, by, M))
    if not isinstance(new, Total):
        return new
    total = Total((), new.number)
    for sign, term in new.terms:
        total = _plus(total, sign, term)
    return _tidied(total, M)
