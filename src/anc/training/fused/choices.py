"""The controller of a step: its instruction, operands and output register.

The controller mixes the lines' logits by the distribution of the instruction register and takes a softmax for
each choice. The operands are A1 = a @ r and A2 = b @ r, normalised. ADD and similar instructions multiply two
sums; without normalisation, rounding errors would double with every ``x = ADD(x, x)``. The sum is 1 except for
rounding, so the gradient treats it as a constant.
"""

from __future__ import annotations

from anc.machine.compiled import inner
from anc.training.fused.access import advance, load, load_apart, store, store_rows
from anc.training.fused.vectors import (
    add_outer,
    dot,
    exp_of_nonpositive,
    fma,
    fnma,
    larger,
    outer,
    splat,
    total,
    zeros,
)


@inner
def softmax(s, source, at, target, to, count):
    """The softmax of ``count`` logits."""
    softmax_times(s, splat(s.vector, 1.0), source, at, target, to, count)


@inner
def softmax_times(s, factor, source, at, target, to, count):
    """The softmax of ``count`` logits, times a factor for each lane."""
    V = s.vector
    top = load(V, source, at)
    for k in range(1, count):
        top = larger(top, load(V, source, at + k))
    norm = zeros(V)
    for k in range(count):
        y = exp_of_nonpositive(load(V, source, at + k) - top)
        norm = norm + y
        store(target, to + k, y)
    scale = factor / norm
    for k in range(count):
        store(target, to + k, load(V, target, to + k) * scale)


@inner
def softmax_adjoint(s, y, at, d_y, d_at, target, to, count):
    """d_z = y (d_y - Σ y d_y)."""
    V = s.vector
    mean = zeros(V)
    for k in range(count):
        mean = fma(load(V, y, at + k), load(V, d_y, d_at + k), mean)
    for k in range(count):
        store(target, to + k, load(V, y, at + k) * (load(V, d_y, d_at + k) - mean))


@inner
def choices(s, weights, now):
    """The choices e, a, b and o of a step. e and o are zero in lanes that have halted, so nothing changes."""
    V = s.vector
    for c in range(0, s.C, s.choices_in_tile):
        z = zeros(s.choices)
        for j in range(s.M):
            rows = load(s.choices, weights, s.lines + j * s.C + c)
            z = fma(load(V, now, s.ir + j), rows, z)
        store(now, s.choice + c, z)
    active = load(V, now, s.active)
    softmax_times(s, active, now, s.e, now, s.e, s.N)
    softmax(s, now, s.a, now, s.a, s.R)
    softmax(s, now, s.b, now, s.b, s.R)
    softmax_times(s, active, now, s.o, now, s.o, s.R)


@inner
def choices_adjoint(s, q, weights, now):
    """Replace the choices by the adjoints of the mixed logits; add to the adjoints of the line."""
    softmax_adjoint(s, now, s.e, q, s.d_e, now, s.e, s.N)
    softmax_adjoint(s, now, s.a, q, s.d_a, now, s.a, s.R)
    softmax_adjoint(s, now, s.b, q, s.d_b, now, s.b, s.R)
    softmax_adjoint(s, now, s.o, q, s.d_o, now, s.o, s.R)
    for j in range(0, s.whole, s.T):
        _line_adjoint(s, s.tile, q, weights, now, j)
    if s.whole < s.M:
        _line_adjoint(s, s.rest, q, weights, now, s.whole)


@inner
def _line_adjoint(s, tile, q, weights, now, j):
    d_line = load(tile, q, s.d_ir + j)
    for c in range(s.C):
        rows = load_apart(tile, weights, s.lines + j * s.C + c, s.C)
        d_line = fma(rows, load(s.vector, now, s.choice + c), d_line)
    store(q, s.d_ir + j, d_line)


