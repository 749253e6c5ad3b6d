"""INC, DEC, ADD and SUB as one circular convolution.

ADD convolves A1 with A2, SUB with A2 reversed, INC and DEC with a one at ±1, so their weighted sum is
out_k = Σ_j A1_j c_{k-j} with c_d = e_ADD A2_d + e_SUB A2_{-d} + e_INC [d = 1] + e_DEC [d = -1].
"""

from __future__ import annotations

from anc.machine.compiled import inner
from anc.training.fused.step.chosen import add_chosen_adjoint, chosen
from anc.training.fused.vectors import fma, load, store, zeros


@inner
def _blend(s, q, now):
    """Write c twice in a row: circular shifts become plain loads."""
    V, M = s.vector, s.M
    e_add, e_sub = chosen(s, now, s.ADD), chosen(s, now, s.SUB)
    for d in range(M):
        c = e_add * load(V, now, s.a2 + d)
        c = fma(e_sub, load(V, now, s.a2 + (M - d) * (d > 0)), c)
        store(q, s.blend + d, c)
    store(q, s.blend + 1, load(V, q, s.blend + 1) + chosen(s, now, s.INC))
    store(q, s.blend + M - 1, load(V, q, s.blend + M - 1) + chosen(s, now, s.DEC))
    for d in range(M):
        store(q, s.blend + M + d, load(V, q, s.blend + d))


@inner
def sums(s, q, now):
    """What the four instructions output."""
    _blend(s, q, now)
    for k in range(0, s.whole, s.T):
        _convolved(s, s.tile, q, now, k)
    if s.whole < s.M:
        _convolved(s, s.rest, q, now, s.whole)


@inner
def _convolved(s, tile, q, now, k):
    out = zeros(tile)
    for j in range(s.M):
        out = fma(load(s.vector, now, s.a1 + j), load(tile, q, s.blend + s.M + k - j), out)
    store(now, s.out + k, out)


@inner
def sums_adjoint(s, q, now):
    """d_A1_j = Σ_d c_d d_out_{j+d} and d_c_d = Σ_j A1_j d_out_{j+d}; ``d_out`` is there twice in a row."""
    V, M = s.vector, s.M
    _blend(s, q, now)
    for x in range(0, s.whole, s.T):
        _correlated(s, s.tile, q, now, x)
    if s.whole < M:
        _correlated(s, s.rest, q, now, s.whole)
    e_add, e_sub = chosen(s, now, s.ADD), chosen(s, now, s.SUB)
    d_e_add = zeros(V)
    d_e_sub = zeros(V)
    for d in range(M):
        same = load(V, q, s.d_blend + d)
        other = load(V, q, s.d_blend + (M - d) * (d > 0))
        a2 = load(V, now, s.a2 + d)
        d_e_add = fma(same, a2, d_e_add)
        d_e_sub = fma(other, a2, d_e_sub)
        d_a2 = fma(e_add, same, load(V, q, s.d_a2 + d))
        store(q, s.d_a2 + d, fma(e_sub, other, d_a2))
    add_chosen_adjoint(s, q, s.ADD, d_e_add)
    add_chosen_adjoint(s, q, s.SUB, d_e_sub)
    add_chosen_adjoint(s, q, s.INC, load(V, q, s.d_blend + 1))
    add_chosen_adjoint(s, q, s.DEC, load(V, q, s.d_blend + M - 1))


@inner
def _correlated(s, tile, q, now, x):
    d_a1 = load(tile, q, s.d_a1 + x)
    d_blend = zeros(tile)
    for k in range(s.M):
        d_out = load(tile, q, s.d_out + x + k)
        d_a1 = fma(load(s.vector, q, s.blend + k), d_out, d_a1)
        d_blend = fma(load(s.vector, now, s.a1 + k), d_out, d_blend)
    store(q, s.d_a1 + x, d_a1)
    store(q, s.d_blend + x, d_blend)
