"""The programs behind the pictures: what is computed from digits, as Python functions."""

from __future__ import annotations

from typing import Annotated

from anc.python.function import function
from anc.python.layout import Size

Two = Annotated[list[int], Size(2)]
Three = Annotated[list[int], Size(3)]
Four = Annotated[list[int], Size(4)]
Six = Annotated[list[int], Size(6)]


@function(memory=20)
def sum2(a: int, b: int) -> int:
    return a + b


@function(memory=28)
def sum3(a: int, b: int, c: int) -> int:
    return a + b + c


@function(memory=37)
def sum4(a: int, b: int, c: int, d: int) -> int:
    return a + b + c + d


@function(memory=82)
def product(a: int, b: int) -> int:
    return a * b


@function(memory=20)
def difference(a: int, b: int) -> int:
    return a + 9 - b


@function(memory=20)
def comparison(a: int, b: int) -> bool:
    return a < b


@function(memory=20)
def equality(a: int, b: int) -> bool:
    return a == b


@function(memory=20)
def modulo3(a: int, b: int) -> int:
    return (a + b) % 3


@function(memory=20)
def count34(digits: Four) -> int:
    n = 0
    for digit in digits:
        if digit == 3 or digit == 4:
            n += 1
    return n


@function(memory=20)
def sort3(digits: Three):
    low = min(digits[0], digits[1])
    high = max(digits[0], digits[1])
    middle = max(low, digits[2])
    digits[0] = min(low, digits[2])
    digits[1] = min(middle, high)
    digits[2] = max(middle, high)


@function(memory=40)
def addition(first: Two, second: Two, total: Three):
    ones = first[1] + second[1]
    carry = 0
    if ones > 9:
        ones -= 10
        carry = 1
    tens = first[0] + second[0] + carry
    carry = 0
    if tens > 9:
        tens -= 10
        carry = 1
    total[0] = carry
    total[1] = tens
    total[2] = ones


@function(memory=40)
def path(grid: Six) -> int:
    up = grid[0]
    down = up + grid[3]
    up += grid[1]
    down = min(up, down) + grid[4]
    up += grid[2]
    return min(up, down) + grid[5]