@inner
def lines_gradient(s, q, slots, steps):
    """The gradient of the lines' logits, Σ_t ir_t ⊗ d_z_t, computed once for a whole run."""
    for c in range(0, s.C, s.choices_in_tile):
        for j in range(0, s.whole, s.T):
            _lines_gradient(s, s.tile, q, slots, steps, j, c)
        if s.whole < s.M:
            _lines_gradient(s, s.rest, q, slots, steps, s.whole, c)


@inner
def _lines_gradient(s, tile, q, slots, steps, j, c):
    found = outer(load(tile, slots, s.ir + j), load(s.choices, slots, s.choice + c))
    for t in range(1, steps):
        slot = advance(slots, t * s.slot)
        found = add_outer(load(tile, slot, s.ir + j), load(s.choices, slot, s.choice + c), found)
    store_rows(s.choices, q, s.sample + s.lines + j * s.C + c, s.C, found)


@inner
def chosen(s, now, op):
    """The probability of an instruction in this step; 0 if the set has none (-1)."""
    if op < 0:
        return zeros(s.vector)
    return load(s.vector, now, s.e + op)


@inner
def add_chosen_adjoint(s, q, op, d):
    """Add to the adjoint of that probability."""
    if op >= 0:
        store(q, s.d_e + op, load(s.vector, q, s.d_e + op) + d)


@inner
def operands(s, now):
    """A1 and A2, and the reciprocals of their sums before normalisation."""
    V = s.vector
    sum1 = zeros(V)
    sum2 = zeros(V)
    for v in range(0, s.whole, s.T):
        more1, more2 = _mixed(s, s.tile, now, v)
        sum1 = sum1 + more1
        sum2 = sum2 + more2
    if s.whole < s.M:
        more1, more2 = _mixed(s, s.rest, now, s.whole)
        sum1 = sum1 + more1
        sum2 = sum2 + more2
    scale1 = splat(V, 1.0) / sum1
    scale2 = splat(V, 1.0) / sum2
    store(now, s.scale1, scale1)
    store(now, s.scale2, scale2)
    for v in range(s.M):
        store(now, s.a1 + v, load(V, now, s.a1 + v) * scale1)
        store(now, s.a2 + v, load(V, now, s.a2 + v) * scale2)


@inner
def _mixed(s, tile, now, v):
    first = zeros(tile)
    second = zeros(tile)
    for i in range(s.R):
        register = load(tile, now, s.r + i * s.M + v)
        first = fma(load(s.vector, now, s.a + i), register, first)
        second = fma(load(s.vector, now, s.b + i), register, second)
    store(now, s.a1 + v, first)
    store(now, s.a2 + v, second)
    return total(first), total(second)


@inner
def operands_adjoint(s, q, now):
    """Turn the adjoints of A1 and A2 into those of the choices a and b and of the registers.

    The registers' adjoints are those of the next step until here; the share that the output replaced is removed.
    """
    for i in range(s.R):
        store(q, s.d_a + i, zeros(s.vector))
        store(q, s.d_b + i, zeros(s.vector))
    for v in range(0, s.whole, s.T):
        _mixed_adjoint(s, s.tile, q, now, v)
    if s.whole < s.M:
        _mixed_adjoint(s, s.rest, q, now, s.whole)


@inner
def _mixed_adjoint(s, tile, q, now, v):
    V = s.vector
    d_first = load(tile, q, s.d_a1 + v) * load(V, now, s.scale1)
    d_second = load(tile, q, s.d_a2 + v) * load(V, now, s.scale2)
    for i in range(s.R):
        register = load(tile, now, s.r + i * s.M + v)
        store(q, s.d_a + i, dot(d_first, register, load(V, q, s.d_a + i)))
        store(q, s.d_b + i, dot(d_second, register, load(V, q, s.d_b + i)))
        d = load(tile, q, s.d_r + i * s.M + v)
        d = fnma(load(V, now, s.o + i), d, d)
        d = fma(load(V, now, s.a + i), d_first, d)
        store(q, s.d_r + i * s.M + v, fma(load(V, now, s.b + i), d_second, d))
