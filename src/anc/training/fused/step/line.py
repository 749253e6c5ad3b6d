"""The instruction register: a jump to A2 where A1 is 0, else the next line."""

from __future__ import annotations

from anc.machine.compiled import inner
from anc.training.fused.step.chosen import add_chosen_adjoint, chosen
from anc.training.fused.vectors import fma, fnma, load, store, zeros


@inner
def line(s, now, after):
    """The line after the step."""
    V, M = s.vector, s.M
    jump = chosen(s, now, s.JUMP) * load(V, now, s.a1)
    for j in range(M):
        before = load(V, now, s.ir + (j - 1) + M * (j == 0))
        store(after, s.ir + j, fma(jump, load(V, now, s.a2 + j) - before, before))


@inner
def line_adjoint(s, q, now):
    """Replace the line's adjoints, set those of A2, and return that of the jump."""
    V, M = s.vector, s.M
    jump = chosen(s, now, s.JUMP) * load(V, now, s.a1)
    d_jump = zeros(V)
    first = load(V, q, s.d_ir)
    for j in range(M):
        d = load(V, q, s.d_ir + j)
        change = load(V, now, s.a2 + j) - load(V, now, s.ir + (j - 1) + M * (j == 0))
        d_jump = fma(d, change, d_jump)
        store(q, s.d_a2 + j, jump * d)
    for j in range(M - 1):
        d = load(V, q, s.d_ir + j + 1)
        store(q, s.d_ir + j, fnma(jump, d, d))
    store(q, s.d_ir + M - 1, fnma(jump, first, first))
    return d_jump


@inner
def jump_adjoint(s, q, now, d_jump):
    """From the jump's adjoint to those of its factors e_JUMP and A1_0."""
    V = s.vector
    add_chosen_adjoint(s, q, s.JUMP, d_jump * load(V, now, s.a1))
    d_a1 = fma(d_jump, chosen(s, now, s.JUMP), load(V, q, s.d_a1))
    store(q, s.d_a1, d_a1)
