"""Facts as formulas for the solver, over cells that are numbers or bit-vectors.

A fact's arithmetic is plain: every sum gets as many (signed) bits as its bounds need.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import z3  # type: ignore[import-untyped]

from anc.verify.facts import COMPARE, And, Comparison, Fact, Implies, Joined, Not, Or, Sum

_JOINED = {Not: z3.Not, And: z3.And, Or: z3.Or, Implies: z3.Implies}


def formula(fact: Fact, cells: Sequence[Any], ctx: z3.Context) -> z3.BoolRef:
    """The formula of a fact; `cells` holds the initial value of each of the M cells."""
    if isinstance(fact, Comparison):
        return z3.And(*(_link(a, op, b, cells, ctx) for a, op, b in fact.links()))
    assert isinstance(fact, Joined)
    return _JOINED[type(fact)](*(formula(part, cells, ctx) for part in fact.parts))


def _link(left: Sum, op: str, right: Sum, cells: Sequence[Any], ctx: z3.Context) -> z3.BoolRef:
    sides = (left, right)
    largest = sum(abs(side.constant) + len(side.cells) * (len(cells) - 1) for side in sides)
    bits = largest.bit_length() + 2  # no partial sum of either side exceeds it
    a, b = (_sum(side, cells, bits) for side in sides)
    holds = COMPARE[op](a, b)  # the operators of bit-vectors compare as signed numbers
    return z3.BoolVal(holds, ctx) if isinstance(holds, bool) else holds


def _sum(part: Sum, cells: Sequence[Any], bits: int) -> Any:
    total: Any = part.constant
    for sign, cell in part.cells:
        value = cells[cell]
        if not isinstance(value, int):  # it is below M, so that bits cut off are zero
            more = bits - value.size()
            value = z3.ZeroExt(more, value) if more >= 0 else z3.Extract(bits - 1, 0, value)
        total = total + value if sign > 0 else total - value
    return total
