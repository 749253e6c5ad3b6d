"""Every other instruction: the distribution of f(i, j), summed over all pairs of operands.

This needs nothing but the instruction table: out_{f(i, j)} += e A1_i A2_j. It is slower than a fast path, never wrong.
"""

from __future__ import annotations

from anc.machine.compiled import inner
from anc.training.fused.step.chosen import add_chosen_adjoint
from anc.training.fused.vectors import fma, load, store, zeros


@inner
def derived(s, meanings, now):
    """Add what the instructions without a fast path output, and those that output 0."""
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
