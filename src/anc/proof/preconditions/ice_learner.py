"""Implication learning from examples: facts that hold on every sample and not on a failing tape.

When no known fact excludes such a tape, new ones are proposed: how often values occur, and facts of one
term, of two, and along lists; where there are none, implications.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace
from itertools import islice

import numpy as np

from anc.proof.facts import Columns, Count, Fact, Implies, Sum, at, compare, how_often, index
from anc.proof.preconditions import templates
from anc.proof.preconditions.columns import Column, columns
from anc.proof.preconditions.lists import ElementPool, Listed, along
from anc.support.clock import Clock

ENOUGH = 60  # facts per kind
_PREMISE = 30  # cost of trying one, in evaluations
_PARTNERS = 40  # other columns that a distinguishing one is paired with
_LEAST_SUPPORT = 5  # samples on which the premise of an implication must hold
_VALUES = 4  # values tried per cell: that of the tape, of its neighbour, and the most common
_LEAST = 2  # varying cells from which on a value is counted


def separating(
    samples: np.ndarray,
    tape: np.ndarray,
    base: np.ndarray,
    cells: Sequence[int],
    pointers: Sequence[Sum],
    M: int,
    clock: Clock,
    lists: Sequence[Listed] = (),
) -> list[Fact]:
    """Facts that hold on all samples and not on the tape; `base` is a sample close to it.

    They are about these cells, the targets of the pointers, and the elements of lists. Larger kinds are
    tried only if smaller ones yield nothing.
    """
    telling, others = columns(samples, tape, base, cells, pointers)
    cells_of = dict(enumerate(tape.tolist()))

    def checked(proposals: Iterator[Fact]) -> list[Fact]:
        good = (f for f in proposals if not f.holds(cells_of) and f.truths(samples).all())
        return list(dict.fromkeys(islice(good, ENOUGH)))

    often = checked(_counts(telling, lists, samples, tape, base))
    found = checked(fact for x in telling for fact in templates.ends(x, samples, tape))
    found += checked(along(lists, samples, tape, base, cells))
    if found:
        return often + found
    found = often + checked(_simple(telling, others, samples, M))
    return found or checked(_implications(telling, others, samples, M, clock))


def _counts(
    telling: Sequence[Column],
    lists: Sequence[Listed],
    samples: np.ndarray,
    tape: np.ndarray,
    base: np.ndarray,
) -> Iterator[Count]:
    """Counts of values that hold on all samples and not on the tape.

    Neighbouring cells that hold a value on some samples only are counted together, because their total may
    be constant. A list is counted up to its end.
    """
    places = [x.place for x in telling if x.place is not None]
    for value in _values(places, samples, tape, base):
        held = samples == value
        varies = held.any(axis=0) & ~held.all(axis=0)
        for cells in _runs(varies):
            if any(place in cells for place in places):
                yield from _compared(how_often(value, cells, "==", 0), samples, tape)
        for listed in lists:
            pool = ElementPool(listed, samples)
            numbers = pool.seen_numbers
            if varies[numbers.start : numbers.stop : numbers.step].sum() >= _LEAST:
                counted = compare(at(index()), "==", value)
                fact = Count(counted, pool.numbers(0, 0), listed.going, "==", 0)
                yield from _compared(fact, samples, tape)


def _values(
    places: Sequence[int], samples: np.ndarray, tape: np.ndarray, base: np.ndarray
) -> list[int]:
    """The values to count: those of the tape and of its neighbour, and the most common."""
    found: dict[int, None] = {}
    for place in places:
        values, often = np.unique(samples[:, place], return_counts=True)
        common = values[np.argsort(-often, kind="stable")[: _VALUES - 2]]
        found |= dict.fromkeys([int(tape[place]), int(base[place]), *common.tolist()])
    return list(found)


def _runs(varies: np.ndarray) -> Iterator[range]:
    """The maximal ranges of neighbouring cells that all vary."""
    edges = np.flatnonzero(np.diff(np.concatenate([[0], varies.astype(np.int8), [0]])))
    for begin, end in zip(edges[::2].tolist(), edges[1::2].tolist(), strict=True):
        if end - begin >= _LEAST:
            yield range(begin, end)


def _compared(fact: Count, samples: np.ndarray, tape: np.ndarray) -> Iterator[Count]:
    """The count with the comparison that holds on the samples and not on the tape."""
    totals = np.asarray(fact.bounds(Columns(samples), len(tape))[0])
    here, _ = fact.bounds(dict(enumerate(tape.tolist())), len(tape))
    low, high = int(totals.min()), int(totals.max())
    if low == high != here:
        yield replace(fact, number=low)
    elif here < low:
        yield replace(fact, op=">=", number=low)
    elif here > high:
        yield replace(fact, op="<=", number=high)


def _simple(
    telling: Sequence[Column], others: Sequence[Column], samples: np.ndarray, M: int
) -> Iterator[Fact]:
    for x in telling:
        yield from templates.about_one(x)
    for x, y in _pairs(telling, others):
        yield from templates.about_two(x, y)
        yield from templates.no_overflow(x, y, M)
        yield from templates.groups(x, y, samples)


def _pairs(telling: Sequence[Column], others: Sequence[Column]) -> Iterator[tuple[Column, Column]]:
    for number, x in enumerate(telling):
        for y in (*telling[:number], *others[:_PARTNERS]):
            yield x, y


def _implications(
    telling: Sequence[Column],
    others: Sequence[Column],
    samples: np.ndarray,
    M: int,
    clock: Clock,
) -> Iterator[Fact]:
    """Implications: a premise that holds on the tape, and a conclusion that separates where it holds."""
    for premise, rows in _premises((*telling, *others)):
        if clock.over:
            return
        clock.did(_PREMISE)
        if _LEAST_SUPPORT <= rows.sum() < len(rows):
            x, y = ([c.where(rows) for c in part] for part in (telling, others))
            for conclusion in islice(_simple(x, y, samples[rows], M), ENOUGH):
                if conclusion != premise:
                    yield Implies((premise, conclusion))


def _premises(all_columns: Sequence[Column]) -> Iterator[tuple[Fact, np.ndarray]]:
    """Atomic facts that hold on the tape, with the samples on which they hold."""
    for x in all_columns:
        if x.found == 0:
            yield compare(x.term, "==", 0), x.values == 0
        else:
            yield compare(x.term, "!=", 0), x.values != 0
            yield compare(x.term, "==", x.found), x.values == x.found
    for number, x in enumerate(all_columns[:_PARTNERS]):
        for y in all_columns[:number]:
            if x.found == y.found:
                yield compare(x.term, "==", y.term), x.values == y.values
            elif x.found < y.found:
                yield compare(x.term, "<", y.term), x.values < y.values
            else:
                yield compare(y.term, "<", x.term), y.values < x.values
