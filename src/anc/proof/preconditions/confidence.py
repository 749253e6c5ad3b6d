"""Confidence bounds from held-out cases, at 95 % (one-sided, exact).

The bound is Clopper and Pearson's: the rate at which a result this good would have a chance of 5 %. If
candidates are tried on the same cases until one passes, a wrong one may pass by luck. So the n-th candidate
gets only 1 / (n (n + 1)) of the 5 %, which add up to at most all of it. `candidates` is that n.
"""

from __future__ import annotations

import math

_CHANCE = 0.05


def at_least(successes: int, trials: int, candidates: int = 1) -> float:
    """The lower confidence bound of a success rate.

    >>> round(at_least(80, 80), 3), round(at_least(78, 80), 3), at_least(0, 0)
    (0.955, 0.913, 0.0)
    >>> round(at_least(80, 80, candidates=20), 3)
    0.893
    """
    from scipy.special import betaincinv  # takes a while

    if successes == 0:
        return 0.0
    return float(betaincinv(successes, trials - successes + 1, _chance(candidates)))


def at_most(failures: int, trials: int, candidates: int = 1) -> float:
    """The upper confidence bound of a failure rate.

    >>> round(at_most(0, 1000), 4), at_most(0, 0)
    (0.0037, 1.0)
    """
    return 1.0 - at_least(trials - failures, trials, candidates)


def cases_needed(rate: float) -> int:
    """How many held-out cases, all of them good, prove this rate for the first candidate.

    >>> cases_needed(0.95)
    72
    """
    return math.ceil(math.log(_chance(1)) / math.log(rate))


def _chance(candidates: int) -> float:
    """The error probability that the n-th candidate may use."""
    return _CHANCE / (candidates * (candidates + 1))
