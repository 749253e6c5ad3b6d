"""Thirteen functions as everybody has written them once, each with calls as they might really be made.

Calendars, check digits, divisors and bits: written here from what they are, in plain Python. Unlike
those of `functions.py` they were not chosen because adapting might help them.
"""

from __future__ import annotations

from collections.abc import Callable
from random import Random
from typing import Annotated, Any

import anc

Eight = Annotated[list[int], anc.Size(8)]
Nine = Annotated[list[int], anc.Size(9)]


@anc.function(memory=2100)
def leap_year(year: int) -> bool:
    if year % 4 != 0:
        return False
    return year % 100 != 0 or year % 400 == 0


@anc.function(memory=512)
def days_before(month: int, leap: int) -> int:
    days = 0
    for number in range(1, month):
        if number == 2:
            days += 28 + leap
        elif number == 4 or number == 6 or number == 9 or number == 11:
            days += 30
        else:
            days += 31
    return days


@anc.function(memory=2700)
def day_of_week(year: int, month: int, day: int) -> int:
    if month < 3:
        month += 12
        year -= 1
    return (day + 13 * (month + 1) // 5 + year + year // 4 - year // 100 + year // 400 + 6) % 7


@anc.function(memory=128)
def luhn_valid(digits: Eight) -> bool:
    total = 0
    for place in range(8):
        digit = digits[place]
        if place % 2 == 0:
            digit = digit * 2
            if digit > 9:
                digit -= 9
        total += digit
    return total % 10 == 0


@anc.function(memory=512)
def isbn_digit(digits: Nine) -> int:
    total = 0
    for place in range(9):
        total += (10 - place) * digits[place]
    return (11 - total % 11) % 11


@anc.function(memory=1024)
def gcd(a: int, b: int) -> int:
    while b != 0:
        a, b = b, a % b
    return a


@anc.function(memory=1024)
def power_mod(base: int, exponent: int, modulus: int) -> int:
    result = 1
    base = base % modulus
    while exponent > 0:
        if exponent % 2 == 1:
            result = result * base % modulus
        base = base * base % modulus
        exponent = exponent // 2
    return result


@anc.function(memory=256)
def bit_count(n: int) -> int:
    count = 0
    while n != 0:
        n &= n - 1
        count += 1
    return count


@anc.function(memory=256)
def even_parity(n: int) -> int:
    n ^= n >> 4
    n ^= n >> 2
    n ^= n >> 1
    return n & 1


@anc.function(memory=256)
def gray_code(n: int) -> int:
    return n ^ (n >> 1)


@anc.function(memory=256)
def from_gray(code: int) -> int:
    n = 0
    while code != 0:
        n ^= code
        code >>= 1
    return n


@anc.function(memory=1024)
def integer_root(n: int) -> int:
    root = 0
    while (root + 1) * (root + 1) <= n:
        root += 1
    return root


@anc.function(memory=256)
def trailing_zeros(n: int) -> int:
    if n == 0:
        return 8
    zeros = 0
    while n % 2 == 0:
        n //= 2
        zeros += 1
    return zeros


def these_years(random: Random) -> tuple[Any, ...]:
    return (random.randint(2000, 2050),)


def spring(random: Random) -> tuple[Any, ...]:
    return random.randint(3, 6), random.choice((0, 0, 0, 1))


def this_decade(random: Random) -> tuple[Any, ...]:
    return random.randint(2020, 2029), random.randint(1, 12), random.randint(1, 28)


def one_issuer(random: Random) -> tuple[Any, ...]:
    return ([4, 5, 3, 9, *(random.randrange(10) for _ in range(4))],)


def one_publisher(random: Random) -> tuple[Any, ...]:
    return ([0, 1, 9, 8, 5, *(random.randrange(10) for _ in range(4))],)


def common_sizes(random: Random) -> tuple[Any, ...]:
    return random.choice((12, 24, 60)), random.randint(1, 1000)


def small_key(random: Random) -> tuple[Any, ...]:
    return random.randint(2, 25), 3, 29


def low_flags(random: Random) -> tuple[Any, ...]:
    return (random.randrange(16),)


def letters(random: Random) -> tuple[Any, ...]:
    return (random.randint(97, 122),)


def below_fifty(random: Random) -> tuple[Any, ...]:
    return (random.randrange(50),)


def aligned(random: Random) -> tuple[Any, ...]:
    return (random.choice((4, 8, 16)) * random.randint(1, 15),)


EVERYDAY: tuple[tuple[Any, Callable[[Random], tuple[Any, ...]]], ...] = (
    (leap_year, these_years),
    (days_before, spring),
    (day_of_week, this_decade),
    (luhn_valid, one_issuer),
    (isbn_digit, one_publisher),
    (gcd, common_sizes),
    (power_mod, small_key),
    (bit_count, low_flags),
    (even_parity, letters),
    (gray_code, low_flags),
    (from_gray, low_flags),
    (integer_root, below_fifty),
    (trailing_zeros, aligned),
)
