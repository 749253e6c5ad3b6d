"""One soft step for G members side by side: the innermost axis of every array is the member.

A member that has halted keeps its place in the vectors but its choices ``e`` and ``o`` are set to zero, so that its
memory, registers and stop probability stay exactly as they are while the others go on.
"""

from __future__ import annotations

from anc.learning.fused.compilation import inner
from anc.learning.fused.layout import ADD, DEC, INC, JEZ, MAX, MIN, READ, STOP, SUB, WRITE, ZERO
from anc.learning.fused.layout import N as INSTRUCTIONS
from anc.learning.fused.vectors import (
    choose,
    exceeds,
    exp_of_nonpositive,
    fma,
    get,
    larger,
    load,
    load_nth,
    put,
    splat,
    store,
    store_nth,
    zeros,
)


@inner
def softmax_lanes(s, source, source_offset, target, target_offset, count):
    """Softmax over ``count`` entries, each member with its own maximum."""
    V = s.lane
    top = load(V, source, source_offset)
    for k in range(1, count):
        top = larger(top, load_nth(V, source, source_offset, k))
    norm = zeros(V)
    for k in range(count):
        y = exp_of_nonpositive(load_nth(V, source, source_offset, k) - top)
        norm = norm + y
        store_nth(target, target_offset, k, y)
    scale = splat(V, 1.0) / norm
    for k in range(count):
        store_nth(target, target_offset, k, load_nth(V, target, target_offset, k) * scale)


@inner
def initial_state_lanes(s, q):
    """Softmax of the initial registers and of the start line, shared by all samples of a batch."""
    softmax_lanes(s, q, s.weights + s.pack_start, q, s.ir0, s.M)
    for i in range(s.R):
        softmax_lanes(s, q, s.weights + s.pack_registers + i * s.row, q, s.r0 + i * s.row, s.M)


@inner
def begin_lanes(s, q, now, masked, inputs, targets, masks, cases):
    """Put the initial state into the first slot; return how many cells count for some member."""
    V, G, M, R = s.lane, s.G, s.M, s.R
    zero = zeros(V)
    for k in range(M * M):
        store_nth(now, s.m, k, zero)
        store_nth(q, s.target, k, zero)
    for k in range(R * M):
        store_nth(now, s.r, k, load_nth(V, q, s.r0, k))
    for j in range(M):
        store_nth(now, s.ir, j, load_nth(V, q, s.ir0, j))
        store_nth(q, s.mask, j, zero)
    store(now, s.p, zero)
    store(now, s.gap, zero)
    store(now, s.active, load(V, q, s.present))
    for lane in range(G):
        case = cases[lane]
        for i in range(M):
            put(now, s.m + (i * M + inputs[case, i]) * G + lane, 1.0)
            if masks[case, i] != 0:
                put(q, s.target + (i * M + targets[case, i]) * G + lane, 1.0)
                put(q, s.mask + i * G + lane, 1.0)
    count = 0
    for i in range(M):
        some = False
        for lane in range(G):
            some = some or get(q, s.mask + i * G + lane) > 0.0
        if some:
            masked[count] = i
            count += 1
    return count


@inner
def blend_lanes(s, q, now):
    """Write c twice in a row: the kernel of INC, DEC, ADD and SUB as one circular convolution.

    ADD convolves A1 with A2, SUB with A2 reversed, INC and DEC with a one at ±1, so their weighted sum is
    Σ_j A1_j c_{k-j} with c_d = e_ADD A2_d + e_SUB A2_{-d} + e_INC [d = 1] + e_DEC [d = -1].
    """
    V, M = s.lane, s.M
    e = s.choice + s.e
    e_add = load_nth(V, now, e, ADD)
    e_sub = load_nth(V, now, e, SUB)
    for d in range(M):
        opposite = (M - d) * (d > 0)
        c = e_add * load_nth(V, now, s.a2, d)
        c = fma(e_sub, load_nth(V, now, s.a2, opposite), c)
        if d == 1:
            c = c + load_nth(V, now, e, INC)
        if d == M - 1:
            c = c + load_nth(V, now, e, DEC)
        store_nth(q, s.blend, d, c)
        store_nth(q, s.blend, d + M, c)


@inner
def squared_error_lanes(s, q, slot, masked, masked_count):
    """Σ_ij C_ij (m_ij - T_ij)² per member."""
    V, M = s.lane, s.M
    error = zeros(V)
    for k in range(masked_count):
        i = masked[k]
        row_error = zeros(V)
        for v in range(M):
            d = load_nth(V, slot, s.m, i * M + v) - load_nth(V, q, s.target, i * M + v)
            row_error = fma(d, d, row_error)
        error = choose(load_nth(V, q, s.mask, i), error + row_error, error)
    return error


