"""Facts, and the words that make one of several: not, and, or, implies.

A fact has a text, a truth value on a tape (or on many), and a three-valued one on a tape of which
only some cells are known. It is a record of terms, of other facts, and of numbers: whatever else is
asked of it follows from these.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any, ClassVar, Self

import numpy as np

from anc.proof.facts.terms import At, Index, Known, Sum, Tape

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
    def holds(self, tape: Tape) -> bool:
        """Whether a tape satisfies it."""

    @abstractmethod
    def truths(self, tapes: np.ndarray) -> np.ndarray:
        """Which of many tapes (n, M) satisfy it."""

    @abstractmethod
    def judge(self, known: Known, M: int) -> bool | None:
        """True or False when the known cells settle it; None when they do not seem to."""

    def left_for(self, place: int, values: Sequence[int], known: Known, M: int) -> Sequence[int]:
        """The values that one more cell can have beside the known ones, and perhaps a few more."""
        if not self.speaks_of(place, known, M):
            return values
        trial = dict(known)
        kept = []
        for value in values:
            trial[place] = value
            if self.judge(trial, M) is not False:
                kept.append(value)
        return kept

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


def all_of(verdicts: Iterable[bool | None]) -> bool | None:
    """The verdict on facts that must all hold, from those on each."""
    result: bool | None = True
    for verdict in verdicts:
        if verdict is False:
            return False
        if verdict is None:
            result = None
    return result


def opposite(verdict: bool | None) -> bool | None:
    return None if verdict is None else not verdict


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

    def holds(self, tape: Tape) -> bool:
        return not self.parts[0].holds(tape)

    def truths(self, tapes: np.ndarray) -> np.ndarray:
        return ~self.parts[0].truths(tapes)

    def judge(self, known: Known, M: int) -> bool | None:
        return opposite(self.parts[0].judge(known, M))

    def left_for(self, place: int, values: Sequence[int], known: Known, M: int) -> Sequence[int]:
        fact = self.parts[0].negated()
        if isinstance(fact, Not):
            return super().left_for(place, values, known, M)
        return fact.left_for(place, values, known, M)

    def negated(self) -> Fact:
        return self.parts[0]

    def __str__(self) -> str:
        return self.parts[0].denied()


class And(Joined):
    word, level = "and", 2

    def holds(self, tape: Tape) -> bool:
        return all(part.holds(tape) for part in self.parts)

    def truths(self, tapes: np.ndarray) -> np.ndarray:
        return np.logical_and.reduce([part.truths(tapes) for part in self.parts])

    def judge(self, known: Known, M: int) -> bool | None:
        return all_of(part.judge(known, M) for part in self.parts)

    def left_for(self, place: int, values: Sequence[int], known: Known, M: int) -> Sequence[int]:
        for part in self.parts:
            values = part.left_for(place, values, known, M)
        return values

    def negated(self) -> Fact:
        return Or.of(part.negated() for part in self.parts)


class Or(Joined):
    word, level = "or", 3

    def holds(self, tape: Tape) -> bool:
        return any(part.holds(tape) for part in self.parts)

    def truths(self, tapes: np.ndarray) -> np.ndarray:
        return np.logical_or.reduce([part.truths(tapes) for part in self.parts])

    def judge(self, known: Known, M: int) -> bool | None:
        return opposite(all_of(opposite(part.judge(known, M)) for part in self.parts))

    def left_for(self, place: int, values: Sequence[int], known: Known, M: int) -> Sequence[int]:
        kept: set[int] = set()
        for part in self.parts:
            if part.speaks_of(place, known, M):
                kept.update(part.left_for(place, values, known, M))
            elif part.judge(known, M) is not False:
                return values
            if len(kept) == len(values):
                return values
        return [value for value in values if value in kept]

    def negated(self) -> Fact:
        return And.of(part.negated() for part in self.parts)


class Implies(Joined):
    """Another text for: the premise does not hold, or the conclusion does."""

    word, level = "implies", 4

    @cached_property
    def core(self) -> Or:
        premise, conclusion = self.parts
        return Or((Not((premise,)), conclusion))

    def holds(self, tape: Tape) -> bool:
        return self.core.holds(tape)

    def truths(self, tapes: np.ndarray) -> np.ndarray:
        return self.core.truths(tapes)

    def judge(self, known: Known, M: int) -> bool | None:
        return self.core.judge(known, M)

    def left_for(self, place: int, values: Sequence[int], known: Known, M: int) -> Sequence[int]:
        return self.core.left_for(place, values, known, M)

    def negated(self) -> Fact:
        return self.core.negated()
