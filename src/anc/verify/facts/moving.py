"""What facts are made of: the same fact about other cells, and the numbers in a fact."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import fields, replace
from typing import Any, TypeVar

from anc.verify.facts.logic import Fact
from anc.verify.facts.terms import At, Sum

AnyFact = TypeVar("AnyFact", bound=Fact)


def moved(fact: AnyFact, where: Mapping[int, int | At]) -> AnyFact:
    """The fact with other cells in the place of some, also such as are found by an address.

    >>> from anc.verify.facts import cell, compare
    >>> print(moved(compare(cell(1), "<=", cell(2, plus=7)), {1: 4}))
    tape[4] <= tape[2] + 7
    """
    return _moved(fact, where)


def _moved(part: Any, where: Mapping[int, int | At]) -> Any:
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


def _place(place: int | At, where: Mapping[int, int | At]) -> int | At:
    if isinstance(place, At):
        return At(_moved(place.address, where))
    return where.get(place, place)


def numbers_in(fact: Fact) -> frozenset[int]:
    """The numbers that a fact compares cells with.

    >>> from anc.verify.facts import cell, compare, member
    >>> sorted(numbers_in(compare(7, "<=", cell(2))) | numbers_in(member(cell(3), [1, 4])))
    [1, 4, 7]
    """
    return frozenset(_numbers(fact))


def _numbers(part: Any) -> Iterator[int]:
    match part:
        case Sum((), constant):
            yield constant
        case Fact():
            for field in fields(part):  # type: ignore[arg-type]
                yield from _numbers(getattr(part, field.name))
        case tuple():
            for each in part:
                yield from _numbers(each)
        case int():
            yield part
