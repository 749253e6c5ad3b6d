"""What fresh cases show of an answer, in words, for reports, listings and pages alike."""

from __future__ import annotations

import math


def tested(fresh: int, at_most: float, candidates: int = 1) -> str:
    """That none of the fresh cases is wrong, and what that says of other inputs."""
    unit = 10 ** (math.floor(math.log10(max(100 * at_most, 1e-9))) - 1)
    share = math.ceil(100 * at_most / unit - 1e-6) * unit  # never less than was shown
    return (
        f"0 wrong of {fresh} fresh cases{_tried(candidates)}: at most {share:.2g} % of such inputs at"
        " 95 % confidence"
    )


def held(on: int, fresh: int, at_least: float, candidates: int = 1) -> str:
    """On how many fresh cases a precondition held, and what that says of other inputs."""
    share = math.floor(1000 * at_least + 1e-6) / 10  # never more than was shown
    return (
        f"held on {on} of {fresh} fresh cases{_tried(candidates)}: at least {share:g} % of such"
        " inputs at 95 % confidence"
    )


def _tried(candidates: int) -> str:
    """That other candidates were tried on the same cases before."""
    return f", on which {candidates} candidates were tried" if candidates > 1 else ""
