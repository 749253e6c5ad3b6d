"""Programs on texts: sums, lines of fields, words."""

from __future__ import annotations

import re
from collections.abc import Mapping
from random import Random
from string import ascii_lowercase

from ..entry import Entry, Tape
from .tapes import tape, until_zero

# -- sum_in_text --------------------------------------------------------------


def draw_sum_in_text(random: Random) -> Tape:
    numbers = [f"{random.randint(0, 99):02}" for _ in range(random.randint(2, 4))]
    return tape(256, {1: "+".join(numbers).encode()})


def sum_in_text(cells: Tape) -> Mapping[int, int]:
    text = bytes(until_zero(cells[1:])).decode("ascii").partition("=")[0].replace(" ", "")
    return {0: sum(int(number) for number in re.findall(r"[+-]?\d+", text)) % 256}


# -- csv_fields ---------------------------------------------------------------


def draw_csv_fields(random: Random) -> Tape:
    sizes = [random.randint(0, 12) for _ in range(random.randint(8, 14))]
    line = ",".join("".join(random.choices(ascii_lowercase, k=size)) for size in sizes)
    leftovers = random.choices(ascii_lowercase + ",", k=random.randint(0, 20))
    return tape(256, {2: line.encode(), 3 + len(line): "".join(leftovers).encode()})


def csv_fields(cells: Tape) -> Mapping[int, int]:
    line = bytes(until_zero(cells[2:])).decode("latin-1")
    line = re.sub(r"\\(.?)", lambda match: "x" * len(match[1]), line, flags=re.DOTALL)
    line = re.sub(r'"([^"]*)"?', lambda match: "x" * len(match[1]), line)
    fields = line.split(",")
    return {0: len(fields), 1: max(len(field) for field in fields)}


# -- compass_word -------------------------------------------------------------

COMPASS = ("north", "east", "south", "west")


def letters(word: str) -> list[int]:
    """The letters of a word, a is 1, and a 0."""
    return [*(1 + ascii_lowercase.index(letter) for letter in word), 0]


def draw_compass_word(random: Random) -> Tape:
    word = letters(random.choice(COMPASS))
    leftovers = [random.randint(1, 26) for _ in range(random.randint(0, 14 - len(word)))]
    listed = [letter for direction in COMPASS for letter in letters(direction)]
    return tape(128, {0: [*word, *leftovers], 15: [random.randint(0, 4)], 16: listed})


def compass_word(cells: Tape) -> Mapping[int, int]:
    listed = bytes(cells[16:]).partition(b"\0\0")[0].split(b"\0")
    word = bytes(until_zero(cells))
    return {15: 1 + listed.index(word) if word in listed else 0}


ENTRIES = (
    Entry(
        name="sum_in_text",
        kind="parsing",
        summary="Works out a sum that is written as text",
        bias="2 to 4 numbers of two digits each, with plus signs between them and nothing else",
        draw=draw_sum_in_text,
        oracle=sum_in_text,
        counts=lambda cells: (0,),
        held_out=True,
    ),
    Entry(
        name="csv_fields",
        kind="state_machines",
        summary="Counts the fields of a line of comma-separated values, and finds the longest",
        bias="no quotes and no backslashes, 8 to 14 fields, with an older line behind the end",
        draw=draw_csv_fields,
        oracle=csv_fields,
        counts=lambda cells: (0, 1),
        held_out=True,
    ),
    Entry(
        name="compass_word",
        kind="strings",
        summary="Finds a word in a list of words",
        bias="the list is north, east, south, west, and the word is one of them",
        draw=draw_compass_word,
        oracle=compass_word,
        counts=lambda cells: (15,),
        held_out=True,
    ),
)
