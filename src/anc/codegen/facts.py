"""Translates facts to expressions over integers: the part that Python and C share.

Unlike program lines, expressions are not limited to M, so every fact can be checked.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable, Mapping, Sequence
from itertools import product
from math import prod

from anc.proof.facts import (
    Along,
    And,
    At,
    Comparison,
    Count,
    Different,
    Fact,
    Implies,
    Index,
    Joined,
    Member,
    Not,
    OfList,
    Or,
    Relation,
    Remainder,
    Sorted,
    Sum,
    compare,
    merged,
)

CellText = Callable[[str], str]  # prints the cell at an address

_TRIED = 4096  # combinations of values of a fact's cells
_RANGE = 3  # consecutive numbers from which on a range is printed


def plain_cell(address: str) -> str:
    return f"tape[{address}]"


def needs_tape(fact: Fact) -> bool:
    """Whether a fact reads computed cells, so that its text indexes the tape."""
    if isinstance(fact, Joined):
        return any(map(needs_tape, fact.parts))
    return bool(fact.pointers) or isinstance(fact, OfList)


def implied(facts: Sequence[Fact], domains: Mapping[int, Sequence[int]]) -> list[Fact]:
    """The facts that do not hold anyway, as the cells have only these values."""

    def is_needed(fact: Fact) -> bool:
        cells = sorted(fact.cells)
        if fact.pointers or not all(cell in domains for cell in cells):
            return True
        numbers = [domains[cell] for cell in cells]
        if prod(map(len, numbers)) > _TRIED:
            return True
        return not all(
            fact.holds(dict(zip(cells, each, strict=True))) for each in product(*numbers)
        )

    return [fact for fact in facts if is_needed(fact)]


class FactWriter(ABC):
    """Prints facts about a tape of M cells."""

    both: str
    either: str
    deny: str
    truths: tuple[str, str]  # false, and true

    def __init__(self, M: int, cell: CellText = plain_cell) -> None:
        self.M, self.cell = M, cell

    def conditions(self, facts: Sequence[Fact]) -> list[str]:
        """One expression per fact, all of which must hold; each can be joined with others."""
        found = [fact for fact in merged(list(facts)) if self.settled(fact) is not True]
        return [self.inside(fact) for fact in found] or [self.truths[True]]

    def settled(self, fact: Fact) -> bool | None:
        """True or False if the fact holds on every tape, or on none."""
        return fact.judge({}, self.M) if isinstance(fact, Relation | Count) else None

    def fact(self, fact: Fact) -> str:
        settled = self.settled(fact)
        if settled is not None:  # C compilers warn about constant conditions
            return self.truths[settled]
        match fact:
            case Comparison():
                return self.comparison(fact)
            case Remainder():
                return self.remainder(fact)
            case Member():
                return self.member(fact)
            case Sorted((first, *others)):
                return self.comparison(Comparison(first, tuple(("<=", each) for each in others)))
            case Different():
                return self.different(fact)
            case And(parts):
                return f" {self.both} ".join(map(self.inside, parts))
            case Or(parts):
                return f" {self.either} ".join(map(self.inside, parts))
            case Implies((premise, conclusion)):
                return self.fact(Or((premise.negated(), conclusion)))
            case Not((part,)):
                return f"{self.deny}({self.fact(part)})"
            case Along():
                return self.along(fact)
            case Count():
                return f"{self.count(fact)} {fact.op} {fact.number}"
        raise TypeError(f"not a fact: {fact!r}")

    def inside(self, fact: Fact) -> str:
        """A fact as an operand, in parentheses if needed."""
        text = self.fact(fact)
        is_one = isinstance(fact, Not | Along) or self.is_one(fact, text)
        return text if is_one else f"({text})"

    @abstractmethod
    def is_one(self, fact: Fact, text: str) -> bool:
        """Whether the text can be an operand without parentheses."""

    def sum(self, total: Sum) -> str:
        """A term as an integer expression."""
        return total.spelt(self.several)

    def several(self, times: int, place: int | At) -> str:
        text = self.place(place)
        return text if times == 1 else f"{times} * {text}"

    def place(self, place: int | At) -> str:
        if isinstance(place, Index):
            return "i"
        return self.cell(str(place) if isinstance(place, int) else self.address(place.address))

    def bounds(self, total: Sum) -> tuple[int, int]:
        """The least and the greatest value of a term on any tape."""
        return total.bounds({}, self.M)

    def address(self, total: Sum) -> str:
        """An address, which wraps around at M."""
        low, high = self.bounds(total)
        text = self.sum(total)
        return text if low >= 0 and high < self.M else self.modulo(total, text, self.M)

    @abstractmethod
    def modulo(self, total: Sum, text: str, divisor: int) -> str: ...

    @abstractmethod
    def comparison(self, fact: Comparison) -> str: ...

    @abstractmethod
    def remainder(self, fact: Remainder) -> str: ...

    @abstractmethod
    def along(self, fact: Along) -> str: ...

    @abstractmethod
    def count(self, fact: Count) -> str: ...

    @abstractmethod
    def different(self, fact: Different) -> str: ...

    @abstractmethod
    def among(self, terms: Sequence[Sum], words: Sequence[tuple[int, ...]]) -> str:
        """Membership of terms in a set of words."""

    def member(self, fact: Member) -> str:
        if len(fact.terms) > 1:
            return self.among(fact.terms, fact.words)
        (term,) = fact.terms
        low, high = self.bounds(term)
        numbers = sorted({number for (number,) in fact.words if low <= number <= high})
        if len(numbers) >= _RANGE and numbers[-1] - numbers[0] == len(numbers) - 1:
            return self.comparison(compare(numbers[0], "<=", term, "<=", numbers[-1]))
        return self.among((term,), [(number,) for number in numbers])
