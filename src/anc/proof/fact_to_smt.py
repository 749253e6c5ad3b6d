"""Translates facts to z3 formulas over cells that are numbers or bit-vectors of one width.

Facts are about integers: every sum gets as many (signed) bits as its bounds need.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import z3  # type: ignore[import-untyped]

from anc.proof.facts import (
    COMPARE,
    And,
    At,
    Comparison,
    Count,
    Fact,
    Implies,
    Joined,
    Member,
    Not,
    Or,
    Remainder,
    Several,
    Stepwise,
    Sum,
    spelt,
)
from anc.proof.semantics import read
from anc.proof.verdict import Undecided

Bits = Any  # int | z3.BitVecRef

_MOST_READ = 4_096  # cells of which an address selects one
_JOINED = {Not: z3.Not, And: z3.And, Or: z3.Or, Implies: z3.Implies}


def formula(fact: Fact, cells: Sequence[Any], ctx: z3.Context) -> z3.BoolRef:
    """The formula of a fact; `cells` holds the initial value of each of the M cells."""
    match fact:
        case Comparison():
            return _links(fact.links(), cells, ctx)
        case Remainder():
            return _remainder(fact, cells, ctx)
        case Member(terms, words):
            spelt_out = [
                [link for each in spelt(terms, word) for link in each.links()] for word in words
            ]
            return z3.Or(*(_links(links, cells, ctx) for links in spelt_out))
        case Several():
            return z3.And(*(formula(pair, cells, ctx) for pair in fact.pairs()))
        case Stepwise():
            found = z3.BoolVal(True, ctx)
            for condition, then in reversed(fact.steps):
                going, said = (formula(part, cells, ctx) for part in (condition, then))
                found = z3.Implies(going, z3.And(said, found))
            return found
        case Count():
            return _count(fact, cells, ctx)
        case Joined(parts):
            return _JOINED[type(fact)](*(formula(part, cells, ctx) for part in parts))
    raise TypeError(f"not a fact: {fact!r}")


def _links(
    links: Sequence[tuple[Sum, str, Sum]], cells: Sequence[Any], ctx: z3.Context
) -> z3.BoolRef:
    """A conjunction of comparisons, each with as many bits as it needs."""
    found = []
    for left, op, right in links:
        bits = _width((left, right), len(cells))
        holds = COMPARE[op](_sum(left, cells, bits), _sum(right, cells, bits))  # signed
        found.append(z3.BoolVal(holds, ctx) if isinstance(holds, bool) else holds)
    return z3.And(*found)


def _remainder(fact: Remainder, cells: Sequence[Any], ctx: z3.Context) -> z3.BoolRef:
    M = len(cells)
    bits = _width((fact.dividend, fact.divisor, Sum((), fact.rest)), M)
    dividend, divisor = (_sum(side, cells, bits) for side in (fact.dividend, fact.divisor))
    if isinstance(dividend, int) and isinstance(divisor, int):
        return z3.BoolVal(divisor != 0 and COMPARE[fact.op](dividend % divisor, fact.rest), ctx)
    a, b = (_vector(side, bits, ctx) for side in (dividend, divisor))
    positive = all(side.bounds({}, M)[0] >= 0 for side in (fact.dividend, fact.divisor))
    rest = z3.URem(a, b) if positive else a % b  # which has the sign of b, as it has in Python
    return z3.And(b != 0, COMPARE[fact.op](rest, fact.rest))


def _count(fact: Count, cells: Sequence[Any], ctx: z3.Context) -> z3.BoolRef:
    """A unary counter: after each step, whether the count is at least one, two, ...; easy for the solver."""
    yes, no = (z3.BoolVal(truth, ctx) for truth in (True, False))
    most = min(max(fact.number, -1) + 1, len(fact.steps))
    at_least, alive = [yes] + [no] * most, yes
    for condition, element in fact.steps:
        counted = formula(element, cells, ctx)
        if fact.going is not None:
            alive = z3.And(alive, formula(condition, cells, ctx))
            counted = z3.And(alive, counted)
        for many in range(most, 0, -1):
            at_least[many] = z3.Or(at_least[many], z3.And(at_least[many - 1], counted))
    enough, more = (
        (at_least[max(0, many)] if many <= most else no) for many in (fact.number, fact.number + 1)
    )
    found = {
        "==": (enough, z3.Not(more)),
        ">=": (enough,),
        ">": (more,),
        "<": (z3.Not(enough),),
        "<=": (z3.Not(more),),
        "!=": (z3.Or(z3.Not(enough), more),),
    }
    return z3.And(*found[fact.op])


def _width(sums: Sequence[Sum], M: int) -> int:
    """A width that no partial sum exceeds."""
    largest = sum(
        abs(part.constant) + sum(abs(times) for times, _ in part.cells) * (M - 1) for part in sums
    )
    return largest.bit_length() + 2


def _sum(part: Sum, cells: Sequence[Any], bits: int) -> Bits:
    total: Bits = part.constant
    for times, place in part.cells:
        value = cells[place] if isinstance(place, int) else _found(place, cells)
        if not isinstance(value, int):
            value = _resized(value, bits)
        value = value if abs(times) == 1 else abs(times) * value
        total = total + value if times > 0 else total - value
    return total


def _found(place: At, cells: Sequence[Any]) -> Bits:
    """The cell at an address; a single cell is looked up as the machine does it."""
    M = len(cells)
    if M > _MOST_READ:
        raise Undecided(f"a fact about a computed cell, of {M:,}, is too large for the solver")
    match place.address:
        case Sum(((1, int(number)),), 0):
            address = cells[number]
        case Sum(((1, At() as inner),), 0):
            address = _found(inner, cells)
        case _:
            address = _address(place.address, cells)
    return cells[address % M] if isinstance(address, int) else read(list(cells), address)


def _address(part: Sum, cells: Sequence[Any]) -> Bits:
    """A sum modulo M, as a vector of the cells' width."""
    M = len(cells)
    low, high = part.bounds({}, M)
    up = -(low // M) * M  # what makes it positive
    wanted = Sum(part.cells, part.constant + up)
    total = _sum(wanted, cells, _width([wanted], M))
    if isinstance(total, int):
        return total
    if (high + up) // M == 1:
        total = z3.If(total >= M, total - M, total)
    else:
        total = z3.URem(total, M)
    (size,) = {value.size() for value in cells if not isinstance(value, int)}
    return _resized(total, size)


def _resized(value: z3.BitVecRef, bits: int) -> z3.BitVecRef:
    """Resize a number, which is not negative and fits."""
    more = bits - value.size()
    return z3.ZeroExt(more, value) if more >= 0 else z3.Extract(bits - 1, 0, value)


def _vector(value: Bits, bits: int, ctx: z3.Context) -> z3.BitVecRef:
    return z3.BitVecVal(value, bits, ctx) if isinstance(value, int) else value
