"""Translates facts to conditions on terms, which paths decide without the solver."""

from __future__ import annotations

from collections.abc import Callable

from anc.proof.facts import And, Comparison, Fact, Implies, Or, Stepwise, Sum
from anc.proof.path_state import Steps
from anc.proof.presolve import allowed
from anc.proof.space import Space
from anc.proof.terms import Condition, Form, Value, only


def stated(fact: Fact, space: Space, cell: Callable[[int], Value]) -> Condition | None:
    """A fact about one cell, or about the order of two, as a condition; None for every other fact."""
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
        case And(parts):
            found = [stated(part, space, cell) for part in parts]
            known = [part for part in found if part is not None]
            return space.all_of(known) if len(known) == len(found) else None
    if fact.pointers or len(fact.cells) != 1:
        return None
    (place,) = fact.cells
    truths, value = allowed(fact, place, space.M), cell(place)
    if not isinstance(value, Form):
        return bool(truths[value])
    root = only(value.support)
    return None if root is None else space.one_of(root, truths[space.table(value)])


def in_steps(fact: Fact, space: Space, cell: Callable[[int], Value]) -> Steps:
    """A fact as a chain of implications: (condition, consequence once all conditions so far hold)."""
    match fact:
        case Stepwise():
            steps = fact.steps
        case Implies((premise, conclusion)):
            steps = ((premise, conclusion),)
        case Or((*others, last)):
            steps = ((And.of(part.negated() for part in others), last),)
        case _:
            return ()
    found = []
    for condition, then in steps:
        going, said = (stated(part, space, cell) for part in (condition, then))
        if going is None:
            break
        found.append((going, True if said is None else said))
    return tuple(found)
