"""Facts, and the connectives: not, and, or, implies.

A fact is a record of terms, of other facts, and of numbers. It has one meaning, `truth`: in Kleene's
three-valued logic, given what is known of the cells. On a tape, on many tapes at once, on a tape of which
only some cells are known, and with each value that one more cell may have, all follows from that.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from functools import cached_property
from typing import Any, ClassVar, Self

import numpy as np

from anc.proof.facts.terms import At, Columns, Index, Known, Sum, Tape

# Whether something may hold, and whether it must: truth values, or arrays of them.
Truth = tuple[Any, Any]
YES: Truth = (True, True)
NO: Truth = (False, False)
MAYBE: Truth = (True, False)
NEGATION = 1  # the level of `not`


class Fact(ABC):
    """Something that a tape satisfies or not."""

    level: ClassVar[int] = 0  # the higher, the less tightly its text binds

    # -- what it is made of ------------------------------------------------------------

    @property
    def fields(self) -> tuple[Any, ...]:
        return tuple(getattr(self, name) for name in self.__match_args__)  # type: ignore[attr-defined]

    @cached_property
    def inside(self) -> tuple[Sum | Fact, ...]:
        """The terms and the facts that it is made of."""
        return tuple(_inside(self.fields))

    @cached_property
    def cells(self) -> frozenset[int]:
        """The cells that the fact speaks of whatever the tape; `pointers` lead to others."""
        parts = (part.read if isinstance(part, Sum) else part.cells for part in self.inside)
        return frozenset().union(*parts)

    @cached_property
    def pointers(self) -> tuple[At, ...]:
        """What the fact finds by an address: with any, it may speak of every cell."""
        return tuple(to for part in self.inside for to in part.pointers)

    @cached_property
    def size(self) -> int:
        """How many numbers and cells it is made of: of two facts the smaller one says it shorter."""
        return size_of(self.fields)

    def replaced(self, by: Mapping[int | At, Sum]) -> Self:
        """The fact with other terms in the place of some cells, or of i."""
        return type(self)(*[_replaced(field, by) for field in self.fields])

    def numbered(self, number: int) -> Self:
        """The fact in which i, the number that goes along a list, is this number."""
        return self.replaced({Index(): Sum((), number)})

    # -- where it holds ----------------------------------------------------------------

    @abstractmethod
    def truth(self, known: Known, M: int) -> Truth:
        """Whether it may hold, and whether it must, on tapes of M cells of which some are known."""

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
        """True or False when the known cells settle it; None when they do not seem to."""
        return verdict_of(self.truth(known, M))

    def left_for(self, place: int, values: np.ndarray, known: Known, M: int) -> np.ndarray:
        """The values that one more cell can have beside the known ones, and perhaps a few more."""
        if not self.speaks_of(place, known, M):
            return values
        if self.pointers:  # which cells it speaks of may depend on the value
            left = (self.judge({**known, place: int(value)}, M) is not False for value in values)
            return values[np.fromiter(left, np.bool_, len(values))]
        beside = {other: known[other] for other in self.cells if other in known}
        may, _ = self.truth({**beside, place: values}, M)
        return values[np.broadcast_to(may, len(values))]

    def speaks_of(self, place: int, known: Known, M: int) -> bool:
        """Whether it depends on a cell, as far as the known cells say."""
        return place in self.cells or any(to.place(known, M) == place for to in self.pointers)

    # -- its opposite and its text -----------------------------------------------------

    def negated(self) -> Fact:
        """The opposite fact, with no `not` where it can be said without."""
        return Not((self,))

    def denied(self) -> str:
        """The text that says that it does not hold."""
        return f"not {self}" if self.level <= NEGATION else f"not ({self})"

    @property
    def text(self) -> str:
        return str(self)


def _inside(part: Any) -> list[Sum | Fact]:
    if type(part) is tuple:
        return [found for each in part for found in _inside(each)]
    return [part] if isinstance(part, (Sum, Fact)) else []


def size_of(part: Any) -> int:
    """How many numbers and cells a part of a fact is made of."""
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
    return must ^ True, may ^ True


def both(one: Truth, other: Truth) -> Truth:
    return one[0] & other[0], one[1] & other[1]


def either(one: Truth, other: Truth) -> Truth:
    return one[0] | other[0], one[1] | other[1]


def is_never(truth: Truth) -> bool:
    """Whether it holds nowhere: nothing that is joined to it by `and` matters."""
    may, _ = truth
    return may is False or (may is not True and not may.any())


@dataclass(frozen=True)
class Joined(Fact):
    """Facts that a word makes one of."""

    parts: tuple[Fact, ...]
    word: ClassVar[str]

    @classmethod
    def of(cls, parts: Iterable[Fact]) -> Joined:
        """One fact of these, those that are of the same kind taken apart."""
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
    """Another text for: the premise does not hold, or the conclusion does."""

    word, level = "implies", 4

    def truth(self, known: Known, M: int) -> Truth:
        premise, conclusion = (part.truth(known, M) for part in self.parts)
        return either(inverted(premise), conclusion)

    def negated(self) -> Fact:
        premise, conclusion = self.parts
        return And.of([premise, conclusion.negated()])
