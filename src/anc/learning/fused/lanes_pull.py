"""The pull of appendix D towards reference probabilities, for G members side by side."""

from __future__ import annotations

from anc.learning.fused.compilation import inner
from anc.learning.fused.lanes_forward import softmax_lanes
from anc.learning.fused.vectors import fma, load_nth, splat, store_nth, zeros


@inner
def softmax_of_lanes(s, q, source, target, length):
    """Softmax of one row of logits."""
    softmax_lanes(s, q, source, q, target, length)


@inner
def pull_row_lanes(s, q, offset, length, strength):
    """Add the gradient of c Σ (y - y_ref)²: 2 c y (d - Σ y d), d = y - y_ref, for one softmax row."""
    V = s.lane
    softmax_lanes(s, q, s.weights + offset, q, s.row_a, length)
    mean = zeros(V)
    for k in range(length):
        y = load_nth(V, q, s.row_a, k)
        d = y - load_nth(V, q, s.reference_softmax + offset, k)
        mean = fma(y, d, mean)
        store_nth(q, s.row_b, k, d)
    twice = splat(V, 2.0 * strength)
    for k in range(length):
        before = load_nth(V, q, s.gradient + offset, k)
        change = load_nth(V, q, s.row_a, k) * (load_nth(V, q, s.row_b, k) - mean)
        store_nth(q, s.gradient + offset, k, fma(twice, change, before))
