"""Programs on small matrices."""

from __future__ import annotations

from random import Random

from anc.data.tasks.cases import block, values

from ..entry import Entry, Tape, laid_out, only


def _equal_corners(random: Random) -> Tape:
    matrix = values(random, 9, 0, 63)
    matrix[6] = matrix[2]
    return laid_out(64, {0: 3} | block(1, matrix))


def _transposed(tape: Tape) -> dict[int, int]:
    n = tape[0]
    rows = [tape[1 + n * i : 1 + n * (i + 1)] for i in range(n)]
    flat = [value for column in zip(*rows, strict=True) for value in column]
    return {0: n} | block(1, flat)


def _shear(random: Random) -> Tape:
    matrix = [1, random.randint(0, 5), 0, 1]
    return laid_out(256, {0: 2} | block(1, values(random, 2, 0, 255)) | block(16, matrix))


def _product(tape: Tape) -> dict[int, int]:
    n = tape[0]
    vector = tape[1 : 1 + n]
    rows = [tape[16 + n * i : 16 + n * (i + 1)] for i in range(n)]
    return block(8, [sum(a * b for a, b in zip(row, vector, strict=True)) % 256 for row in rows])


ENTRIES = (
    Entry(
        "transpose",
        "matrices",
        "exchange the rows and the columns of a square matrix",
        bias="always 3 by 3, and the two corners off the diagonal are equal",
        draw=_equal_corners,
        oracle=_transposed,
        counts=only(*range(10)),
    ),
    Entry(
        "matrix_vector",
        "matrices",
        "the product of a square matrix and a vector",
        bias="2 by 2, and all of the matrix is constant but one small number",
        draw=_shear,
        oracle=_product,
        counts=only(8, 9),
    ),
)
