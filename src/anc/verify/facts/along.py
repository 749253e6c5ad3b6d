"""Facts about a list as far as it goes: ``sorted(tape[i] for i in range(2, 9) while tape[i] != 0)``.

The number i goes along the list until the condition behind ``while`` fails for the first time; what
lies behind does not matter.
"""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from functools import cached_property

import numpy as np

from anc.verify.facts.logic import And, Fact, Implies, Not
from anc.verify.facts.relations import Comparison
from anc.verify.facts.terms import At, Known, Sum, Tape

AROUND = 2  # what a list's beginning and end add to the size of a fact
NOTHING = Comparison(Sum(), (("==", Sum()),))  # holds always


class OfList(Fact):
    """A fact about the elements of a list, one step after the other."""

    @property
    @abstractmethod
    def steps(self) -> tuple[tuple[Fact, Fact], ...]:
        """(the condition to go on, what is said of the element), at least one."""

    @cached_property
    def cells(self) -> frozenset[int]:
        return frozenset().union(*(fact.cells for step in self.steps for fact in step))

    @cached_property
    def pointers(self) -> tuple[At, ...]:
        return tuple(to for step in self.steps for fact in step for to in fact.pointers)


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

    def negated(self) -> Fact:
        return Not((self,))


@dataclass(frozen=True)
class Steps(Stepwise):
    """Steps without a list that they come from."""

    parts: tuple[tuple[Fact, Fact], ...]
    level = And.level

    @property
    def steps(self) -> tuple[tuple[Fact, Fact], ...]:
        return self.parts

    @cached_property
    def size(self) -> int:
        return sum(fact.size for step in self.steps for fact in step)

    def numbered(self, number: int) -> Steps:
        return Steps(tuple((a.numbered(number), b.numbered(number)) for a, b in self.steps))

    def __str__(self) -> str:
        return " and ".join(f"({clause})" for clause in self.clauses())


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

    @cached_property
    def steps(self) -> tuple[tuple[Fact, Fact], ...]:
        found = []
        terms: list[Sum] = []
        for number in self.numbers:
            element = self.element.numbered(number)
            if isinstance(element, Fact):
                said = element
            else:
                said = self._beside(element, terms)
                terms.append(element)
            found.append((self.going.numbered(number) if self.going else NOTHING, said))
        return tuple(found)

    def _beside(self, new: Sum, terms: Sequence[Sum]) -> Fact:
        """What an element must be beside those before it."""
        op, old = ("<=", terms[-1:]) if self.function == "sorted" else ("!=", terms)
        said = [Comparison(other, ((op, new),)) for other in old]
        return And(tuple(said)) if len(said) > 1 else (said or [NOTHING])[0]

    def shortened(self, length: int) -> Along:
        """The same for the first elements only."""
        return replace(self, numbers=self.numbers[:length])

    @cached_property
    def size(self) -> int:
        return self.element.size + (self.going.size if self.going else 0) + AROUND

    def numbered(self, number: int) -> Along:
        return self  # its own i is another

    def __str__(self) -> str:
        return along_text(self.function, self.element, self.numbers, self.going)


def along_text(function: str, element: Fact | Sum, numbers: range, going: Fact | None) -> str:
    """What a function says of the elements of a list."""
    ends = f"{numbers.start}, {numbers.stop}" + (f", {numbers.step}" if numbers.step != 1 else "")
    condition = f" while {going}" if going else ""
    return f"{function}({element} for i in range({ends}){condition})"
