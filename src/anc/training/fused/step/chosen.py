"""The probability of one instruction, and its adjoint; a table may lack the instruction (-1)."""

from __future__ import annotations

from anc.machine.compiled import inner
from anc.training.fused.vectors import load, store, zeros


@inner
def chosen(s, now, op):
    """How much an instruction is chosen in this step."""
    if op < 0:
        return zeros(s.vector)
    return load(s.vector, now, s.e + op)


@inner
def add_chosen_adjoint(s, q, op, d):
    """Add to the adjoint of that."""
    if op >= 0:
        store(q, s.d_e + op, load(s.vector, q, s.d_e + op) + d)
