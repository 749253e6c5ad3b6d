"""The controller: the lines' logits mixed by the line's distribution, then a softmax for each choice."""

from __future__ import annotations

from anc.machine.compiled import inner
from anc.training.fused.softmax import softmax, softmax_adjoint, softmax_times
from anc.training.fused.vectors import (
    add_outer,
    advance,
    fma,
    load,
    load_apart,
    outer,
    store,
    store_rows,
    zeros,
)


@inner
def choices(s, weights, now):
    """e, a, b and o of this step; e and o are zero for members that have halted: nothing changes."""
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
    """Leave the adjoints of the mixed logits where the choices were; add to those of the line."""
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
    """The gradient of the lines' logits, Σ_t ir_t ⊗ d_z_t: once for a whole run."""
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
