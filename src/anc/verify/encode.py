"""Facts as formulas for the solver, over cells that are numbers or bit-vectors.

A fact's arithmetic is plain: every sum gets as many (signed) bits as its bounds need.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import z3  # type: ignore[import-untyped]

from anc.verify.facts import COMPARE, And, Comparison, Fact, Implies, Not, Or, Sum


def encode(fact: Fact, cells: Sequence[Any], M: int, ctx: z3.Context) -> z3.BoolRef:
    """The formula of a fact; `cells` holds the initial value of each cell."""
    match fact:
        case Comparison():
            links = [_link(a, op, b, cells, M, ctx) for a, op, b in fact.links()]
            return z3.And(*links, z3.BoolVal(True, ctx))
        case Not(part):
            return z3.Not(encode(part, cells, M, ctx))
        case And(parts):
            return z3.And(*(encode(p, cells, M, ctx) for p in parts), z3.BoolVal(True, ctx))
        case Or(parts):
            return z3.Or(*(encode(p, cells, M, ctx) for p in parts), z3.BoolVal(False, ctx))
        case Implies(premise, conclusion):
            return z3.Implies(encode(premise, cells, M, ctx), encode(conclusion, cells, M, ctx))
    raise TypeError(f"not a fact: {fact!r}")


def _link(
    left: Sum, op: str, right: Sum, cells: Sequence[Any], M: int, ctx: z3.Context
) -> z3.BoolRef:
    largest = sum(
        abs(part.constant) + len(part.cells) * (M - 1) for part in (left, right)
    )  # no partial sum of either side exceeds it
    bits = largest.bit_length() + 2
    a, b = (_sum(part, cells, bits, ctx) for part in (left, right))
    if isinstance(a, int) and isinstance(b, int):
        return z3.BoolVal(COMPARE[op](a, b), ctx)
    a, b = (z3.BitVecVal(x, bits, ctx) if isinstance(x, int) else x for x in (a, b))
    return COMPARE[op](a, b)  # the operators of bit-vectors compare as signed numbers


def _sum(part: Sum, cells: Sequence[Any], bits: int, ctx: z3.Context) -> Any:
    number, total = part.constant, None
    for sign, cell in part.cells:
        value = cells[cell]
        if isinstance(value, int):
            number += sign * value
            continue
        if value.size() > bits:  # the value is below M, so that the bits cut off are zero
            wide = z3.Extract(bits - 1, 0, value)
        else:
            wide = z3.ZeroExt(bits - value.size(), value)
        if total is None:
            total = wide if sign > 0 else -wide
        else:
            total = total + wide if sign > 0 else total - wide
    if total is None:
        return number
    return total + z3.BitVecVal(number, bits, ctx) if number else total
