"""Facts, and the connectives: not, and, or, implies.

A fact is a record of terms, other facts and numbers. It has one semantics, `truth`: its value in Kleene's
three-valued logic, given the known cells. Evaluation on a tape, on a batch of tapes, on a partial tape, and
for each candidate value of one more cell all derive from it.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from functools import cached_property
from typing import Any, ClassVar, Self

import numpy as np

from anc.proof.facts.terms import At, Columns, Index, Known, Sum, Tape

# Whether something may hold, and whether it must: truth values, or arrays; the same object twice if exact.
Truth = tuple[Any, Any]
YES: Truth = (True, True)
NO: Truth = (False, False)
MAYBE: Truth = (True, False)
NEGATION = 1  # the precedence level of `not`


class Fact(ABC):
    """A predicate on tapes."""

    level: ClassVar[int] = 0  # precedence: higher levels bind less tightly

    # -- structure ---------------------------------------------------------------------

    @property
    def fields(self) -> tuple[Any, ...]:
        return tuple(getattr(self, name) for name in self.__match_args__)  # type: ignore[attr-defined]

    @cached_property
    def inside(self) -> tuple[Sum | Fact, ...]:
        """Its direct parts: terms and facts."""
        return tuple(_inside(self.fields))

    @cached_property
    def cells(self) -> frozenset[int]:
        """The cells that the fact depends on for every tape; `pointers` may add others."""
        parts = (part.read if isinstance(part, Sum) else part.cells for part in self.inside)
        return frozenset().union(*parts)

    @cached_property
    def pointers(self) -> tuple[At, ...]:
        """Its computed cells: a fact that has any may depend on every cell."""
        return tuple(to for part in self.inside for to in part.pointers)

    @cached_property
    def size(self) -> int:
        """The number of constants and cells in it, which measures how simple the fact is."""
        return size_of(self.fields)

    def replaced(self, by: Mapping[int | At, Sum]) -> Self:
        """Substitute terms for cells, or for i."""
        return type(self)(*[_replaced(field, by) for field in self.fields])

    def numbered(self, number: int) -> Self:
        """The fact with i, the index of a list, replaced by a number."""
        return self.replaced({Index(): Sum((), number)})

    # -- evaluation --------------------------------------------------------------------

    @abstractmethod
    def truth(self, known: Known, M: int) -> Truth:
        """Whether it may hold and whether it must, on tapes of M cells with these known cells."""

    def holds(self, tape: Tape) -> bool:
        """Whether a tape satisfies it."""
        known: Known
        if isinstance(tape, Mapping):
            known = tape
        else:
            places = range(len(tape)) if self.pointers else self.cells
            known = {place: tape[place] for place in places}
        return bool(self.truth(known, len(tape))[1])

    def truths(self, tapes: np.ndarray) -> np.ndarray:
        """Which of many tapes (n, M) satisfy it."""
        _, must = self.truth(Columns(tapes), tapes.shape[1])
        return np.broadcast_to(must, len(tapes))

    def judge(self, known: Known, M: int) -> bool | None:
        """True or False if the known cells decide it; None if they do not, as far as intervals show."""
        return verdict_of(self.truth(known, M))

    def left_for(self, place: int, values: np.ndarray, known: Known, M: int) -> np.ndarray:
        """The values of one more cell that are consistent with the known ones; an over-approximation."""
        if not self.speaks_of(place, known, M):
            return values
        if self.pointers:  # the value may decide which cells it reads
            left = (self.judge({**known, place: int(value)}, M) is not False for value in values)
            return values[np.fromiter(left, np.bool_, len(values))]
        others = {other: known[other] for other in self.cells if other in known}
        may, _ = self.truth({**others, place: values}, M)
        return values[np.broadcast_to(may, len(values))]

    def speaks_of(self, place: int, known: Known, M: int) -> bool:
        """Whether it depends on a cell, as far as the known cells determine that."""
        return place in self.cells or any(to.place(known, M) == place for to in self.pointers)

    # -- negation and text -------------------------------------------------------------

    def negated(self) -> Fact:
        """The negation, without `not` where possible."""
        return Not((self,))

    def denied(self) -> str:
        """The text of the negation."""
        return f"not {self}" if self.level <= NEGATION else f"not ({self})"

    @property
    def text(self) -> str:
        return str(self)


def _inside(part: Any) -> list[Sum | Fact]:
    if type(part) is tuple:
        return [found for each in part for found in _inside(each)]
    return [part] if isinstance(part, (Sum, Fact)) else []


def size_of(part: Any) -> int:
    """The number of constants and cells in a part of a fact."""
    match part:
        case Sum() | Fact():
            return part.size
        case tuple():
            return sum(map(size_of, part))
    return int(isinstance(part, int))


def _replaced(part: Any, by: Mapping[int | At, Sum]) -> Any:
    match part:
        case Sum() | Fact():
            return part.replaced(by)
        case tuple():
            return tuple(_replaced(each, by) for each in part)
    return part


def truth_of(verdict: bool | None) -> Truth:
    return verdict is not False, verdict is True


def verdict_of(truth: Truth) -> bool | None:
    may, must = truth
    return True if must else None if may else False


def inverted(truth: Truth) -> Truth:
    may, must = truth
    no = must ^ True
    return no, no if may is must else may ^ True


def both(one: Truth, other: Truth) -> Truth:
    may = one[0] & other[0]
    return may, may if _are_exact(one, other) else one[1] & other[1]


def either(one: Truth, other: Truth) -> Truth:
    may = one[0] | other[0]
    return may, may if _are_exact(one, other) else one[1] | other[1]


def _are_exact(one: Truth, other: Truth) -> bool:
    return one[0] is one[1] and other[0] is other[1]


def is_never(truth: Truth) -> bool:
    """Whether it is false on every tape, so that a conjunction can stop here."""
    may, _ = truth
    return may is False or (may is not True and not may.any())


@dataclass(frozen=True)
class Joined(Fact):
    """Facts joined by a connective."""

    parts: tuple[Fact, ...]
    word: ClassVar[str]

    @classmethod
    def of(cls, parts: Iterable[Fact]) -> Joined:
        """Join facts, flattening those with the same connective."""
        return cls(
            tuple(p for part in parts for p in (part.parts if isinstance(part, cls) else [part]))
        )

    def __str__(self) -> str:
        *others, last = self.parts
        texts = [str(part) if part.level < self.level else f"({part})" for part in others]
        texts.append(str(last) if last.level <= self.level else f"({last})")
        return f" {self.word} ".join(texts)


class Not(Joined):
    word, level = "not", NEGATION

    def truth(self, known: Known, M: int) -> Truth:
        return inverted(self.parts[0].truth(known, M))

    def negated(self) -> Fact:
        return self.parts[0]

    def __str__(self) -> str:
        return self.parts[0].denied()


class And(Joined):
    word, level = "and", 2

    def truth(self, known: Known, M: int) -> Truth:
        found = YES
        for part in self.parts:
            found = both(found, part.truth(known, M))
            if found[0] is False:
                break
        return found

    def negated(self) -> Fact:
        return Or.of(part.negated() for part in self.parts)


class Or(Joined):
    word, level = "or", 3

    def truth(self, known: Known, M: int) -> Truth:
        found = NO
        for part in self.parts:
            found = either(found, part.truth(known, M))
            if found[1] is True:
                break
        return found

    def negated(self) -> Fact:
        return And.of(part.negated() for part in self.parts)


class Implies(Joined):
    """Implication: the premise is false or the conclusion holds."""

    word, level = "implies", 4

    def truth(self, known: Known, M: int) -> Truth:
        premise, conclusion = (part.truth(known, M) for part in self.parts)
        return either(inverted(premise), conclusion)

    def negated(self) -> Fact:
        premise, conclusion = self.parts
        return And.of([premise, conclusion.negated()])
