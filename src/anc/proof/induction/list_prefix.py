"""Invariants about prefixes of lists of the input.

A fact such as ``all(tape[i] != 34 for i in range(2, 9) while tape[i] != 0)`` restricts a cell only if the list
continues up to it. A pointer into the list implies this for every cell that it has *passed*.
``tape[8] == 0 or tape[9] == 0`` is such a fact, too: a list that continues at cell 8 ends at cell 9. Facts about
two elements, that they are sorted or different, hold for any two cells that a proof reads.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property

import numpy as np

from anc.proof.facts import Along, Fact, Or, Stepwise, cell
from anc.proof.presolve import Inputs, allowed
from anc.proof.semantics import Truth, Word, Words, implied, negated


@dataclass(frozen=True, eq=False)
class List:
    """A list in the cells from `begin` on.

    `going` (n, M) has the values with which each cell continues the list, `then` (n, M) those that it may
    have if the list reaches it; `kinds` are the facts, "sorted" or "different", about all elements.
    """

    begin: int
    going: np.ndarray
    then: np.ndarray
    kinds: frozenset[str] = frozenset()

    @property
    def last(self) -> int:
        return self.begin + len(self.going) - 1

    @property
    def limits(self) -> list[tuple[int, bool]]:
        """Lower bounds (false) and upper bounds (true) of a pointer into the list or just after it."""
        return [(self.begin, False), (self.begin + 1, False), (self.last, True)]

    @cached_property
    def groups(self) -> list[tuple[np.ndarray, np.ndarray, np.ndarray]]:
        """Cells with the same sets: (cells, values that continue the list, values if the list reaches them)."""
        n, M = self.going.shape
        found: dict[tuple[bytes, bytes], list[int]] = {}
        for number in range(n):
            key = self.going[number].tobytes(), self.then[number].tobytes()
            found.setdefault(key, []).append(number)
        return [
            (
                np.isin(np.arange(M), np.add(numbers, self.begin)),
                self.going[numbers[0]],
                ~self.going[numbers[0]] | self.then[numbers[0]],
            )
            for numbers in found.values()
        ]

    def reached(self, tapes: np.ndarray) -> np.ndarray:
        """The first cell of each tape (n, M) at which the list does not continue."""
        cells = np.arange(self.begin, self.begin + len(self.going))
        stops = ~self.going[cells - self.begin, tapes[:, cells]]
        return self.begin + np.where(stops.any(axis=1), stops.argmax(axis=1), len(cells))

    def known(self, words: Words, address: Word, content: Word, pointer: Word) -> Iterator[Truth]:
        """The conditions on an input cell if the list continues at all cells before a pointer."""
        passed = negated(words.at_most(pointer, address))
        arrived = words.at_most(address, pointer)
        for cells, going, possible in self.groups:
            here = words.within(address, cells)
            if here is not False:
                yield implied(here, implied(arrived, words.within(content, possible)))
                yield implied(here, implied(passed, words.within(content, going)))

    def goes_on(
        self, words: Words, address: Word, content: Word, pointers: Sequence[Word]
    ) -> Truth:
        """The condition that the list continues at a cell, which one of these pointers has reached."""
        lets = [
            words.all_of([words.within(address, cells), words.within(content, going)])
            for cells, going, _ in self.groups
        ]
        near = words.any_of([words.at_most(address, pointer) for pointer in pointers])
        return words.all_of([near, words.any_of(lets)])

    def known_of_two(
        self, words: Words, first: tuple[Word, Word], last: tuple[Word, Word], goes_on: Truth
    ) -> Iterator[Truth]:
        """The conditions on two input cells (address, content) if the list continues at the last one."""
        between = [
            words.at_most(self.begin, first[0]),
            negated(words.at_most(last[0], first[0])),
        ]
        premise = words.all_of([goes_on, *between])
        if "sorted" in self.kinds:
            yield implied(premise, words.at_most(first[1], last[1]))
        if "different" in self.kinds:
            yield implied(premise, negated(words.equal(first[1], last[1])))

    def stops(self, words: Words, address: Word, content: Word, pointer: Word) -> Truth:
        """The condition that the list does not continue at a cell before a pointer."""
        wrong = [
            words.all_of([words.within(address, cells), words.within(content, ~going)])
            for cells, going, _ in self.groups
        ]
        return words.all_of([negated(words.at_most(pointer, address)), words.any_of(wrong)])


@dataclass(frozen=True)
class Passed:
    """A register points into a list that continues at every cell before it."""

    list: List
    register: int


def lists(inputs: Inputs) -> list[List]:
    """The lists in the facts; facts about one list are combined."""
    found: dict[tuple[int, bytes], List] = {}
    for fact in inputs.facts:
        stated = _stated(fact, inputs.M) if isinstance(fact, Stepwise) else None
        if isinstance(fact, Or):
            stated = _ending(fact.parts, inputs.M)
        if stated is not None:
            key = stated.begin, stated.going.tobytes()
            before = found.get(key, stated)
            then, kinds = stated.then & before.then, stated.kinds | before.kinds
            found[key] = List(stated.begin, stated.going, then, kinds)
    return list(found.values())


def _stated(fact: Stepwise, M: int) -> List | None:
    """The list of a stepwise fact, if each step is about the next cell."""
    cells: list[int] = []
    going, then = [], []
    elements = _elements(fact)
    for number, (condition, said) in enumerate(fact.steps):
        places = condition.cells or (said.cells if elements is None else {elements[number]})
        if condition.pointers or len(places) != 1 or not condition.cells <= places:
            break
        (cell,) = places
        if cells and cell != cells[-1] + 1:
            break
        cells.append(cell)
        going.append(allowed(condition, cell, M))
        is_plain = not said.pointers and said.cells <= places
        then.append(allowed(said, cell, M) if is_plain else np.ones(M, np.bool_))
    if not cells:
        return None
    is_of_cells = elements is not None and elements[0] == cells[0]
    kinds = [fact.function] if is_of_cells and isinstance(fact, Along) else []
    return List(cells[0], np.array(going), np.array(then), frozenset(kinds))


def _elements(fact: Stepwise) -> list[int] | None:
    """The cells that a fact says are sorted or different, if they are consecutive."""
    if not isinstance(fact, Along) or isinstance(fact.element, Fact):
        return None
    terms = fact.elements
    begin = min(terms[0].read, default=0)
    cells = list(range(begin, begin + len(terms)))
    return cells if terms == list(map(cell, cells)) else None


def _ending(marks: Sequence[Fact], M: int) -> List | None:
    """The list that a disjunction of sentinels ends, if these are in consecutive cells."""
    places = [mark.cells for mark in marks]
    if any(mark.pointers for mark in marks) or any(len(cells) != 1 for cells in places):
        return None
    by_cell = {cell: mark for mark in marks for cell in mark.cells}
    begin, end = min(by_cell), max(by_cell) + 1
    if len(by_cell) < len(marks) or end - begin > len(marks):
        return None
    going = np.array([~allowed(by_cell[cell], cell, M) for cell in range(begin, end)])
    then = np.ones_like(going)
    then[-1] = False
    return List(begin, going, then)


def passed_lists(
    possible: Sequence[List], registers: Sequence[int], states: np.ndarray, tapes: np.ndarray
) -> list[Passed]:
    """The registers that have passed only cells at which a list continues, in all states."""
    found = []
    for each in possible:
        reached = each.reached(tapes)
        for register in registers:
            if (states[:, register] <= reached).all():
                found.append(Passed(each, register))
    return found
