"""The loss (anc.training.loss says what its terms mean) and its direct adjoints."""

from __future__ import annotations

from anc.machine.compiled import inner
from anc.training.fused.begin import counting_cell, counting_cells
from anc.training.fused.vectors import choose, exceeds, fma, load, splat, store, zeros


@inner
def squared_error(s, q, m):
    """Σ_ij C_ij (m_ij - T_ij)² per member; only over cells that count for some member."""
    V, M = s.vector, s.M
    error = zeros(V)
    for k in range(counting_cells(s, q)):
        i = counting_cell(s, q, k)
        row_error = zeros(V)
        for v in range(M):
            d = load(V, m, i * M + v) - load(V, q, s.target + i * M + v)
            row_error = fma(d, d, row_error)
        error = choose(load(V, q, s.mask + i), error + row_error, error)
    return error


@inner
def charge_end(s, q, last, m, threshold):
    """The loss of the final state: its terms (unweighted) and the adjoints to start from."""
    V, M = s.vector, s.M
    zero = zeros(V)
    present = load(V, q, s.present)
    for k in range(M * M):
        store(q, s.d_m + k, zero)
    for k in range(M + s.R * M):
        store(q, s.sample + k, zero)
    twice = choose(present, splat(V, 2.0) * load(V, q, s.factors), zero)
    for k in range(counting_cells(s, q)):
        i = counting_cell(s, q, k)
        counts = load(V, q, s.mask + i)
        for v in range(M):
            at = i * M + v
            d = load(V, m, at) - load(V, q, s.target + at)
            store(q, s.d_m + at, choose(counts, twice * d, zero))
    p = load(V, last, s.p)
    halted = exceeds(p, splat(V, threshold))
    d_p = choose(halted, zero, zero - load(V, q, s.factors + 1)) - load(V, q, s.factors + 3)
    store(q, s.d_p, choose(present, d_p, zero))
    store(q, s.terms, load(V, last, s.gap))
    store(q, s.terms + 1, choose(halted, zero, splat(V, 1.0) - p))
    store(q, s.terms + 2, zero)
    store(q, s.terms + 3, splat(V, 1.0) - p)


@inner
def charge_step(s, q, now, after, m_after):
    """What a step adds: confidence (p' - p) gap, efficiency (1 - p); the adjoints that p' and p get from it."""
    V, M = s.vector, s.M
    zero = zeros(V)
    active = load(V, now, s.active)
    confidence = load(V, q, s.factors + 2)
    gap = load(V, after, s.gap)
    p = load(V, now, s.p)
    gain = load(V, after, s.p) - p
    store(q, s.terms + 2, fma(gain, gap, load(V, q, s.terms + 2)))
    spent = choose(active, splat(V, 1.0) - p, zero)
    store(q, s.terms + 3, load(V, q, s.terms + 3) + spent)
    twice = confidence * gain * splat(V, 2.0)
    for k in range(counting_cells(s, q)):
        i = counting_cell(s, q, k)
        counts = load(V, q, s.mask + i) * confidence
        for v in range(M):
            at = i * M + v
            d = load(V, m_after, at) - load(V, q, s.target + at)
            before = load(V, q, s.d_m + at)
            store(q, s.d_m + at, choose(counts, fma(twice, d, before), before))
    return choose(active, confidence * gap, zero), choose(active, load(V, q, s.factors + 3), zero)
