"""Precondition mining: readable facts that hold on all samples, the most plausible first.

A few samples satisfy many facts by accident. Each kind of fact is therefore ranked by its *surprise*: minus
the logarithm of the probability that as many samples would all satisfy it if the cells were independent.
Facts that others imply are left out.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from itertools import combinations
from operator import itemgetter

import numpy as np

from anc.proof.facts import Fact, Implies, Or, cell, compare
from anc.proof.preconditions.templates import kinds
from anc.support.diagnostics import AncError

MOST = 600
_MOST_IMPLICATIONS = 400
_CONVINCING = 8.0  # e^-8 is a chance of one in three thousand
_MOST_CELLS = 40  # cells considered for implications
_OFTEN = 0.1  # share of the samples on which each equality of a disjunction must hold

# Kinds in order of readability, a part of the rank of a fact.
_CONSTANT, _EQUAL, _OFFSET, _NONZERO, _ORDER, _RANGE, _IMPLIES, _EITHER = range(8)

Ranked = tuple[tuple[float, ...], Fact]


def mine(inputs: Sequence[Sequence[int]] | np.ndarray, M: int) -> list[Fact]:
    """Facts that hold on all samples, ranked.

    >>> print(*mine([(3, 1, 1, 0), (3, 2, 2, 0), (3, 0, 0, 0), (3, 3, 3, 0)], M=4), sep="; ")
    tape[0] == 3; tape[3] == 0; tape[1] == tape[2]
    """
    if not len(inputs):
        raise AncError("no samples to mine facts from")
    samples = np.asarray(inputs, dtype=np.int64)
    if samples.ndim != 2 or samples.shape[1] != M:
        raise AncError(f"a sample is a tape of {M} cells")
    found = list(_constants(samples))
    varying = [c for c in range(M) if samples[:, c].min() != samples[:, c].max()]
    tied, leaders = _ties(samples, varying)
    found += tied
    for kind in (_bounds, _orders, _either):
        found += kind(samples, leaders, M)
    implied = sorted(_implications(samples, leaders, M), key=itemgetter(0))
    found += implied[:_MOST_IMPLICATIONS]
    facts = dict.fromkeys(fact for _, fact in sorted(found, key=itemgetter(0)))
    return [fact for fact in facts if fact.truths(samples).all()][:MOST]


def _surprise(chance: float, times: int) -> float:
    """Minus the logarithm of the probability that an event happens this many times in a row."""
    return -times * np.log(chance) if chance else np.inf


def _place(kind: int, surprise: float, *more: float) -> tuple[float, ...]:
    """The rank of a fact: convincing facts first, then by kind."""
    return (float(surprise < _CONVINCING), kind, *more)


def _constants(samples: np.ndarray) -> Iterator[Ranked]:
    for c in range(samples.shape[1]):
        column = samples[:, c]
        if column.min() == column.max():
            yield (0.0, _CONSTANT, c), compare(cell(c), "==", int(column[0]))


def _ties(samples: np.ndarray, varying: list[int]) -> tuple[list[Ranked], list[int]]:
    """Equalities between cells with a constant difference, and one leader of each group."""
    groups: dict[bytes, int] = {}
    found: list[Ranked] = []
    leaders = []
    for c in varying:
        key = (samples[:, c] - samples[0, c]).tobytes()
        before = groups.get(key)
        groups[key] = c
        if before is None:
            leaders.append(c)
            continue
        plus = int(samples[0, c] - samples[0, before])
        surprise = len(samples) * np.log(max(2, len(np.unique(samples[:, c]))))
        if plus == 0:
            fact, kind = compare(cell(before), "==", cell(c)), _EQUAL
        else:
            fact, kind = compare(cell(c), "==", cell(before, plus)), _OFFSET
        found.append((_place(kind, surprise, c), fact))
    return found, leaders


def _bounds(samples: np.ndarray, cells: list[int], M: int) -> Iterator[Ranked]:
    n = len(samples)
    for c in cells:
        low, high = int(samples[:, c].min()), int(samples[:, c].max())
        width = high - low + 1
        surprise = _surprise(width / (width + 1), n)  # if one more value were possible
        if low > 0:
            unlikely = max(surprise, _surprise(1 - 1 / M, n))
            yield _place(_NONZERO, unlikely, c), compare(cell(c), "!=", 0)
        below = (low, "<=") if low > (high == M - 1) else ()
        above = ("<=", high) if high < M - 1 else ()
        if below or above:
            yield _place(_RANGE, surprise, c), compare(*below, cell(c), *above)
        several = kinds(cell(c), np.unique(samples[:, c]))
        if several is not None:
            yield _place(_RANGE, surprise, c), several


def _orders(samples: np.ndarray, cells: list[int], M: int) -> Iterator[Ranked]:
    columns = samples[:, cells]
    k = len(cells)
    below = np.array([(columns[:, [a]] <= columns).all(axis=0) for a in range(k)], dtype=bool)
    below = below.reshape(k, k) & ~np.eye(k, dtype=bool)
    for a, b in zip(*np.nonzero(below), strict=True):
        if (below[a] & below[:, b]).any():
            continue  # implied by two others
        left, right = columns[:, a], columns[:, b]
        chance = _independent(left, right, np.less_equal)
        if chance == 1.0:
            continue  # implied by the ranges
        one, other = sorted((cells[a], cells[b]))
        op = "<=" if a < b else ">="
        found = [(_ORDER, op, chance)]
        if (left != right).all():
            found.append((_IMPLIES, op[0], _independent(left, right, np.not_equal)))
        for kind, op, chance in found:
            place = _place(kind, _surprise(chance, len(samples)), other - one, one)
            yield place, compare(cell(one), op, cell(other))


def _independent(left: np.ndarray, right: np.ndarray, relation: Callable) -> float:
    """The probability of a relation between two columns if they were independent."""
    return float(np.mean(relation(left[:, None], right[None, :])))


def _either(samples: np.ndarray, cells: list[int], M: int) -> Iterator[Ranked]:
    """Disjunctions: a cell equals one of two others."""
    for c in cells:
        equal = samples[:, [c]] == samples[:, cells]
        often = [i for i, part in enumerate(equal.mean(axis=0)) if _OFTEN <= part < 1]
        for i, j in combinations(often, 2):
            if (equal[:, i] | equal[:, j]).all():
                others = cells[i], cells[j]
                chances = (_independent(samples[:, c], samples[:, d], np.equal) for d in others)
                surprise = _surprise(min(1.0, sum(chances)), len(samples))
                parts = tuple(compare(cell(c), "==", cell(d)) for d in others)
                yield _place(_EITHER, surprise, c), Or(parts)


def _implications(samples: np.ndarray, cells: list[int], M: int) -> Iterator[Ranked]:
    """Implications: if a cell is large (or small) enough, another one is constant, or not zero."""
    few = sorted(cells, key=lambda c: len(np.unique(samples[:, c])))
    cells = sorted(few[:_MOST_CELLS])  # cells with few values are the likely premises
    for j in cells:
        column = samples[:, j]
        values, counts = np.unique(column, return_counts=True)
        wanted = [
            (compare(cell(j), "==", int(v)), column == v)
            for v, count in zip(values, counts, strict=True)
            if count > 1
        ]
        if (column == 0).any():
            wanted.append((compare(cell(j), "!=", 0), column != 0))
        seen: set[Fact] = set()
        for conclusion, holds in wanted:
            often = float(holds.mean())
            for i in cells:
                if i == j:
                    continue
                for premise, support in _premises(i, samples[:, i], holds):
                    surprise = _surprise(often, support)
                    says_little = conclusion.rest[0][0] == "!=" and surprise < _CONVINCING / 2
                    if premise in seen or says_little:
                        continue
                    if conclusion.rest[0][1].constant:
                        seen.add(premise)  # no weaker conclusion is needed
                    rank = _place(_IMPLIES, surprise, -min(surprise, _CONVINCING), i, j)
                    yield rank, Implies((premise, conclusion))


def _premises(i: int, column: np.ndarray, holds: np.ndarray) -> Iterator[tuple[Fact, int]]:
    """The weakest bounds on a cell that imply the conclusion, with their numbers of samples."""
    fails = column[~holds]
    low, high = int(fails.max()) + 1, int(fails.min()) - 1
    if above := int(np.count_nonzero(column >= low)):
        yield compare(cell(i), "!=", 0) if low == 1 else compare(cell(i), ">=", low), above
    if below := int(np.count_nonzero(column <= high)):
        yield compare(cell(i), "==", 0) if high == 0 else compare(cell(i), "<=", high), below
