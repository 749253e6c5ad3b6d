"""Facts as conditions on terms, so that a path knows them without the solver."""

from __future__ import annotations

from collections.abc import Callable

from anc.verify.facts import Comparison, Fact, Sum
from anc.verify.space import Space
from anc.verify.terms import Condition, Value


def stated(fact: Fact, space: Space, cell: Callable[[int], Value]) -> Condition:
    """What a fact says of the order of two cells; True for every other fact."""
    match fact:
        case Comparison(Sum(((1, int(a)),), 0), ((op, Sum(((1, int(b)),), 0)),)):
            x, y = cell(a), cell(b)
            comparisons = {
                "<=": lambda: space.at_most(x, y),
                ">=": lambda: space.at_most(y, x),
                "==": lambda: space.zero(space.difference(x, y)),
                ">": lambda: space.opposite(space.at_most(x, y)),
                "<": lambda: space.opposite(space.at_most(y, x)),
                "!=": lambda: space.opposite(space.zero(space.difference(x, y))),
            }
            return comparisons[op]()
    return True