@inner
def forward_lanes(s, q, now, after, threshold, masked, masked_count):
    """Execute one soft step from slot ``now`` to slot ``after``; tell whether a member is still running."""
    V, G, M, R = s.lane, s.G, s.M, s.R
    zero = zeros(V)
    active = load(V, now, s.active)
    e, a, b, o = s.choice + s.e, s.choice + s.a, s.choice + s.b, s.choice + s.o

    # The controller mixes the logits of the lines, then takes the softmax.
    for c in range(s.C):
        z = zero
        for j in range(M):
            z = fma(
                load_nth(V, now, s.ir, j),
                load_nth(V, q, s.weights + s.pack_lines, j * s.C + c),
                z,
            )
        store_nth(q, s.z, c, z)
    softmax_lanes(s, q, s.z + s.e, now, e, INSTRUCTIONS)
    softmax_lanes(s, q, s.z + s.a, now, a, R)
    softmax_lanes(s, q, s.z + s.b, now, b, R)
    softmax_lanes(s, q, s.z + s.o, now, o, R)
    for k in range(INSTRUCTIONS):
        store_nth(now, e, k, choose(active, load_nth(V, now, e, k), zero))
    for i in range(R):
        store_nth(now, o, i, choose(active, load_nth(V, now, o, i), zero))

    # The operands A1 and A2.
    for v in range(M):
        a1 = zero
        a2 = zero
        for i in range(R):
            register = load_nth(V, now, s.r, i * M + v)
            a1 = fma(load_nth(V, now, a, i), register, a1)
            a2 = fma(load_nth(V, now, b, i), register, a2)
        store_nth(now, s.a1, v, a1)
        store_nth(now, s.a2, v, a2)

    # The output: one convolution, READ, and MIN and MAX by cumulative sums.
    blend_lanes(s, q, now)
    e_read = load_nth(V, now, e, READ)
    e_min = load_nth(V, now, e, MIN)
    lead = load_nth(V, now, e, MAX) - e_min
    c1 = zero
    c2 = zero
    for k in range(M):
        sums = zero
        read = zero
        for j in range(M):
            a1 = load_nth(V, now, s.a1, j)
            sums = fma(a1, load_nth(V, q, s.blend, M + k - j), sums)
            read = fma(a1, load_nth(V, now, s.m, j * M + k), read)
        a1 = load_nth(V, now, s.a1, k)
        a2 = load_nth(V, now, s.a2, k)
        c1 = c1 + a1
        c2 = c2 + a2
        out = fma(e_read, read, sums)
        out = fma(a1, fma(lead, c2, e_min), out)
        out = fma(a2, fma(lead, c1 - a1, e_min), out)
        store_nth(now, s.out, k, out)
    constant = load_nth(V, now, e, STOP) + load_nth(V, now, e, ZERO)
    constant = constant + load_nth(V, now, e, WRITE) + load_nth(V, now, e, JEZ)
    store(now, s.out, load(V, now, s.out) + constant)

    # The registers, the memory, the instruction register and the stop probability.
    for i in range(R):
        share = load_nth(V, now, o, i)
        for v in range(M):
            register = load_nth(V, now, s.r, i * M + v)
            change = load_nth(V, now, s.out, v) - register
            store_nth(after, s.r, i * M + v, fma(share, change, register))
    e_write = load_nth(V, now, e, WRITE)
    for i in range(M):
        share = e_write * load_nth(V, now, s.a1, i)
        for v in range(M):
            cell = load_nth(V, now, s.m, i * M + v)
            change = load_nth(V, now, s.a2, v) - cell
            store_nth(after, s.m, i * M + v, fma(share, change, cell))
    jump = load_nth(V, now, e, JEZ) * load(V, now, s.a1)
    for j in range(M):
        previous = (j - 1) + M * (j == 0)
        line = load_nth(V, now, s.ir, previous)
        store_nth(after, s.ir, j, fma(jump, load_nth(V, now, s.a2, j) - line, line))
    p = load(V, now, s.p)
    p = fma(load_nth(V, now, e, STOP), splat(V, 1.0) - p, p)
    store(after, s.p, p)
    store(after, s.gap, squared_error_lanes(s, q, after, masked, masked_count))
    still = choose(exceeds(p, splat(V, threshold)), zero, active)
    store(after, s.active, still)
    store(q, s.steps, load(V, q, s.steps) + active)
    running = False
    for lane in range(G):
        running = running or get(after, s.active + lane) > 0.0
    return running
