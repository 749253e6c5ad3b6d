"""The same fact about other cells."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import fields, replace
from typing import Any, TypeVar

from anc.verify.facts.logic import Fact
from anc.verify.facts.terms import At, Sum

AnyFact = TypeVar("AnyFact", bound=Fact)


def moved(fact: AnyFact, where: Mapping[int, int]) -> AnyFact:
    """The fact with other cells in the place of some.

    >>> from anc.verify.facts import cell, compare
    >>> print(moved(compare(cell(1), "<=", cell(2, plus=7)), {1: 4}))
    tape[4] <= tape[2] + 7
    """
    return _moved(fact, where)


def _moved(part: Any, where: Mapping[int, int]) -> Any:
    match part:
        case Sum():
            cells = ((times, _place(place, where)) for times, place in part.cells)
            return Sum(tuple(cells), part.constant)
        case Fact():
            changes = {f.name: _moved(getattr(part, f.name), where) for f in fields(part)}  # type: ignore[arg-type]
            return replace(part, **changes)  # type: ignore[type-var]
        case tuple():
            return tuple(_moved(each, where) for each in part)
        case _:
            return part


def _place(place: int | At, where: Mapping[int, int]) -> int | At:
    if isinstance(place, At):
        return At(_moved(place.address, where))
    return where.get(place, place)
