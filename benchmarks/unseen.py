"""Ten functions as engineers write them, that nothing was tuned on, each with calls as they might really be made.

Written once, before anything was measured on them, and left as they are: text, bits, calendars, money.
"""

from __future__ import annotations

from collections.abc import Callable
from random import Random
from typing import Annotated, Any

import anc


@anc.function(memory=1200)
def roman_digit(letter: Annotated[str, anc.Size(1)]) -> int:
    if letter == "I":
        return 1
    if letter == "V":
        return 5
    if letter == "X":
        return 10
    if letter == "L":
        return 50
    if letter == "C":
        return 100
    if letter == "D":
        return 500
    if letter == "M":
        return 1000
    raise ValueError(letter)


@anc.function(memory=256)
def isbn13_valid(digits: Annotated[list[int], anc.Size(13)]) -> bool:
    total = 0
    for i, digit in enumerate(digits):
        total += digit if i % 2 == 0 else 3 * digit
    return total % 10 == 0


@anc.function(memory=2048)
def round_to_slot(minutes: int, slot: int) -> int:
    rest = minutes % slot
    if 2 * rest >= slot:
        return minutes + slot - rest
    return minutes - rest


@anc.function(memory=512)
def is_private(octets: Annotated[list[int], anc.Size(4)]) -> bool:
    for octet in octets:
        if octet < 0 or octet > 255:
            raise ValueError("not an address")
    if octets[0] == 10:
        return True
    if octets[0] == 172:
        return 16 <= octets[1] <= 31
    return octets[0] == 192 and octets[1] == 168


BRACKETS = (12, 45, 90)
RATES = (0, 20, 32, 40)


@anc.function(memory=8192)
def tax(thousands: int) -> int:
    owed, lower = 0, 0
    for limit, rate in zip(BRACKETS, RATES):  # noqa: B905 - as an engineer writes it
        if thousands <= limit:
            return owed + (thousands - lower) * rate
        owed += (limit - lower) * rate
        lower = limit
    return owed + (thousands - lower) * RATES[3]


@anc.function(memory=4096)
def zeller(day: int, month: int, year: int) -> int:
    if month <= 2:
        month += 12
        year -= 1
    century, rest = divmod(year, 100)
    return (day + 13 * (month + 1) // 5 + rest + rest // 4 + century // 4 + 5 * century) % 7


@anc.function(memory=512)
def utf8_length(byte: int) -> int:
    if byte < 0x80:
        return 1
    if 0xC2 <= byte <= 0xDF:
        return 2
    if 0xE0 <= byte <= 0xEF:
        return 3
    if 0xF0 <= byte <= 0xF4:
        return 4
    return 0


@anc.function(memory=1024)
def crc8_step(crc: int, byte: int) -> int:
    crc ^= byte
    for _ in range(8):
        if crc & 0x80:
            crc = ((crc << 1) ^ 0x07) & 0xFF
        else:
            crc <<= 1
    return crc


@anc.function(memory=512)
def reversed_bits(n: int) -> int:
    result = 0
    for _ in range(8):
        result = (result << 1) | (n & 1)
        n >>= 1
    return result


@anc.function(memory=256)
def hex_value(code: int) -> int:
    if 48 <= code <= 57:
        return code - 48
    if 65 <= code <= 70:
        return code - 55
    if 97 <= code <= 102:
        return code - 87
    return 255


def letters(random: Random) -> tuple[Any, ...]:
    return (random.choice("IIIVXXLC"),)


def books(random: Random) -> tuple[Any, ...]:
    return ([9, 7, 8, 3, *(random.randrange(10) for _ in range(9))],)


def meetings(random: Random) -> tuple[Any, ...]:
    return random.randrange(480, 1080), random.choice((5, 15, 15, 30))


def office(random: Random) -> tuple[Any, ...]:
    return ([192, 168, random.choice((0, 1)), random.randrange(256)],)


def incomes(random: Random) -> tuple[Any, ...]:
    return (random.randint(20, 80),)


def dates(random: Random) -> tuple[Any, ...]:
    return random.randint(1, 28), random.randint(1, 12), random.randint(2015, 2030)


def english(random: Random) -> tuple[Any, ...]:
    return (random.choice((32, *range(97, 123), *range(97, 123), 0xC3, 0xE2)),)


def packets(random: Random) -> tuple[Any, ...]:
    return random.randrange(256), random.choice((0, 1, 2, 255))


def bytes_of_all_kinds(random: Random) -> tuple[Any, ...]:
    return (random.randrange(256),)


def small_letters(random: Random) -> tuple[Any, ...]:
    return (random.choice((*range(48, 58), *range(97, 103))),)


UNSEEN: tuple[tuple[Any, Callable[[Random], tuple[Any, ...]]], ...] = (
    (roman_digit, letters),
    (isbn13_valid, books),
    (round_to_slot, meetings),
    (is_private, office),
    (tax, incomes),
    (zeller, dates),
    (utf8_length, english),
    (crc8_step, packets),
    (reversed_bits, bytes_of_all_kinds),
    (hex_value, small_letters),
)
