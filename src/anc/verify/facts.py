"""Facts: what is known of an input tape, such as ``tape[0] == 3`` or ``tape[1] <= tape[2]``.

A fact is a small tree with a text, a truth value on a tape, and a three-valued one on a tape of which
only some cells are known. Its numbers are plain integers: ``tape[4] == tape[3] + 2`` does NOT go
round at M, unlike the machine's own arithmetic. The cells themselves are always 0..M-1.
"""

from __future__ import annotations

import operator
from abc import ABC, abstractmethod
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property

Tape = Sequence[int]
Known = Mapping[int, int]

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

    def value(self, tape: Tape | Known) -> int:
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

    @cached_property
    def cells(self) -> frozenset[int]:
        sums = (self.first, *(right for _, right in self.rest))
        return frozenset(cell for part in sums for _, cell in part.cells)

    def links(self) -> list[tuple[Sum, str, Sum]]:
        """The single comparisons of the chain."""
        found, left = [], self.first
        for op, right in self.rest:
            found.append((left, op, right))
            left = right
        return found

    def holds(self, tape: Tape) -> bool:
        return all(COMPARE[op](a.value(tape), b.value(tape)) for a, op, b in self.links())

    def judge(self, known: Known, M: int) -> bool | None:
        verdicts = [_compare(op, a.bounds(known, M), b.bounds(known, M)) for a, op, b in self._l]
        return _all(verdicts)

    @cached_property
    def _l(self) -> list[tuple[Sum, str, Sum]]:
        return self.links()

    def negated(self) -> Fact:
        opposites = [Comparison(a, ((OPPOSITE[op], b),)) for a, op, b in self.links()]
        return opposites[0] if len(opposites) == 1 else Or(tuple(opposites))

    def __str__(self) -> str:
        return str(self.first) + "".join(f" {op} {right}" for op, right in self.rest)


def _compare(op: str, left: tuple[int, int], right: tuple[int, int]) -> bool | None:
    (a, b), (c, d) = left, right
    if op in ("==", "!="):
        if b < c or d < a:
            return op == "!="
        return op == "==" if a == b == c == d else None
    if op in (">", ">="):
        (a, b), (c, d), op = right, left, {">": "<", ">=": "<="}[op]
    compare = COMPARE[op]
    if compare(b, c):
        return True
    return None if compare(a, d) else False


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
class Not(Fact):
    part: Fact

    @cached_property
    def cells(self) -> frozenset[int]:
        return self.part.cells

    def holds(self, tape: Tape) -> bool:
        return not self.part.holds(tape)

    def judge(self, known: Known, M: int) -> bool | None:
        return _not(self.part.judge(known, M))

    def negated(self) -> Fact:
        return self.part

    def __str__(self) -> str:
        return f"not {_bracket(self.part, (Comparison, Not))}"


@dataclass(frozen=True)
class And(Fact):
    parts: tuple[Fact, ...]

    @cached_property
    def cells(self) -> frozenset[int]:
        return frozenset().union(*(part.cells for part in self.parts))

    def holds(self, tape: Tape) -> bool:
        return all(part.holds(tape) for part in self.parts)

    def judge(self, known: Known, M: int) -> bool | None:
        return _all(part.judge(known, M) for part in self.parts)

    def negated(self) -> Fact:
        return Or(tuple(part.negated() for part in self.parts))

    def __str__(self) -> str:
        return " and ".join(_bracket(part, (Comparison, Not)) for part in self.parts)


@dataclass(frozen=True)
class Or(Fact):
    parts: tuple[Fact, ...]

    @cached_property
    def cells(self) -> frozenset[int]:
        return frozenset().union(*(part.cells for part in self.parts))

    def holds(self, tape: Tape) -> bool:
        return any(part.holds(tape) for part in self.parts)

    def judge(self, known: Known, M: int) -> bool | None:
        return _not(_all(_not(part.judge(known, M)) for part in self.parts))

    def negated(self) -> Fact:
        return And(tuple(part.negated() for part in self.parts))

    def __str__(self) -> str:
        return " or ".join(_bracket(part, (Comparison, Not, And)) for part in self.parts)


@dataclass(frozen=True)
class Implies(Fact):
    premise: Fact
    conclusion: Fact

    @cached_property
    def cells(self) -> frozenset[int]:
        return self.premise.cells | self.conclusion.cells

    def holds(self, tape: Tape) -> bool:
        return not self.premise.holds(tape) or self.conclusion.holds(tape)

    def judge(self, known: Known, M: int) -> bool | None:
        premise = self.premise.judge(known, M)
        if premise is False:
            return True
        conclusion = self.conclusion.judge(known, M)
        if premise is True or conclusion is True:
            return conclusion
        return None

    def negated(self) -> Fact:
        return And((self.premise, self.conclusion.negated()))

    def __str__(self) -> str:
        premise = _bracket(self.premise, (Comparison, Not, And, Or))
        conclusion = _bracket(self.conclusion, (Comparison, Not, And, Or, Implies))
        return f"{premise} implies {conclusion}"


def _bracket(fact: Fact, bare: tuple[type, ...]) -> str:
    return str(fact) if isinstance(fact, bare) else f"({fact})"


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
    lower: dict[Sum, int] = {}
    upper: dict[Sum, int] = {}
    for fact in facts:
        if (bound := _lower_bound(fact)) is not None:
            lower[bound[0]] = max(bound[1], lower.get(*bound))
        if (bound := _upper_bound(fact)) is not None:
            upper[bound[0]] = min(bound[1], upper.get(*bound))
    found: dict[Fact, None] = {}
    for fact in facts:
        bound = _lower_bound(fact) or _upper_bound(fact)
        if bound is not None and bound[0] in lower and bound[0] in upper:
            of = bound[0]
            fact = compare(lower[of], "<=", of, "<=", upper[of])
        found[fact] = None
    return list(found)


def _lower_bound(fact: Fact) -> tuple[Sum, int] | None:
    match fact:
        case Comparison(Sum((), low), (("<=", Sum(((1, _),), 0) as of),)):
            return of, low
        case Comparison(Sum(((1, _),), 0) as of, (("!=", Sum((), 0)),)):
            return of, 1
    return None


def _upper_bound(fact: Fact) -> tuple[Sum, int] | None:
    match fact:
        case Comparison(Sum(((1, _),), 0) as of, (("<=", Sum((), high)),)):
            return of, high
    return None
