"""What instructions output, tabulated from their rows."""

from __future__ import annotations

from functools import cache

import numpy as np

from anc.isa import Effect, Instruction, InstructionSet
from anc.support.diagnostics import AncError


@cache
def outputs_of(row: Instruction, M: int) -> np.ndarray:
    """(M, M): what an instruction outputs for all operands; READ counts as 0 here."""
    seconds = range(M if row.operands == 2 and row.effect is Effect.NONE else 1)
    table = np.array([[row.output(a, b, M) for b in seconds] for a in range(M)], np.int64)
    if table.min() < 0 or table.max() >= M:
        raise AncError(f"{row.name} outputs numbers beyond 0..{M - 1} with M = {M}")
    return np.broadcast_to(table, (M, M))


@cache
def output_table(instructions: InstructionSet, M: int) -> np.ndarray:
    """The outputs of a set, flat: entry (op * M + first) * M + second; for M up to 256."""
    return np.concatenate([outputs_of(row, M).astype(np.uint8).ravel() for row in instructions])
