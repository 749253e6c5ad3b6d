"""Programs on lists of numbers."""

from __future__ import annotations

from collections import Counter
from random import Random

from anc.data.tasks.cases import block, values

from ..entry import Entry, Tape, laid_out, listed, only


def _four_numbers(random: Random) -> Tape:
    leftovers = values(random, 6, 0, 11)
    return laid_out(12, block(1, values(random, 4, 1, 11)) | block(6, leftovers))


def _largest(tape: Tape) -> dict[int, int]:
    return {0: max(listed(tape, 1), default=0)}


def _sorted_readings(random: Random) -> Tape:
    lowest = random.randint(20, 200)
    readings = [lowest + random.randint(0, 9) for _ in range(random.randint(24, 40))]
    return laid_out(256, block(2, sorted(readings)))


def _mode(tape: Tape) -> dict[int, int]:
    found = Counter(listed(tape, 2)).most_common(1)  # of equals, the first that was met
    winner, most = found[0] if found else (0, 0)
    return {0: winner, 1: most}


ENTRIES = (
    Entry(
        "list_max",
        "lists",
        "the largest number of a list",
        bias="always four numbers: the decision in the loop is just a MAX",
        draw=_four_numbers,
        oracle=_largest,
        counts=only(0),
    ),
    Entry(
        "most_frequent",
        "lists",
        "which number of a list occurs most often, and how often",
        bias="the list is in ascending order, so that equal numbers are neighbours",
        draw=_sorted_readings,
        oracle=_mode,
        counts=only(0, 1),
    ),
)
