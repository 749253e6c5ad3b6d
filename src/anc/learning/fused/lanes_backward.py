"""The adjoint of :mod:`lanes_forward`: the gradient of G members' losses, one step at a time, backwards.

The adjoints of the state (``d_m``, ``d_r``, ``d_ir``, ``d_p``) live in the work area and are replaced in place.
"""

from __future__ import annotations

from anc.learning.fused.compilation import inner
from anc.learning.fused.lanes_forward import blend_lanes
from anc.learning.fused.layout import ADD, DEC, INC, JEZ, MAX, MIN, READ, STOP, SUB, WRITE, ZERO
from anc.learning.fused.layout import N as INSTRUCTIONS
from anc.learning.fused.vectors import (
    choose,
    exceeds,
    fma,
    fnma,
    load,
    load_nth,
    splat,
    store,
    store_nth,
    zeros,
)


@inner
def softmax_adjoint_lanes(s, y, y_offset, d_y, d_y_offset, target, target_offset, count):
    """d_z = y (d_y - Σ y d_y)."""
    V = s.lane
    mean = zeros(V)
    for k in range(count):
        mean = fma(load_nth(V, y, y_offset, k), load_nth(V, d_y, d_y_offset, k), mean)
    for k in range(count):
        change = load_nth(V, d_y, d_y_offset, k) - mean
        store_nth(target, target_offset, k, load_nth(V, y, y_offset, k) * change)


@inner
def begin_adjoint_lanes(s, q, last, threshold, efficiency_scale, masked, masked_count):
    """The loss of the final state: its terms (unweighted) and the adjoints to start from."""
    V, M, R = s.lane, s.M, s.R
    zero = zeros(V)
    for k in range(M * M):
        store_nth(q, s.d_m, k, zero)
    for k in range(R * M):
        store_nth(q, s.d_r, k, zero)
    for j in range(M):
        store_nth(q, s.d_ir, j, zero)
    twice = splat(V, 2.0) * load(V, q, s.correctness)
    for k in range(masked_count):
        i = masked[k]
        counts = load_nth(V, q, s.mask, i)
        for v in range(M):
            where = i * M + v
            d = load_nth(V, last, s.m, where) - load_nth(V, q, s.target, where)
            store_nth(q, s.d_m, where, choose(counts, twice * d, zero))
    p = load(V, last, s.p)
    halted = exceeds(p, splat(V, threshold))
    efficiency = load(V, q, s.efficiency) * splat(V, efficiency_scale)
    store(q, s.d_p, choose(halted, zero, zero - load(V, q, s.halting)) - efficiency)
    store(q, s.terms, load(V, last, s.gap))
    store_nth(q, s.terms, 1, choose(halted, zero, splat(V, 1.0) - p))
    store_nth(q, s.terms, 2, zero)
    store_nth(q, s.terms, 3, splat(V, 1.0) - p)


