"""The operands A1 = a @ r and A2 = b @ r, normalised.

ADD and its like multiply two sums: without normalising, rounding errors would double with every ``x = ADD(x, x)``.
The sum is 1 but for rounding, so it counts as a constant for the gradient.
"""

from __future__ import annotations

from anc.machine.compiled import inner
from anc.training.fused.vectors import dot, fma, fnma, load, splat, store, total, zeros


@inner
def operands(s, now):
    """A1 and A2, and what their sums were divided by."""
    V = s.vector
    sum1 = zeros(V)
    sum2 = zeros(V)
    for v in range(0, s.whole, s.T):
        more1, more2 = _mixed(s, s.tile, now, v)
        sum1 = sum1 + more1
        sum2 = sum2 + more2
    if s.whole < s.M:
        more1, more2 = _mixed(s, s.rest, now, s.whole)
        sum1 = sum1 + more1
        sum2 = sum2 + more2
    scale1 = splat(V, 1.0) / sum1
    scale2 = splat(V, 1.0) / sum2
    store(now, s.scale1, scale1)
    store(now, s.scale2, scale2)
    for v in range(s.M):
        store(now, s.a1 + v, load(V, now, s.a1 + v) * scale1)
        store(now, s.a2 + v, load(V, now, s.a2 + v) * scale2)


@inner
def _mixed(s, tile, now, v):
    first = zeros(tile)
    second = zeros(tile)
    for i in range(s.R):
        register = load(tile, now, s.r + i * s.M + v)
        first = fma(load(s.vector, now, s.a + i), register, first)
        second = fma(load(s.vector, now, s.b + i), register, second)
    store(now, s.a1 + v, first)
    store(now, s.a2 + v, second)
    return total(first), total(second)


@inner
def operands_adjoint(s, q, now):
    """From the adjoints of A1 and A2 to those of the choices a and b and of the registers.

    The registers' adjoints are those of the next step until here; what the output replaced is taken off.
    """
    for i in range(s.R):
        store(q, s.d_a + i, zeros(s.vector))
        store(q, s.d_b + i, zeros(s.vector))
    for v in range(0, s.whole, s.T):
        _mixed_adjoint(s, s.tile, q, now, v)
    if s.whole < s.M:
        _mixed_adjoint(s, s.rest, q, now, s.whole)


@inner
def _mixed_adjoint(s, tile, q, now, v):
    V = s.vector
    d_first = load(tile, q, s.d_a1 + v) * load(V, now, s.scale1)
    d_second = load(tile, q, s.d_a2 + v) * load(V, now, s.scale2)
    for i in range(s.R):
        register = load(tile, now, s.r + i * s.M + v)
        store(q, s.d_a + i, dot(d_first, register, load(V, q, s.d_a + i)))
        store(q, s.d_b + i, dot(d_second, register, load(V, q, s.d_b + i)))
        d = load(tile, q, s.d_r + i * s.M + v)
        d = fnma(load(V, now, s.o + i), d, d)
        d = fma(load(V, now, s.a + i), d_first, d)
        store(q, s.d_r + i * s.M + v, fma(load(V, now, s.b + i), d_second, d))
