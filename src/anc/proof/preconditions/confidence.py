"""What fresh cases say about inputs to come, at 95 % confidence (one-sided, exact).

After Clopper and Pearson: the bound is the rate at which so good a result would be a 5 % chance. Where
candidates are tried on the same cases until one passes, a wrong one may pass by luck, and the more of
them are tried the sooner. So the n-th candidate gets only 1 / (n (n + 1)) of the 5 %: together, however
many there are, they have no more than all of it. `candidates` is that n.
"""

from __future__ import annotations

import math

_CHANCE = 0.05


def at_least(successes: int, trials: int, candidates: int = 1) -> float:
    """The lowest rate of success that the trials leave plausible.

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
    """The highest rate of failure that the trials leave plausible.

    >>> round(at_most(0, 1000), 4), at_most(0, 0)
    (0.0037, 1.0)
    """
    return 1.0 - at_least(trials - failures, trials, candidates)


def cases_needed(rate: float) -> int:
    """How many fresh cases, all good, would show so high a rate of the first candidate.

    >>> cases_needed(0.95)
    72
    """
    return math.ceil(math.log(_chance(1)) / math.log(rate))


def _chance(candidates: int) -> float:
    """The chance of being wrong that is left to the n-th candidate."""
    return _CHANCE / (candidates * (candidates + 1))