@inner
def backward_lanes(s, q, now, after, full, efficiency_scale, masked, masked_count):
    """Turn the adjoints of the state ``after`` into those of ``now`` and add to the gradient."""
    V, M, R = s.lane, s.M, s.R
    zero = zeros(V)
    one = splat(V, 1.0)
    active = load(V, now, s.active)
    e, a, b, o = s.choice + s.e, s.choice + s.a, s.choice + s.b, s.choice + s.o
    d_e, d_a, d_b, d_o = s.d_z + s.e, s.d_z + s.a, s.d_z + s.b, s.d_z + s.o

    # What this step adds to the loss: confidence (p' - p) gap and efficiency (1 - p).
    confidence = load(V, q, s.confidence)
    efficiency = load(V, q, s.efficiency) * splat(V, efficiency_scale)
    gap = load(V, after, s.gap)
    p = load(V, now, s.p)
    gain = load(V, after, s.p) - p
    store_nth(q, s.terms, 2, fma(gain, gap, load_nth(V, q, s.terms, 2)))
    store_nth(
        q,
        s.terms,
        3,
        choose(active, load_nth(V, q, s.terms, 3) + (one - p), load_nth(V, q, s.terms, 3)),
    )
    weighted_gap = choose(active, confidence * gap, zero)
    twice = confidence * gain * splat(V, 2.0)
    for k in range(masked_count):
        i = masked[k]
        counts = load_nth(V, q, s.mask, i) * confidence
        for v in range(M):
            where = i * M + v
            d = load_nth(V, after, s.m, where) - load_nth(V, q, s.target, where)
            before = load_nth(V, q, s.d_m, where)
            store_nth(q, s.d_m, where, choose(counts, fma(twice, d, before), before))

    # The stop probability.
    d_p = load(V, q, s.d_p) + weighted_gap
    e_stop = load_nth(V, now, e, STOP)
    d_e_stop = d_p * (one - p)
    if full:
        d_p = fnma(d_p, e_stop, d_p)
    store(q, s.d_p, d_p - weighted_gap - choose(active, efficiency, zero))

    # The registers' blend with the output.
    for v in range(M):
        store_nth(q, s.d_out, v, zero)
    for i in range(R):
        share = load_nth(V, now, o, i)
        d_share = zero
        for v in range(M):
            where = i * M + v
            d = load_nth(V, q, s.d_r, where)
            d_share = fma(d, load_nth(V, now, s.out, v) - load_nth(V, now, s.r, where), d_share)
            store_nth(q, s.d_out, v, fma(share, d, load_nth(V, q, s.d_out, v)))
        store_nth(q, d_o, i, d_share)

    # The instruction register: a jump to A2 or the next line.
    e_jump = load_nth(V, now, e, JEZ)
    a1_zero = load(V, now, s.a1)
    jump = e_jump * a1_zero
    d_jump = zero
    first = load(V, q, s.d_ir)
    for j in range(M):
        previous = (j - 1) + M * (j == 0)
        d = load_nth(V, q, s.d_ir, j)
        change = load_nth(V, now, s.a2, j) - load_nth(V, now, s.ir, previous)
        d_jump = fma(d, change, d_jump)
        store_nth(q, s.d_a2, j, jump * d)
    for j in range(M - 1):
        d = load_nth(V, q, s.d_ir, j + 1)
        store_nth(q, s.d_ir, j, fnma(jump, d, d))
    store_nth(q, s.d_ir, M - 1, fnma(jump, first, first))

    # The memory: WRITE blends A2 in, READ takes A1 @ m.
    e_write = load_nth(V, now, e, WRITE)
    e_read = load_nth(V, now, e, READ)
    d_e_write = zero
    d_e_read = zero
    for i in range(M):
        a1 = load_nth(V, now, s.a1, i)
        share = e_write * a1
        read_share = e_read * a1
        written = zero
        read = zero
        for v in range(M):
            where = i * M + v
            d = load_nth(V, q, s.d_m, where)
            cell = load_nth(V, now, s.m, where)
            d_out = load_nth(V, q, s.d_out, v)
            written = fma(d, load_nth(V, now, s.a2, v) - cell, written)
            read = fma(d_out, cell, read)
            blended = share * d
            store_nth(q, s.d_a2, v, load_nth(V, q, s.d_a2, v) + blended)
            store_nth(q, s.d_m, where, fma(read_share, d_out, d - blended))
        store_nth(q, s.d_a1, i, fma(e_write, written, e_read * read))
        d_e_write = fma(a1, written, d_e_write)
        d_e_read = fma(a1, read, d_e_read)
    store(q, s.d_a1, fma(d_jump, e_jump, load(V, q, s.d_a1)))

    # The convolution that is INC, DEC, ADD and SUB.
    blend_lanes(s, q, now)
    for j in range(M):
        a1 = load_nth(V, now, s.a1, j)
        store_nth(q, s.a1_twice, j, a1)
        store_nth(q, s.a1_twice, j + M, a1)
    for j in range(M):
        d_operand = load_nth(V, q, s.d_a1, j)
        d_blend = zero
        for k in range(M):
            d_out = load_nth(V, q, s.d_out, k)
            d_operand = fma(d_out, load_nth(V, q, s.blend, M + k - j), d_operand)
            d_blend = fma(d_out, load_nth(V, q, s.a1_twice, M + k - j), d_blend)
        store_nth(q, s.d_a1, j, d_operand)
        store_nth(q, s.d_blend, j, d_blend)
    e_add = load_nth(V, now, e, ADD)
    e_sub = load_nth(V, now, e, SUB)
    d_e_add = zero
    d_e_sub = zero
    for d in range(M):
        opposite = (M - d) * (d > 0)
        same = load_nth(V, q, s.d_blend, d)
        other = load_nth(V, q, s.d_blend, opposite)
        a2 = load_nth(V, now, s.a2, d)
        d_e_add = fma(same, a2, d_e_add)
        d_e_sub = fma(other, a2, d_e_sub)
        d_a2 = fma(e_add, same, load_nth(V, q, s.d_a2, d))
        store_nth(q, s.d_a2, d, fma(e_sub, other, d_a2))

    # MIN and MAX: out = A1 (e_MIN + lead c2) + A2 (e_MIN + lead (c1 - A1)) with c the sums up to v.
    e_min = load_nth(V, now, e, MIN)
    lead = load_nth(V, now, e, MAX) - e_min
    c1 = zero
    c2 = zero
    d_e_max = zero
    d_e_either = zero
    for v in range(M):
        a1 = load_nth(V, now, s.a1, v)
        a2 = load_nth(V, now, s.a2, v)
        d_out = load_nth(V, q, s.d_out, v)
        below1 = c1
        c1 = c1 + a1
        c2 = c2 + a2
        d_e_max = fma(d_out, fma(a1, c2, a2 * below1), d_e_max)
        d_e_either = fma(d_out, a1 + a2, d_e_either)
        # The direct parts; what flows through the sums is added from the end backwards below.
        d_a1 = fma(d_out, fma(lead, c2 - a2, e_min), load_nth(V, q, s.d_a1, v))
        d_a2 = fma(d_out, fma(lead, below1, e_min), load_nth(V, q, s.d_a2, v))
        store_nth(q, s.d_a1, v, d_a1)
        store_nth(q, s.d_a2, v, d_a2)
    d_c1 = zero
    d_c2 = zero
    for back in range(M):
        v = M - 1 - back
        pull = lead * load_nth(V, q, s.d_out, v)
        d_c1 = fma(pull, load_nth(V, now, s.a2, v), d_c1)
        d_c2 = fma(pull, load_nth(V, now, s.a1, v), d_c2)
        store_nth(q, s.d_a1, v, load_nth(V, q, s.d_a1, v) + d_c1)
        store_nth(q, s.d_a2, v, load_nth(V, q, s.d_a2, v) + d_c2)

    # The choices of registers, and the registers themselves.
    for i in range(R):
        share1 = load_nth(V, now, a, i)
        share2 = load_nth(V, now, b, i)
        share_out = load_nth(V, now, o, i)
        d_share1 = zero
        d_share2 = zero
        for v in range(M):
            where = i * M + v
            register = load_nth(V, now, s.r, where)
            d_a1 = load_nth(V, q, s.d_a1, v)
            d_a2 = load_nth(V, q, s.d_a2, v)
            d_share1 = fma(d_a1, register, d_share1)
            d_share2 = fma(d_a2, register, d_share2)
            d = load_nth(V, q, s.d_r, where)
            d = fma(share1, d_a1, fnma(share_out, d, d))
            store_nth(q, s.d_r, where, fma(share2, d_a2, d))
        store_nth(q, d_a, i, d_share1)
        store_nth(q, d_b, i, d_share2)

    # The choice of the instruction.
    at_zero = load(V, q, s.d_out)
    store_nth(q, d_e, STOP, d_e_stop + at_zero)
    store_nth(q, d_e, ZERO, at_zero)
    store_nth(q, d_e, INC, load_nth(V, q, s.d_blend, 1))
    store_nth(q, d_e, DEC, load_nth(V, q, s.d_blend, M - 1))
    store_nth(q, d_e, ADD, d_e_add)
    store_nth(q, d_e, SUB, d_e_sub)
    store_nth(q, d_e, MIN, d_e_either - d_e_max)
    store_nth(q, d_e, MAX, d_e_max)
    store_nth(q, d_e, READ, d_e_read)
    store_nth(q, d_e, WRITE, d_e_write + at_zero)
    store_nth(q, d_e, JEZ, fma(d_jump, a1_zero, at_zero))

    # The controller.
    softmax_adjoint_lanes(s, now, e, q, d_e, q, d_e, INSTRUCTIONS)
    softmax_adjoint_lanes(s, now, a, q, d_a, q, d_a, R)
    softmax_adjoint_lanes(s, now, b, q, d_b, q, d_b, R)
    softmax_adjoint_lanes(s, now, o, q, d_o, q, d_o, R)
    weights, gradient = s.weights + s.pack_lines, s.gradient + s.pack_lines
    for j in range(M):
        line = load_nth(V, now, s.ir, j)
        d_line = load_nth(V, q, s.d_ir, j)
        for c in range(s.C):
            where = j * s.C + c
            d_z = load_nth(V, q, s.d_z, c)
            d_line = fma(load_nth(V, q, weights, where), d_z, d_line)
            store_nth(q, gradient, where, fma(line, d_z, load_nth(V, q, gradient, where)))
        store_nth(q, s.d_ir, j, d_line)


@inner
def keep_initial_adjoint_lanes(s, q):
    """Add the adjoints of the initial state of one sample to those of the batch."""
    V = s.lane
    for k in range(s.R * s.M):
        store_nth(q, s.d_r0, k, load_nth(V, q, s.d_r0, k) + load_nth(V, q, s.d_r, k))
    for j in range(s.M):
        store_nth(q, s.d_ir0, j, load_nth(V, q, s.d_ir0, j) + load_nth(V, q, s.d_ir, j))


@inner
def initial_gradient_lanes(s, q):
    """From the batch's adjoints of the initial state to the gradient of its logits."""
    target = s.gradient + s.pack_start
    softmax_adjoint_lanes(s, q, s.ir0, q, s.d_ir0, q, target, s.M)
    for i in range(s.R):
        at = i * s.row
        target = s.gradient + s.pack_registers + at
        softmax_adjoint_lanes(s, q, s.r0 + at, q, s.d_r0 + at, q, target, s.M)
