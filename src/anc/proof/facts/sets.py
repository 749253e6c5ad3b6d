"""Facts about several terms: set membership, sorted, pairwise different."""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from functools import cached_property, reduce
from itertools import combinations, pairwise
from typing import Any, ClassVar

import numpy as np

from anc.proof.facts.logic import YES, Truth, both, size_of
from anc.proof.facts.relations import Comparison, Relation, compare, compared
from anc.proof.facts.terms import Known, Sum, cell, term

_SLICE = 3  # consecutive cells from which on a slice is printed


def _runs(terms: Sequence[Sum]) -> list[tuple[str, int]]:
    """The texts and sizes of terms, with consecutive cells printed as a slice."""
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
    """A fact about a sequence of terms."""

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


@dataclass(frozen=True)
class Member(Group):
    """Membership of a tuple of terms in a finite set: ``(tape[1], tape[2]) in ((1, 2), (3, 4))``."""

    terms: tuple[Sum, ...]
    words: tuple[tuple[int, ...], ...]

    @cached_property
    def _numbers(self) -> np.ndarray:
        """(terms, words, 1), each word once."""
        return np.array(list(dict.fromkeys(self.words)), np.int64).T[..., None]

    def truth(self, known: Known, M: int) -> Truth:
        fits: Any = True  # (words, tapes)
        tuples: Any = 1.0  # how many tuples of values the terms can have
        for part, numbers in zip(self.terms, self._numbers, strict=True):
            low, high = part.bounds(known, M)
            fits = fits & (low <= numbers) & (numbers <= high)
            tuples = tuples * (high - low + 1.0)
        return fits.any(axis=0), fits.sum(axis=0) == tuples

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
    """A function of at least two terms."""

    terms: tuple[Sum, ...]
    function: ClassVar[str]

    @abstractmethod
    def pairs(self) -> list[Comparison]:
        """The equivalent comparisons."""

    def __str__(self) -> str:
        return f"{self.function}({', '.join(text for text, _ in _runs(self.terms))})"


class Sorted(Several):
    """Terms in ascending order: ``sorted(tape[1:5])``."""

    function = "sorted"

    def pairs(self) -> list[Comparison]:
        return [Comparison(a, (("<=", b),)) for a, b in pairwise(self.terms)]

    def truth(self, known: Known, M: int) -> Truth:
        (least, before), *others = (part.bounds(known, M) for part in self.terms)
        found = YES
        for low, high in others:
            found = both(found, (least <= high, before <= low))
            least, before = np.maximum(least, low), high
        return found


class Different(Several):
    """Pairwise different terms: ``different(tape[1:5])``."""

    function = "different"

    def pairs(self) -> list[Comparison]:
        return [Comparison(a, (("!=", b),)) for a, b in combinations(self.terms, 2)]

    def truth(self, known: Known, M: int) -> Truth:
        bounds = [part.bounds(known, M) for part in self.terms]
        lows, highs = zip(*bounds, strict=True)
        if all(low is high for low, high in bounds):
            values = np.sort(np.stack(np.broadcast_arrays(*lows)), axis=0)
            are_so = (values[:-1] < values[1:]).all(axis=0)
            return are_so, are_so
        numbers = reduce(np.maximum, highs) - reduce(np.minimum, lows) + 1
        found: Truth = len(bounds) <= numbers, True
        for (low_a, high_a), (low_b, high_b) in combinations(bounds, 2):
            found = both(found, compared((low_a - high_b, high_a - low_b), "!="))
        return found

    def left_for(self, place: int, values: np.ndarray, known: Known, M: int) -> np.ndarray:
        """A fast path: exclude the known values of the other terms."""
        if cell(place) not in self.terms or len(self.terms) > M:
            return super().left_for(place, values, known, M)
        others = (part.bounds(known, M) for part in self.terms if part != cell(place))
        taken = {low for low, high in others if low == high}
        return values[[value not in taken for value in values.tolist()]]


def member(terms: Sum | Sequence[Sum], words: Iterable[int | Sequence[int]]) -> Member:
    """The fact that terms are one of these words (at least one); words of a single term are numbers.

    >>> print(member(cell(3), [7, 1]), member([cell(1), cell(2)], [(3, 4)]), sep="; ")
    tape[3] in (1, 7); (tape[1], tape[2]) in ((3, 4),)
    """
    several = (terms,) if isinstance(terms, Sum) else tuple(terms)
    found = {(word,) if isinstance(word, int) else tuple(word) for word in words}
    if not found or any(len(word) != len(several) for word in found):
        raise ValueError(f"expected words of {len(several)} numbers, at least one")
    return Member(several, tuple(sorted(found)))


def spelt(terms: Sequence[Sum], word: Sequence[int]) -> list[Comparison]:
    """The comparisons of terms with the numbers of a word."""
    return [compare(part, "==", number) for part, number in zip(terms, word, strict=True)]


def in_order(terms: Iterable[Sum | int]) -> Sorted:
    """The fact that terms are in ascending order.

    >>> print(in_order(map(cell, range(1, 5))))
    sorted(tape[1:5])
    """
    return Sorted(tuple(map(term, terms)))


def different(terms: Iterable[Sum | int]) -> Different:
    """The fact that terms are pairwise different.

    >>> print(different([cell(1), cell(4, plus=1)]))
    different(tape[1], tape[4] + 1)
    """
    return Different(tuple(map(term, terms)))
