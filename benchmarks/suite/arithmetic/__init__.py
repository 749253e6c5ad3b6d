"""Arithmetic by loops."""

from __future__ import annotations

from math import gcd
from random import Random

from anc.data.tasks.cases import block, values

from ..entry import Entry, Tape, laid_out, listed, only


def _less_than_two_coins(random: Random) -> Tape:
    coin = random.randint(8, 32)
    return laid_out(64, {0: random.randrange(2 * coin), 1: coin, 2: 1})


def _paid(tape: Tape) -> dict[int, int]:
    rest, paid = tape[0], []
    for coin in listed(tape, 1):
        count, rest = divmod(rest, coin)
        paid.append(count)
    return {0: rest, 16: 0, 17: 0} | block(16, paid)


def _multiple(random: Random) -> Tape:
    divisor = random.randint(2, 60)
    leftover = random.randrange(256)
    return laid_out(256, {0: divisor * random.randint(1, 255 // divisor), 1: divisor, 2: leftover})


def _divisor(tape: Tape) -> dict[int, int]:
    return {2: gcd(tape[0], tape[1])}


def _at_two(random: Random) -> Tape:
    return laid_out(256, {0: 2, 1: 5} | block(2, values(random, 5, 0, 255)))


def _value(tape: Tape) -> dict[int, int]:
    x, n = tape[:2]
    powers = range(n - 1, -1, -1)
    return {0: sum(c * x**k for c, k in zip(tape[2 : 2 + n], powers, strict=True)) % 256}


def _wholly_at_night(random: Random) -> Tape:
    shifts: list[int] = []
    for _ in range(3):
        begin = random.randint(22, 25)
        shifts += [begin % 24, (begin + random.randint(1, 4)) % 24]
    return laid_out(24, {0: 3} | block(2, shifts))


def _at_night(tape: Tape) -> dict[int, int]:
    night = {22, 23, 0, 1, 2, 3, 4, 5}
    ends = tape[2 : 2 + 2 * tape[0]]
    worked = [
        (begin + k) % 24
        for begin, end in zip(ends[::2], ends[1::2], strict=True)
        for k in range((end - begin) % 24)
    ]
    return {1: sum(hour in night for hour in worked)}


ENTRIES = (
    Entry(
        "change",
        "arithmetic",
        "pay an amount with coins, the largest first",
        bias="one coin and coins of value 1; the amount is less than twice the coin",
        draw=_less_than_two_coins,
        oracle=_paid,
        counts=only(0, 16, 17),
    ),
    Entry(
        "gcd",
        "arithmetic",
        "the greatest common divisor of two numbers",
        bias="the first number is a multiple of the second",
        draw=_multiple,
        oracle=_divisor,
        counts=only(2),
    ),
    Entry(
        "polynomial",
        "arithmetic",
        "the value of a polynomial",
        bias="always five coefficients and x = 2, so that multiplying is doubling",
        draw=_at_two,
        oracle=_value,
        counts=only(0),
    ),
    Entry(
        "night_hours",
        "arithmetic",
        "how many hours of some shifts are at night",
        bias="three shifts that begin around midnight, a range that goes round, and end at night",
        draw=_wholly_at_night,
        oracle=_at_night,
        counts=only(1),
    ),
)
