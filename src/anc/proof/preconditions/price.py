"""The price of a fact: nanoseconds of its check in Python, from the shipped cost table.

The type of every argument is checked anyway, and a fact about one number becomes part of that, so it is free.
"""

from __future__ import annotations

from functools import cache

from anc.data.costs import PYTHON, shipped
from anc.proof.facts import Along, Count, Fact, Joined

_READ, _COMPARED, _COMPUTED = "READ", ("LT", "JEZ"), "ADD"


def price(fact: Fact) -> float:
    """Nanoseconds of its check."""
    if len(fact.cells) == 1 and not fact.pointers:
        return 0.0
    if isinstance(fact, Joined):
        return sum(map(_checked, fact.parts))
    return _checked(fact)


def _checked(fact: Fact) -> float:
    """Reads, sums and a comparison; a fact about a list does so at each element."""
    weights = _weights()
    times = len(fact.numbers) if isinstance(fact, Along | Count) else 1
    cells = len(fact.cells) + len(fact.pointers)
    each = cells * weights[_READ] + (fact.size - 1) * weights[_COMPUTED]
    return times * (each + sum(weights[name] for name in _COMPARED))


@cache
def _weights() -> dict[str, float]:
    return dict(shipped(PYTHON).weights)
