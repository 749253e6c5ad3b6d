"""Small functions as people write them, each with calls as they might really be made.

A function's biased calls are what its loop meets nearly always: a limit that never changes, years of
one century, a table that is filled once. `benchmarks/deployed.py` adapts the functions to such calls.
"""

from __future__ import annotations

from collections.abc import Callable
from random import Random
from typing import Annotated, Any

import anc

Four = Annotated[list[int], anc.Size(4)]
Six = Annotated[list[int], anc.Size(6)]
Eight = Annotated[list[int], anc.Size(8)]


@anc.function(memory=64)
def count_above(values: Eight, limit: int) -> int:
    n = 0
    for v in values:
        if v > limit:
            n += 1
    return n


@anc.function(memory=256)
def clamp(x: int, low: int, high: int) -> int:
    if x < low:
        return low
    if x > high:
        return high
    return x


@anc.function(memory=64)
def parity(bits: Eight) -> int:
    odd = 0
    for bit in bits:
        if bit:
            odd = 1 - odd
    return odd


@anc.function(memory=256, wrap=True)
def checksum(data: Eight) -> int:
    total = 0
    for byte in data:
        total = (total + byte) % 256
    return (256 - total) % 256


@anc.function(memory=128)
def is_leap(century: int, year: int) -> bool:
    return year % 4 == 0 and (year != 0 or century % 4 == 0)


@anc.function(memory=128)
def grade(points: int, passed: int) -> int:
    if points < passed:
        return 5
    if points < 60:
        return 4
    if points < 75:
        return 3
    if points < 90:
        return 2
    return 1


@anc.function(memory=128)
def two_digits(text: Annotated[list[int], anc.Size(2)]) -> int:
    value = 0
    for letter in text:
        if letter < 48 or letter > 57:
            return 100
        value = value * 10 + letter - 48
    return value


@anc.function(memory=64)
def position(table: Six, wanted: int) -> int:
    low, high = 0, len(table)
    while low < high:
        middle = (low + high) // 2
        if table[middle] < wanted:
            low = middle + 1
        else:
            high = middle
    return low


@anc.function(memory=64)
def weekday(day: int, month: int) -> int:
    days = 3
    for length in (31, 28, 31, 30, 31, 30, 31, 31, 30, 31, 30):
        month -= 1
        if month == 0:
            break
        days = (days + length) % 7
    return (days + day) % 7


@anc.function(memory=64)
def median(a: int, b: int, c: int) -> int:
    if a > b:
        a, b = b, a
    if b > c:
        b = c
    return max(a, b)


@anc.function(memory=128)
def fare(distance: int, age: int, luggage: int) -> int:
    price = 10
    for km in range(distance):
        price += 4 if km < 10 else 2
    if luggage > 20:
        price += luggage - 20
    if age < 6:
        return 0
    if age < 15 or age >= 65:
        return price - 6
    return price


@anc.function(memory=128)
def count_bits(flags: int) -> int:
    n = 0
    while flags:
        n += flags & 1
        flags >>= 1
    return n


@anc.function(memory=128)
def power(base: int, exponent: int) -> int:
    result = 1
    for _ in range(exponent):
        result *= base
    return result


def limits_of_five(random: Random) -> tuple[Any, ...]:
    return [random.choice((2, 3, 9)) for _ in range(8)], 5


def nearly_in_range(random: Random) -> tuple[Any, ...]:
    return random.randint(20, 180), 16, 235


def one_bit(random: Random) -> tuple[Any, ...]:
    bits = [0] * 8
    bits[random.randrange(2)] = 1
    return (bits,)


def short_messages(random: Random) -> tuple[Any, ...]:
    return ([2, random.randrange(256), random.randrange(256), 0, 0, 0, 0, 0],)


def this_century(random: Random) -> tuple[Any, ...]:
    return 20, random.randint(0, 40)


def good_pupils(random: Random) -> tuple[Any, ...]:
    return random.randint(75, 100), 50


def digits(random: Random) -> tuple[Any, ...]:
    return ([48, random.randint(48, 57)],)


def one_table(random: Random) -> tuple[Any, ...]:
    return [2, 3, 5, 7, 11, 13], random.randint(1, 4)


def first_quarter(random: Random) -> tuple[Any, ...]:
    return random.randint(1, 28), random.randint(1, 2)


def in_order(random: Random) -> tuple[Any, ...]:
    return tuple(sorted(random.randrange(64) for _ in range(3)))


def school(random: Random) -> tuple[Any, ...]:
    return random.randint(1, 9), random.randint(6, 14), random.randint(0, 12)


def one_flag(random: Random) -> tuple[Any, ...]:
    return (2 ** random.randrange(7),)


def squares(random: Random) -> tuple[Any, ...]:
    return random.randint(1, 9), 2


FUNCTIONS: tuple[tuple[Any, Callable[[Random], tuple[Any, ...]]], ...] = (
    (count_above, limits_of_five),
    (clamp, nearly_in_range),
    (parity, one_bit),
    (checksum, short_messages),
    (is_leap, this_century),
    (grade, good_pupils),
    (two_digits, digits),
    (position, one_table),
    (weekday, first_quarter),
    (median, in_order),
    (fare, school),
    (count_bits, one_flag),
    (power, squares),
)
