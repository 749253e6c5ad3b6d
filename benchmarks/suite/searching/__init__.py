"""Programs that look something up."""

from __future__ import annotations

import re
from random import Random
from string import ascii_lowercase

from anc.data.tasks.cases import block

from ..entry import Entry, Tape, laid_out, listed, only


def _one_of_the_first_two(random: Random) -> Tape:
    elements = random.sample(range(1, 32), random.randint(4, 20))
    wanted = elements[random.random() < 0.75]
    return laid_out(32, {0: wanted, 1: random.randint(0, 31)} | block(2, elements))


def _moved(tape: Tape) -> dict[int, int]:
    wanted, elements = tape[0], listed(tape, 2)
    cells = dict(enumerate(tape))
    if wanted in elements:
        elements.remove(wanted)
        cells |= {1: (tape[1] + 1) % 32} | block(2, [wanted, *elements])
    return cells


def _one_of_seven(random: Random) -> Tape:
    elements = sorted(random.sample(range(64), 7))
    return laid_out(64, {0: random.choice(elements), 1: 7} | block(2, elements))


def _place(tape: Tape) -> dict[int, int]:
    wanted, elements = tape[0], tape[2 : 2 + tape[1]]
    return {0: elements.index(wanted) + 1 if wanted in elements else 0}


def _tagged_line(random: Random) -> Tape:
    def letters(n: int) -> str:
        return "".join(random.choices(ascii_lowercase, k=n))

    tag = f"#{letters(2)}"
    text = f"{letters(random.randint(4, 11))}{tag}{letters(random.randint(10, 60))}"
    return laid_out(256, block(2, tag.encode()) | block(16, text.encode()))


def _occurrences(tape: Tape) -> dict[int, int]:
    pattern, text = (bytes(listed(tape, start)).decode("ascii") for start in (2, 16))
    wild = re.escape(pattern).replace(re.escape("?"), ".")
    found = [match.start() for match in re.finditer(f"(?=({wild}))", text.lower(), re.DOTALL)]
    return {0: len(found), 1: 16 + found[0] if found else 0}


ENTRIES = (
    Entry(
        "move_to_front",
        "searching",
        "look an element up and put it in front of its list",
        bias="it is one of the first two, mostly the second",
        draw=_one_of_the_first_two,
        oracle=_moved,
        counts=only(*range(32)),
    ),
    Entry(
        "binary_search",
        "searching",
        "where a number is in a sorted list",
        bias="always seven different numbers in order, and the number is among them",
        draw=_one_of_seven,
        oracle=_place,
        counts=only(0),
    ),
    Entry(
        "find_pattern",
        "searching",
        "how often a pattern occurs in a text, and where it does first",
        bias="the pattern occurs once, and its first character nowhere else in the text",
        draw=_tagged_line,
        oracle=_occurrences,
        counts=only(0, 1),
    ),
)
