"""MIN and MAX by cumulative sums.

Their weighted sum is out = A1 (e_MIN + lead c2) + A2 (e_MIN + lead (c1 - A1)), where lead = e_MAX - e_MIN and c1 and c2
are the sums of A1 and A2 up to each value.
"""

from __future__ import annotations

from anc.machine.compiled import inner
from anc.training.fused.step.chosen import add_chosen_adjoint, chosen
from anc.training.fused.vectors import fma, load, store, zeros


@inner
def order(s, now):
    """Add what MIN and MAX output."""
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
    """The direct parts first; what flows through the sums comes from the end backwards."""
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
