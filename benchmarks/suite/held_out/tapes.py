"""How tapes are put together and taken apart again."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from itertools import takewhile


def tape(M: int, blocks: Mapping[int, Iterable[int]]) -> tuple[int, ...]:
    """A tape with these numbers from these cells on, and 0 elsewhere."""
    cells = [0] * M
    for start, numbers in blocks.items():
        for i, number in enumerate(numbers, start):
            cells[i] = number
    return tuple(cells)


def until_zero(numbers: Iterable[int]) -> list[int]:
    """The numbers up to the first 0."""
    return list(takewhile(bool, numbers))


def pairs(numbers: Sequence[int]) -> list[tuple[int, int]]:
    """The numbers two by two, up to the first pair that begins with a 0."""
    return list(takewhile(lambda pair: pair[0], zip(numbers[::2], numbers[1::2], strict=False)))
