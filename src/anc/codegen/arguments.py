"""Argument checks of emitted Python functions: types, ranges and lengths."""

from __future__ import annotations

import re
from collections.abc import Sequence
from itertools import combinations

from anc.codegen.signature import Parameter, Signature, facts_about, values_of
from anc.proof.facts import Fact

FEW = 4  # elements that are checked one by one even if no fact is about them


def kind(p: Parameter) -> str:
    """The type of an argument."""
    return _type(p) if p.size is None else f"list[{_type(p)}]"


def _type(p: Parameter) -> str:
    """The type of an argument's numbers."""
    return "bool" if p.truths else "int"


def renamed(signature: Signature, inside: Signature) -> list[str]:
    """The assignments that rename arguments inside of the function."""
    pairs = zip(inside.names, signature.names, strict=True)
    return [f"{inner} = {name}" for inner, name in pairs if inner != name]


def fits(p: Parameter, facts: Sequence[Fact], M: int) -> tuple[list[str], list[Fact]]:
    """The tests that an argument has its exact type and fits into its cells, and the remaining facts.

    Subclasses, numpy numbers and floats are refused, as they may compute differently. A fact about a
    single number becomes part of its range check if the allowed values are one range.
    """
    if p.size is None:
        return _number(p, p.name, p.cell, facts, M)
    length, left = _length(p, p.size, facts, M)
    found = [f"type({p.name}) is list", length]
    is_short = p.size <= FEW or all(facts_about(cell, facts) for cell in p.cells)
    if p.length is None and is_short:
        for place, cell in enumerate(p.cells):
            tests, left = _number(p, f"{p.name}[{place}]", cell, left, M)
            found += tests
        return found, left
    limits = "" if p.truths else f" or not 0 <= value < {M}"
    wrong = f"[value for value in {p.name} if type(value) is not {_type(p)}{limits}]"
    return [*found, f"not {wrong}"], left  # faster than all(...)


def _length(p: Parameter, size: int, facts: Sequence[Fact], M: int) -> tuple[str, list[Fact]]:
    """The test of a list's length, with the facts about it if the allowed lengths are one range."""
    name, left = f"len({p.name})", list(facts)
    if p.length is None:
        return f"{name} == {size}" if size else f"not {p.name}", left
    about = facts_about(p.length, facts)
    good = [n for n in values_of(p.length, about, M) if n <= size]
    if not good or good[-1] - good[0] >= len(good):
        return f"{name} <= {min(size, M - 1)}", left
    left = [fact for fact in facts if fact not in about]
    return f"{good[0]} <= {name} <= {good[-1]}" if good[0] else f"{name} <= {good[-1]}", left


def _number(
    p: Parameter, name: str, cell: int, facts: Sequence[Fact], M: int
) -> tuple[list[str], list[Fact]]:
    about = facts_about(cell, facts)
    good = values_of(cell, about, 2 if p.truths else M)
    is_type = f"type({name}) is {_type(p)}"
    if p.truths and good:
        said = [] if len(good) == 2 else [name if good == [1] else f"not {name}"]
        return [is_type, *said], [fact for fact in facts if fact not in about]
    if p.truths or not good or good[-1] - good[0] >= len(good):
        return [is_type, *([] if p.truths else [f"0 <= {name} < {M}"])], list(facts)
    low, high = good[0], good[-1]
    limits = f"{low} <= {name} < {M}" if high == M - 1 else f"{low} <= {name} <= {high}"
    limits = f"{name} == {low}" if low == high else limits
    return [is_type, limits], [fact for fact in facts if fact not in about]


def is_along(p: Parameter, fact: Fact) -> bool:
    """Whether a fact is about the elements of one list of fixed size."""
    is_list = p.size is not None and p.length is None
    return is_list and not fact.pointers and fact.cells <= set(p.cells)


def element(p: Parameter, address: str) -> str:
    """The element of a list in a cell.

    >>> element(Parameter("values", cell=3, size=4), "i + 1")
    'values[i - 2]'
    """
    if address.isdecimal():
        return f"{p.name}[{int(address) - p.cell}]"
    *_, first, number = re.split(r"^(.*?)( [+-] \d+)?$", address)[:-1]
    place = int((number or "0").replace(" ", "")) - p.cell
    behind = f" {'-' if place < 0 else '+'} {abs(place)}" if place else ""
    return f"{p.name}[{first}{behind}]"


def apart(signature: Signature) -> list[str]:
    """The tests that no list is passed as two arguments, if that matters."""
    lists = [p.name for p in signature.parameters if p.size is not None]
    return [f"{a} is not {b}" for a, b in combinations(lists, 2)] if signature.apart else []
