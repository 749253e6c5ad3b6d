"""Comparisons of terms, and remainders: ``2 <= tape[1] <= 7``, ``tape[1] % tape[2] == 0``."""

from __future__ import annotations

import operator
from collections.abc import Callable
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np

from anc.proof.facts.logic import MAYBE, NO, YES, Fact, Or, Truth, both, inverted, truth_of
from anc.proof.facts.terms import Bounds, Known, Sum, term

COMPARE: dict[str, Callable[[Any, Any], Any]] = {
    "==": operator.eq,
    "!=": operator.ne,
    "<=": operator.le,
    ">=": operator.ge,
    "<": operator.lt,
    ">": operator.gt,
}
OPPOSITE = {"==": "!=", "!=": "==", "<=": ">", ">=": "<", "<": ">=", ">": "<="}
MIRRORED = {"==": "==", "!=": "!=", "<=": ">=", ">=": "<=", "<": ">", ">": "<"}


class Relation(Fact):
    """An atomic fact: it contains terms, but no facts."""


@dataclass(frozen=True)
class Comparison(Relation):
    """A chain of comparisons: ``2 <= tape[1] <= 7``."""

    first: Sum
    rest: tuple[tuple[str, Sum], ...]

    @cached_property
    def inside(self) -> tuple[Sum, ...]:
        return (self.first, *(right for _, right in self.rest))

    def links(self) -> list[tuple[Sum, str, Sum]]:
        """The binary comparisons of the chain."""
        return [(a, op, b) for a, (op, b) in zip(self.inside, self.rest, strict=False)]

    @cached_property
    def differences(self) -> list[tuple[Sum, str]]:
        """The binary comparisons, each as a sum that is compared with 0."""
        return [(left.plus(right, -1).collected, op) for left, op, right in self.links()]

    def truth(self, known: Known, M: int) -> Truth:
        found = YES
        for total, op in self.differences:
            found = both(found, compared(total.bounds(known, M), op))
        return found

    def negated(self) -> Fact:
        opposites = [Comparison(a, ((OPPOSITE[op], b),)) for a, op, b in self.links()]
        return opposites[0] if len(opposites) == 1 else Or(tuple(opposites))

    def __str__(self) -> str:
        return str(self.first) + "".join(f" {op} {right}" for op, right in self.rest)


def compared(bounds: Bounds, op: str) -> Truth:
    """Compare an interval with 0."""
    low, high = bounds
    if low is high:
        found = COMPARE[op](low, 0)
        return found, found
    if op == "==":
        return (low <= 0) & (high >= 0), (low == 0) & (high == 0)
    if op == "!=":
        return inverted(compared(bounds, "=="))
    one, other = COMPARE[op](low, 0), COMPARE[op](high, 0)
    return one | other, one & other


@dataclass(frozen=True)
class Remainder(Relation):
    """A comparison of Python's remainder with a number: ``tape[1] % 4 == 3``; false for a divisor of 0."""

    dividend: Sum
    divisor: Sum
    op: str  # == or !=
    rest: int

    def truth(self, known: Known, M: int) -> Truth:
        (least, most), (low, high) = self.dividend.bounds(known, M), self.divisor.bounds(known, M)
        if least is most and low is high:
            is_so = COMPARE[self.op](least % (low + (low == 0)), self.rest) & (low != 0)
            return is_so, is_so
        may, must = np.vectorize(self._between, otypes=(np.bool_, np.bool_))(least, most, low, high)
        return may, must

    def _between(self, least: int, most: int, low: int, high: int) -> Truth:
        if low == high == 0:
            return NO
        equal = self._equal(least, most, low, high)
        may, must = equal if self.op == "==" else inverted(equal)
        return may, must and not low <= 0 <= high

    def _equal(self, least: int, most: int, low: int, high: int) -> Truth:
        """Whether the remainder is `rest`, for the non-zero divisors within the bounds."""
        if not (min(low + 1, 0) <= self.rest <= max(high - 1, 0)):
            return NO
        if least == most == 0:
            return truth_of(self.rest == 0)
        if low != high or least // low != most // low:
            return MAYBE
        return (least % low <= self.rest <= most % low), least == most and least % low == self.rest

    def negated(self) -> Fact:
        other = Remainder(self.dividend, self.divisor, OPPOSITE[self.op], self.rest)
        if not self.divisor.cells and self.divisor.constant:
            return other
        return Or((Comparison(self.divisor, (("==", Sum()),)), other))

    def __str__(self) -> str:
        dividend, divisor = str(self.dividend), str(self.divisor)
        if len(self.dividend.cells) + bool(self.dividend.constant) > 1:
            dividend = f"({dividend})"
        if self.divisor.cells and self.divisor != Sum(((1, self.divisor.cells[0][1]),)):
            divisor = f"({divisor})"
        return f"{dividend} % {divisor} {self.op} {self.rest}"


def compare(left: Sum | int, *rest: str | Sum | int) -> Comparison:
    """A comparison, or a chain of comparisons.

    >>> from anc.proof.facts import cell
    >>> print(compare(2, "<=", cell(1), "<=", 7))
    2 <= tape[1] <= 7
    """
    sums = [term(part) for part in (left, *rest[1::2]) if not isinstance(part, str)]
    ops = [str(op) for op in rest[::2]]
    return Comparison(sums[0], tuple(zip(ops, sums[1:], strict=True)))


def remainder(dividend: Sum | int, divisor: Sum | int, rest: int) -> Remainder:
    """The fact that a division leaves this remainder.

    >>> from anc.proof.facts import cell
    >>> print(remainder(cell(1), 4, 3))
    tape[1] % 4 == 3
    """
    return Remainder(term(dividend), term(divisor), "==", rest)


def divisible(dividend: Sum | int, divisor: Sum | int) -> Remainder:
    """The fact that one term divides another."""
    return remainder(dividend, divisor, 0)
