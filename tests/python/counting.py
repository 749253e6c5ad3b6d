"""Functions that tests import, and that commands read without importing them."""

from typing import Annotated

import anc

LIMIT = 20
STEPS = (1, 2, 4)
Eight = Annotated[list[int], anc.Size(8)]


def capped(x, most):
    return x if x < most else most


@anc.function(memory=64)
def count_above(values: Eight, limit: int) -> int:
    """How many values are above the limit.

    >>> count_above([3, 9, 1, 0, 0, 0, 0, 0], 2)
    2
    >>> limit = 2
    >>> count_above([9, 9, 9, 9, 9, 9, 9, 9], limit)
    8
    """
    assert limit < LIMIT
    n = 0
    for v in values:
        if v > limit:
            n += 1
    return n


@anc.function(memory=20)
def listk(tape):
    # run: 3 2 2 9 15 0 0 0 1 15 17 7 13 -> 3 2 17 9 15 0 0 0 1 15 17 7 13
    k, node = tape[1], tape[0]
    while k != 1:
        node = tape[node]
        k -= 1
    tape[tape[2]] = tape[node + 1]


@anc.function(memory=60)
def weighted(values: "Annotated[list[int], anc.Size(up_to=3)]") -> int:
    total = 0
    for v, w in zip(values, STEPS):  # noqa: B905
        total += capped(v, 5) * w
    return total


@anc.function(memory=64)
def has(values: Eight, x: int) -> bool:
    return any(v == x for v in values)


def plain(x: int) -> int:
    """No decorator: its memory is given elsewhere.

    >>> plain(4)
    8
    """
    assert x != 5
    return x + x


@anc.function(memory=40)
def chosen(x: int, which: int) -> int:
    assert which < 3
    if which == 0:
        return x
    if which == 1:
        return x + x
    return x + 1
