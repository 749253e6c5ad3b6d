"""The registers: the output is blended into those that o names."""

from __future__ import annotations

from anc.machine.compiled import inner
from anc.training.fused.vectors import dot, fma, load, store, zeros


@inner
def registers(s, now, after):
    """The registers after the step."""
    for v in range(0, s.whole, s.T):
        _blended(s, s.tile, now, after, v)
    if s.whole < s.M:
        _blended(s, s.rest, now, after, s.whole)


@inner
def _blended(s, tile, now, after, v):
    out = load(tile, now, s.out + v)
    for i in range(s.R):
        register = load(tile, now, s.r + i * s.M + v)
        share = load(s.vector, now, s.o + i)
        store(after, s.r + i * s.M + v, fma(share, out - register, register))


@inner
def registers_adjoint(s, q, now):
    """The adjoints of o and of the output, which is written twice in a row.

    Those of the registers themselves follow with the operands', in one pass.
    """
    for i in range(s.R):
        store(q, s.d_o + i, zeros(s.vector))
    for v in range(0, s.whole, s.T):
        _blended_adjoint(s, s.tile, q, now, v)
    if s.whole < s.M:
        _blended_adjoint(s, s.rest, q, now, s.whole)


@inner
def _blended_adjoint(s, tile, q, now, v):
    V = s.vector
    out = load(tile, now, s.out + v)
    d_out = zeros(tile)
    for i in range(s.R):
        d = load(tile, q, s.d_r + i * s.M + v)
        change = out - load(tile, now, s.r + i * s.M + v)
        store(q, s.d_o + i, dot(d, change, load(V, q, s.d_o + i)))
        d_out = fma(load(V, now, s.o + i), d, d_out)
    store(q, s.d_out + v, d_out)
    store(q, s.d_out + s.M + v, d_out)
