"""Facts about several terms at once: one of few words, in order, all different."""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from functools import cached_property
from itertools import combinations, pairwise
from typing import ClassVar

import numpy as np

from anc.proof.facts.logic import size_of
from anc.proof.facts.relations import Comparison, Relation, compare
from anc.proof.facts.terms import Bounds, Known, Sum, Tape, cell, term

_SLICE = 3  # so many cells in a row are written as a slice


def _runs(terms: Sequence[Sum]) -> list[tuple[str, int]]:
    """The texts of terms and how much each says, cells in a row as a slice."""
    found: list[tuple[str, int]] = []
    at = 0
    while at < len(terms):
        length = 0
        match terms[at]:
            case Sum(((1, int(begin)),), 0):
                while at + length < len(terms) and terms[at + length] == cell(begin + length):
                    length += 1
        if length >= _SLICE:
            found.append((f"tape[{begin}:{begin + length}]", 2))
        else:
            length = 1
            found.append((str(terms[at]), terms[at].size))
        at += length
    return found


class Group(Relation):
    """A fact about terms that are all of one kind."""

    terms: tuple[Sum, ...]

    @cached_property
    def size(self) -> int:
        _, *others = self.fields
        return sum(size for _, size in _runs(self.terms)) + size_of(tuple(others))

    @cached_property
    def _plain(self) -> list[int] | None:
        """The numbers of the cells, if the terms are nothing but cells."""
        plain = [place for part in self.terms if part.is_cell for place in part.read]
        return plain if len(plain) == len(self.terms) else None

    def values(self, tape: Tape) -> tuple[int, ...]:
        return tuple(part.value(tape) for part in self.terms)

    def columns(self, tapes: np.ndarray) -> np.ndarray:
        """The values of the terms on many tapes (n, M): one row for each tape."""
        if self._plain is not None:
            return tapes[:, self._plain]
        return np.stack([part.column(tapes) for part in self.terms], axis=1)


@dataclass(frozen=True)
class Member(Group):
    """Terms that together are one of few words: ``(tape[1], tape[2]) in ((1, 2), (3, 4))``."""

    terms: tuple[Sum, ...]
    words: tuple[tuple[int, ...], ...]

    def holds(self, tape: Tape) -> bool:
        return self.values(tape) in self.words

    def truths(self, tapes: np.ndarray) -> np.ndarray:
        values = self.columns(tapes)
        found = np.zeros(len(tapes), dtype=bool)
        for word in self.words:
            found |= (values == np.array(word)).all(axis=1)
        return found

    def judge(self, known: Known, M: int) -> bool | None:
        bounds = [part.bounds(known, M) for part in self.terms]
        possible = {
            word
            for word in self.words
            if all(low <= number <= high for number, (low, high) in zip(word, bounds, strict=True))
        }
        if not possible:
            return False
        values = 1
        for low, high in bounds:
            values *= high - low + 1
        return True if len(possible) == values else None

    def left_for(self, place: int, values: Sequence[int], known: Known, M: int) -> Sequence[int]:
        if self._plain is None or place not in self._plain:
            return super().left_for(place, values, known, M)
        kept = set()
        for word in self.words:
            spelt = list(zip(self._plain, word, strict=True))
            if all(cell == place or known.get(cell, number) == number for cell, number in spelt):
                kept |= {number for cell, number in spelt if cell == place}
        return [value for value in values if value in kept]

    def denied(self) -> str:
        return self._text("not in")

    def __str__(self) -> str:
        return self._text("in")

    def _text(self, word: str) -> str:
        if len(self.terms) == 1:
            return f"{self.terms[0]} {word} {tuple(number for (number,) in self.words)}"
        runs = [text for text, _ in _runs(self.terms)]
        left = runs[0] if len(runs) == 1 else f"({', '.join(runs)})"
        return f"{left} {word} {self.words}"


@dataclass(frozen=True)
class Several(Group):
    """What a function says of terms, at least two."""

    terms: tuple[Sum, ...]
    function: ClassVar[str]

    @abstractmethod
    def pairs(self) -> list[Comparison]:
        """The comparisons that say the same."""

    def __str__(self) -> str:
        return f"{self.function}({', '.join(text for text, _ in _runs(self.terms))})"


