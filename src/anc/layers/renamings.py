"""Search for the renamings of input values that a program's results cannot distinguish.

Values are decided one after another. After each decision every remaining choice is checked against the
results together with what is decided, so most wrong choices never branch. Where no remaining choice can
change a result any more, they are counted without being listed; so are choices that an exchange of values
makes equal, and, for two inputs, choices after which the same ones remain.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from functools import cache
from math import prod

import numpy as np

from anc.layers.pairs import Pairs

Choices = tuple[tuple[int, ...], ...]  # for each value, the classes that it may be renamed into


class TooManyChoices(Exception):
    """The search was given up."""


@dataclass
class Renamings:
    """The renamings of the values of groups of inputs.

    `classes` are the values of each group that no result distinguishes: a renaming goes into a class. `alike`
    says for each class the first one that it may be exchanged for in all results.
    """

    pairs: Sequence[Pairs]
    classes: Sequence[Sequence[tuple[int, ...]]]
    alike: Sequence[Sequence[int]]
    inputs: int
    patience: int  # checks until the search is given up

    def __post_init__(self) -> None:
        groups = enumerate(self.classes)
        self.values = [(g, v) for g, parts in groups for part in parts for v in part]
        self.width = max(sum(map(len, parts)) for parts in self.classes)
        self.own: Choices = tuple(
            (c,) for parts in self.classes for c, part in enumerate(parts) for _ in part
        )
        self.all: Choices = tuple(tuple(range(len(self.classes[g]))) for g, _ in self.values)

    def renaming(self, choices: Choices, only: set[int] | None = None) -> np.ndarray:
        """The array (groups, K, K) of choices; `only` some of the values occur."""
        found = np.zeros((len(self.classes), self.width, self.width), bool)
        for number, ((group, value), each) in enumerate(zip(self.values, choices, strict=True)):
            if only is None or number in only:
                found[group, value, [self._member(number, c) for c in each]] = True
        return found

    def _member(self, number: int, c: int) -> int:
        """A value of one of the classes for a value."""
        return self.classes[self.values[number][0]][c][0]

    def broken(self, renamings: np.ndarray) -> np.ndarray:
        """Which of these (C, groups, K, K) change a result."""
        found = np.zeros(len(renamings), bool)
        for pairs in self.pairs:
            left = np.flatnonzero(~found)
            if not len(left):
                break
            self.patience -= 1
            found[left] = pairs.broken(renamings[left])
        if self.patience < 0:
            raise TooManyChoices
        return found

    def narrowed(self, choices: Choices) -> tuple[Choices, bool] | None:
        """Choices without those that contradict what is decided, and whether all the rest is right.

        None if a value has no choice left.
        """
        while True:
            decided = {i for i, each in enumerate(choices) if len(each) == 1}
            tried = [(i, c) for i, each in enumerate(choices) for c in each if len(each) > 1]
            asked = np.repeat(self.renaming(choices, decided)[None], len(tried) + 2, 0)
            asked[0] = self.renaming(choices)
            for number, (i, c) in enumerate(tried, 2):
                asked[number, *self.values[i], self._member(i, c)] = True
            is_wrong, contradicts, *bad = self.broken(asked).tolist()
            if not is_wrong:
                return choices, True
            if contradicts:
                return None
            wrong = {pair for pair, is_bad in zip(tried, bad, strict=True) if is_bad}
            found = tuple(
                tuple(c for c in each if (i, c) not in wrong) for i, each in enumerate(choices)
            )
            if not all(found):
                return None
            if found == choices:
                return choices, False
            choices = found

    def boxes(
        self, choices: Choices, is_wanted: Callable[[np.ndarray], bool] = lambda array: True
    ) -> Iterator[Choices]:
        """Renamings, many at once: any choice of one of these is right.

        They are all, or all that are wanted, but for exchanges of classes that are alike. `is_wanted` says
        whether something wanted is among the choices of a renaming.
        """
        narrowed = self.narrowed(choices)
        if narrowed is None or not is_wanted(self.renaming(narrowed[0])):
            return
        choices, is_right = narrowed
        if is_right:
            yield choices
            return
        number, branches = self._branches(choices)
        for c, _ in branches:
            yield from self.boxes((*choices[:number], (c,), *choices[number + 1 :]), is_wanted)

    def _branches(self, choices: Choices) -> tuple[int, list[tuple[int, int]]]:
        """The value to decide next: its choices but for alike ones, and how many each stands for."""
        open_ones = [i for i, each in enumerate(choices) if len(each) > 1]
        number = min(open_ones, key=lambda i: len(choices[i]))
        group = self.values[number][0]
        pairs = zip(self.values, choices, strict=True)
        taken = {each[0] for (g, _), each in pairs if g == group and len(each) == 1}
        found: dict[tuple[bool, int], list[int]] = {}
        for c in choices[number]:
            kind = (True, c) if c in taken else (False, self.alike[group][c])
            found.setdefault(kind, []).append(c)
        return number, [(same[0], len(same)) for same in found.values()]

    def count(self, one_to_one: bool) -> int:
        """The number of renamings, or of those that give different values different names."""
        known: dict[object, int] = {}

        def counted(choices: Choices) -> int:
            narrowed = self.narrowed(choices)
            if narrowed is None or (one_to_one and not self._has_room(narrowed[0])):
                return 0
            choices, is_right = narrowed
            if is_right:
                return self.size(choices, one_to_one)
            # of two inputs, all that is left to satisfy is between values that are not decided
            key: object = None
            if self.inputs <= 2:
                pairs = zip(self.values, choices, strict=True)
                used = sorted((g, each[0]) for (g, _), each in pairs if len(each) == 1)
                left = tuple((i, each) for i, each in enumerate(choices) if len(each) > 1)
                key = left, tuple(used) if one_to_one else self._weight(choices)
                if key in known:
                    return known[key]
            number, branches = self._branches(choices)
            total = 0
            for c, times in branches:
                total += times * counted((*choices[:number], (c,), *choices[number + 1 :]))
            if key is not None:
                known[key] = total
            return total

        return counted(self.all)

    def found(self, is_wanted: Callable[[np.ndarray], bool]) -> np.ndarray | None:
        """A wanted renaming (groups, K, K), each value into one."""
        for box in self.boxes(self.all, is_wanted):
            if (one := self._one_of(box, is_wanted)) is not None:
                return one
        return None

    def _one_of(self, box: Choices, is_wanted: Callable[[np.ndarray], bool]) -> np.ndarray | None:
        array = self.renaming(box)
        if not is_wanted(array):
            return None
        number = max(range(len(box)), key=lambda i: len(box[i]))
        if len(box[number]) == 1:
            return array
        for c in box[number]:
            one = (*box[:number], (c,), *box[number + 1 :])
            if (found := self._one_of(one, is_wanted)) is not None:
                return found
        return None

    def _has_room(self, choices: Choices) -> bool:
        """Whether no class has more decided values than it has members."""
        pairs = zip(self.values, choices, strict=True)
        used = Counter((g, each[0]) for (g, _), each in pairs if len(each) == 1)
        return all(count <= len(self.classes[g][c]) for (g, c), count in used.items())

    def _weight(self, choices: Choices) -> int:
        """How many renamings the decided values stand for."""
        pairs = zip(self.values, choices, strict=True)
        return prod(len(self.classes[g][each[0]]) for (g, _), each in pairs if len(each) == 1)

    def size(self, choices: Choices, one_to_one: bool) -> int:
        """The number of renamings among choices that are all right."""
        pairs = list(zip(self.values, choices, strict=True))
        if not one_to_one:
            return prod(sum(len(self.classes[g][c]) for c in each) for (g, _), each in pairs)
        found = 1
        for group, parts in enumerate(self.classes):
            rows = [each for (g, _), each in pairs if g == group]
            found *= _placements(rows, tuple(map(len, parts)))
        return found


def _placements(rows: Sequence[tuple[int, ...]], room: tuple[int, ...]) -> int:
    """In how many ways each row takes a place of its own in one of its classes, which have this much room."""

    @cache
    def count(row: int, room: tuple[int, ...]) -> int:
        if row == len(rows):
            return 1
        total = 0
        for c in rows[row]:
            if room[c]:
                left = (*room[:c], room[c] - 1, *room[c + 1 :])
                total += room[c] * count(row + 1, left)
        return total

    return count(0, room)
