"""Single instructions that the paper's machine does not have, as questions about cases.

A comparison, a remainder or a mask of a cell tells cases apart in one step. All two-operand instructions of a set are
tried, on cells, known values and numbers; so an instruction of the user's own is as good as those of WIDE.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from functools import cache

import numpy as np

from anc.isa import PAPER, Effect, InstructionSet
from anc.machine.batch import outputs

MOST_CELLS = 12
MOST_VALUES = 12  # of a cell, that it is compared with
MOST_FOUND = 4
SMALL = 16  # numbers up to this are tried as divisors, masks and shifts


@cache
def beyond_paper(instructions: InstructionSet) -> tuple[int, ...]:
    """The numbers of the two-operand instructions without an effect that the paper's set lacks."""
    rows = enumerate(instructions)
    return tuple(
        op for op, r in rows if r.operands == 2 and r.effect is Effect.NONE and r not in PAPER.rows
    )


def numbers_for(column: np.ndarray, M: int) -> list[int]:
    """Numbers that a value may be compared with, divided by or masked with."""
    values, counts = np.unique(column, return_counts=True)
    common = values[np.argsort(-counts, kind="stable")][:MOST_VALUES]
    bounds = {*common.tolist(), *((common + 1) % M).tolist()}
    powers = {1 << n for n in range(M.bit_length())} | {(1 << n) - 1 for n in range(M.bit_length())}
    return sorted(n for n in bounds | powers | set(range(SMALL + 1)) if 0 < n < M)


def deciding(
    known: Sequence[np.ndarray],
    inputs: np.ndarray,
    rows: np.ndarray,
    jumps: np.ndarray,
    instructions: InstructionSet,
) -> list[np.ndarray]:
    """Columns over all cases, each of one instruction, that are 0 for the cases that jump or for the others.

    `known` are columns over all cases, `inputs` their tapes; `jumps` is about the cases in `rows`.
    """
    M, ops = inputs.shape[1], beyond_paper(instructions)
    if not ops:
        return []
    cells = np.flatnonzero((inputs[rows] != inputs[rows[0]]).any(axis=0))[:MOST_CELLS]
    values = [*known[:MOST_CELLS], *inputs[:, cells].T]
    numbers = sorted({n for value in values for n in numbers_for(value[rows], M)})
    columns = np.array([*values, *(np.full(len(inputs), n) for n in numbers)], np.int64)
    first, second = (part.ravel() for part in np.indices((len(columns),) * 2))
    varies = (first < len(values)) | (second < len(values))
    first, second = first[varies & (first != second)], second[varies & (first != second)]
    found = []
    for op in ops:
        one, two = (columns[which][:, rows].ravel() for which in (first, second))
        zero = outputs(instructions, op, one, two, M).reshape(-1, len(rows)) == 0
        same = zero == jumps
        for at in np.flatnonzero(same.all(axis=1) | ~same.any(axis=1))[:MOST_FOUND].tolist():
            found.append(outputs(instructions, op, columns[first[at]], columns[second[at]], M))
    return found


def telling(
    inputs: np.ndarray, chosen: np.ndarray, instructions: InstructionSet
) -> Iterator[tuple[str, np.ndarray]]:
    """Instructions on a cell and a number: the name, and a column over all cases that is 0 for yes."""
    M = inputs.shape[1]
    mine = inputs[chosen]
    for cell in np.flatnonzero((mine != mine[0]).any(axis=0))[:MOST_CELLS].tolist():
        numbers = np.array(numbers_for(mine[:, cell], M), np.int64)
        first = np.tile(inputs[:, cell].astype(np.int64), len(numbers))
        second = np.repeat(numbers, len(inputs))
        for op in beyond_paper(instructions):
            for column in outputs(instructions, op, first, second, M).reshape(len(numbers), -1):
                yield instructions[op].name, column
