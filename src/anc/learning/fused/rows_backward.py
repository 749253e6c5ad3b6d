"""The adjoint of :mod:`rows_forward`: the gradient of one member's loss, one step at a time, backwards.

The adjoints of the state (``d_m``, ``d_r``, ``d_ir``, ``d_p``) live in the work area and are replaced in place.
"""

from __future__ import annotations

from anc.learning.fused.compilation import inner
from anc.learning.fused.layout import ADD, DEC, INC, JEZ, MAX, MIN, READ, STOP, SUB, WRITE, ZERO
from anc.learning.fused.layout import N as INSTRUCTIONS
from anc.learning.fused.rows_forward import twice_around
from anc.learning.fused.vectors import (
    fma,
    fnma,
    get,
    load,
    load_backwards,
    ones_at_last,
    ones_at_one,
    put,
    splat,
    spread,
    store,
    sums_from,
    sums_up_to,
    total,
    unknown,
    without_padding,
    zeros,
)


@inner
def softmax_adjoint_row(cls, y, y_offset, d_y, d_y_offset, target, target_offset):
    """d_z = y (d_y - Σ y d_y)."""
    p = load(cls, y, y_offset)
    d = without_padding(cls, load(cls, d_y, d_y_offset))
    store(target, target_offset, p * (d - splat(cls, total(p * d))))


@inner
def begin_adjoint_rows(s, q, last, threshold, efficiency_scale, masked, masked_count):
    """The loss of the final state: its terms (unweighted) and the adjoints to start from."""
    V = s.row_class
    zero = zeros(V)
    for i in range(unknown(s.M)):
        store(q, s.d_m + i * s.row, zero)
    for i in range(unknown(s.R)):
        store(q, s.d_r + i * s.row, zero)
    store(q, s.d_ir, zero)
    twice = spread(V, q, s.correctness) + spread(V, q, s.correctness)
    for k in range(masked_count):
        at = masked[k] * s.row
        d = load(V, last, s.m + at) - load(V, q, s.target + at)
        store(q, s.d_m + at, twice * d)
    p = get(last, s.p)
    halted = p > threshold
    put(q, s.d_p, (0.0 if halted else -get(q, s.halting)) - get(q, s.efficiency) * efficiency_scale)
    put(q, s.terms, get(last, s.gap))
    put(q, s.terms + 1, 0.0 if halted else 1 - p)
    put(q, s.terms + 2, 0.0)
    put(q, s.terms + 3, 1 - p)


