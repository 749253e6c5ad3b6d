"""Facts: what is known of an input tape, such as ``tape[0] == 3`` or ``tape[1] <= tape[2]``.

A fact is a small tree with a text, a truth value on a tape, and a three-valued one on a tape of which
only some cells are known. Its numbers are plain integers: ``tape[4] == tape[3] + 2`` does NOT go
round at M, unlike the machine's own arithmetic. The cells themselves are always 0..M-1.
"""

from __future__ import annotations

import operator
from abc import ABC, abstractmethod
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import ClassVar

Known = Mapping[int, int]
Tape = Sequence[int] | Known

COMPARE: dict[str, Callable[[int, int], bool]] = {
    "==": operator.eq,
    "!=": operator.ne,
    "<=": operator.le,
    ">=": operator.ge,
    "<": operator.lt,
    ">": operator.gt,
}
OPPOSITE = {"==": "!=", "!=": "==", "<=": ">", ">=": "<", "<": ">=", ">": "<="}


@dataclass(frozen=True)
class Sum:
    """Cells, each added or subtracted, plus a constant: ``tape[3] - tape[1] + 2``."""

    cells: tuple[tuple[int, int], ...] = ()  # (sign, cell)
    constant: int = 0

    def value(self, tape: Tape) -> int:
        total = self.constant
        for sign, cell in self.cells:
            total += sign * tape[cell]
        return total

    def bounds(self, known: Known, M: int) -> tuple[int, int]:
        """The least and the greatest value that the sum can have."""
        low = high = self.constant
        for sign, cell in self.cells:
            value = known.get(cell)
            if value is not None:
                low += sign * value
                high += sign * value
            elif sign > 0:
                high += M - 1
            else:
                low -= M - 1
        return low, high

    def plus(self, other: Sum, sign: int = 1) -> Sum:
        cells = tuple((sign * s, cell) for s, cell in other.cells)
        return Sum(self.cells + cells, self.constant + sign * other.constant)

    def __str__(self) -> str:
        parts = [("-" if sign < 0 else "+", f"tape[{cell}]") for sign, cell in self.cells]
        number = ("-" if self.constant < 0 else "+", str(abs(self.constant)))
        if not parts or (self.constant and parts[0][0] == "-"):
            parts.insert(0, number)
        elif self.constant:
            parts.append(number)
        text = "".join(f" {sign} {term}" for sign, term in parts)
        return text[3:] if text.startswith(" +") else "-" + text[3:]


class Fact(ABC):
    """Something that a tape satisfies or not."""

    level: ClassVar[int]  # the higher, the less tightly its text binds

    @property
    @abstractmethod
    def cells(self) -> frozenset[int]:
        """The cells that the fact speaks of."""

    @abstractmethod
    def holds(self, tape: Tape) -> bool:
        """Whether a tape satisfies it."""

    @abstractmethod
    def judge(self, known: Known, M: int) -> bool | None:
        """True or False when the known cells settle it; None when they do not seem to."""

    @abstractmethod
    def negated(self) -> Fact:
        """The opposite fact, with no `not` in front of anything but a comparison chain."""

    @property
    def text(self) -> str:
        return str(self)


@dataclass(frozen=True)
class Comparison(Fact):
    """A chain of comparisons: ``2 <= tape[1] <= 7``."""

    first: Sum
    rest: tuple[tuple[str, Sum], ...]
    level = 0

    @cached_property
    def cells(self) -> frozenset[int]:
        sums = (self.first, *(right for _, right in self.rest))
        return frozenset(cell for part in sums for _, cell in part.cells)

    def links(self) -> list[tuple[Sum, str, Sum]]:
        """The single comparisons of the chain."""
        lefts = (self.first, *(right for _, right in self.rest))
        return [(left, op, right) for left, (op, right) in zip(lefts, self.rest, strict=False)]

    @cached_property
    def _differences(self) -> list[tuple[Sum, str]]:
        """The single comparisons, each as a sum to compare with 0."""
        return [(left.plus(right, -1), op) for left, op, right in self.links()]

    def holds(self, tape: Tape) -> bool:
        return all(COMPARE[op](total.value(tape), 0) for total, op in self._differences)

    def judge(self, known: Known, M: int) -> bool | None:
        return _all(_compare(total.bounds(known, M), op) for total, op in self._differences)

    def negated(self) -> Fact:
        opposites = [Comparison(a, ((OPPOSITE[op], b),)) for a, op, b in self.links()]
        return opposites[0] if len(opposites) == 1 else Or(tuple(opposites))

    def __str__(self) -> str:
        return str(self.first) + "".join(f" {op} {right}" for op, right in self.rest)


def _compare(bounds: tuple[int, int], op: str) -> bool | None:
    """Whether something between these bounds compares with 0 as wanted."""
    low, high = bounds
    if op in ("==", "!="):
        if low > 0 or high < 0:
            return op == "!="
        return op == "==" if low == high else None
    verdicts = COMPARE[op](low, 0), COMPARE[op](high, 0)
    return verdicts[0] if verdicts[0] == verdicts[1] else None