class Sorted(Several):
    """Terms of which none is above the next: ``sorted(tape[1:5])``."""

    function = "sorted"

    def pairs(self) -> list[Comparison]:
        return [Comparison(a, (("<=", b),)) for a, b in pairwise(self.terms)]

    def holds(self, tape: Tape) -> bool:
        return all(a <= b for a, b in pairwise(self.values(tape)))

    def truths(self, tapes: np.ndarray) -> np.ndarray:
        values = self.columns(tapes)
        return np.logical_and.reduce(values[:, :-1] <= values[:, 1:], axis=1)

    def judge(self, known: Known, M: int) -> bool | None:
        bounds = [part.bounds(known, M) for part in self.terms]
        least = bounds[0][0]
        for low, high in bounds:
            least = max(least, low)
            if high < least:
                return False
        return True if all(a[1] <= b[0] for a, b in pairwise(bounds)) else None

    def left_for(self, place: int, values: Sequence[int], known: Known, M: int) -> Sequence[int]:
        where = [number for number, part in enumerate(self.terms) if part == cell(place)]
        if not where:
            return super().left_for(place, values, known, M)
        bounds = [part.bounds(known, M) for part in self.terms]
        least = max((low for low, _ in bounds[: where[-1]]), default=0)
        most = min((high for _, high in bounds[where[0] + 1 :]), default=M - 1)
        return [value for value in values if least <= value <= most]


class Different(Several):
    """Terms of which no two are equal: ``different(tape[1:5])``."""

    function = "different"

    def pairs(self) -> list[Comparison]:
        return [Comparison(a, (("!=", b),)) for a, b in combinations(self.terms, 2)]

    def holds(self, tape: Tape) -> bool:
        return len(set(self.values(tape))) == len(self.terms)

    def truths(self, tapes: np.ndarray) -> np.ndarray:
        values = np.sort(self.columns(tapes), axis=1)
        return np.logical_and.reduce(values[:, :-1] != values[:, 1:], axis=1)

    def judge(self, known: Known, M: int) -> bool | None:
        bounds = sorted(part.bounds(known, M) for part in self.terms)
        settled = [low for low, high in bounds if low == high]
        if len(set(settled)) < len(settled) or self._too_many(bounds):
            return False
        return True if all(a[1] < b[0] for a, b in pairwise(bounds)) else None

    @staticmethod
    def _too_many(bounds: list[Bounds]) -> bool:
        return max(high for _, high in bounds) - bounds[0][0] + 1 < len(bounds)

    def left_for(self, place: int, values: Sequence[int], known: Known, M: int) -> Sequence[int]:
        if cell(place) not in self.terms or self._too_many([(0, M - 1)] * len(self.terms)):
            return super().left_for(place, values, known, M)
        others = (part.bounds(known, M) for part in self.terms if part != cell(place))
        taken = {low for low, high in others if low == high}
        return [value for value in values if value not in taken]


def member(terms: Sum | Sequence[Sum], words: Iterable[int | Sequence[int]]) -> Member:
    """That terms are one of these words, at least one; of a single term, words are numbers.

    >>> print(member(cell(3), [7, 1]), member([cell(1), cell(2)], [(3, 4)]), sep="; ")
    tape[3] in (1, 7); (tape[1], tape[2]) in ((3, 4),)
    """
    several = (terms,) if isinstance(terms, Sum) else tuple(terms)
    found = {(word,) if isinstance(word, int) else tuple(word) for word in words}
    if not found or any(len(word) != len(several) for word in found):
        raise ValueError(f"expected words of {len(several)} numbers, at least one")
    return Member(several, tuple(sorted(found)))


def spelt(terms: Sequence[Sum], word: Sequence[int]) -> list[Comparison]:
    """That terms are the numbers of a word, one by one."""
    return [compare(part, "==", number) for part, number in zip(terms, word, strict=True)]


def in_order(terms: Iterable[Sum | int]) -> Sorted:
    """That no term is above the next one.

    >>> print(in_order(map(cell, range(1, 5))))
    sorted(tape[1:5])
    """
    return Sorted(tuple(map(term, terms)))


def different(terms: Iterable[Sum | int]) -> Different:
    """That no two terms are equal.

    >>> print(different([cell(1), cell(4, plus=1)]))
    different(tape[1], tape[4] + 1)
    """
    return Different(tuple(map(term, terms)))
