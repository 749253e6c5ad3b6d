"""The pull of appendix D towards reference probabilities, for one member (rows are short: scalars will do)."""

from __future__ import annotations

import math

from anc.learning.fused.compilation import inner
from anc.learning.fused.vectors import get, put


@inner
def softmax_of_rows(s, q, source, target, length):
    """Softmax of one row of logits."""
    top = get(q, source)
    for k in range(1, length):
        top = max(top, get(q, source + k))
    norm = 0.0
    for k in range(length):
        y = math.exp(get(q, source + k) - top)
        norm += y
        put(q, target + k, y)
    for k in range(length):
        put(q, target + k, get(q, target + k) / norm)


@inner
def pull_row_rows(s, q, offset, length, strength):
    """Add the gradient of c Σ (y - y_ref)²: 2 c y (d - Σ y d), d = y - y_ref, for one softmax row."""
    softmax_of_rows(s, q, s.weights + offset, s.row_a, length)
    mean = 0.0
    for k in range(length):
        y = get(q, s.row_a + k)
        mean += y * (y - get(q, s.reference_softmax + offset + k))
    for k in range(length):
        y = get(q, s.row_a + k)
        d = y - get(q, s.reference_softmax + offset + k)
        at = s.gradient + offset + k
        put(q, at, get(q, at) + 2.0 * strength * y * (d - mean))
