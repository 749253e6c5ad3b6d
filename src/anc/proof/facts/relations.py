"""Comparisons of terms, and remainders: ``2 <= tape[1] <= 7``, ``tape[1] % tape[2] == 0``."""

from __future__ import annotations

import operator
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np

from anc.proof.facts.logic import Fact, Or, all_of, opposite
from anc.proof.facts.terms import Bounds, Known, Sum, Tape, term

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


# Of some values, those that can be taken `t` times and added to something between low and high so
# that the sum compares with 0 as wanted.
_LEFT: dict[str, Callable[[Sequence[int], int, int, int], Sequence[int]]] = {
    "==": lambda values, t, low, high: [v for v in values if low + t * v <= 0 <= high + t * v],
    "!=": lambda values, t, low, high: [v for v in values if low < high or low + t * v != 0],
    "<=": lambda values, t, low, high: [v for v in values if low + t * v <= 0],
    "<": lambda values, t, low, high: [v for v in values if low + t * v < 0],
    ">=": lambda values, t, low, high: [v for v in values if high + t * v >= 0],
    ">": lambda values, t, low, high: [v for v in values if high + t * v > 0],
}


class Relation(Fact):
    """A fact about terms, with no other fact in it."""


@dataclass(frozen=True)
class Comparison(Relation):
    """A chain of comparisons: ``2 <= tape[1] <= 7``."""

    first: Sum
    rest: tuple[tuple[str, Sum], ...]

    @cached_property
    def inside(self) -> tuple[Sum, ...]:
        return (self.first, *(right for _, right in self.rest))

    def links(self) -> list[tuple[Sum, str, Sum]]:
        """The single comparisons of the chain."""
        return [(a, op, b) for a, (op, b) in zip(self.inside, self.rest, strict=False)]

    @cached_property
    def differences(self) -> list[tuple[Sum, str]]:
        """The single comparisons, each as a sum to compare with 0."""
        return [(left.plus(right, -1).collected, op) for left, op, right in self.links()]

    def holds(self, tape: Tape) -> bool:
        return all(COMPARE[op](total.value(tape), 0) for total, op in self.differences)

    def truths(self, tapes: np.ndarray) -> np.ndarray:
        (total, op), *others = self.differences
        found = COMPARE[op](total.column(tapes), 0)
        for total, op in others:
            found &= COMPARE[op](total.column(tapes), 0)
        return found

    def judge(self, known: Known, M: int) -> bool | None:
        return all_of(compared(total.bounds(known, M), op) for total, op in self.differences)

    def left_for(self, place: int, values: Sequence[int], known: Known, M: int) -> Sequence[int]:
        if self.pointers:
            return super().left_for(place, values, known, M)
        for total, op in self.differences:
            times = sum(t for t, c in total.cells if c == place)
            rest = Sum(tuple(part for part in total.cells if part[1] != place), total.constant)
            values = _LEFT[op](values, times, *rest.bounds(known, M))
        return values

    def negated(self) -> Fact:
        opposites = [Comparison(a, ((OPPOSITE[op], b),)) for a, op, b in self.links()]
        return opposites[0] if len(opposites) == 1 else Or(tuple(opposites))

    def __str__(self) -> str:
        return str(self.first) + "".join(f" {op} {right}" for op, right in self.rest)


def compared(bounds: Bounds, op: str) -> bool | None:
    """Whether something between these bounds compares with 0 as wanted."""
    low, high = bounds
    if op in ("==", "!="):
        if low > 0 or high < 0:
            return op == "!="
        return op == "==" if low == high else None
    verdicts = COMPARE[op](low, 0), COMPARE[op](high, 0)
    return verdicts[0] if verdicts[0] == verdicts[1] else None


@dataclass(frozen=True)
class Remainder(Relation):
    """What remains of a division, as Python has it: ``tape[1] % 4 == 3``; never so if it is by 0."""

    dividend: Sum
    divisor: Sum
    op: str  # == or !=
    rest: int

    def holds(self, tape: Tape) -> bool:
        divisor = self.divisor.value(tape)
        return divisor != 0 and COMPARE[self.op](self.dividend.value(tape) % divisor, self.rest)

    def truths(self, tapes: np.ndarray) -> np.ndarray:
        divisors = self.divisor.column(tapes)
        possible = divisors != 0
        rests = self.dividend.column(tapes) % np.where(possible, divisors, 1)
        return possible & COMPARE[self.op](rests, self.rest)

    def judge(self, known: Known, M: int) -> bool | None:
        low, high = self.divisor.bounds(known, M)
        if low == high == 0:
            return False
        equal = self._equal(self.dividend.bounds(known, M), (low, high))
        verdict = equal if self.op == "==" else opposite(equal)
        return None if verdict and low <= 0 <= high else verdict

    def _equal(self, dividend: Bounds, divisor: Bounds) -> bool | None:
        """Whether the rest is what it shall be, for whatever divisor between the bounds but 0."""
        (least, most), (low, high) = dividend, divisor
        if not (min(low + 1, 0) <= self.rest <= max(high - 1, 0)):
            return False
        if least == most == 0:
            return self.rest == 0
        if low != high or least // low != most // low:
            return None
        if not least % low <= self.rest <= most % low:
            return False
        return True if least == most else None

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
    """A comparison or a chain of them.

    >>> from anc.proof.facts import cell
    >>> print(compare(2, "<=", cell(1), "<=", 7))
    2 <= tape[1] <= 7
    """
    sums = [term(part) for part in (left, *rest[1::2]) if not isinstance(part, str)]
    ops = [str(op) for op in rest[::2]]
    return Comparison(sums[0], tuple(zip(ops, sums[1:], strict=True)))


def remainder(dividend: Sum | int, divisor: Sum | int, rest: int) -> Remainder:
    """That so much remains of a division.

    >>> from anc.proof.facts import cell
    >>> print(remainder(cell(1), 4, 3))
    tape[1] % 4 == 3
    """
    return Remainder(term(dividend), term(divisor), "==", rest)


def divisible(dividend: Sum | int, divisor: Sum | int) -> Remainder:
    """That nothing remains of a division."""
    return remainder(dividend, divisor, 0)
