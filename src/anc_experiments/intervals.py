"""Confidence intervals of means."""

from __future__ import annotations

from collections.abc import Sequence
from statistics import mean


def mean_interval(rates: Sequence[float]) -> tuple[float, float]:
    """The 95 % confidence interval of the mean of rates, by Student's t, clipped to [0, 1].

    >>> tuple(round(x, 3) for x in mean_interval([0.97, 0.98, 0.96, 0.97, 0.97]))
    (0.961, 0.979)
    >>> mean_interval([0.5])
    (0.0, 1.0)
    """
    if len(rates) < 2:
        return 0.0, 1.0
    from scipy.stats import sem, t

    half = float(t.ppf(0.975, len(rates) - 1) * sem(rates))
    return max(0.0, mean(rates) - half), min(1.0, mean(rates) + half)
