"""Fact templates: small facts that hold on all samples and are false on one tape.

Each function proposes the facts of one kind for given columns. The caller checks the proposals, so they may
be slightly too bold.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence

import numpy as np

from anc.proof.facts import (
    Fact,
    Or,
    Sum,
    cell,
    compare,
    different,
    divisible,
    in_order,
    member,
    remainder,
    times,
)
from anc.proof.preconditions.columns import Column

FEW_VALUES = 12  # in a set
_MODULI = range(2, 17)
_LONGEST_LIST = 12  # cells that may hold the sentinel of a list
_APART = 8  # gap between two ranges of values
_MOST_KINDS = 5  # ranges
_COMMON = 0.05  # share of the samples from which on a value may be a sentinel
_MULTIPLES = (2, 3, 4)
_OFFSETS = 3  # "never x + 3" is still a readable fact


def about_one(x: Column) -> Iterator[Fact]:
    """A constant, a bound, an excluded value, a set, a gap, a remainder."""
    seen, found = x.seen, x.found
    low, high = int(seen[0]), int(seen[-1])
    if low == high:
        yield compare(x.term, "==", low)
    if found not in seen:
        if found == 0:
            yield compare(x.term, "!=", 0)
        if found < low:
            yield compare(low, "<=", x.term)
        if found > high:
            yield compare(x.term, "<=", high)
        yield compare(x.term, "!=", found)
        if 1 < len(seen) <= FEW_VALUES:
            yield member([x.term], [(int(v),) for v in seen])
        several = kinds(x.term, seen)
        if several is not None:
            yield several
        if low < found < high:
            below, above = int(seen[seen < found][-1]), int(seen[seen > found][0])
            if above - below > 2:
                yield Or((compare(x.term, "<=", below), compare(above, "<=", x.term)))
    for modulus in _MODULI:
        rest = int(seen[0] % modulus)
        if found % modulus != rest and (seen % modulus == rest).all():
            yield remainder(x.term, modulus, rest)


def kinds(term: Sum, seen: np.ndarray) -> Fact | None:
    """A disjunction of few ranges, such as a blank, a digit or a letter; None if there is only one."""
    breaks = np.flatnonzero(np.diff(seen) >= _APART)
    if not 0 < len(breaks) < _MOST_KINDS:
        return None
    runs = np.split(seen, breaks + 1)
    ranges = [(int(run[0]), int(run[-1])) for run in runs]
    return Or(
        tuple(
            compare(term, "==", low) if low == high else compare(low, "<=", term, "<=", high)
            for low, high in ranges
        )
    )


def about_two(x: Column, y: Column) -> Iterator[Fact]:
    """Equality, inequality, order, bounds of the difference and of the sum, multiples, a set of pairs."""
    apart, here = x.values - y.values, x.found - y.found
    low, high = int(apart.min()), int(apart.max())
    if low == high:
        yield compare(x.term, "==", y.term.plus(Sum((), low)))
    yield from _in_order(x.term, y.term, apart, here, strict=(1, -1))
    if abs(here) <= _OFFSETS and not (apart == here).any():
        yield compare(x.term, "!=", y.term.plus(Sum((), here)))
    yield from _limits(x.term, y.term, low, high, here)
    yield from _multiples(x, y)
    yield from _multiples(y, x)
    total, here, term = x.values + y.values, x.found + y.found, x.term.plus(y.term)
    low, high = int(total.min()), int(total.max())
    if low == high:
        yield compare(term, "==", low)
    yield from _limits(term, Sum(), low, high, here)
    pairs = np.unique(np.stack([x.values, y.values], axis=1), axis=0)
    if len(pairs) <= FEW_VALUES:
        yield member([x.term, y.term], [tuple(map(int, pair)) for pair in pairs])


def _in_order(
    left: Sum, right: Sum, apart: np.ndarray, here: int, strict: Sequence[int] = ()
) -> Iterator[Fact]:
    """The order of two terms, from their difference on the samples (`apart`) and on the tape (`here`).

    `strict` lists the directions (1: left below right, -1: right below left) for which < is proposed, too.
    """
    for sign, one, other in ((1, left, right), (-1, right, left)):
        if sign * here > 0 or (here == 0 and sign in strict):
            most = apart.max() if sign > 0 else -apart.min()
            if here and most <= 0:
                yield compare(one, "<=", other)
            if most < 0 and sign in strict:
                yield compare(one, "<", other)


def _limits(left: Sum, right: Sum, low: int, high: int, here: int) -> Iterator[Fact]:
    """Bounds of the difference of two terms that exclude `here`."""
    if here > high:
        yield compare(left, "<=", right.plus(Sum((), high)))
    if here < low:
        yield compare(right.plus(Sum((), low)), "<=", left)


def _multiples(x: Column, y: Column) -> Iterator[Fact]:
    """Comparisons of x with multiples of y, and divisibility."""
    for k in _MULTIPLES:
        apart, here, term = x.values - k * y.values, x.found - k * y.found, times(k, y.term)
        if not apart.any():
            yield compare(x.term, "==", term)
        yield from _in_order(x.term, term, apart, here, strict=(1,))
    divides = (y.values > 0) & (x.values % np.maximum(y.values, 1) == 0)
    if divides.all():
        yield divisible(x.term, y.term)


def no_overflow(x: Column, y: Column, M: int) -> Iterator[Fact]:
    """The sum stays below M, so that the machine's addition does not wrap around."""
    if (x.values + y.values).max() < M <= x.found + y.found:
        yield compare(x.term.plus(y.term), "<=", M - 1)


def groups(x: Column, y: Column, samples: np.ndarray) -> Iterator[Fact]:
    """The maximal ranges of sorted or pairwise different cells that contain these two."""
    if x.place is None or y.place is None:
        return
    first, last = sorted((x.place, y.place))
    for made in (different, in_order):
        begin, end = first, last + 1
        if not _said_of(made, begin, end, samples):
            continue
        while _said_of(made, begin - 1, end, samples):
            begin -= 1
        while _said_of(made, begin, end + 1, samples):
            end += 1
        if end - begin > 2:
            yield made(map(cell, range(begin, end)))


def _said_of(
    made: Callable[[Iterable[Sum]], Fact], begin: int, end: int, samples: np.ndarray
) -> bool:
    """Whether these cells exist and satisfy the fact on all samples."""
    if begin < 0 or end > samples.shape[1]:
        return False
    return bool(made(map(cell, range(begin, end))).truths(samples).all())


def ends(x: Column, samples: np.ndarray, tape: np.ndarray) -> Iterator[Fact]:
    """A sentinel that always occurs in a window around this cell: a bound on the length of a list."""
    if x.place is None:
        return
    values, counts = np.unique(samples[:, x.place], return_counts=True)
    first = max(0, x.place - _LONGEST_LIST + 1)
    for sentinel in values[counts > _COMMON * len(samples)].tolist():
        marked = samples == sentinel
        windows = [
            (begin, begin + length)
            for length in range(2, _LONGEST_LIST + 1)
            for begin in range(max(first, x.place - length + 1), x.place + 1)
            if begin + length <= samples.shape[1]
        ]
        for begin, end in windows:
            if not (tape[begin:end] == sentinel).any() and marked[:, begin:end].any(axis=1).all():
                yield Or(tuple(compare(cell(place), "==", sentinel) for place in range(begin, end)))
                break
