"""One soft step of eight members side by side, and its adjoint: first the parts, then the whole step."""

from __future__ import annotations

from anc.machine.compiled import inner
from anc.training.fused.access import get, load, store
from anc.training.fused.choices import (
    add_chosen_adjoint,
    choices,
    choices_adjoint,
    chosen,
    operands,
    operands_adjoint,
)
from anc.training.fused.loss import charge_step, squared_error
from anc.training.fused.memory import memory, memory_adjoint
from anc.training.fused.outputs import (
    derived,
    derived_adjoint,
    order,
    order_adjoint,
    sums,
    sums_adjoint,
)
from anc.training.fused.vectors import LANES, choose, dot, exceeds, fma, fnma, splat, zeros


@inner
def registers(s, now, after):
    """The registers after the step."""
    for v in range(0, s.whole, s.T):
        _blended(s, s.tile, now, after, v)
    if s.whole < s.M:
        _blended(s, s.rest, now, after, s.whole)


@inner
def _blended(s, tile, now, after, v):
    out = load(tile, now, s.out + v)
    for i in range(s.R):
        register = load(tile, now, s.r + i * s.M + v)
        share = load(s.vector, now, s.o + i)
        store(after, s.r + i * s.M + v, fma(share, out - register, register))


@inner
def registers_adjoint(s, q, now):
    """The adjoints of o and of the output; the latter is written twice in a row.

    The adjoints of the registers are computed together with those of the operands, in one pass.
    """
    for i in range(s.R):
        store(q, s.d_o + i, zeros(s.vector))
    for v in range(0, s.whole, s.T):
        _blended_adjoint(s, s.tile, q, now, v)
    if s.whole < s.M:
        _blended_adjoint(s, s.rest, q, now, s.whole)


@inner
def _blended_adjoint(s, tile, q, now, v):
    V = s.vector
    out = load(tile, now, s.out + v)
    d_out = zeros(tile)
    for i in range(s.R):
        d = load(tile, q, s.d_r + i * s.M + v)
        change = out - load(tile, now, s.r + i * s.M + v)
        store(q, s.d_o + i, dot(d, change, load(V, q, s.d_o + i)))
        d_out = fma(load(V, now, s.o + i), d, d_out)
    store(q, s.d_out + v, d_out)
    store(q, s.d_out + s.M + v, d_out)


@inner
def line(s, now, after):
    """The instruction register after the step: A2 if JEZ jumps (A1 is 0), else the next line."""
    V, M = s.vector, s.M
    jump = chosen(s, now, s.JUMP) * load(V, now, s.a1)
    for j in range(M):
        before = load(V, now, s.ir + (j - 1) + M * (j == 0))
        store(after, s.ir + j, fma(jump, load(V, now, s.a2 + j) - before, before))


@inner
def line_adjoint(s, q, now):
    """Replace the adjoints of the instruction register, set those of A2, and return the adjoint of the jump."""
    V, M = s.vector, s.M
    jump = chosen(s, now, s.JUMP) * load(V, now, s.a1)
    d_jump = zeros(V)
    first = load(V, q, s.d_ir)
    for j in range(M):
        d = load(V, q, s.d_ir + j)
        change = load(V, now, s.a2 + j) - load(V, now, s.ir + (j - 1) + M * (j == 0))
        d_jump = fma(d, change, d_jump)
        store(q, s.d_a2 + j, jump * d)
    for j in range(M - 1):
        d = load(V, q, s.d_ir + j + 1)
        store(q, s.d_ir + j, fnma(jump, d, d))
    store(q, s.d_ir + M - 1, fnma(jump, first, first))
    return d_jump


@inner
def jump_adjoint(s, q, now, d_jump):
    """Turn the adjoint of the jump into those of its factors e_JUMP and A1_0."""
    V = s.vector
    add_chosen_adjoint(s, q, s.JUMP, d_jump * load(V, now, s.a1))
    d_a1 = fma(d_jump, chosen(s, now, s.JUMP), load(V, q, s.d_a1))
    store(q, s.d_a1, d_a1)


@inner
def stop(s, q, now, after, threshold):
    """The stop probability after the step, p' = p + e_STOP (1 - p), and which lanes still run; whether any does."""
    V = s.vector
    active = load(V, now, s.active)
    p = load(V, now, s.p)
    p = fma(chosen(s, now, s.STOP), splat(V, 1.0) - p, p)
    store(after, s.p, p)
    store(after, s.active, choose(exceeds(p, splat(V, threshold)), zeros(V), active))
    store(q, s.steps, load(V, q, s.steps) + active)
    running = False
    for lane in range(LANES):
        running = running or get(after, s.active, lane) > 0.0
    return running


@inner
def stop_adjoint(s, q, now, full, gap, charge):
    """Replace the adjoint of p; the loss adds ``gap`` to that of p' and subtracts ``gap + charge`` from that of p.

    Unless ``full``, the factor 1 - p is treated as a constant, as in the published experiments.
    """
    V = s.vector
    d_p = load(V, q, s.d_p) + gap
    add_chosen_adjoint(s, q, s.STOP, d_p * (splat(V, 1.0) - load(V, now, s.p)))
    if full:
        d_p = fnma(d_p, chosen(s, now, s.STOP), d_p)
    store(q, s.d_p, d_p - gap - charge)


@inner
def forward(s, meanings, q, weights, now, m, after, m_after, threshold):
    """Execute one step from slot ``now`` with memory ``m`` to the next; return whether a lane still runs."""
    choices(s, weights, now)
    operands(s, now)
    sums(s, q, now)
    order(s, now)
    derived(s, meanings, now)
    memory(s, q, now, m, m_after)
    registers(s, now, after)
    line(s, now, after)
    store(after, s.gap, squared_error(s, q, m_after))
    return stop(s, q, now, after, threshold)


@inner
def backward(s, meanings, q, weights, now, m, after, m_after, full):
    """Turn the adjoints of the state ``after`` into those of ``now``; store those of the logits in ``now``."""
    for k in range(s.N):
        store(q, s.d_e + k, zeros(s.vector))
    gap, charge = charge_step(s, q, now, after, m_after)
    stop_adjoint(s, q, now, full, gap, charge)
    d_jump = line_adjoint(s, q, now)
    registers_adjoint(s, q, now)
    memory_adjoint(s, q, now, m)
    jump_adjoint(s, q, now, d_jump)
    derived_adjoint(s, meanings, q, now)
    order_adjoint(s, q, now)
    sums_adjoint(s, q, now)
    operands_adjoint(s, q, now)
    choices_adjoint(s, q, weights, now)
