"""List discovery, and facts about lists, learnt from all of their elements in all samples at once.

The generic program shows where lists are: one of its lines reads one cell after the other until it finds a
sentinel.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property

import numpy as np

from anc.isa import Op
from anc.machine import exact
from anc.program import Program
from anc.proof.facts import Along, Fact, Implies, Or, at, cell, compare, index, times
from anc.proof.preconditions import templates
from anc.proof.preconditions.columns import Column

_TRACED = 2_000  # steps per traced run
_RECORDS = (1, 2, 3, 4)  # elements per record
_POOLED = 1_200  # elements from which facts are proposed
_NUMBERS = 3  # records of a failing tape that are tried
_MOST_LENGTHS = 16  # lengths of a list that a fact may enumerate
_FIXED = 6  # cells before the list that elements are compared with


@dataclass(frozen=True)
class Listed:
    """A list in memory: its first cell, its stride, and the sentinel that ends it."""

    start: int
    step: int
    sentinel: int

    @property
    def going(self) -> Fact:
        return compare(at(index()), "!=", self.sentinel)

    def alive(self, tapes: np.ndarray) -> np.ndarray:
        """Which elements come before the sentinel: (n, elements)."""
        return np.logical_and.accumulate(tapes[:, self.start :: self.step] != self.sentinel, axis=1)

    def ends(self, samples: np.ndarray) -> Fact | None:
        """The fact that it has one of the lengths seen in the samples; None if there are many."""
        *_, every = records(self, samples)
        lengths = every.alive(samples).sum(axis=1)
        low, high = int(lengths.min()), int(lengths.max())
        if high - low >= _MOST_LENGTHS or every.start + every.step * high >= samples.shape[1]:
            return None
        places = [every.start + every.step * length for length in range(low, high + 1)]
        sentinels = tuple(compare(cell(place), "==", self.sentinel) for place in places)
        return Or(sentinels) if len(sentinels) > 1 else sentinels[0]

    def ends_before(self, samples: np.ndarray) -> Fact | None:
        """The fact that one cell holds the sentinel, if one does in all samples."""
        *_, every = records(self, samples)
        marked = (samples[:, every.start :: every.step] == self.sentinel).all(axis=0)
        if not marked.any():
            return None
        return compare(cell(every.start + every.step * int(marked.argmax())), "==", self.sentinel)

    def shortened(self, fact: Fact, samples: np.ndarray) -> Fact:
        """Shorten a fact about this list to the longest one of the samples; leave other facts alone."""
        if not isinstance(fact, Along) or fact.going != self.going:
            return fact
        begin, step = fact.numbers.start - self.start, fact.numbers.step
        if begin < 0 or begin % self.step or step % self.step:
            return fact
        going = np.ones(len(samples), np.bool_)
        for number, (condition, _) in enumerate(fact.steps):
            going &= condition.truths(samples)
            if not going.any():
                return fact.shortened(max(1, number))
        return fact


def lists_of(program: Program, samples: np.ndarray) -> list[Listed]:
    """The lists that most runs of a program read."""
    found = Counter(listed for tape in samples for listed in _read(program, tape))
    return [listed for listed, count in found.items() if 2 * count > len(samples)]


def _read(program: Program, tape: np.ndarray) -> set[Listed]:
    """The lists that one run reads up to the sentinel, or far enough to guess that 0 is the sentinel."""
    addresses: dict[int, dict[int, None]] = {}
    for step in exact.run(program, tuple(map(int, tape)), _TRACED, trace=True).trace:
        if step.op == Op.READ and step.first is not None:
            addresses.setdefault(step.line, {})[step.first] = None
    found = set()
    for cells in map(list, addresses.values()):
        distances = set(np.diff(cells).tolist())
        *before, sentinel = tape[cells].tolist()
        if len(distances) == 1 and min(distances) > 0:
            start, distance = cells[0], int(min(distances))
            if sentinel not in before:
                found.add(Listed(start, distance, sentinel))
            if len(cells) > 2 and 0 not in before and 0 in tape[start::distance]:
                found.add(Listed(start, distance, 0))
    return found


def records(listed: Listed, samples: np.ndarray) -> Iterator[Listed]:
    """The list, and its views as a list of longer records that end at the same place."""
    lengths = listed.alive(samples).sum(axis=1)
    for several in _RECORDS:
        every = Listed(listed.start, listed.step * several, listed.sentinel)
        if (lengths == several * every.alive(samples).sum(axis=1)).all():
            yield every


class ElementPool:
    """All elements of a list in all samples."""

    def __init__(self, listed: Listed, samples: np.ndarray) -> None:
        self.listed, self.samples = listed, samples
        self.alive = listed.alive(samples)
        self.longest = int(self.alive.sum(axis=1).max())

    @cached_property
    def elements(self) -> tuple[np.ndarray, np.ndarray]:
        """The samples and cells of a random choice of elements."""
        rows, numbers = np.nonzero(self.alive)
        some = np.random.default_rng(0).permutation(len(rows))[:_POOLED]
        return rows[some], self.listed.start + self.listed.step * numbers[some]

    @cached_property
    def seen(self) -> list[set[int]]:
        """The values seen in each cell of a record."""
        rows, numbers = np.nonzero(self.alive)
        cells, M = self.listed.start + self.listed.step * numbers, self.samples.shape[1]
        there = ((rows[c < M], c[c < M]) for c in (cells + i for i in range(self.listed.step)))
        return [set(np.unique(self.samples[where]).tolist()) for where in there]

    def knows(self, record: np.ndarray) -> bool:
        """Whether each value of the record was seen in its place."""
        return all(int(value) in seen for value, seen in zip(record, self.seen, strict=False))

    @cached_property
    def is_bounded(self) -> bool:
        """Whether few lengths of the list occur."""
        return self.listed.ends(self.samples) is not None

    def numbers(self, first: int, wanted: int) -> range:
        """The cells of the elements from `first` on, as many as the samples have.

        All cells up to the end of the tape if more are wanted, or if the list has many lengths.
        """
        if self.is_bounded and wanted < self.longest:
            return self.seen_numbers[first:]
        begin, step, M = self.listed.start, self.listed.step, self.samples.shape[1]
        return range(begin + step * first, M - step + 1, step)

    @property
    def seen_numbers(self) -> range:
        """The cells of the elements of the longest list in the samples."""
        begin, step = self.listed.start, self.listed.step
        return range(begin, begin + step * self.longest, step)

    def columns(self, tape: np.ndarray, number: int, first: int) -> list[Column]:
        """The columns of a record; with `first` = 1 also of the record before it."""
        rows, cells = self.elements
        begin, step = self.listed.start, self.listed.step
        kept = cells >= begin + step * first
        rows, cells, here = rows[kept], cells[kept], begin + step * number
        found = []
        for offset in range(-step * first, step):
            if cells.max(initial=0) + offset < len(tape) > here + offset:
                values = self.samples[rows, cells + offset]
                term = at(index(plus=offset))
                found.append(Column(term, values, int(tape[here + offset]), None))
        return found

    def fixed(self, tape: np.ndarray, places: Sequence[int], first: int) -> list[Column]:
        """The columns of cells outside the list, one row per element."""
        rows, cells = self.elements
        rows = rows[cells >= self.listed.start + self.listed.step * first]
        return [Column(cell(c), self.samples[rows, c], int(tape[c]), c) for c in places]


def along(
    lists: Sequence[Listed],
    samples: np.ndarray,
    tape: np.ndarray,
    base: np.ndarray,
    cells: Sequence[int],
) -> Iterator[Fact]:
    """Facts about lists that may hold on all samples and not on the tape; `base` is a close sample."""
    for listed in lists:
        for every in records(listed, samples):
            pool = ElementPool(every, samples)
            if not pool.longest:
                continue
            yield from _groups(pool)
            outside = [c for c in cells if c < every.start][:_FIXED]
            for number in _telling(pool, tape, base):
                yield from _of_records(pool, tape, number, outside)


def _telling(pool: ElementPool, tape: np.ndarray, base: np.ndarray) -> list[int]:
    """A few records that distinguish the tape from its neighbour.

    First those with values that no sample has in this place, then those in which the tapes differ; always
    the last one, which determines the length of the list.
    """
    listed = pool.listed
    here, there = listed.alive(np.stack([tape, base]))
    found: list[tuple[bool, bool, int]] = []
    for number in np.flatnonzero(here).tolist():
        begin = listed.start + number * listed.step
        record = slice(begin, begin + listed.step)
        is_new, differs = not pool.knows(tape[record]), bool((tape[record] != base[record]).any())
        if is_new or differs or not there[number]:
            found.append((not is_new, not differs, number))
    if len(found) <= _NUMBERS:
        return [number for *_, number in found]
    first = [number for *_, number in sorted(found)[: _NUMBERS - 1]]
    return list(dict.fromkeys([*first, found[-1][-1]]))


def _groups(pool: ElementPool) -> Iterator[Fact]:
    """Sorted, pairwise different, nothing but sentinels after the end."""
    numbers = pool.seen_numbers
    sentinel, step, M = pool.listed.sentinel, pool.listed.step, pool.samples.shape[1]
    for offset in range(step):
        if len(numbers) > 1 and numbers[-1] + offset < M:
            here, after = (at(index(plus=place)) for place in (offset, offset + step))
            for function in ("sorted", "different"):
                yield Along(function, here, numbers, pool.listed.going)
            if numbers[-1] + offset + step < M:
                ends = Implies((compare(here, "==", sentinel), compare(after, "==", sentinel)))
                yield Along("all", ends, numbers)


def _of_records(
    pool: ElementPool, tape: np.ndarray, number: int, outside: Sequence[int]
) -> Iterator[Fact]:
    going, step = pool.listed.going, pool.listed.step
    numbers = pool.numbers(0, number)
    here = pool.columns(tape, number, 0)
    for place, x in enumerate(here):
        for fact in _alone(x, pool, step):
            yield Along("all", fact, numbers, going)
        for y in (*here[:place], *pool.fixed(tape, outside, 0)):
            for fact in templates.about_two(x, y):
                yield Along("all", fact, numbers, going)
    if number and pool.longest > 1:
        around = pool.columns(tape, number, 1)
        for x in around[step:]:
            for y in around[:step]:
                for fact in templates.about_two(x, y):
                    yield Along("all", fact, pool.numbers(1, number), going)


def _alone(x: Column, pool: ElementPool, step: int) -> Iterator[Fact]:
    """Facts about one cell of a record, also in terms of its index."""
    yield from templates.about_one(x)
    yield from _counted(x, pool, step)


def _counted(x: Column, pool: ElementPool, step: int) -> Iterator[Fact]:
    rest = step * x.values - pool.elements[1]
    if len(rest) and (rest == rest[0]).all():
        yield compare(times(step, x.term), "==", index(plus=int(rest[0])))


def at_hand(lists: Sequence[Listed], samples: np.ndarray) -> list[Fact]:
    """Simple facts about lists that hold on all samples."""
    found: dict[Fact, None] = {}
    for every in (every for listed in lists for every in records(listed, samples)):
        pool = ElementPool(every, samples)
        if pool.longest < 2:
            continue
        found |= dict.fromkeys(_groups(pool))
        for x in pool.columns(samples[0], 0, 0):
            low, high = int(x.seen[0]), int(x.seen[-1])
            plain = [compare(x.term, "==", low)] if low == high else _counted(x, pool, every.step)
            found |= {Along("all", fact, pool.numbers(0, 0), every.going): None for fact in plain}
    return [fact for fact in found if fact.truths(samples).all()]
