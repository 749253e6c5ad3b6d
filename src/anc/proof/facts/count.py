"""How many elements of a list satisfy something: ``tape[20:28].count(35) == 1``.

As a fact about a list it is ``sum(tape[i] == 35 for i in range(20, 28)) == 1``, also only as far as the
list goes: ``sum(tape[i] == 35 for i in range(2, 9) while tape[i] != 0) <= 2``.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from itertools import takewhile

import numpy as np

from anc.proof.facts.bounded_quantifiers import AROUND, NOTHING, OfList
from anc.proof.facts.logic import Fact
from anc.proof.facts.relations import COMPARE, OPPOSITE, Comparison, compared
from anc.proof.facts.terms import At, Bounds, Index, Known, Sum, Tape, at, cell, index, term

Verdicts = tuple[bool | None, bool | None]  # on going on, and on the element


def about_one_cell(said: Fact) -> tuple[Fact, int] | None:
    """What is said of each i, as a fact about cell 0, and how far its only cell is from i.

    None if it speaks of more than one cell, or of i itself.
    """
    match [to for to in dict.fromkeys(said.pointers) if to != Index()]:
        case [At(Sum(((1, Index()),), offset))] if not said.cells:
            first, next_one = (said.numbered(number - offset) for number in (0, 1))
            return (first, offset) if first.replaced({0: cell(1)}) == next_one else None
    return None


class Each:
    """A fact for each number i; quick where each is about one cell, and all say the same of it."""

    def __init__(self, said: Fact, numbers: range) -> None:
        self.facts = tuple(said.numbered(number) for number in numbers)
        self._first: Fact | None
        self._first, offset = about_one_cell(said) or (None, 0)
        self._places = [number + offset for number in numbers]
        # for memories, with which values of its cell the first one holds
        self._tables: dict[int, list[bool]] = {}

    def truths(self, tapes: np.ndarray) -> np.ndarray:
        """(tapes, numbers): which of many tapes (n, M) satisfy it."""
        if self._first is None:
            return np.stack([fact.truths(tapes) for fact in self.facts], axis=1)
        values = np.arange(int(tapes.max(initial=0)) + 1)
        return self._first.truths(values[:, None])[tapes[:, self._places]]

    def verdicts(self, known: Known, M: int) -> list[bool | None]:
        """For each number, whether it holds, where the known cells settle that."""
        if self._first is None:
            return [fact.judge(known, M) for fact in self.facts]
        unknown = self._first.judge({}, M)
        values = [known.get(place) for place in self._places]
        table = self.table(self._first, M)
        return [unknown if value is None else table[value] for value in values]

    def beside(
        self, place: int, values: Sequence[int], known: Known, M: int
    ) -> dict[int, Sequence[bool | None]]:
        """For the numbers whose facts depend on one more cell, the verdicts with each of its values."""
        if self._first is not None:
            table = self.table(self._first, M)
            here = [number for number, other in enumerate(self._places) if other == place]
            return {number: [table[value] for value in values] for number in here}
        here = [n for n, fact in enumerate(self.facts) if fact.speaks_of(place, known, M)]
        trials = [{**known, place: value} for value in values]
        return {number: [self.facts[number].judge(t, M) for t in trials] for number in here}

    def table(self, first: Fact, M: int) -> list[bool]:
        """With which values of its cell a fact about one cell holds."""
        if M not in self._tables:
            self._tables[M] = first.truths(np.arange(M)[:, None]).tolist()
        return self._tables[M]


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
        return tuple(zip(*(part.facts for part in self._parts), strict=True))

    @cached_property
    def _parts(self) -> tuple[Each, Each]:
        return Each(self.going or NOTHING, self.numbers), Each(self.element, self.numbers)

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

    def holds(self, tape: Tape) -> bool:
        going = takewhile(lambda step: step[0].holds(tape), self.steps)
        return bool(COMPARE[self.op](sum(element.holds(tape) for _, element in going), self.number))

    def truths(self, tapes: np.ndarray) -> np.ndarray:
        return COMPARE[self.op](self.totals(tapes), self.number)

    def totals(self, tapes: np.ndarray) -> np.ndarray:
        """How many there are on each of many tapes (n, M)."""
        going, counted = self._parts
        truths = counted.truths(tapes)
        if self.going is not None:
            truths &= np.logical_and.accumulate(going.truths(tapes), axis=1)
        return truths.sum(axis=1)

    def judge(self, known: Known, M: int) -> bool | None:
        return self.decided(zip(*(part.verdicts(known, M) for part in self._parts), strict=True))

    def decided(self, verdicts: Iterable[Verdicts]) -> bool | None:
        """The verdict on the whole from those on its steps."""
        low, high = bounds(verdicts)
        return compared((low - self.number, high - self.number), self.op)

    def forced(self, verdicts: Sequence[Verdicts]) -> tuple[list[int], bool]:
        """Which elements are not settled though they must be something, and what: true, or false.

        False where more would be too many, if the list surely goes on up to there; true where all that
        it may have are just enough.
        """
        low, high = bounds(verdicts)
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
        if (decided := self.decided(verdicts)) is not None:
            return [] if decided else [NOTHING.negated()]
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

    def left_for(self, place: int, values: Sequence[int], known: Known, M: int) -> Sequence[int]:
        """Values with which the same conditions and elements hold are looked at together."""
        parts = [part.verdicts(known, M) for part in self._parts]
        changing = [
            (part, number, verdicts)
            for part, each in zip(parts, self._parts, strict=True)
            for number, verdicts in each.beside(place, values, known, M).items()
        ]
        if not changing:
            return values
        alike = list(zip(*(verdicts for _, _, verdicts in changing), strict=True))
        possible: dict[tuple[bool | None, ...], bool] = {}
        for here in dict.fromkeys(alike):
            for (part, number, _), verdict in zip(changing, here, strict=True):
                part[number] = verdict
            possible[here] = self.decided(zip(*parts, strict=True)) is not False
        return [value for value, here in zip(values, alike, strict=True) if possible[here]]

    def negated(self) -> Count:
        return replace(self, op=OPPOSITE[self.op])

    def __str__(self) -> str:
        if self.value is None:
            counted = self.along("sum")
        else:  # how often a value is found in a slice
            counted = f"tape[{self.numbers.start}:{self.numbers.stop}].count({self.value})"
        return f"{counted} {self.op} {self.number}"


def bounds(verdicts: Iterable[Verdicts]) -> Bounds:
    """How many elements of a list there are at least and at most."""
    low = high = 0
    is_sure = True
    for going, holds in verdicts:
        if going is False:
            break
        is_sure = is_sure and going is True
        low += is_sure and holds is True
        high += holds is not False
    return low, high


def how_often(value: Sum | int, cells: range, op: str, number: int) -> Count:
    """How many of some cells hold a value, compared with a number.

    >>> print(how_often(35, range(20, 28), "==", 1))
    tape[20:28].count(35) == 1
    """
    return Count(Comparison(at(index()), (("==", term(value)),)), cells, None, op, number)
