"""Facts about a list as far as it goes: ``sorted(tape[i] for i in range(2, 9) while tape[i] != 0)``.

The number i goes along the list until the condition behind ``while`` fails for the first time; what
lies behind does not matter.
"""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Iterator, Mapping, Sequence
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
)
from anc.proof.facts.relations import Comparison
from anc.proof.facts.terms import At, Index, Known, Sum

AROUND = 2  # what a list's beginning and end add to the size of a fact
NOTHING = Comparison(Sum(), (("==", Sum()),))  # holds always


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