def _all(verdicts: Iterable[bool | None]) -> bool | None:
    result: bool | None = True
    for verdict in verdicts:
        if verdict is False:
            return False
        if verdict is None:
            result = None
    return result


def _not(verdict: bool | None) -> bool | None:
    return None if verdict is None else not verdict


@dataclass(frozen=True)
class Joined(Fact):
    """Facts that a word makes one of."""

    parts: tuple[Fact, ...]
    word: ClassVar[str]

    @cached_property
    def cells(self) -> frozenset[int]:
        return frozenset().union(*(part.cells for part in self.parts))

    @staticmethod
    @abstractmethod
    def join(verdicts: Iterator[bool | None]) -> bool | None:
        """The verdict on the whole, from those on its parts as far as they are needed."""

    def holds(self, tape: Tape) -> bool:
        return bool(self.join(part.holds(tape) for part in self.parts))

    def judge(self, known: Known, M: int) -> bool | None:
        return self.join(part.judge(known, M) for part in self.parts)

    def __str__(self) -> str:
        *others, last = self.parts
        texts = [str(part) if part.level < self.level else f"({part})" for part in others]
        texts.append(str(last) if last.level <= self.level else f"({last})")
        return f" {self.word} ".join(texts)


class Not(Joined):
    word, level = "not", 1

    @staticmethod
    def join(verdicts: Iterator[bool | None]) -> bool | None:
        return _not(next(verdicts))

    def negated(self) -> Fact:
        return self.parts[0]

    def __str__(self) -> str:
        return f"{self.word} {super().__str__()}"


class And(Joined):
    word, level = "and", 2
    join = staticmethod(_all)

    def negated(self) -> Fact:
        return Or(tuple(part.negated() for part in self.parts))


class Or(Joined):
    word, level = "or", 3

    @staticmethod
    def join(verdicts: Iterator[bool | None]) -> bool | None:
        return _not(_all(map(_not, verdicts)))

    def negated(self) -> Fact:
        return And(tuple(part.negated() for part in self.parts))


class Implies(Joined):
    word, level = "implies", 4

    @staticmethod
    def join(verdicts: Iterator[bool | None]) -> bool | None:
        premise = next(verdicts)
        if premise is False:
            return True
        conclusion = next(verdicts)
        return conclusion if premise or conclusion else None

    def negated(self) -> Fact:
        premise, conclusion = self.parts
        return And((premise, conclusion.negated()))


# -- the common ones -----------------------------------------------------------


def cell(number: int, plus: int = 0) -> Sum:
    """The value of a cell, plus a constant."""
    return Sum(((1, number),), plus)


def compare(left: Sum | int, *rest: str | Sum | int) -> Comparison:
    """A comparison or a chain of them.

    >>> print(compare(2, "<=", cell(1), "<=", 7))
    2 <= tape[1] <= 7
    """
    sums = [Sum((), part) if isinstance(part, int) else part for part in (left, *rest[1::2])]
    ops = [str(op) for op in rest[::2]]
    first, *others = [part for part in sums if isinstance(part, Sum)]
    return Comparison(first, tuple(zip(ops, others, strict=True)))


def conjuncts(facts: Iterable[Fact]) -> list[Fact]:
    """The same facts with chains and conjunctions taken apart, each only once."""
    found: dict[Fact, None] = {}
    for fact in facts:
        if isinstance(fact, And):
            found.update(dict.fromkeys(conjuncts(fact.parts)))
        elif isinstance(fact, Comparison) and len(fact.rest) > 1:
            found.update(dict.fromkeys(compare(a, op, b) for a, op, b in fact.links()))
        else:
            found[fact] = None
    return list(found)


def merged(facts: Sequence[Fact]) -> list[Fact]:
    """The same facts, with a cell's lower and upper bound written as one range.

    >>> print(*merged([compare(cell(4), "!=", 0), compare(cell(4), "<=", 6)]))
    1 <= tape[4] <= 6
    """
    lower: dict[Sum | None, int] = {}
    upper: dict[Sum | None, int] = {}
    bounds = [_bounds(fact) for fact in facts]
    for of, low, high in bounds:
        if low is not None:
            lower[of] = max(low, lower.get(of, low))
        if high is not None:
            upper[of] = min(high, upper.get(of, high))
    found: dict[Fact, None] = {}
    for fact, (of, _, _) in zip(facts, bounds, strict=True):
        if of in lower and of in upper and of is not None:
            fact = compare(lower[of], "<=", of, "<=", upper[of])
        found[fact] = None
    return list(found)


def _bounds(fact: Fact) -> tuple[Sum | None, int | None, int | None]:
    """The cell that a fact bounds, its least and its greatest value, where the fact says them."""
    match fact:
        case Comparison(Sum((), low), (("<=", Sum(((1, _),), 0) as of),)):
            return of, low, None
        case Comparison(Sum(((1, _),), 0) as of, (("!=", Sum((), 0)),)):
            return of, 1, None
        case Comparison(Sum(((1, _),), 0) as of, (("<=", Sum((), high)),)):
            return of, None, high
    return None, None, None
