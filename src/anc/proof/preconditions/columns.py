"""Feature columns: the terms that facts can be about, with their values on all samples."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from functools import cached_property

import numpy as np

from anc.isa import Op
from anc.machine import exact
from anc.program import Program
from anc.proof.facts import Sum, at, cell

_TRACED = 1_000  # steps per traced run
_DEEPEST = 3  # levels of indirection


@dataclass(frozen=True, eq=False)
class Column:
    """A term with its value on each sample and on the failing tape."""

    term: Sum
    values: np.ndarray  # (n,) int64
    found: int
    place: int | None  # the cell, if the term is a single cell

    @cached_property
    def seen(self) -> np.ndarray:
        """The distinct values on the samples, in order."""
        return np.unique(self.values)

    def where(self, rows: np.ndarray) -> Column:
        """The column restricted to some samples."""
        return Column(self.term, self.values[rows], self.found, self.place)


def columns(
    samples: np.ndarray,
    tape: np.ndarray,
    base: np.ndarray,
    cells: Iterable[int],
    pointers: Iterable[Sum],
) -> tuple[list[Column], list[Column]]:
    """The columns of these cells and of the targets of the pointers.

    First those that distinguish the failing tape from `base`, a sample: a separating fact must contain one
    of them. Then the others that vary over the samples.
    """
    telling, others = [], []
    places: list[tuple[Sum, int | None]] = [(cell(c), c) for c in cells]
    places += [(at(pointer), None) for pointer in pointers]
    ends = np.stack([tape, base])
    for term, place in places:
        found, old = map(int, term.column(ends))
        column = Column(term, term.column(samples), found, place)
        if found != old:
            telling.append(column)
        elif len(column.seen) > 1:
            others.append(column)
    return telling, others


def cells_read(program: Program, tape: np.ndarray) -> set[int]:
    """The cells that the first steps of a run read."""
    return _touched(program, tape)[0]


def pointers_of(program: Program, samples: np.ndarray) -> list[Sum]:
    """The terms that act as pointers in all runs: varying cells, and the cells that they point to."""
    runs = [_touched(program, tape) for tape in samples]
    pointing = (
        {place for place in read if int(tape[place]) in addresses - {0, place}}
        for tape, (read, addresses) in zip(samples, runs, strict=True)
    )
    varying = set(np.flatnonzero((samples != samples[0]).any(axis=0)).tolist())
    found = [cell(place) for place in sorted(set.intersection(varying, *pointing))]
    for pointer in found:
        further = at(pointer)
        values = further.column(samples).tolist()
        are_addresses = all(v in to for v, (_, to) in zip(values, runs, strict=True))
        if are_addresses and len(further.pointers) < _DEEPEST:
            found.append(further)
    return found


def _touched(program: Program, tape: np.ndarray) -> tuple[set[int], set[int]]:
    """The cells that the first steps of a run read, and those that they read or write (its addresses)."""
    trace = exact.run(program, tuple(map(int, tape)), _TRACED, trace=True).trace
    read = {step.first for step in trace if step.op == Op.READ and step.first is not None}
    written = {step.first for step in trace if step.op == Op.WRITE and step.first is not None}
    return read, read | written
