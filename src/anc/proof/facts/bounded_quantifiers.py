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

from anc.proof.facts.logic import And, Fact, Implies, size_of
from anc.proof.facts.relations import Comparison
from anc.proof.facts.terms import At, Index, Known, Sum, Tape

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

    @cached_property
    def _first(self) -> dict[int, int]:
        """Of each cell, the first step that speaks of it."""
        found: dict[int, int] = {}
        for number, (condition, then) in enumerate(self.steps):
            for place in condition.cells | then.cells:
                found.setdefault(place, number)
        return found

    def clauses(self) -> Iterator[Fact]:
        """The same as single facts, each with all conditions that it has."""
        conditions: list[Fact] = []
        for condition, then in self.steps:
            conditions.append(condition)
            yield Implies((And.of(conditions) if len(conditions) > 1 else condition, then))

    def holds(self, tape: Tape) -> bool:
        for condition, then in self.steps:
            if not condition.holds(tape):
                return True
            if not then.holds(tape):
                return False
        return True

    def truths(self, tapes: np.ndarray) -> np.ndarray:
        found = np.ones(len(tapes), np.bool_)
        going = np.arange(len(tapes))  # those on which all conditions so far hold
        for condition, then in self.steps:
            going = going[condition.truths(tapes[going])]
            found[going] = then.truths(tapes[going])
            going = going[found[going]]
            if not len(going):
                break
        return found

    def judge(self, known: Known, M: int) -> bool | None:
        result: bool | None = True
        going: bool | None = True
        for condition, then in self.steps:
            verdict = condition.judge(known, M)
            if verdict is False:
                break
            going = going and verdict
            said = then.judge(known, M)
            if said is False and going:
                return False
            if not said:
                result = None
        return result

    def left_for(self, place: int, values: Sequence[int], known: Known, M: int) -> Sequence[int]:
        """The steps are gone through as far as the known cells and this one settle the conditions."""
        ended: list[int] = []  # the values with which the list ends before
        trial = dict(known)
        first = 0 if self.pointers else self._first.get(place, len(self.steps))
        if any(condition.judge(known, M) is not True for condition, _ in self.steps[:first]):
            return values
        for condition, then in self.steps[first:]:
            verdict = condition.judge(known, M)
            if verdict is None:
                going: list[int] = []
                for value in values:
                    trial[place] = value
                    found = condition.judge(trial, M)
                    if found is None:
                        return sorted([*ended, *values])
                    (going if found else ended).append(value)
                values = going
            elif not verdict:
                break
            if not then.speaks_of(place, known, M):
                values = [] if then.judge(known, M) is False else values
            else:
                values = then.left_for(place, values, known, M)
            if not values:
                break
        return sorted([*ended, *values])


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
