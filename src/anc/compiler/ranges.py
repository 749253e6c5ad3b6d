"""Interval arithmetic of instructions: the range of an output, given those of the operands."""

from __future__ import annotations

from collections.abc import Callable

from anc import isa
from anc.isa import Meaning

Range = tuple[int, int]  # the least and the greatest value
LONGEST_SHIFT = 62  # of a number to the right, which leaves nothing


def _bits(a: Range, b: Range) -> int:
    """The largest number with as many bits."""
    return (1 << max(a[1], b[1]).bit_length()) - 1


def _of_remainder(a: Range, b: Range) -> Range:
    if a[1] < b[0]:
        return a
    return 0, min(a[1], b[1] - 1) if b[0] else a[1]


def _truth(holds: bool, fails: bool) -> Range:
    return int(holds), int(not fails)


def _apart(a: Range, b: Range) -> bool:
    return a[1] < b[0] or b[1] < a[0]


def _one(a: Range, b: Range) -> bool:
    return a == b and a[0] == a[1]


_RANGES: dict[Meaning, Callable[[Range, Range], Range]] = {
    isa.zero: lambda a, b: (0, 0),
    isa.increment: lambda a, b: (a[0] + 1, a[1] + 1),
    isa.decrement: lambda a, b: (a[0] - 1, a[1] - 1),
    isa.add: lambda a, b: (a[0] + b[0], a[1] + b[1]),
    isa.subtract: lambda a, b: (a[0] - b[1], a[1] - b[0]),
    isa.smaller: lambda a, b: (min(a[0], b[0]), min(a[1], b[1])),
    isa.larger: lambda a, b: (max(a[0], b[0]), max(a[1], b[1])),
    isa.multiply: lambda a, b: (a[0] * b[0], a[1] * b[1]),
    isa.divide: lambda a, b: ((a[0] // b[1] if b[0] else 0), a[1] // max(1, b[0])),
    isa.remain: _of_remainder,
    isa.less: lambda a, b: _truth(a[1] < b[0], a[0] >= b[1]),
    isa.at_most: lambda a, b: _truth(a[1] <= b[0], a[0] > b[1]),
    isa.equal: lambda a, b: _truth(_one(a, b), _apart(a, b)),
    isa.unequal: lambda a, b: _truth(_apart(a, b), _one(a, b)),
    isa.bits_and: lambda a, b: (0, min(a[1], b[1])),
    isa.bits_or: lambda a, b: (max(a[0], b[0]), _bits(a, b)),
    isa.bits_xor: lambda a, b: (0, _bits(a, b)),
    isa.shift_right: lambda a, b: (
        a[0] >> min(b[1], LONGEST_SHIFT),
        a[1] >> min(b[0], LONGEST_SHIFT),
    ),
}


def range_of(meaning: Meaning, a: Range, b: Range, M: int) -> Range:
    """The range of an output; everything if its meaning is not known, or if it may wrap around.

    >>> range_of(isa.remain, (0, 99), (7, 7), 100), range_of(isa.multiply, (0, 9), (0, 12), 100)
    ((0, 6), (0, 99))
    """
    found = _RANGES.get(meaning)
    low, high = (0, M - 1) if found is None else found(a, b)
    return (low, high) if low >= 0 and high < M else (0, M - 1)
