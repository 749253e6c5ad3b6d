"""Fifteen small functions of lists, tuples, text, tables and recursion, as people write them."""

from typing import Annotated

import anc

Numbers = Annotated[list[int], anc.Size(up_to=8)]
Digits = Annotated[str, anc.Size(up_to=10)]
Word = Annotated[str, anc.Size(up_to=8)]

BEFORE_MONTH = (0, 31, 59, 90, 120, 151, 181, 212, 243, 273, 304, 334)
SEGMENTS = [[1, 1, 1, 0], [0, 0, 1, 0], [1, 0, 1, 1], [1, 0, 1, 0]]
VOWELS = "aeiou"


@anc.function()
def luhn(number: Digits) -> bool:
    """Whether the last digit checks the others."""
    total = 0
    for place, c in enumerate(reversed(number)):
        digit = int(c)
        if place % 2:
            digit = digit * 2 - 9 if digit > 4 else digit * 2
        total += digit
    return total % 10 == 0


@anc.function()
def check_letter(number: Digits) -> Word:
    """Weights from the right, modulo 11; ten is written X."""
    rest = -sum(int(c) * w for w, c in enumerate(number[::-1], 2)) % 11
    return "X" if rest == 10 else str(rest)


@anc.function()
def day_of_year(year: int, month: int, day: int) -> int:
    if not 1 <= month <= 12:
        raise ValueError("no such month")
    leap = year % 4 == 0 and (year % 100 != 0 or year % 400 == 0)
    return BEFORE_MONTH[month - 1] + day + (leap and month > 2)


@anc.function()
def lit(segment: int, digit: int) -> int:
    return SEGMENTS[digit][segment]


@anc.function()
def digits(number: int, base: int = 10) -> Numbers:
    assert base > 1
    found = []
    while number:
        number, digit = divmod(number, base)
        found.append(digit)
    return found[::-1]


@anc.function()
def without_repeats(values: Numbers) -> Numbers:
    seen = []
    for v in values:
        if v not in seen:
            seen.append(v)
    return seen


@anc.function()
def median(values: Numbers) -> int:
    ordered = sorted(values)
    return ordered[len(ordered) // 2]


@anc.function()
def spread(values: Numbers) -> tuple[int, int]:
    return min(values), max(values)


@anc.function()
def rotated(values: Numbers, by: int) -> Numbers:
    return values[by:] + values[:by]


@anc.function()
def vowels(word: Word) -> int:
    return sum(c in VOWELS for c in word.lower())


@anc.function()
def backwards(word: Word) -> bool:
    return word == word[::-1]


@anc.function()
def running(values: Numbers) -> Numbers:
    total = [0] * len(values)
    at = 0
    for i, v in enumerate(values):
        at += v
        total[i] = at
    return total


@anc.function()
def steps(n: int) -> int:
    """In how many ways a stair of n steps is climbed, one or two at a time."""
    return 1 if n < 2 else steps(n - 1) + steps(n - 2)


@anc.function()
def divisor(a: int, b: int) -> int:
    return a if b == 0 else divisor(b, a % b)


@anc.function()
def hashed(data: Annotated[bytes, anc.Size(up_to=6)]) -> int:
    found = 7
    for byte in data:
        found = (found * 31 + byte) % 251
    return found
