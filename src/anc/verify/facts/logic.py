"""Facts, and the words that make one of several: not, and, or, implies.

A fact has a text, a truth value on a tape (or on many), and a three-valued one on a tape of which
only some cells are known.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import ClassVar

import numpy as np

from anc.verify.facts.terms import At, Known, Tape

NEGATION = 1  # the level of `not`


class Fact(ABC):
    """Something that a tape satisfies or not."""

    level: ClassVar[int] = 0  # the higher, the less tightly its text binds

    @property
    @abstractmethod
    def cells(self) -> frozenset[int]:
        """The cells that the fact speaks of whatever the tape; `pointers` lead to others."""

    @property
    @abstractmethod
    def pointers(self) -> tuple[At, ...]:
        """What the fact finds by an address: with any, it may speak of every cell."""

    @property
    @abstractmethod
    def size(self) -> int:
        """How many numbers and cells it is made of: of two facts the smaller one says it shorter."""

    @abstractmethod
    def holds(self, tape: Tape) -> bool:
        """Whether a tape satisfies it."""

    @abstractmethod
    def truths(self, tapes: np.ndarray) -> np.ndarray:
        """Which of many tapes (n, M) satisfy it."""

    @abstractmethod
    def judge(self, known: Known, M: int) -> bool | None:
        """True or False when the known cells settle it; None when they do not seem to."""

    @abstractmethod
    def negated(self) -> Fact:
        """The opposite fact, with no `not` where it can be said without."""

    @abstractmethod
    def numbered(self, number: int) -> Fact:
        """The fact in which i, the number that goes along a list, is this number."""

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

    def denied(self) -> str:
        """The text that says that it does not hold."""
        return f"not {self}" if self.level <= NEGATION else f"not ({self})"

    @property
    def text(self) -> str:
        return str(self)


def all_of(verdicts: Iterable[bool | None]) -> bool | None:
    """The verdict on facts that must all hold, from those on each."""
    result: bool | None = True
    for verdict in verdicts:
        if verdict is False:
            return False
        if verdict is None:
            result = None
    return result


def left_by_one_of(
    facts: Iterable[Fact], place: int, values: Sequence[int], known: Known, M: int
) -> Sequence[int]:
    """The values that one more cell can have if one of these facts holds, and perhaps a few more."""
    kept: set[int] = set()
    for fact in facts:
        if fact.speaks_of(place, known, M):
            kept.update(fact.left_for(place, values, known, M))
        elif fact.judge(known, M) is not False:
            return values
        if len(kept) == len(values):
            return values
    return [value for value in values if value in kept]


def opposite(verdict: bool | None) -> bool | None:
    return None if verdict is None else not verdict


@dataclass(frozen=True)
class Joined(Fact):
    """Facts that a word makes one of."""

    parts: tuple[Fact, ...]
    word: ClassVar[str]

    @cached_property
    def cells(self) -> frozenset[int]:
        return frozenset().union(*(part.cells for part in self.parts))

    @cached_property
    def pointers(self) -> tuple[At, ...]:
        return tuple(to for part in self.parts for to in part.pointers)

    @cached_property
    def size(self) -> int:
        return sum(part.size for part in self.parts)

    @classmethod
    def of(cls, parts: Iterable[Fact]) -> Joined:
        """One fact of these, those that are of the same kind taken apart."""
        return cls(
            tuple(p for part in parts for p in (part.parts if isinstance(part, cls) else [part]))
        )

    @staticmethod
    @abstractmethod
    def join(verdicts: Iterator[bool | None]) -> bool | None:
        """The verdict on the whole, from those on its parts as far as they are needed."""

    def holds(self, tape: Tape) -> bool:
        return bool(self.join(part.holds(tape) for part in self.parts))

    def judge(self, known: Known, M: int) -> bool | None:
        return self.join(part.judge(known, M) for part in self.parts)

    def numbered(self, number: int) -> Fact:
        return type(self)(tuple(part.numbered(number) for part in self.parts))

    def __str__(self) -> str:
        *others, last = self.parts
        texts = [str(part) if part.level < self.level else f"({part})" for part in others]
        texts.append(str(last) if last.level <= self.level else f"({last})")
        return f" {self.word} ".join(texts)


class Not(Joined):
    word, level = "not", NEGATION

    @staticmethod
    def join(verdicts: Iterator[bool | None]) -> bool | None:
        return opposite(next(verdicts))

    def truths(self, tapes: np.ndarray) -> np.ndarray:
        return ~self.parts[0].truths(tapes)

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
    join = staticmethod(all_of)

    def truths(self, tapes: np.ndarray) -> np.ndarray:
        return np.logical_and.reduce([part.truths(tapes) for part in self.parts])

    def left_for(self, place: int, values: Sequence[int], known: Known, M: int) -> Sequence[int]:
        for part in self.parts:
            values = part.left_for(place, values, known, M)
        return values

    def negated(self) -> Fact:
        return Or.of(part.negated() for part in self.parts)


class Or(Joined):
    word, level = "or", 3

    @staticmethod
    def join(verdicts: Iterator[bool | None]) -> bool | None:
        return opposite(all_of(map(opposite, verdicts)))

    def truths(self, tapes: np.ndarray) -> np.ndarray:
        return np.logical_or.reduce([part.truths(tapes) for part in self.parts])

    def left_for(self, place: int, values: Sequence[int], known: Known, M: int) -> Sequence[int]:
        return left_by_one_of(self.parts, place, values, known, M)

    def negated(self) -> Fact:
        return And.of(part.negated() for part in self.parts)


class Implies(Joined):
    word, level = "implies", 4

    @staticmethod
    def join(verdicts: Iterator[bool | None]) -> bool | None:
        premise = next(verdicts)
        if premise is False:
            return True
        conclusion = next(verdicts)
        return conclusion if premise or conclusion else None

    def truths(self, tapes: np.ndarray) -> np.ndarray:
        premise, conclusion = self.parts
        return ~premise.truths(tapes) | conclusion.truths(tapes)

    def left_for(self, place: int, values: Sequence[int], known: Known, M: int) -> Sequence[int]:
        premise, conclusion = self.parts
        return left_by_one_of((premise.negated(), conclusion), place, values, known, M)

    def negated(self) -> Fact:
        premise, conclusion = self.parts
        return And.of((premise, conclusion.negated()))
