"""One soft step of one member, with vectors along the values 0..M-1 (padded with zeros)."""

from __future__ import annotations

from anc.learning.fused.compilation import inner
from anc.learning.fused.layout import ADD, DEC, INC, JEZ, MAX, MIN, READ, STOP, SUB, WRITE, ZERO
from anc.learning.fused.vectors import (
    exp_of_nonpositive,
    fma,
    get,
    largest,
    load,
    load_backwards,
    ones_at_last,
    ones_at_one,
    ones_at_zero,
    padded_low,
    put,
    splat,
    spread,
    store,
    sums_up_to,
    total,
    unknown,
    without_padding,
    zeros,
)


@inner
def softmax_row(cls, source, source_offset, target, target_offset):
    """Softmax of one padded vector; the padding becomes zero."""
    z = padded_low(cls, load(cls, source, source_offset))
    y = without_padding(cls, exp_of_nonpositive(z - splat(cls, largest(z))))
    store(target, target_offset, y * splat(cls, 1.0 / total(y)))


@inner
def initial_state_rows(s, q):
    """Softmax of the initial registers and of the start line, and the lines' logits transposed."""
    softmax_row(s.row_class, q, s.weights + s.pack_start, q, s.ir0)
    for i in range(unknown(s.R)):
        at = i * s.row
        softmax_row(s.row_class, q, s.weights + s.pack_registers + at, q, s.r0 + at)
    for j in range(unknown(s.M)):
        for c in range(unknown(s.line)):
            x = get(q, s.weights + s.pack_lines + j * s.line + c)
            put(q, s.lines_by_choice + c * s.row + j, x)


@inner
def begin_rows(s, q, now, masked, inputs, targets, masks, cases):
    """Put the initial state into the first slot; return how many cells count."""
    V, M = s.row_class, s.M
    case = cases[0]
    zero = zeros(V)
    for i in range(unknown(s.R)):
        store(now, s.r + i * s.row, load(V, q, s.r0 + i * s.row))
    count = 0
    for i in range(unknown(M)):
        store(now, s.m + i * s.row, zero)
        put(now, s.m + i * s.row + inputs[case, i], 1.0)
        if masks[case, i] != 0:
            store(q, s.target + i * s.row, zero)
            put(q, s.target + i * s.row + targets[case, i], 1.0)
            masked[count] = i
            count += 1
    store(now, s.ir, load(V, q, s.ir0))
    put(now, s.ir - 1, get(q, s.ir0 + M - 1))
    put(now, s.p, 0.0)
    put(now, s.gap, 0.0)
    put(now, s.active, 1.0)
    return count


@inner
def twice_around(s, q, a):
    """Write the row ``a`` twice in a row, forwards and backwards: circular shifts become plain loads."""
    store(q, s.a_twice, a)
    store(q, s.a_twice + s.M, a)
    store(q, s.a_twice + 2 * s.M, a)
    store(q, s.a_twice_reversed, load_backwards(s.wide_class, q, s.a_twice + 2 * s.M))


@inner
def squared_error_rows(s, q, slot, masked, masked_count):
    """Σ_ij C_ij (m_ij - T_ij)²."""
    V = s.row_class
    error = zeros(V)
    for k in range(masked_count):
        at = masked[k] * s.row
        d = load(V, slot, s.m + at) - load(V, q, s.target + at)
        error = fma(d, d, error)
    return total(error)


@inner
def forward_rows(s, q, now, after, threshold, masked, masked_count):
    """Execute one soft step from slot ``now`` to slot ``after``; tell whether the member is still running."""
    V, W, M = s.row_class, s.wide_class, s.M
    cells, registers = unknown(s.M), unknown(s.R)
    e, a, b, o = s.choice + s.e, s.choice + s.a, s.choice + s.b, s.choice + s.o

    # The controller mixes the logits of the lines, then takes the softmax.
    z = zeros(s.line_class)
    for j in range(cells):
        line = load(s.line_class, q, s.weights + s.pack_lines + j * s.line)
        z = fma(spread(s.line_class, now, s.ir + j), line, z)
    store(q, s.z, z)
    softmax_row(s.ops_class, q, s.z + s.e, now, e)
    softmax_row(s.regs_class, q, s.z + s.a, now, a)
    softmax_row(s.regs_class, q, s.z + s.b, now, b)
    softmax_row(s.regs_class, q, s.z + s.o, now, o)

    # The operands A1 and A2.
    a1 = zeros(V)
    a2 = zeros(V)
    for i in range(registers):
        register = load(V, now, s.r + i * s.row)
        a1 = fma(spread(V, now, a + i), register, a1)
        a2 = fma(spread(V, now, b + i), register, a2)
    store(now, s.a1, a1)
    store(now, s.a2, a2)

    # INC, DEC, ADD and SUB are one circular convolution of A1 with
    # c_d = e_ADD A2_d + e_SUB A2_{-d} + e_INC [d = 1] + e_DEC [d = -1].
    twice_around(s, q, a2)
    c = spread(W, now, e + ADD) * load(W, q, s.a_twice)
    c = fma(spread(W, now, e + SUB), load(W, q, s.a_twice_reversed), c)
    c = fma(spread(W, now, e + INC), ones_at_one(W), c)
    c = fma(spread(W, now, e + DEC), ones_at_last(W), c)
    store(q, s.blend, c)

    # One pass over the memory: the convolution, READ, and what WRITE makes of each cell.
    sums = zeros(V)
    read = zeros(V)
    e_write = get(now, e + WRITE)
    for j in range(cells):
        a1_j = get(now, s.a1 + j)
        cell = load(V, now, s.m + j * s.row)
        sums = fma(splat(V, a1_j), load(V, q, s.blend + M - j), sums)
        read = fma(splat(V, a1_j), cell, read)
        store(after, s.m + j * s.row, fma(splat(V, e_write * a1_j), a2 - cell, cell))
    store(now, s.read, read)

    # MIN and MAX by cumulative sums, and the instructions that output 0.
    e_min = spread(V, now, e + MIN)
    lead = spread(V, now, e + MAX) - e_min
    out = fma(spread(V, now, e + READ), read, sums)
    out = fma(a1, fma(lead, sums_up_to(a2), e_min), out)
    out = fma(a2, fma(lead, sums_up_to(a1) - a1, e_min), out)
    e_stop = get(now, e + STOP)
    e_jump = get(now, e + JEZ)
    constant = e_stop + get(now, e + ZERO) + e_write + e_jump
    out = without_padding(V, fma(splat(V, constant), ones_at_zero(V), out))
    store(now, s.out, out)

    # The registers, the instruction register and the stop probability.
    for i in range(registers):
        register = load(V, now, s.r + i * s.row)
        share = spread(V, now, o + i)
        store(after, s.r + i * s.row, fma(share, out - register, register))
    jump = splat(V, e_jump * get(now, s.a1))
    line = without_padding(V, load(V, now, s.ir - 1))
    line = fma(jump, a2 - line, line)
    store(after, s.ir, line)
    put(after, s.ir - 1, get(after, s.ir + M - 1))
    p = get(now, s.p)
    put(after, s.p, p + e_stop * (1 - p))
    put(after, s.gap, squared_error_rows(s, q, after, masked, masked_count))
    put(q, s.steps, get(q, s.steps) + 1.0)
    running = not get(after, s.p) > threshold
    put(after, s.active, 1.0 if running else 0.0)
    return running
