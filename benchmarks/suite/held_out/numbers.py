"""Programs that compute with many numbers: check sums and matrices."""

from __future__ import annotations

from collections.abc import Mapping
from itertools import accumulate
from random import Random

from ..entry import Entry, Tape
from .tapes import tape, until_zero

# -- fletcher_frame -----------------------------------------------------------


def draw_fletcher_frame(random: Random) -> Tape:
    message = [random.randint(1, 7) for _ in range(random.choice((6, 8)))]
    return tape(256, {0: [126, 1], 4: message})


def fletcher_frame(cells: Tape) -> Mapping[int, int]:
    if cells[0] != 126:
        return {2: cells[2], 3: cells[3]}
    sums = list(accumulate(until_zero(cells[4:]), initial=0))
    return {2: sums[-1] % 255, 3: sum(sums) % 255 if cells[1] == 1 else 0}


# -- matrix_vector ------------------------------------------------------------


def draw_matrix_vector(random: Random) -> Tape:
    order = random.sample(range(3), 3)
    matrix = [int(column == one) for one in order for column in range(3)]
    return tape(64, {0: matrix, 9: [random.randint(0, 63) for _ in range(3)]})


def matrix_vector(cells: Tape) -> Mapping[int, int]:
    vector = cells[9:12]
    rows = (cells[0:3], cells[3:6], cells[6:9])
    return {
        12 + i: sum(entry * value for entry, value in zip(row, vector, strict=True)) % 64
        for i, row in enumerate(rows)
    }


ENTRIES = (
    Entry(
        name="fletcher_frame",
        kind="checksums",
        summary="The two check sums of a frame, modulo 255",
        bias="the same header always, 6 or 8 bytes, all so small that no sum goes round",
        draw=draw_fletcher_frame,
        oracle=fletcher_frame,
        counts=lambda cells: (2, 3),
        held_out=True,
    ),
    Entry(
        name="matrix_vector_two",
        kind="matrices",
        summary="A matrix of three rows and three columns times a vector",
        bias="the matrix is a permutation: one 1 in each row and each column",
        draw=draw_matrix_vector,
        oracle=matrix_vector,
        counts=lambda cells: (12, 13, 14),
        held_out=True,
    ),
)
