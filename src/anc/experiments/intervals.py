"""How sure a success rate is."""

from __future__ import annotations

import math

_Z = 1.959964  # 95 %


def wilson(successes: int, trials: int) -> tuple[float, float]:
    """The 95 % Wilson interval of a rate.

    >>> tuple(round(x, 3) for x in wilson(37, 100))
    (0.282, 0.468)
    >>> tuple(round(x, 3) for x in wilson(0, 10))
    (0.0, 0.278)
    """
    rate = successes / trials
    scale = 1 + _Z**2 / trials
    middle = (rate + _Z**2 / (2 * trials)) / scale
    half = _Z * math.sqrt(rate * (1 - rate) / trials + _Z**2 / (4 * trials**2)) / scale
    return max(0.0, middle - half), min(1.0, middle + half)
