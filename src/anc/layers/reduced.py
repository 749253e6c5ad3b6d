"""Fewer states for the same function: states of a level that lead to the same become one."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

import numpy as np

from anc.layers.diagram import NOTHING_EMITTED, Level, distinct

FEW = 64  # states into which a shifted level is merged, though it is no shift then


def reduced(levels: Sequence[Level], leaves: np.ndarray, size: int) -> tuple[Level, ...]:
    """The levels with the fewest states, if leaves of the same number are the same, which are `size`."""
    found: list[Level] = []
    renamed = leaves
    for number in range(len(levels) - 1, -1, -1):
        level = levels[number]
        is_same = level.shift is not None and np.array_equal(renamed, np.arange(level.size))
        if not is_same:
            level = replace(level, branches_to=renamed[level.targets].astype(np.int32), shift=None)
        level = replace(level, size=size)
        renamed, size = np.arange(level.states), level.states
        if not is_same:
            merged, places = _merged(level)
            if merged.states <= FEW or number == 0 or levels[number - 1].shift is None:
                level, renamed, size = merged, places, merged.states
        found.append(level)
    return tuple(reversed(found))


def _merged(level: Level) -> tuple[Level, np.ndarray]:
    """The level with states merged that lead to the same, and where each state went.

    States whose values all lead to the same do not read.
    """
    R, K = level.reading, level.values
    parts = [level.targets, *(values for _, values in level.emitted)]
    reads = [part[: R * K].reshape(R, K) for part in parts]
    needs = np.zeros(R, bool)
    for read in reads:
        needs |= (read != read[:, :1]).any(1)
    for read in reads[1:]:
        needs |= read[:, 0] != NOTHING_EMITTED
    reading, idle = np.flatnonzero(needs), np.flatnonzero(~needs)
    first, kinds = np.zeros(0, int), np.zeros(0, int)
    if len(reading):
        columns = [read[reading, value] for read in reads for value in range(K)]
        first, kinds = distinct(columns)
    passing = np.concatenate([idle * K, np.arange(R * K, level.branches)])  # a branch of each
    of_passing, others = np.zeros(0, int), np.zeros(0, int)
    if len(passing):
        of_passing, others = distinct([level.targets[passing]])
    kept = (reading[first][:, None] * K + np.arange(K)).reshape(-1)
    kept = np.concatenate([kept, passing[of_passing]]).astype(int)
    merged = replace(
        level,
        reading=len(first),
        states=len(first) + len(of_passing),
        branches_to=level.targets[kept],
        emitted=tuple((output, values[kept]) for output, values in level.emitted),
    )
    places = np.empty(level.states, int)
    places[reading] = kinds
    places[np.concatenate([idle, np.arange(R, level.states)])] = len(first) + others
    return merged, places
