"""Softmax of a row of logits, each member with its own maximum, and its adjoint."""

from __future__ import annotations

from anc.machine.compiled import inner
from anc.training.fused.vectors import exp_of_nonpositive, fma, larger, load, splat, store, zeros


@inner
def softmax(s, source, at, target, to, count):
    """Probabilities of ``count`` logits."""
    softmax_times(s, splat(s.vector, 1.0), source, at, target, to, count)


@inner
def softmax_times(s, factor, source, at, target, to, count):
    """Probabilities of ``count`` logits, times a factor for each member."""
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
