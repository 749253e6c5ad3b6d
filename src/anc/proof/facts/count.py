"""How many elements of a list satisfy something: ``tape[20:28].count(35) == 1``.

As a fact about a list it is ``sum(tape[i] == 35 for i in range(20, 28)) == 1``, also only as far as the
list goes: ``sum(tape[i] == 35 for i in range(2, 9) while tape[i] != 0) <= 2``.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, replace
from functools import cached_property

from anc.proof.facts.bounded_quantifiers import AROUND, NOTHING, OfList
from anc.proof.facts.logic import YES, Fact, Truth, both, is_never, truth_of
from anc.proof.facts.relations import OPPOSITE, Comparison, compared
from anc.proof.facts.terms import At, Bounds, Index, Known, Sum, at, index, term

Verdicts = tuple[bool | None, bool | None]  # on going on, and on the element


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
