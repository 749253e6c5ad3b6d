"""What every instruction outputs, tabulated from the instruction table."""

from __future__ import annotations

from functools import cache

import numpy as np

from anc import isa
from anc.diagnostics import AncError


@cache
def outputs_of(op: int, M: int) -> np.ndarray:
    """(M, M): what an instruction outputs for all operands; READ counts as 0 here."""
    row = isa.INSTRUCTIONS[op]
    seconds = range(M if row.operands == 2 and row.effect is isa.Effect.NONE else 1)
    table = np.array([[row.output(a, b, M) for b in seconds] for a in range(M)], np.int64)
    if table.min() < 0 or table.max() >= M:
        raise AncError(f"{row.name} outputs numbers beyond 0..{M - 1} with M = {M}")
    return np.broadcast_to(table, (M, M))


@cache
def output_table(M: int) -> np.ndarray:
    """The outputs of all instructions, flat: entry (op * M + first) * M + second; for M up to 256."""
    tables = [outputs_of(op, M).astype(np.uint8).ravel() for op in range(isa.N)]
    return np.concatenate(tables)
