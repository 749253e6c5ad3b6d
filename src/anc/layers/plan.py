"""Plans: the levels of a diagram in blocks that repeat, computed from the states of one level to the next.

A program that loops over its inputs has levels that are the same but for the input that they read and
the output that they emit. They are compiled once and executed in a scan. So are levels at which every
value adds to the number of the state, as in a sum, although each of them has more states than the last.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from functools import cached_property

import numpy as np

from anc.layers.diagram import Diagram, Leaf, Level
from anc.layers.reduced import reduced

DENSE = 1 << 18  # up to this size, the targets of a level become a 0/1 matrix
PERIOD = 12  # the most levels of a block
LONG, LARGE = (
    8,
    512,
)  # the levels of a run, or branches of a level, from which shifts are executed as growing
CHUNKS = 3  # widths of a growing scan, which is as wide as its last level


@dataclass(frozen=True, eq=False)
class Step:
    """A level as it is executed, whatever the input that it reads and the outputs that it emits."""

    values: int
    reading: int
    states: int
    size: int  # states of the next level
    targets: np.ndarray  # (branches,) int32
    emitted: tuple[np.ndarray, ...]  # the value of each output that it emits on each branch, or -1
    steps: np.ndarray | None

    @classmethod
    def of(cls, level: Level) -> Step:
        return cls(
            level.values,
            level.reading,
            level.states,
            level.size,
            level.targets.astype(np.int32),
            tuple(values for _, values in level.emitted),
            level.steps,
        )

    @property
    def branches(self) -> int:
        return len(self.targets)

    @cached_property
    def values_emitted(self) -> tuple[Step, ...]:
        """For each output that it emits, a level that leads to the values, and to one more for none."""
        found = []
        for values in self.emitted:
            none = int(values.max(initial=0)) + 1
            targets = np.where(values < 0, none, values).astype(np.int32)
            found.append(replace(self, size=none + 1, targets=targets, emitted=(), steps=None))
        return tuple(found)

    @property
    def is_identity(self) -> bool:
        """Whether the branches are the states of the next level, in order."""
        return self.size == self.branches and bool(
            np.array_equal(self.targets, np.arange(self.size))
        )

    @property
    def is_dense(self) -> bool:
        return self.size * self.branches <= DENSE

    @cached_property
    def matrix(self) -> np.ndarray:
        """The matrix (branches, states of the next level): 1 where a branch leads to a state."""
        matrix = np.zeros((self.branches, self.size), np.float32)
        matrix[np.arange(self.branches), self.targets] = 1
        return matrix

    @cached_property
    def incoming(self) -> np.ndarray | None:
        """(size, most): the branches into each state, then the number of branches for none.

        None if that would mostly be empty.
        """
        counts = np.bincount(self.targets, minlength=self.size)
        most = int(counts.max(initial=1))
        if most * self.size > 4 * self.branches + 64:
            return None
        found = np.full((self.size, most), self.branches, np.int32)
        order = np.argsort(self.targets, kind="stable")
        places = np.arange(self.branches) - np.repeat(np.cumsum(counts) - counts, counts)
        found[self.targets[order], places] = order
        return found


@dataclass(frozen=True, eq=False)
class Block:
    """Some levels, executed again and again with other inputs and outputs."""

    levels: tuple[Step, ...]
    inputs: tuple[np.ndarray, ...]  # for each level (times,)
    outputs: tuple[tuple[np.ndarray, ...], ...]  # for each level and output that it emits (times,)

    @property
    def times(self) -> int:
        return len(self.inputs[0])

    @property
    def states(self) -> int:
        return self.levels[0].states

    @property
    def size(self) -> int:
        return self.levels[-1].size


@dataclass(frozen=True, eq=False)
class Growing:
    """A level at which value v leads from state s to state s + shift[v], again and again."""

    shift: np.ndarray  # (values,)
    states: int  # before the first
    inputs: np.ndarray  # (times,)

    @property
    def times(self) -> int:
        return len(self.inputs)

    @property
    def most(self) -> int:
        return int(self.shift.max())

    @property
    def size(self) -> int:
        """The states after the last one."""
        return self.states + self.times * self.most


@dataclass(frozen=True, eq=False)
class LayerPlan:
    """Blocks from the first state to the slots of the output; without blocks, all runs end in one slot.

    Runs that do not count end in an extra slot after these.
    """

    blocks: tuple[Block | Growing, ...]
    slots: int
    size: int  # with the extra slot
    only: int  # the slot of all runs, if there is no block
    steps: int  # before the first level
    begun: tuple[tuple[int, int], ...]  # outputs that are known before the first level
    states: tuple[int, ...]  # of each level, such as 1, 10, 19 for the sum of two digits
    branches: int
    written: frozenset[int]  # the cells written by any run
    rows: np.ndarray | None = None  # the values of the outputs for each slot, if they are joint
    has_values: bool = False  # whether the slots are the values of one output

    @property
    def cost(self) -> int:
        """The branches, and for each output those of the levels that emit it."""
        blocks = (block for block in self.blocks if isinstance(block, Block))
        return self.branches + sum(
            block.times * level.branches * len(level.emitted)
            for block in blocks
            for level in block.levels
        )


def plan_of(
    diagram: Diagram,
    slot: Callable[[Leaf], int],
    slots: int,
    *,
    reduces: bool = True,
    rows: np.ndarray | None = None,
    has_values: bool = False,
) -> LayerPlan:
    """The plan of a diagram, with a slot for each leaf."""
    ends = np.array([slot(leaf) for leaf in diagram.leaves], np.int64)
    size = max(slots, 1 + int(ends.max()))
    levels = diagram.levels
    if levels:
        if reduces:
            levels = reduced(levels, ends, size)
        else:
            last = replace(levels[-1], branches_to=ends[levels[-1].targets], shift=None, size=size)
            levels = (*levels[:-1], last)
    return LayerPlan(
        tuple(_blocks(levels)),
        slots,
        size,
        int(ends[0]),
        diagram.steps,
        diagram.begun,
        (*(level.states for level in levels), slots),
        sum(level.branches for level in levels),
        diagram.written,
        rows,
        has_values,
    )


def _blocks(levels: Sequence[Level]) -> list[Block | Growing]:
    """Levels in blocks: at each place the period that repeats over most levels."""
    grows = _growing(levels)
    kinds: dict[object, int] = {}
    numbers = [kinds.setdefault(_kind(level), len(kinds)) for level in levels]
    found: list[Block | Growing] = []
    here = 0
    while here < len(levels):
        level = levels[here]
        if grows[here] and level.shift is not None:
            end = here
            while end < len(levels) and _same_shift(level, levels[end]):
                end += 1
            found += _chunks(level, np.array([each.input for each in levels[here:end]]))
            here = end
            continue
        until = next((i for i in range(here, len(levels)) if grows[i]), len(levels))
        period, times = _repeated(numbers[here:until])
        part = levels[here : here + period * times]
        found.append(
            Block(
                tuple(Step.of(each) for each in part[:period]),
                tuple(
                    np.array([each.input for each in part[i::period]], np.int32)
                    for i in range(period)
                ),
                tuple(
                    tuple(
                        np.array([each.emitted[place][0] for each in part[i::period]], np.int32)
                        for place in range(len(part[i].emitted))
                    )
                    for i in range(period)
                ),
            )
        )
        here += period * times
    return found


def _growing(levels: Sequence[Level]) -> list[bool]:
    """Which levels are executed as growing: large ones, and those of a long run of equal shifts."""
    found, begin = [False] * len(levels), 0
    while begin < len(levels):
        end = begin + 1
        while end < len(levels) and _same_shift(levels[begin], levels[end]):
            end += 1
        for number in range(begin, end):
            is_large = end - begin >= LONG or levels[number].branches > LARGE
            found[number] = levels[number].shift is not None and is_large
        begin = end
    return found


def _same_shift(one: Level, other: Level) -> bool:
    if one.shift is None or other.shift is None:
        return False
    return np.array_equal(one.shift, other.shift)


def _chunks(first: Level, inputs: np.ndarray) -> list[Growing]:
    """Growing levels in a few scans, of which the earlier ones are narrower."""
    assert first.shift is not None
    found, states = [], first.states
    for part in np.array_split(inputs, min(CHUNKS, len(inputs))):
        found.append(Growing(first.shift, states, part.astype(np.int32)))
        states = found[-1].size
    return found


def _kind(level: Level) -> object:
    """What levels have in common that are executed by the same code."""
    emitted = tuple(values.tobytes() for _, values in level.emitted)
    steps = b"" if level.steps is None else level.steps.tobytes()
    shape = (level.values, level.reading, level.states, level.size)
    where = level.branches_to if level.shift is None else level.shift
    assert where is not None
    return shape, level.shift is None, where.tobytes(), emitted, steps


def _repeated(numbers: Sequence[int]) -> tuple[int, int]:
    """The length of a block at the beginning and how often it is repeated."""
    best = (1, 1)
    for period in range(1, min(PERIOD, len(numbers) // 2) + 1):
        times = 1
        while numbers[times * period : (times + 1) * period] == numbers[:period]:
            times += 1
        if times > 1 and times * period > best[0] * best[1]:
            best = (period, times)
    return best
