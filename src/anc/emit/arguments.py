"""Arguments of Python functions: their types, and tests whether they fit into their cells."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import combinations

from anc.emit.signature import Parameter, Signature, facts_about, values_of
from anc.verify.facts import Fact

FEW = 4  # elements that are looked at one by one even if no fact speaks of them


def kind(p: Parameter) -> str:
    """Its type."""
    return _type(p) if p.size is None else f"list[{_type(p)}]"


def _type(p: Parameter) -> str:
    """The type of its numbers."""
    return "bool" if p.truths else "int"


def renamed(signature: Signature) -> list[str]:
    """What gives arguments other names inside."""
    pairs = zip(signature.inside.names, signature.names, strict=True)
    return [f"{inner} = {name}" for inner, name in pairs if inner != name]


def fits(p: Parameter, facts: Sequence[Fact], M: int) -> tuple[list[str], list[Fact]]:
    """That an argument fits into its cells and is of the very type that it is said to be.

    A subclass, a number of numpy or a float may compute in another way. Facts about one number alone
    are part of it where they leave one range; the others come back.
    """
    if p.size is None:
        return _number(p, p.name, p.cell, facts, M)
    is_full = p.length is None and p.size
    length = f"len({p.name}) == {p.size}" if is_full else f"len({p.name}) <= {min(p.size, M - 1)}"
    found, left = [f"type({p.name}) is list", length], list(facts)
    is_short = p.size <= FEW or all(facts_about(cell, facts) for cell in p.cells)
    if p.length is None and is_short:
        for place, cell in enumerate(p.cells):
            tests, left = _number(p, f"{p.name}[{place}]", cell, left, M)
            found += tests
        return found, left
    limits = "" if p.truths else f" and 0 <= value < {M}"
    each = f"all(type(value) is {_type(p)}{limits} for value in {p.name})"
    return [*found, each], left


def _number(
    p: Parameter, name: str, cell: int, facts: Sequence[Fact], M: int
) -> tuple[list[str], list[Fact]]:
    about = facts_about(cell, facts)
    good = values_of(cell, about, M)
    is_type = f"type({name}) is {_type(p)}"
    if p.truths or not good or good[-1] - good[0] >= len(good):
        return [is_type, *([] if p.truths else [f"0 <= {name} < {M}"])], list(facts)
    low, high = good[0], good[-1]
    limits = f"{low} <= {name} < {M}" if high == M - 1 else f"{low} <= {name} <= {high}"
    limits = f"{name} == {low}" if low == high else limits
    return [is_type, limits], [fact for fact in facts if fact not in about]


def apart(signature: Signature) -> list[str]:
    """That no list is two arguments, if that matters."""
    lists = [p.name for p in signature.parameters if p.size is not None]
    return [f"{a} is not {b}" for a, b in combinations(lists, 2)] if signature.apart else []
