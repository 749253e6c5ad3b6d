"""The pulls of appendix D towards reference weights: on the logits and on the probabilities."""

from __future__ import annotations

from anc.machine.compiled import inner
from anc.training.fused.softmax import softmax
from anc.training.fused.vectors import fma, load, splat, store, zeros


@inner
def pull_to_reference(s, q, rows, on_weights, on_probabilities):
    """Add the gradients of the two penalties."""
    V = s.vector
    if on_weights != 0.0:
        twice = splat(V, 2.0 * on_weights)
        for k in range(s.pack):
            change = load(V, q, s.weights + k) - load(V, q, s.reference + k)
            store(q, s.gradient + k, fma(twice, change, load(V, q, s.gradient + k)))
    if on_probabilities != 0.0:
        for row in range(len(rows)):
            _pull_row(s, q, rows[row, 2], rows[row, 1], on_probabilities)


@inner
def _pull_row(s, q, at, length, strength):
    """The gradient of c Σ (y - y_ref)²: 2 c y (d - Σ y d), d = y - y_ref, for one softmax row."""
    V = s.vector
    softmax(s, q, s.weights + at, q, s.row_a, length)
    mean = zeros(V)
    for k in range(length):
        y = load(V, q, s.row_a + k)
        d = y - load(V, q, s.reference_softmax + at + k)
        mean = fma(y, d, mean)
        store(q, s.row_b + k, d)
    twice = splat(V, 2.0 * strength)
    for k in range(length):
        change = load(V, q, s.row_a + k) * (load(V, q, s.row_b + k) - mean)
        store(q, s.gradient + at + k, fma(twice, change, load(V, q, s.gradient + at + k)))
