"""Facts about a list as far as it goes: ``sorted(tape[i] for i in range(2, 9) while tape[i] != 0)``.

The number i goes along the list until the condition behind ``while`` fails for the first time; what
lies behind does not matter. A count says how many elements satisfy something: ``tape[20:28].count(35) == 1``
is ``sum(tape[i] == 35 for i in range(20, 28)) == 1``.
"""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Self

import numpy as np

from anc.proof.facts.logic import (
    YES,
    And,
    Fact,
    Implies,
    Truth,
    both,
    either,
    inverted,
    is_never,
    size_of,
    truth_of,
)
from anc.proof.facts.relations import OPPOSITE, Comparison, compared
from anc.proof.facts.terms import At, Bounds, Index, Known, Sum, at, index, term

AROUND = 2  # what a list's beginning and end add to the size of a fact
NOTHING = Comparison(Sum(), (("==", Sum()),))  # holds always
Verdicts = tuple[bool | None, bool | None]  # on going on, and on the element


class OfList(Fact):
    """A fact about the elements of a list, one step after the other."""

    element: Fact | Sum
    numbers: range
    going: Fact | None

    @property
    @abstractmethod
    def steps(self) -> tuple[tuple[Fact, Fact], ...]:
        """(the condition to go on, what is said of the element), at least one."""

    @cached_property
    def inside(self) -> tuple[Sum | Fact, ...]:
        return tuple(fact for step in self.steps for fact in step)

    @cached_property
    def size(self) -> int:
        return size_of(self.fields) + AROUND

    def replaced(self, by: Mapping[int | At, Sum]) -> Self:
        return super().replaced(
            {place: by[place] for place in by if place != Index()}
        )  # i is its own

    def shortened(self, length: int) -> Self:
        """The same for the first elements only."""
        return replace(self, numbers=self.numbers[:length])  # type: ignore[type-var]

    def along(self, function: str) -> str:
        """What a function says of the elements."""
        condition = f" while {self.going}" if self.going else ""
        return f"{function}({self.element} for i in {self.numbers}{condition})"


class Stepwise(OfList):
    """Steps, each of which says something if all conditions up to its own hold."""

    def clauses(self) -> Iterator[Fact]:
        """The same as single facts, each with all conditions that it has."""
        conditions: list[Fact] = []
        for condition, then in self.steps:
            conditions.append(condition)
            yield Implies((And.of(conditions) if len(conditions) > 1 else condition, then))

    def truth(self, known: Known, M: int) -> Truth:
        found = going = YES
        for condition, then in self.steps:
            going = both(going, condition.truth(known, M))
            if is_never(both(going, found)):
                break
            found = both(found, either(inverted(going), then.truth(known, M)))
        return found

    def left_for(self, place: int, values: np.ndarray, known: Known, M: int) -> np.ndarray:
        """Only the steps that speak of the cell matter, and only if the list surely goes on to them."""
        if self.pointers or place not in self._speaking:
            return super().left_for(place, values, known, M)
        first, last = self._speaking[place]
        if any(condition.judge(known, M) is not True for condition, _ in self.steps[:first]):
            return values
        return Fact.left_for(Steps(self.steps[first : last + 1]), place, values, known, M)

    @cached_property
    def _speaking(self) -> dict[int, tuple[int, int]]:
        """Of each cell, the first and the last step that speak of it."""
        found: dict[int, tuple[int, int]] = {}
        for number, (condition, then) in enumerate(self.steps):
            for place in condition.cells | then.cells:
                first, _ = found.get(place, (number, number))
                found[place] = first, number
        return found


@dataclass(frozen=True)
class Steps(Stepwise):
    """Steps without a list that they come from."""

    parts: tuple[tuple[Fact, Fact], ...]

    @property
    def steps(self) -> tuple[tuple[Fact, Fact], ...]:
        return self.parts


@dataclass(frozen=True)
class Along(Stepwise):
    """What a function says of the elements of a list as far as it goes.

    Of `all`, an element is a fact; of `sorted` and `different`, it is a term. Without a condition,
    the list goes as far as the numbers.
    """

    function: str
    element: Fact | Sum
    numbers: range
    going: Fact | None = None

    @property
    def elements(self) -> list[Sum]:
        """The terms that are in order or different."""
        assert isinstance(self.element, Sum)
        return [self.element.numbered(number) for number in self.numbers]

    @cached_property
    def steps(self) -> tuple[tuple[Fact, Fact], ...]:
        if isinstance(self.element, Fact):
            said = [self.element.numbered(number) for number in self.numbers]
        else:
            terms = self.elements
            said = [self._beside(term, terms[:number]) for number, term in enumerate(terms)]
        going = self.going
        return tuple(
            (going.numbered(number) if going else NOTHING, then)
            for number, then in zip(self.numbers, said, strict=True)
        )

    def _beside(self, new: Sum, terms: Sequence[Sum]) -> Fact:
        """What an element must be beside those before it."""
        op, old = ("<=", terms[-1:]) if self.function == "sorted" else ("!=", terms)
        said = [Comparison(other, ((op, new),)) for other in old]
        return And(tuple(said)) if len(said) > 1 else (said or [NOTHING])[0]

    def __str__(self) -> str:
        return self.along(self.function)


