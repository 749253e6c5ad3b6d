"""Functions to deploy: loops, lists with a length, lists that are changed, constants and helpers."""

from typing import Annotated

import anc

LIMIT = 9
RATES = (4, 0, 7)
Values = Annotated[list[int], anc.Size(up_to=3)]


def bounded(value, most):
    return value if value < most else most


@anc.function(memory=40)
def total(values: Values, i: int) -> int:
    """A loop over a list with a length; its sum may be too large.

    >>> total([3, 9], 1)
    13
    """
    result = i
    for v in values:
        result += v
    return result


@anc.function(memory=40)
def lowered(values: Annotated[list[int], anc.Size(3)], by: int) -> int:
    """A list that is changed in place; numbers may be below 0."""
    found = 0
    for place in range(3):
        if values[place] > by:
            values[place] -= by + 1
            found += 1
        elif by == 7:
            values[place] = values[0] - values[1]
    return found


@anc.function(memory=60)
def priced(zone: int, weight: int) -> int:
    """A helper, a constant, a tuple; an assert, an index that may be too large, a division."""
    assert weight != 3
    rate = RATES[zone]
    return bounded(weight * rate, LIMIT) // (weight - 1)


@anc.function(memory=40)
def is_above(values: Values, limit: int, strictly: bool) -> bool:
    found = False
    for v in values:
        found = v > limit if strictly else v >= limit
    return found and limit != 2


@anc.function(memory=40)
def copied(one: Annotated[list[int], anc.Size(2)], two: Annotated[list[int], anc.Size(2)]):
    one[0] = two[1]
    two[0] = one[0] + one[1]


@anc.function(memory=40)
def disturbed(
    one: Annotated[list[int], anc.Size(1)], two: Annotated[list[int], anc.Size(1)]
) -> int:
    old, one[0] = one[0], 5
    result = two[0]
    one[0] = old
    return result


@anc.function(memory=12)
def moved(tape):
    tape[tape[0]] = tape[1] + tape[2]


@anc.function(memory=16, wrap=True)
def mixed(values: Annotated[list[int], anc.Size(2)], key: int) -> int:
    h = 7
    for place in range(2):
        h += values[place] * 5
        values[place] += key + 20
    return h
