"""Checksums of bytes and digits."""

from __future__ import annotations

from itertools import accumulate
from random import Random

from anc.data.tasks.cases import block

from ..entry import Entry, Tape, laid_out, listed, only


def _six_digits(random: Random) -> Tape:
    digits = [str(random.randint(0, 9 if place % 2 == 0 else 4)) for place in range(6)]
    return laid_out(256, block(1, "".join(digits).encode()))


def _check_digit(tape: Tape) -> dict[int, int]:
    text = bytes(listed(tape, 1)).decode("ascii")
    digits = [int(c) for c in reversed(text) if c not in " -"]
    doubled = [sum(map(int, str(2 * digit))) for digit in digits[::2]]
    return {0: -(sum(doubled) + sum(digits[1::2])) % 10}


def _coded_number(random: Random) -> Tape:
    digits = "".join(random.choices("0123456789", k=random.randint(3, 4)))
    return laid_out(256, block(2, f"BCD:{digits}".encode()))


def _two_sums(tape: Tape) -> dict[int, int]:
    message = [byte for byte in listed(tape, 2) if byte not in b"\r\n"]
    return {0: sum(message) % 251, 1: sum(accumulate(message)) % 251}


ENTRIES = (
    Entry(
        "luhn",
        "checksums",
        "the check digit of an account number",
        bias="six digits; those that count twice are below 5, so that twice is one digit",
        draw=_six_digits,
        oracle=_check_digit,
        counts=only(0),
    ),
    Entry(
        "fletcher",
        "checksums",
        "two checksums of a message",
        bias="the message begins with four constant bytes and goes on with three or four digits",
        draw=_coded_number,
        oracle=_two_sums,
        counts=only(0, 1),
    ),
)
