"""The outputs of instructions: fast paths, and a slow path from the instruction table for all others.

INC, DEC, ADD and SUB are one circular convolution. ADD convolves A1 with A2, SUB with A2 reversed, INC and
DEC with a one at ±1, so their weighted sum is out_k = Σ_j A1_j c_{k-j} with c_d = e_ADD A2_d + e_SUB A2_{-d}
+ e_INC [d = 1] + e_DEC [d = -1].

MIN and MAX are cumulative sums: out = A1 (e_MIN + lead c2) + A2 (e_MIN + lead (c1 - A1)), where lead = e_MAX
- e_MIN and c1 and c2 are the sums of A1 and A2 up to each value.

Every other instruction is the distribution of f(i, j), summed over all pairs of operands: out_{f(i, j)} += e
A1_i A2_j. This needs only the instruction table. It is slower than a fast path but always right.
"""

from __future__ import annotations

from anc.machine.compiled import inner
from anc.training.fused.access import load, store
from anc.training.fused.choices import add_chosen_adjoint, chosen
from anc.training.fused.vectors import fma, zeros


@inner
def _blend(s, q, now):
    """Write c twice in a row, so that circular shifts become plain loads."""
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
    """The weighted outputs of INC, DEC, ADD and SUB."""
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
    """d_A1_j = Σ_d c_d d_out_{j+d} and d_c_d = Σ_j A1_j d_out_{j+d}; ``d_out`` lies twice in a row."""
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


@inner
def order(s, now):
    """Add the weighted outputs of MIN and MAX."""
    V = s.vector
    e_min = chosen(s, now, s.MIN)
    lead = chosen(s, now, s.MAX) - e_min
    c1 = zeros(V)
    c2 = zeros(V)
    for v in range(s.M):
        a1 = load(V, now, s.a1 + v)
        a2 = load(V, now, s.a2 + v)
        c2 = c2 + a2
        out = fma(a1, fma(lead, c2, e_min), load(V, now, s.out + v))
        store(now, s.out + v, fma(a2, fma(lead, c1, e_min), out))
        c1 = c1 + a1


@inner
def order_adjoint(s, q, now):
    """The direct adjoints first, then those through the cumulative sums, from the end backwards."""
    V, M = s.vector, s.M
    e_min = chosen(s, now, s.MIN)
    lead = chosen(s, now, s.MAX) - e_min
    c1 = zeros(V)
    c2 = zeros(V)
    d_e_max = zeros(V)
    d_e_either = zeros(V)
    for v in range(M):
        a1 = load(V, now, s.a1 + v)
        a2 = load(V, now, s.a2 + v)
        d_out = load(V, q, s.d_out + v)
        d_e_max = fma(d_out, fma(a1, c2 + a2, a2 * c1), d_e_max)
        d_e_either = fma(d_out, a1 + a2, d_e_either)
        store(q, s.d_a1 + v, fma(d_out, fma(lead, c2, e_min), load(V, q, s.d_a1 + v)))
        store(q, s.d_a2 + v, fma(d_out, fma(lead, c1, e_min), load(V, q, s.d_a2 + v)))
        c1 = c1 + a1
        c2 = c2 + a2
    d_c1 = zeros(V)
    d_c2 = zeros(V)
    for back in range(M):
        v = M - 1 - back
        pull = lead * load(V, q, s.d_out + v)
        d_c1 = fma(pull, load(V, now, s.a2 + v), d_c1)
        d_c2 = fma(pull, load(V, now, s.a1 + v), d_c2)
        store(q, s.d_a1 + v, load(V, q, s.d_a1 + v) + d_c1)
        store(q, s.d_a2 + v, load(V, q, s.d_a2 + v) + d_c2)
    add_chosen_adjoint(s, q, s.MIN, d_e_either - d_e_max)
    add_chosen_adjoint(s, q, s.MAX, d_e_max)


@inner
def derived(s, meanings, now):
    """Add the weighted outputs of the instructions without a fast path, and of those that output 0."""
    V = s.vector
    for k in range(s.D):
        op, seconds = meanings.derived[k, 0], meanings.derived[k, 1]
        e = load(V, now, s.e + op)
        for i in range(s.M):
            share = e * load(V, now, s.a1 + i)
            for j in range(seconds):
                at = s.out + meanings.outputs[k, i, j]
                more = share
                if seconds > 1:
                    more = share * load(V, now, s.a2 + j)
                store(now, at, load(V, now, at) + more)
    constant = zeros(V)
    for op in range(s.N):
        if s.constants >> op & 1:
            constant = constant + load(V, now, s.e + op)
    store(now, s.out, load(V, now, s.out) + constant)


@inner
def derived_adjoint(s, meanings, q, now):
    """d_e = Σ A1_i A2_j d_out_{f(i, j)}, and likewise for the operands."""
    V = s.vector
    for k in range(s.D):
        op, seconds = meanings.derived[k, 0], meanings.derived[k, 1]
        e = load(V, now, s.e + op)
        d_e = zeros(V)
        for i in range(s.M):
            a1 = load(V, now, s.a1 + i)
            d_first = zeros(V)
            for j in range(seconds):
                d_out = load(V, q, s.d_out + meanings.outputs[k, i, j])
                if seconds > 1:
                    d_first = fma(d_out, load(V, now, s.a2 + j), d_first)
                    d_a2 = fma(e * a1, d_out, load(V, q, s.d_a2 + j))
                    store(q, s.d_a2 + j, d_a2)
                else:
                    d_first = d_out
            d_e = fma(a1, d_first, d_e)
            store(q, s.d_a1 + i, fma(e, d_first, load(V, q, s.d_a1 + i)))
        add_chosen_adjoint(s, q, op, d_e)
    for op in range(s.N):
        if s.constants >> op & 1:
            add_chosen_adjoint(s, q, op, load(V, q, s.d_out))