@inner
def backward_rows(s, q, now, after, full, efficiency_scale, masked, masked_count):
    """Turn the adjoints of the state ``after`` into those of ``now`` and add to the gradient."""
    V, W, M = s.row_class, s.wide_class, s.M
    cells, registers = unknown(s.M), unknown(s.R)
    e, a, b, o = s.choice + s.e, s.choice + s.a, s.choice + s.b, s.choice + s.o
    d_e, d_a, d_b, d_o = s.d_z + s.e, s.d_z + s.a, s.d_z + s.b, s.d_z + s.o
    a1 = load(V, now, s.a1)
    a2 = load(V, now, s.a2)

    # What this step adds to the loss: confidence (p' - p) gap and efficiency (1 - p).
    confidence = get(q, s.confidence)
    gap = get(after, s.gap)
    p = get(now, s.p)
    gain = get(after, s.p) - p
    put(q, s.terms + 2, get(q, s.terms + 2) + gain * gap)
    put(q, s.terms + 3, get(q, s.terms + 3) + (1 - p))
    if confidence != 0.0:
        twice = splat(V, 2 * confidence * gain)
        for k in range(masked_count):
            at = masked[k] * s.row
            d = load(V, after, s.m + at) - load(V, q, s.target + at)
            store(q, s.d_m + at, fma(twice, d, load(V, q, s.d_m + at)))

    # The stop probability.
    d_p = get(q, s.d_p) + confidence * gap
    d_e_stop = d_p * (1 - p)
    if full:
        d_p = d_p - d_p * get(now, e + STOP)
    put(q, s.d_p, d_p - confidence * gap - get(q, s.efficiency) * efficiency_scale)

    # The registers' blend with the output.
    out = load(V, now, s.out)
    d_out = zeros(V)
    for i in range(registers):
        d = load(V, q, s.d_r + i * s.row)
        put(q, d_o + i, total(d * (out - load(V, now, s.r + i * s.row))))
        d_out = fma(spread(V, now, o + i), d, d_out)
    store(q, s.d_out, d_out)

    # The instruction register: a jump to A2 or the next line.
    e_jump = get(now, e + JEZ)
    a1_zero = get(now, s.a1)
    jump = splat(V, e_jump * a1_zero)
    d_next = load(V, q, s.d_ir)
    line = without_padding(V, load(V, now, s.ir - 1))
    d_jump = total(d_next * (a2 - line))
    d_a2 = jump * d_next
    put(q, s.d_ir + M, get(q, s.d_ir))
    d_line = load(V, q, s.d_ir + 1)
    d_line = without_padding(V, fnma(jump, d_line, d_line))

    # The memory: WRITE blends A2 in, READ takes A1 @ m.
    e_write = get(now, e + WRITE)
    e_read = get(now, e + READ)
    e_write_row = splat(V, e_write)
    read_row = splat(V, e_read) * d_out
    written = zeros(V)
    for i in range(cells):
        a1_i = spread(V, now, s.a1 + i)
        d = load(V, q, s.d_m + i * s.row)
        cell = load(V, now, s.m + i * s.row)
        change = d * (a2 - cell)
        written = fma(a1_i, change, written)
        put(q, s.d_a1 + i, total(fma(e_write_row, change, read_row * cell)))
        blended = e_write_row * a1_i * d
        d_a2 = d_a2 + blended
        store(q, s.d_m + i * s.row, fma(a1_i, read_row, d - blended))
    d_e_write = total(written)
    d_e_read = total(d_out * load(V, now, s.read))
    put(q, s.d_a1, get(q, s.d_a1) + d_jump * e_jump)

    # The convolution that is INC, DEC, ADD and SUB.
    twice_around(s, q, a2)
    c = spread(W, now, e + ADD) * load(W, q, s.a_twice_reversed)
    c = fma(spread(W, now, e + SUB), load(W, q, s.a_twice), c)
    c = fma(spread(W, now, e + INC), ones_at_last(W), c)
    c = fma(spread(W, now, e + DEC), ones_at_one(W), c)
    store(q, s.blend_reversed, c)
    twice_around(s, q, a1)
    d_a1 = load(V, q, s.d_a1)
    d_blend = zeros(V)
    for k in range(cells):
        d = spread(V, q, s.d_out + k)
        d_a1 = fma(d, load(V, q, s.blend_reversed + M - k), d_a1)
        d_blend = fma(d, load(V, q, s.a_twice_reversed + M - k), d_blend)
    store(q, s.d_blend, d_blend)
    put(q, s.d_blend + M, get(q, s.d_blend))
    other = load_backwards(V, q, s.d_blend + M)
    d_e_add = total(d_blend * a2)
    d_e_sub = total(other * a2)
    d_a2 = fma(spread(V, now, e + ADD), d_blend, d_a2)
    d_a2 = fma(spread(V, now, e + SUB), other, d_a2)

    # MIN and MAX: out = A1 (e_MIN + lead c2) + A2 (e_MIN + lead (c1 - A1)) with c the sums up to v.
    e_min = spread(V, now, e + MIN)
    lead = spread(V, now, e + MAX) - e_min
    below1 = sums_up_to(a1) - a1
    c2 = sums_up_to(a2)
    d_e_max = total(d_out * fma(a1, c2, a2 * below1))
    d_e_either = total(d_out * (a1 + a2))
    pull = lead * d_out
    d_a1 = d_a1 + fma(pull, c2 - a2, e_min * d_out) + sums_from(pull * a2)
    d_a2 = d_a2 + fma(pull, below1, e_min * d_out) + sums_from(pull * a1)
    d_a1 = without_padding(V, d_a1)
    d_a2 = without_padding(V, d_a2)

    # The choices of registers, and the registers themselves.
    for i in range(registers):
        register = load(V, now, s.r + i * s.row)
        put(q, d_a + i, total(d_a1 * register))
        put(q, d_b + i, total(d_a2 * register))
        d = load(V, q, s.d_r + i * s.row)
        d = fma(spread(V, now, a + i), d_a1, fnma(spread(V, now, o + i), d, d))
        store(q, s.d_r + i * s.row, fma(spread(V, now, b + i), d_a2, d))

    # The choice of the instruction.
    at_zero = get(q, s.d_out)
    put(q, d_e + STOP, d_e_stop + at_zero)
    put(q, d_e + ZERO, at_zero)
    put(q, d_e + INC, get(q, s.d_blend + 1))
    put(q, d_e + DEC, get(q, s.d_blend + M - 1))
    put(q, d_e + ADD, d_e_add)
    put(q, d_e + SUB, d_e_sub)
    put(q, d_e + MIN, d_e_either - d_e_max)
    put(q, d_e + MAX, d_e_max)
    put(q, d_e + READ, d_e_read)
    put(q, d_e + WRITE, d_e_write + at_zero)
    put(q, d_e + JEZ, d_jump * a1_zero + at_zero)

    # The controller.
    softmax_adjoint_row(s.ops_class, now, e, q, d_e, q, d_e)
    softmax_adjoint_row(s.regs_class, now, a, q, d_a, q, d_a)
    softmax_adjoint_row(s.regs_class, now, b, q, d_b, q, d_b)
    softmax_adjoint_row(s.regs_class, now, o, q, d_o, q, d_o)
    d_z = load(s.line_class, q, s.d_z)
    for j in range(cells):
        where = s.gradient + s.pack_lines + j * s.line
        line_gradient = load(s.line_class, q, where)
        store(q, where, fma(spread(s.line_class, now, s.ir + j), d_z, line_gradient))
    for c in range(unknown(INSTRUCTIONS)):
        weights = load(V, q, s.lines_by_choice + (s.e + c) * s.row)
        d_line = fma(spread(V, q, d_e + c), weights, d_line)
    for c in range(unknown(s.regs * 3)):
        weights = load(V, q, s.lines_by_choice + (s.a + c) * s.row)
        d_line = fma(spread(V, q, d_a + c), weights, d_line)
    store(q, s.d_ir, d_line)


@inner
def keep_initial_adjoint_rows(s, q):
    """Add the adjoints of the initial state of one sample to those of the batch."""
    V = s.row_class
    for i in range(unknown(s.R)):
        at = i * s.row
        store(q, s.d_r0 + at, load(V, q, s.d_r0 + at) + load(V, q, s.d_r + at))
    store(q, s.d_ir0, load(V, q, s.d_ir0) + load(V, q, s.d_ir))


@inner
def initial_gradient_rows(s, q):
    """From the batch's adjoints of the initial state to the gradient of its logits."""
    V = s.row_class
    softmax_adjoint_row(V, q, s.ir0, q, s.d_ir0, q, s.gradient + s.pack_start)
    for i in range(unknown(s.R)):
        at = i * s.row
        target = s.gradient + s.pack_registers + at
        softmax_adjoint_row(V, q, s.r0 + at, q, s.d_r0 + at, q, target)
