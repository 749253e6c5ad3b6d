"""Programs and distributions that the tests of layers are about."""

from typing import Annotated

import numpy as np

import anc

ADD = "var x = READ(0); var y = READ(1); x = ADD(x, y); WRITE(2, x); STOP()"


@anc.function(memory=20)
def count(digits: Annotated[list[int], anc.Size(8)]) -> int:
    n = 0
    for digit in digits:
        if digit == 3 or digit == 4:
            n += 1
    return n


@anc.function(memory=20)
def count_three(digits: Annotated[list[int], anc.Size(3)]) -> int:
    return sum(digit == 3 or digit == 4 for digit in digits)


@anc.function(memory=20)
def twice(a: int) -> int:
    return a + a


def rows_of(seed, *shape):
    """Random distributions in the last axis."""
    grown = np.exp(2 * np.random.default_rng(seed).normal(size=shape))
    return (grown / grown.sum(-1, keepdims=True)).astype(np.float32)


@anc.function(memory=20)
def less(a: int, b: int) -> int:
    return a - b
