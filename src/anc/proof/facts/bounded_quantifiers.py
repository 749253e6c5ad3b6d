"""Bounded quantifiers over a list: ``sorted(tape[i] for i in range(2, 9) while tape[i] != 0)``.

The index i runs along the list until the condition after ``while`` fails for the first time; later elements
do not matter. A count compares the number of elements that satisfy a fact: ``tape[20:28].count(35) == 1``
means ``sum(tape[i] == 35 for i in range(20, 28)) == 1``.
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

AROUND = 2  # size of a list's bounds
NOTHING = Comparison(Sum(), (("==", Sum()),))  # always true
Verdicts = tuple[bool | None, bool | None]  # whether the list continues, whether the element holds


class OfList(Fact):
    """A fact about the elements of a list, unrolled into steps."""

    element: Fact | Sum
    numbers: range
    going: Fact | None

    @property
    @abstractmethod
    def steps(self) -> tuple[tuple[Fact, Fact], ...]:
        """(condition to continue, fact about the element), at least one pair."""

    @cached_property
    def inside(self) -> tuple[Sum | Fact, ...]:
        return tuple(fact for step in self.steps for fact in step)

    @cached_property
    def size(self) -> int:
        return size_of(self.fields) + AROUND

    def replaced(self, by: Mapping[int | At, Sum]) -> Self:
        return super().replaced(
            {place: by[place] for place in by if place != Index()}
        )  # i is bound here

    def shortened(self, length: int) -> Self:
        """The same fact about the first elements only."""
        return replace(self, numbers=self.numbers[:length])  # type: ignore[type-var]

    def along(self, function: str) -> str:
        """The text of a function of the elements."""
        condition = f" while {self.going}" if self.going else ""
        return f"{function}({self.element} for i in {self.numbers}{condition})"


class Stepwise(OfList):
    """Steps, each of which must hold if all conditions up to its own hold."""

    def clauses(self) -> Iterator[Fact]:
        """The equivalent implications, one per step."""
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
        """A fast path: only steps that mention the cell matter, and only if the list surely reaches them."""
        if self.pointers or place not in self._speaking:
            return super().left_for(place, values, known, M)
        first, last = self._speaking[place]
        if any(condition.judge(known, M) is not True for condition, _ in self.steps[:first]):
            return values
        return Fact.left_for(Steps(self.steps[first : last + 1]), place, values, known, M)

    @cached_property
    def _speaking(self) -> dict[int, tuple[int, int]]:
        """The first and the last step that mention each cell."""
        found: dict[int, tuple[int, int]] = {}
        for number, (condition, then) in enumerate(self.steps):
            for place in condition.cells | then.cells:
                first, _ = found.get(place, (number, number))
                found[place] = first, number
        return found


@dataclass(frozen=True)
class Steps(Stepwise):
    """The remaining steps of a list of which a part is decided."""

    parts: tuple[tuple[Fact, Fact], ...]

    @property
    def steps(self) -> tuple[tuple[Fact, Fact], ...]:
        return self.parts


@dataclass(frozen=True)
class Along(Stepwise):
    """A function of the elements of a list: all, sorted or different.

    The elements of `all` are facts; those of `sorted` and `different` are terms. Without a condition,
    the list has as many elements as there are numbers.
    """

    function: str
    element: Fact | Sum
    numbers: range
    going: Fact | None = None

    @property
    def elements(self) -> list[Sum]:
        """The elements, which are terms."""
        assert isinstance(self.element, Sum)
        return [self.element.numbered(number) for number in self.numbers]

    @cached_property
    def steps(self) -> tuple[tuple[Fact, Fact], ...]:
        if isinstance(self.element, Fact):
            said = [self.element.numbered(number) for number in self.numbers]
        else:
            terms = self.elements
            said = [self._to_previous(term, terms[:number]) for number, term in enumerate(terms)]
        going = self.going
        return tuple(
            (going.numbered(number) if going else NOTHING, then)
            for number, then in zip(self.numbers, said, strict=True)
        )

    def _to_previous(self, new: Sum, terms: Sequence[Sum]) -> Fact:
        """The relation between an element and those before it."""
        op, old = ("<=", terms[-1:]) if self.function == "sorted" else ("!=", terms)
        said = [Comparison(other, ((op, new),)) for other in old]
        return And(tuple(said)) if len(said) > 1 else (said or [NOTHING])[0]

    def __str__(self) -> str:
        return self.along(self.function)


@dataclass(frozen=True)
class Count(OfList):
    """The number of elements of a list that satisfy a fact, compared with a constant."""

    element: Fact
    numbers: range
    going: Fact | None
    op: str
    number: int

    @cached_property
    def steps(self) -> tuple[tuple[Fact, Fact], ...]:
        """(condition to continue, fact that is counted), at least one pair."""
        going = self.going or NOTHING
        return tuple((going.numbered(n), self.element.numbered(n)) for n in self.numbers)

    @cached_property
    def value(self) -> Sum | None:
        """The value that is counted in a slice of cells; None for other counts."""
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
        """Bounds of the count."""
        endless = self.going is None
        return counted(
            (YES if endless else a.truth(known, M), b.truth(known, M)) for a, b in self.steps
        )

    def forced(self, verdicts: Sequence[Verdicts]) -> tuple[list[int], bool]:
        """Unit propagation: the undecided elements whose truth is forced, and that truth.

        They must be false if the count has reached its maximum (as far as the list surely continues), and
        true if all remaining candidates are needed.
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
        """Simplify the count, given the facts that are decided: a shorter list, or forced elements.

        None if nothing can be simplified.
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
    """Bounds of the number of elements that hold before the list ends."""
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
    """The number of cells that hold a value, compared with a constant.

    >>> print(how_often(35, range(20, 28), "==", 1))
    tape[20:28].count(35) == 1
    """
    return Count(Comparison(at(index()), (("==", term(value)),)), cells, None, op, number)
