"""How sure a rate is."""

from __future__ import annotations

import math
from collections.abc import Sequence

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


def mean_interval(rates: Sequence[float]) -> tuple[float, float]:
    """The 95 % interval of the mean of some seeds' rates, by Student's t; cut at 0 and 1.

    >>> tuple(round(x, 3) for x in mean_interval([0.97, 0.98, 0.96, 0.97, 0.97]))
    (0.961, 0.979)
    >>> mean_interval([0.5])
    (0.0, 1.0)
    """
    from scipy.special import stdtrit

    n = len(rates)
    if n < 2:
        return 0.0, 1.0
    mean = math.fsum(rates) / n
    spread = math.sqrt(math.fsum((rate - mean) ** 2 for rate in rates) / (n - 1) / n)
    half = float(stdtrit(n - 1, 0.975)) * spread
    return max(0.0, mean - half), min(1.0, mean + half)