@dataclass(frozen=True)
class Count(OfList):
    """How many elements of a list, as far as it goes, satisfy a fact, compared with a number."""

    element: Fact
    numbers: range
    going: Fact | None
    op: str
    number: int

    @cached_property
    def steps(self) -> tuple[tuple[Fact, Fact], ...]:
        """(the condition to go on, what is counted), at least one."""
        going = self.going or NOTHING
        return tuple((going.numbered(n), self.element.numbered(n)) for n in self.numbers)

    @cached_property
    def value(self) -> Sum | None:
        """What is counted in a slice of cells; None where it is something else."""
        numbers = self.numbers
        match self.element:
            case Comparison(Sum(((1, At(Sum(((1, Index()),), 0))),), 0), (("==", Sum() as value),)):
                is_slice = self.going is None and numbers.step == 1 and numbers.start >= 0
                return value if is_slice and Index() not in value.pointers else None
        return None

    @cached_property
    def size(self) -> int:
        return super().size if self.value is None else AROUND + self.value.size + 1

    def truth(self, known: Known, M: int) -> Truth:
        return self.compared(self.bounds(known, M))

    def compared(self, bounds: Bounds) -> Truth:
        low, high = bounds
        return compared((low - self.number, high - self.number), self.op)

    def bounds(self, known: Known, M: int) -> Bounds:
        """How many there are at least and at most."""
        endless = self.going is None
        return counted(
            (YES if endless else a.truth(known, M), b.truth(known, M)) for a, b in self.steps
        )

    def forced(self, verdicts: Sequence[Verdicts]) -> tuple[list[int], bool]:
        """Which elements are not settled though they must be something, and what: true, or false.

        False where more would be too many, if the list surely goes on up to there; true where all that
        it may have are just enough.
        """
        low, high = counted((truth_of(a), truth_of(b)) for a, b in verdicts)
        number = self.number + {"<": -1, ">": 1}.get(self.op, 0)
        most = self.op in ("==", "<=", "<") and low == number
        least = self.op in ("==", ">=", ">") and high == number
        found: list[int] = []
        for place, (going, holds) in enumerate(verdicts):
            if not (most or least) or going is False or (most and going is None):
                break
            if holds is None:
                found.append(place)
        return found, not most

    def consequences(self, settled: Callable[[Fact], bool | None]) -> list[Fact] | None:
        """The same in fewer words: a shorter list, or what single elements must be beside settled ones.

        None if it cannot be said in fewer.
        """
        verdicts = [(settled(condition), settled(element)) for condition, element in self.steps]
        may, must = self.compared(counted((truth_of(a), truth_of(b)) for a, b in verdicts))
        if must or not may:
            return [] if must else [NOTHING.negated()]
        ends = next((n for n, (going, _) in enumerate(verdicts) if going is False), None)
        if ends is not None:
            return [self.shortened(ends)]
        numbers, are_true = self.forced(verdicts)
        elements = [self.steps[number][1] for number in numbers]
        found = [element if are_true else element.negated() for element in elements]
        if all(going for going, _ in verdicts):
            return found or None
        plain = [fact for fact in found if len(fact.cells) == 1 and not fact.pointers]
        return [*plain, self] if plain else None

    def negated(self) -> Count:
        return replace(self, op=OPPOSITE[self.op])

    def __str__(self) -> str:
        if self.value is None:
            counted = self.along("sum")
        else:  # how often a value is found in a slice
            counted = f"tape[{self.numbers.start}:{self.numbers.stop}].count({self.value})"
        return f"{counted} {self.op} {self.number}"


def counted(steps: Iterable[tuple[Truth, Truth]]) -> Bounds:
    """How many elements of a list there are at least and at most."""
    low = high = 0
    going = YES
    for condition, element in steps:
        going = both(going, condition)
        if is_never(going):
            break
        may, must = both(going, element)
        low, high = low + must, high + may
    return low, high


def how_often(value: Sum | int, cells: range, op: str, number: int) -> Count:
    """How many of some cells hold a value, compared with a number.

    >>> print(how_often(35, range(20, 28), "==", 1))
    tape[20:28].count(35) == 1
    """
    return Count(Comparison(at(index()), (("==", term(value)),)), cells, None, op, number)
