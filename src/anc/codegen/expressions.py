"""What emitted code computes: numbers, names, cells of the tape, sums modulo M, and tests.

Sums are kept flat, so that ``INC(INC(x))`` becomes ``x + 2``, and a test of a difference becomes a
comparison of its two sides: ``SUB(x, y)`` is 0 exactly if ``x == y``.
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
    """Terms that are added or subtracted, and a number; modulo M unless it is known not to go round."""

    terms: tuple[tuple[int, Expression], ...]  # (1 or -1, term)
    number: int = 0
    wraps: bool = True


@dataclass(frozen=True)
class Apply:
    """The output of an instruction that is no sum."""

    row: isa.Instruction
    operands: tuple[Expression, ...]


@dataclass(frozen=True)
class Given:
    """An argument, ``limit``, or a part of one, in words that Python and C share: ``values[3]``."""

    name: str
    place: int | None = None

    def __str__(self) -> str:
        return self.name if self.place is None else f"{self.name}[{self.place}]"


Expression = Number | Name | Cell | Total | Apply | Given


@dataclass(frozen=True)
class Test:
    """A comparison of two numbers from 0 to M - 1."""

    left: Expression
    op: str
    right: Expression


@dataclass(frozen=True)
class Both:
    """Tests that `and` or `or` joins."""

    word: str
    parts: tuple[Condition, ...]


Condition = Test | Both


def output(row: isa.Instruction, operands: tuple[Expression, ...], M: int) -> Expression:
    """What an instruction without an effect outputs."""
    factors = SUMS.get(row.output)
    if factors is None:
        return Apply(row, operands)
    total = Total((), factors[2])
    for factor, operand in zip(factors, operands, strict=False):
        total = _plus(total, factor, operand)
    return _tidied(total, M)


def _plus(total: Total, sign: int, part: Expression) -> Total:
    """A sum and a signed part; flat, because going round twice is the same as once."""
    if sign == 0:
        return total
    if isinstance(part, Number):
        return Total(total.terms, total.number + sign * part.value)
    if isinstance(part, Total):
        added = tuple((sign * each, term) for each, term in part.terms)
        return Total(total.terms + added, total.number + sign * part.number)
    return Total((*total.terms, (sign, part)), total.number)


def _tidied(total: Total, M: int) -> Expression:
    """The sum with terms that cancel gone, positive ones first, its number as near to 0 as it can be."""
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
    """The test whether a value is 0, as a comparison where it is a difference."""
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
    """The test whether two values are equal; the larger of two is the second if the first is not above."""
    for whole, part in ((one, other), (other, one)):
        match whole:
            case Apply(row, (first, second)) if part in (first, second):
                if row.output in ORDERS:
                    second_is_larger = (row.output is isa.larger) == (part == second)
                    return _turned(Test(first, "<=" if second_is_larger else ">=", second))
    return _turned(Test(one, "==", other))


def _turned(test: Test) -> Test:
    """A number on the right."""
    if not isinstance(test.left, Number):
        return test
    return Test(test.right, TURNED[test.op], test.left)


def negated(condition: Condition) -> Condition:
    if isinstance(condition, Test):
        return Test(condition.left, OPPOSITE[condition.op], condition.right)
    return Both(WORDS[condition.word], tuple(map(negated, condition.parts)))


def joined(word: str, *parts: Condition) -> Both:
    """Conditions that a word joins, those of the same word taken apart."""
    flat: list[Condition] = []
    for part in parts:
        flat += part.parts if isinstance(part, Both) and part.word == word else [part]
    return Both(word, tuple(flat))


T = TypeVar("T", bound=Expression | Condition)


def parts_of(value: Expression | Condition) -> tuple[Expression | Condition, ...]:
    """The expressions and conditions that one is made of."""
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
    """The same with something else for each of its parts."""
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
    """All expressions and conditions in one, itself too."""
    yield value
    for part in parts_of(value):
        yield from inside(part)


def names_in(value: Expression | Condition) -> set[str]:
    return {part.text for part in inside(value) if isinstance(part, Name)}


def reads_tape(value: Expression | Condition) -> bool:
    return any(isinstance(part, Cell) for part in inside(value))


def replaced(value: Expression, name: str, by: Expression, M: int) -> Expression:
    """An expression with another one for a name, sums flat again."""
    if value == Name(name):
        return by
    new = with_parts(value, lambda part: replaced(part, name, by, M))
    if not isinstance(new, Total):
        return new
    total = Total((), new.number)
    for sign, term in new.terms:
        total = _plus(total, sign, term)
    return _tidied(total, M)
