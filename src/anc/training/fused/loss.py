"""The initial state and the loss (see anc.training.loss), each with its adjoint."""

from __future__ import annotations

from anc.machine.compiled import inner
from anc.training.fused.access import get, load, put, store
from anc.training.fused.choices import softmax, softmax_adjoint
from anc.training.fused.vectors import LANES, choose, exceeds, fma, splat, zeros


@inner
def initial_state(s, q, weights):
    """The softmax of the start line and of the initial registers."""
    for i in range(1 + s.R):
        softmax(s, weights, i * s.M, q, s.initial + i * s.M, s.M)


@inner
def initial_gradient(s, q):
    """Turn the adjoints of the initial state into the gradient of its logits."""
    for i in range(1 + s.R):
        d = s.sample + i * s.M
        softmax_adjoint(s, q, s.initial + i * s.M, q, d, q, d, s.M)


@inner
def begin(s, q, now, m, cases, chosen):
    """Write the initial state into the first slot and memory; list the cells that count for some lane."""
    V, M = s.vector, s.M
    zero = zeros(V)
    for k in range(M * M):
        store(m, k, zero)
        store(q, s.target + k, zero)
    for k in range(M + s.R * M):
        store(now, s.ir + k, load(V, q, s.initial + k))
    for i in range(M):
        store(q, s.mask + i, zero)
    store(now, s.p, zero)
    store(now, s.gap, zero)
    store(now, s.active, load(V, q, s.present))
    store(q, s.steps, zero)
    for lane in range(LANES):
        case = chosen[lane]
        for i in range(M):
            put(m, i * M + cases.inputs[case, i], lane, 1.0)
            if cases.masks[case, i] != 0:
                put(q, s.target + i * M + cases.outputs[case, i], lane, 1.0)
                put(q, s.mask + i, lane, 1.0)
    count = 0
    for i in range(M):
        some = False
        for lane in range(LANES):
            some = some or get(q, s.mask + i, lane) > 0.0
        if some:
            count += 1
            put(q, s.cells + count, 0, i)
    put(q, s.cells, 0, count)


@inner
def counting_cells(s, q):
    """The number of cells that count for some lane."""
    return int(get(q, s.cells, 0))


@inner
def counting_cell(s, q, k):
    """The k-th of these cells."""
    return int(get(q, s.cells + 1 + k, 0))


@inner
def squared_error(s, q, m):
    """Σ_ij C_ij (m_ij - T_ij)² for each lane, over the cells that count for some lane."""
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
    """The loss of the final state: its unweighted terms and the adjoints that the backward pass starts from."""
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
    """The loss of a step: confidence (p' - p) gap and efficiency (1 - p). Returns its adjoints of p' and p."""
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
