"""The state before the first step, and the gradient of the logits that it is made of."""

from __future__ import annotations

from anc.machine.compiled import inner
from anc.training.fused.softmax import softmax, softmax_adjoint
from anc.training.fused.vectors import LANES, get, load, put, store, zeros


@inner
def initial_state(s, q, weights):
    """Softmax of the start line and of the initial registers."""
    for i in range(1 + s.R):
        softmax(s, weights, i * s.M, q, s.initial + i * s.M, s.M)


@inner
def initial_gradient(s, q):
    """From the adjoints of the initial state to the gradient of its logits."""
    for i in range(1 + s.R):
        d = s.sample + i * s.M
        softmax_adjoint(s, q, s.initial + i * s.M, q, d, q, d, s.M)


@inner
def begin(s, q, now, m, cases, chosen):
    """Put the initial state into the first slot and memory, and note the cells that count for some member."""
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
    """How many cells count for some member."""
    return int(get(q, s.cells, 0))


@inner
def counting_cell(s, q, k):
    """The k-th of these cells."""
    return int(get(q, s.cells + 1 + k, 0))
