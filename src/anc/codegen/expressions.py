"""The expression IR of emitted code: numbers, names, cells of the tape, sums modulo M, and tests.

Sums are flat, so that ``INC(INC(x))`` becomes ``x + 2``; a multiple is a term of a sum. A test of a difference
becomes a comparison: ``SUB(x, y)`` is 0 if and only if ``x == y``. So does a test of a comparison's output.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace
from typing import Any, TypeVar, overload

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

    terms: tuple[tuple[int, Expression], ...]  # (factor, term), each term once
    number: int = 0
    wraps: bool = True


@dataclass(frozen=True)
class Apply:
    """The output of an instruction other than a sum.

    What the operator of a language computes `wraps` if it may be M or more. It is `partial` if the second
    operand may be one for which the operator is not defined, or too large to compute: a divisor of 0, or a
    shift by many bits.
    """

    row: isa.Instruction
    operands: tuple[Expression, ...]
    wraps: bool = True
    partial: bool = True


@dataclass(frozen=True)
class Argument:
    """An argument, ``limit``, or an element of one, ``values[3]``, as in both Python and C."""

    name: str
    place: int | None = None

    def __str__(self) -> str:
        return self.name if self.place is None else f"{self.name}[{self.place}]"


Expression = Number | Name | Cell | Total | Apply | Argument
Terms = tuple[tuple[int, Expression], ...]


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


COMPARISONS: dict[isa.Meaning, str] = {
    isa.less: "<",
    isa.at_most: "<=",
    isa.equal: "==",
    isa.unequal: "!=",
}
TOGETHER: dict[isa.Meaning, str] = {isa.bits_and: "and", isa.bits_or: "or"}  # of truth values


def output(row: isa.Instruction, operands: tuple[Expression, ...], M: int) -> Expression:
    """The output of an instruction without effects, in normal form."""
    if M == 1:
        return Number(0)
    factors = SUMS.get(row.output)
    if factors is not None:
        total = Total((), factors[2])
        for factor, operand in zip(factors, operands, strict=False):
            total = _plus(total, factor, operand, M)
        return _tidied(total, M)
    meaning = row.output
    match operands:
        case (Number(a), Number(b)):
            return Number(meaning(a, b, M))
        case (other, Number(number)) if meaning is isa.shift_left:
            power = Number(isa.shift_left(1, number, M))
            return output(_row(isa.multiply), (other, power), M)
        case (Number(number), other) | (other, Number(number)) if (
            meaning is isa.multiply and _is_small(((number, other),), M)
        ):
            return _tidied(_plus(Total(()), number, other, M), M)
        case (_, Number(0)) if meaning is isa.divide:
            return Number(0)
        case (one, Number(0)) if meaning is isa.remain:
            return one
        case (one, other) if meaning in COMPARISONS:
            return _comparison(row, one, other, M)
        case (one, other) if meaning is isa.bits_xor and truth_of(one) and truth_of(other):
            return _comparison(_row(isa.unequal), one, other, M)
    return Apply(row, operands)


def _comparison(row: isa.Instruction, one: Expression, other: Expression, M: int) -> Expression:
    """A comparison as a value."""
    test = Test(one, COMPARISONS[row.output], other)
    known, truth = settled(test, M), truth_of(one)
    if known is not None:
        return Number(int(known))
    if truth is not None and other == Number(0):
        if row.output is isa.unequal:
            return one
        if row.output is isa.equal and isinstance(truth, Test):
            return _compared_value(negated(truth))
    return Apply(row, (one, other))


def _row(meaning: isa.Meaning) -> isa.Instruction:
    return next(row for row in isa.WIDE if row.output is meaning)


def _compared_value(test: Test) -> Expression:
    """A comparison as a value."""
    turned = Test(test.right, TURNED[test.op], test.left)
    one = test if test.op in COMPARISONS.values() else turned
    meaning = next(meaning for meaning, op in COMPARISONS.items() if op == one.op)
    return Apply(_row(meaning), (one.left, one.right))


def settled(test: Test, M: int) -> bool | None:
    """Whether a test holds for all operands, or for none; C compilers warn about such tests."""
    (low, high), (least, most) = _bounds(test.left, M), _bounds(test.right, M)
    if test.left == test.right:
        low = high = least = most = 0
    holds = {"<": high < least, "<=": high <= least, "==": low == high == least == most}
    fails = {"<": low >= most, "<=": low > most, "==": high < least or low > most}
    op = test.op
    if op in (">", ">=", "!="):
        op, holds, fails = OPPOSITE[op], fails, holds
    return True if holds[op] else False if fails[op] else None


def _bounds(value: Expression, M: int) -> tuple[int, int]:
    if isinstance(value, Number):
        return value.value, value.value
    return 0, M - 1 if truth_of(value) is None else 1


def truth_of(value: Expression) -> Condition | None:
    """The condition under which a value is not 0, if it is 1 then."""
    match value:
        case Apply(row, (one, other)) if row.output in COMPARISONS:
            return _turned(Test(one, COMPARISONS[row.output], other))
        case Apply(row, operands) if row.output in TOGETHER:
            parts = [part for part in map(truth_of, operands) if part is not None]
            return joined(TOGETHER[row.output], *parts) if len(parts) == 2 else None
    return None


def _plus(total: Total, factor: int, part: Expression, M: int) -> Total:
    """A sum plus a multiple of an expression; flat, as a modulo inside of a modulo changes nothing."""
    if isinstance(part, Number):
        return Total(total.terms, total.number + factor * part.value)
    terms: Terms = ((1, part),)
    number = 0
    if isinstance(part, Total) and _is_small((*total.terms, *_times(factor, part.terms)), M):
        terms, number = part.terms, part.number
    found = {term: each for each, term in total.terms}
    for each, term in _times(factor, terms):
        found[term] = found.get(term, 0) + each
    return Total(
        tuple((each, term) for term, each in found.items()), total.number + factor * number
    )


def _times(factor: int, terms: Terms) -> Terms:
    return tuple((factor * each, term) for each, term in terms)


def _is_small(terms: Terms, M: int) -> bool:
    """Whether a sum surely fits into 32 bits with its sign."""
    return sum(abs(factor) for factor, _ in terms) * M < 2**30


def _tidied(total: Total, M: int) -> Expression:
    """The normal form of a sum: no cancelling terms, positive ones first, a number close to 0."""
    terms = [(factor % M if factor > 0 else -(-factor % M), term) for factor, term in total.terms]
    terms = [(factor, term) for factor, term in terms if factor]
    number = total.number % M
    if number > M // 2:
        number -= M
    if not terms:
        return Number(number % M)
    if number == 0 and len(terms) == 1 and terms[0][0] == 1:
        return terms[0][1]
    return Total(tuple(sorted(terms, key=lambda part: part[0] < 0)), number)


def is_zero(value: Expression, M: int) -> Condition:
    """The test whether a value is 0; of a difference, the comparison of its sides."""
    truth = truth_of(value)
    if truth is not None:
        return negated(truth)
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


@overload
def negated(condition: Test) -> Test: ...
@overload
def negated(condition: Condition) -> Condition: ...
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
    if isinstance(new, Apply):
        return output(new.row, new.operands, M)
    if not isinstance(new, Total):
        return new
    total = Total((), new.number)
    for factor, term in new.terms:
        total = _plus(total, factor, term, M)
    return _tidied(total, M)
