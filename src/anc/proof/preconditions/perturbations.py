"""Generalisation: perturbed samples, which may be failing tapes, and siblings of learnt facts.

A sibling says of other elements of a list what a fact says of one, if it holds on all samples.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from itertools import combinations

import numpy as np

from anc.proof.facts import Along, At, Count, Fact, index, moved
from anc.proof.preconditions.lists import Listed

_WHOLE = 3  # bases of which every cell is changed; in the others only varying cells are
_MIXED = 2_000  # tapes that mix two bases
_MARKED = 1_000  # tapes with constants of the programs
_MARKS = 3  # constants per tape at most
_LONGER = 600  # tapes with lists longer than in any base
_LARGE = 1_024  # cells of a memory beyond which there are fewer tapes of each kind ...
_CELLS = 1 << 24  # ... which have at most this many cells
_CHANGES = 9  # contents that a changed cell gets
_OTHERS = 0.5  # share of the cells before the list that are changed, too


def suspects(
    bases: np.ndarray, M: int, values: Sequence[int], random: np.random.Generator
) -> np.ndarray:
    """The bases, bases with one changed cell, and mixtures of bases.

    New contents include `values`, the constants that the programs compare cells with.
    """
    varying = np.flatnonzero((bases != bases[0]).any(axis=0))
    found = [bases]
    for number, base in enumerate(bases):
        cells = np.arange(M) if number < _WHOLE else varying
        if M > _LARGE:
            most = max(1, _CELLS // (M * _CHANGES * len(bases)))
            cells = random.permutation(varying if len(varying) else cells)[:most]
        old = base[cells]
        new = [
            np.zeros_like(old),
            np.full_like(old, 1 % M),
            np.full_like(old, M - 1),
            (old + 1) % M,
            (old - 1) % M,
            random.integers(M, size=len(cells)),
            base[random.integers(M, size=len(cells))],  # the content of another cell
            bases[random.integers(len(bases), size=len(cells)), cells],
            random.choice(values, size=len(cells)),
        ]
        for contents in new:
            changed = np.repeat(base[None], len(cells), axis=0)
            changed[np.arange(len(cells)), cells] = contents
            found.append(changed)
    found.append(_mixed(bases, varying, random))
    found.append(_marked(bases, varying, values, random))
    return _distinct(np.concatenate(found))


def count_for(count: int, M: int) -> int:
    """A number of tapes, reduced if the memory is large."""
    return count if M <= _LARGE else min(count, _CELLS // M)


def _distinct(tapes: np.ndarray) -> np.ndarray:
    """Remove duplicates; faster than sorting."""
    first = {tape.tobytes(): number for number, tape in enumerate(tapes)}
    return tapes[list(first.values())]


def _mixed(bases: np.ndarray, varying: np.ndarray, random: np.random.Generator) -> np.ndarray:
    """Crossover: bases that take some varying cells from another base."""
    count = count_for(_MIXED, bases.shape[1])
    one, other = random.integers(len(bases), size=(2, count))
    taken = random.random((count, len(varying))) < random.random((count, 1))
    mixed = bases[one]
    mixed[:, varying] = np.where(taken, bases[other][:, varying], mixed[:, varying])
    return mixed


def _marked(
    bases: np.ndarray, varying: np.ndarray, values: Sequence[int], random: np.random.Generator
) -> np.ndarray:
    """Bases in which a few varying cells are set to some of these values."""
    count = count_for(_MARKED, bases.shape[1])
    marked = bases[random.integers(len(bases), size=count)]
    for number in range(_MARKS if len(varying) else 0):
        # A third of the tapes has one, a third two, a third three.
        rows = np.arange(count * number // _MARKS, count)
        marked[rows, random.choice(varying, size=len(rows))] = random.choice(values, len(rows))
    return marked


def longer(
    bases: np.ndarray, lists: Sequence[Listed], values: Sequence[int], random: np.random.Generator
) -> np.ndarray:
    """Bases whose lists are continued with elements of any base, half of them up to the last cell.

    Cells before the list may be set to any of these values.
    """
    M = bases.shape[1]
    found = [np.zeros((0, M), np.int64)]
    for listed in lists:
        alive = listed.alive(bases)
        if not alive.any():
            continue
        cells = listed.start + listed.step * np.arange(alive.shape[1])
        elements = bases[:, cells][alive]
        count = count_for(_LONGER, M)
        tapes = bases[random.integers(len(bases), size=count)]
        lengths = random.integers(int(alive.sum(axis=1).min()), len(cells) + 1, size=count)
        lengths[::2] = len(cells)
        others = random.random(tapes.shape) < _OTHERS
        others[:, listed.start :] = False
        tapes[others] = random.choice(values, size=int(others.sum()))
        going = np.arange(len(cells)) < lengths[:, None]
        filled = np.where(going, random.choice(elements, size=going.shape), tapes[:, cells])
        tapes[:, cells] = np.where(listed.alive(tapes), tapes[:, cells], filled)
        found.append(tapes)
    return np.concatenate(found)


FURTHEST = 48  # the largest translation
MOST_CELLS = 5  # of a fact that is generalised
_FEW = 20  # samples that reject most proposals
_RECORDS = (1, 2, 3, 4)  # strides of lists
_ROW = 3  # siblings in a row from which on they are quantified


def siblings(
    fact: Fact, samples: np.ndarray, is_supported: Callable[[Fact], bool] = lambda fact: True
) -> Iterator[Fact]:
    """The translations of a fact that hold on all samples, and quantified facts for those in a row."""
    cells = sorted(fact.cells)
    if not cells or len(cells) > MOST_CELLS or isinstance(fact, Along | Count):
        return
    varying = (samples != samples[0]).any(axis=0)
    few = samples[:_FEW]
    for part in _parts(cells):
        distances = {0}
        for by in _distances(part, cells, samples.shape[1]):
            where = {cell: cell + by for cell in part}
            if varying[list(where.values())].any():
                other = moved(fact, where)
                good = other.truths(few).all() and other.truths(samples).all()
                if good and is_supported(other):
                    distances.add(by)
                    yield other
        row = _in_a_row(distances)
        if len(row) >= _ROW:
            yield _of_all(fact, part, row)


def _parts(cells: Sequence[int]) -> Iterator[tuple[int, ...]]:
    """The subsets of cells to translate, largest first."""
    for size in range(len(cells), 0, -1):
        yield from combinations(cells, size)


def _distances(part: Sequence[int], cells: Sequence[int], M: int) -> Iterator[int]:
    """The translations that keep the cells on the tape and apart from the others."""
    others = set(cells) - set(part)
    for by in range(max(-FURTHEST, -part[0]), min(FURTHEST, M - 1 - part[-1]) + 1):
        if by and not others.intersection(cell + by for cell in part):
            yield by


def _in_a_row(distances: set[int]) -> range:
    """The longest arithmetic progression of distances around 0."""
    rows = []
    for step in _RECORDS:
        begin = end = 0
        while begin - step in distances:
            begin -= step
        while end + step in distances:
            end += step
        rows.append(range(begin, end + 1, step))
    return max(rows, key=len)


def _of_all(fact: Fact, part: Sequence[int], row: range) -> Along:
    """The quantified fact; i is the first translated cell."""
    first = part[0]
    where = {cell: At(index(plus=cell - first)) for cell in part}
    numbers = range(first + row.start, first + row.stop, row.step)
    return Along("all", moved(fact, where), numbers)
