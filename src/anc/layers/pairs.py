"""Two runs of a program side by side: one on input values, the other on the same values renamed.

A pair is a state of each run before the same level. Only pairs that can be reached are kept, for many
renamings at once, so a check costs what the diagram costs and not what all inputs would.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np

from anc.layers.diagram import NOTHING_EMITTED, Level
from anc.layers.likelihood import MISSING
from anc.layers.reduced import reduced
from anc.layers.spec import Spec
from anc.layers.unknowns import Sizes
from anc.support.diagnostics import AncError

LIMIT = 10_000_000  # the most pairs before one level
TOGETHER = 64  # observed results that are compared at once


@dataclass(frozen=True)
class Ends:
    """The pairs of last states that renamings lead to."""

    renaming: np.ndarray
    first: np.ndarray  # where the run on the values themselves ends
    second: np.ndarray  # where the run on the renamed values ends


@dataclass(frozen=True, eq=False)
class Pairs:
    """A diagram whose last states have labels; equal labels are equal results.

    `counts` says of each last state whether its result is observed.
    """

    levels: tuple[Level, ...]
    starts: np.ndarray  # the first states, or last ones if there is no level
    labels: np.ndarray
    counts: np.ndarray
    groups: np.ndarray  # (inputs,) which inputs are renamed alike

    def broken(self, renamings: np.ndarray) -> np.ndarray:
        """(C,): which of the renamings (C, groups, K, K) change a result that counts.

        A renaming says for each value which values it may become, each time that it occurs; values
        that it says nothing about do not occur.
        """
        found = np.zeros(len(renamings), bool)
        ends = self.ends(renamings)
        found[ends.renaming[self._differ(ends)]] = True
        return found

    def changed(self, renamings: np.ndarray) -> list[set[int]]:
        """For each renaming the labels that count and that it changes."""
        found: list[set[int]] = [set() for _ in renamings]
        ends = self.ends(renamings)
        differ = self._differ(ends)
        labels = self.labels[ends.first[differ]].tolist()
        for number, label in zip(ends.renaming[differ].tolist(), labels, strict=True):
            found[number].add(label)
        return found

    def _differ(self, ends: Ends) -> np.ndarray:
        differ = self.labels[ends.first] != self.labels[ends.second]
        return differ & self.counts[ends.first]

    def ends(self, renamings: np.ndarray) -> Ends:
        try:
            return self._ends(renamings)
        except _TooMany:
            if len(renamings) == 1:
                raise AncError(
                    f"there are more than {LIMIT:,} pairs of runs to compare",
                    help="ask about the same program on fewer inputs",
                ) from None
        half = len(renamings) // 2
        one, other = self.ends(renamings[:half]), self.ends(renamings[half:])
        return Ends(
            np.concatenate([one.renaming, other.renaming + half]),
            np.concatenate([one.first, other.first]),
            np.concatenate([one.second, other.second]),
        )

    def _ends(self, renamings: np.ndarray) -> Ends:
        """Follow all pairs level by level.

        An input that is read at several levels keeps its value, and what that became, until the last.
        """
        number = np.repeat(np.arange(len(renamings)), len(self.starts))
        first = second = np.tile(self.starts, len(renamings))
        last = {level.input: place for place, level in enumerate(self.levels)}
        kept: dict[int, np.ndarray] = {}
        for place, level in enumerate(self.levels):
            K, R = level.values, level.reading
            input, group = level.input, int(self.groups[level.input])
            if input not in kept:
                which = (first < R) | (second < R) | (place < last[input])
                taken = _Chosen.of(renamings[:, group], number)
                rows, values = taken.each(number, which)
                number, first, second = number[rows], first[rows], second[rows]
                kept = {each: codes[rows] for each, codes in kept.items()} | {input: values}
            values, renamed = np.divmod(np.maximum(kept[input], 0), len(renamings[0, 0]))
            if place == last[input]:
                del kept[input]
            targets = level.targets
            first = targets[np.where(first < R, first * K + values, first + R * (K - 1))]
            second = targets[np.where(second < R, second * K + renamed, second + R * (K - 1))]
            rows = _distinct([number, first, second, *kept.values()])
            if len(rows) > LIMIT:
                raise _TooMany
            number, first, second = number[rows], first[rows], second[rows]
            kept = {each: codes[rows] for each, codes in kept.items()}
        return Ends(number, first, second)


class _TooMany(Exception):
    """There are more pairs than are followed at once."""


@dataclass(frozen=True)
class _Chosen:
    """The values that may occur, and what they may become, renaming after renaming."""

    codes: np.ndarray  # value * K + what it becomes
    begin: np.ndarray
    count: np.ndarray

    @classmethod
    def of(cls, renamings: np.ndarray, number: np.ndarray) -> _Chosen:
        which, values, renamed = np.nonzero(renamings)
        count = np.bincount(which, minlength=len(renamings))
        return cls(values * renamings.shape[-1] + renamed, np.cumsum(count) - count, count)

    def each(self, number: np.ndarray, which: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        """The pairs with each choice, where there is one to be made; their codes, or -1."""
        count = self.count[number]
        # a pair that does not read it needs only that some value occurs
        times = np.where(which, count, np.minimum(count, 1))
        if times.sum() > 4 * LIMIT:
            raise _TooMany
        rows = np.repeat(np.arange(len(number)), times)
        offset = np.arange(len(rows)) - np.repeat(np.cumsum(times) - times, times)
        codes = self.codes[self.begin[number[rows]] + offset]
        return rows, np.where(which[rows], codes, -1)


def _distinct(columns: Sequence[np.ndarray]) -> np.ndarray:
    """The first of each kind of equal rows."""
    codes = np.zeros(len(columns[0]), np.int64)
    for column in columns:
        width = int(column.max(initial=0)) + 2
        if int(codes.max(initial=0)) >= (1 << 62) // width:
            codes = np.unique(codes, return_inverse=True)[1].reshape(-1)
        codes = codes * width + column + 1
    return np.unique(codes, return_index=True)[1]


def of_results(spec: Spec, sizes: Sizes, groups: np.ndarray) -> list[Pairs]:
    """The pairs whose results must be equal, whatever was observed: those of each output."""
    return [_of_cell(spec, sizes, groups, cell) for cell in spec.outputs]


def of_observed(spec: Spec, sizes: Sizes, groups: np.ndarray, observed: np.ndarray) -> list[Pairs]:
    """The same for observed results (results, outputs) only; MISSING where an output was not."""
    if len(spec.outputs) == 1:
        found = _of_cell(spec, sizes, groups, spec.outputs[0])
        return [replace(found, counts=found.counts & np.isin(found.labels, observed))]
    diagram = spec.diagram(sizes, spec.outputs, emits=True)
    ends = np.array([int(not spec.is_inside(leaf)) for leaf in diagram.leaves])
    levels = reduced(diagram.levels, ends, 2) if diagram.levels else ()
    for output, value in diagram.begun:
        observed = observed[np.isin(observed[:, output], (value, MISSING))]
    chunks = range(0, len(observed), TOGETHER)
    return [
        _cut(levels, groups, observed[i : i + TOGETHER], 0 if levels else int(ends[0]))
        for i in chunks
    ]


def _of_cell(spec: Spec, sizes: Sizes, groups: np.ndarray, cell: int) -> Pairs:
    """The last states are the values of an output, and one for the inputs on which Python raises."""
    diagram = spec.diagram(sizes, (cell,))
    ends = [leaf.values[0] if spec.is_inside(leaf) else spec.M for leaf in diagram.leaves]
    labels = np.arange(spec.M + 1)
    levels = reduced(diagram.levels, np.array(ends), spec.M + 1) if diagram.levels else ()
    starts = np.array([0 if levels else ends[0]])
    return Pairs(levels, starts, labels, labels < spec.M, groups)


def _cut(levels: Sequence[Level], groups: np.ndarray, observed: np.ndarray, only: int) -> Pairs:
    """A copy of an emitting diagram for each observed result; other results end in a state of their own."""
    B = len(observed)
    copies = np.arange(B)[:, None]
    found = []
    for number, level in enumerate(levels):
        after = levels[number + 1] if number + 1 < len(levels) else None
        reading, size = (after.reading, after.states) if after else (0, level.size)
        targets = _placed(level.targets[None], copies, B, reading, size)
        for output, values in level.emitted:
            seen = observed[:, output][:, None]
            fits = (
                (values == NOTHING_EMITTED) | (values == seen) | ((seen == MISSING) & (values >= 0))
            )
            targets = np.where(fits, targets, B * size)
        R, K = level.reading, level.values
        read, passing = targets[:, : R * K], targets[:, R * K :]
        every = np.concatenate([read.reshape(-1), passing.reshape(-1), [B * size]])
        states = B * level.states + 1
        found.append(Level(level.input, K, B * R, states, B * size + 1, every, None, (), None))
    if not levels:
        return Pairs((), np.arange(B), np.full(B, only), np.full(B, only == 0), groups)
    starts = _placed(np.zeros((B, 1), int), copies, B, levels[0].reading, levels[0].states)
    kinds = np.append(np.tile(np.arange(levels[-1].size), B), 1)
    return Pairs(tuple(found), starts.reshape(-1), kinds, kinds == 0, groups)


def _placed(states: np.ndarray, copies: np.ndarray, B: int, reading: int, size: int) -> np.ndarray:
    """Where the states of each copy are, among all that read and then all that pass."""
    passing = B * reading + copies * (size - reading) + states - reading
    return np.where(states < reading, copies * reading + states, passing)
