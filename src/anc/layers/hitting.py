"""Smallest sets that have an element of each of some sets."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from typing import Any


def smallest_hitting(sets: Sequence[set[Any]]) -> tuple[Any, ...]:
    """A smallest set with an element of each of these sets, by branch and bound."""
    by_size = sorted(sets, key=len)
    minimal: list[set[Any]] = []
    for each in by_size:
        if not any(other <= each for other in minimal):
            minimal.append(each)
    best: list[tuple[Any, ...]] = [_greedy(minimal)]

    def look(chosen: tuple[Any, ...], left: Sequence[set[Any]]) -> None:
        apart: list[set[Any]] = []  # each of them needs an element of its own
        for each in left:
            if all(each.isdisjoint(other) for other in apart):
                apart.append(each)
        if len(chosen) + len(apart) >= len(best[0]):
            return
        if not left:
            best[0] = chosen
            return
        uses = Counter(element for each in left for element in each)
        for element in sorted(left[0], key=lambda one: (-uses[one], one)):
            look((*chosen, element), [each for each in left if element not in each])

    look((), minimal)
    return tuple(sorted(best[0]))


def _greedy(sets: Sequence[set[Any]]) -> tuple[Any, ...]:
    found: list[Any] = []
    while left := [each for each in sets if each.isdisjoint(found)]:
        uses = Counter(element for each in left for element in each)
        found.append(max(sorted(uses), key=uses.__getitem__))
    return tuple(found)
