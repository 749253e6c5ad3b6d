"""Programs that read numbers out of texts."""

from __future__ import annotations

import re
from random import Random

from anc.data.tasks.cases import block, values

from ..entry import Entry, Tape, laid_out, listed, only


def _two_digits_each(random: Random) -> Tape:
    numbers = [f"{random.randint(0, 99):02}" for _ in range(random.randint(2, 4))]
    leftovers = values(random, random.randint(0, 8), 44, 57)
    return laid_out(256, block(1, [*",".join(numbers).encode(), 0, *leftovers]))


def _sum(tape: Tape) -> dict[int, int]:
    text = bytes(listed(tape, 1)).decode("latin-1")
    return {0: sum(int(number) for number in re.findall(r"-?[0-9]+", text)) % 256}


def _decimal_digits(random: Random) -> Tape:
    digits = "".join(random.choices("0123456789", k=random.choice([4, 6])))
    return laid_out(256, block(1, digits.encode()))


def _bytes(tape: Tape) -> dict[int, int]:
    digits = re.sub("[ :]", "", bytes(listed(tape, 1)).decode("ascii"))
    found = bytes.fromhex(digits[: len(digits) // 2 * 2])
    return {0: len(found), 34: tape[34]} | block(32, found)


ENTRIES = (
    Entry(
        "sum_numbers",
        "parsing",
        "add up the numbers that a text contains",
        bias="two, three or four numbers of two digits with a comma between them",
        draw=_two_digits_each,
        oracle=_sum,
        counts=only(0),
    ),
    Entry(
        "parse_hex",
        "parsing",
        "the bytes that a text spells in hexadecimal",
        bias="four or six characters, which are never letters",
        draw=_decimal_digits,
        oracle=_bytes,
        counts=only(0, 32, 33, 34),
    ),
)
