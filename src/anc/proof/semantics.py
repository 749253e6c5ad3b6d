"""What instructions mean on values that are no plain numbers: terms, or bit-vectors of the solver.

Numbers are computed by the row of the instruction, some meanings have a formula, and every other one is
looked up among its tabulated outputs.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from typing import Any

import numpy as np
import z3  # type: ignore[import-untyped]

from anc import isa

# Of values that have sums, differences, a smaller and a larger one: those of `Space`, or of `Words`.
FORMULAS: dict[isa.Meaning, Callable[[Any, Any, Any], Any]] = {
    isa.zero: lambda values, a, b: 0,
    isa.increment: lambda values, a, b: values.sum(a, 1),
    isa.decrement: lambda values, a, b: values.difference(a, 1),
    isa.add: lambda values, a, b: values.sum(a, b),
    isa.subtract: lambda values, a, b: values.difference(a, b),
    isa.smaller: lambda values, a, b: values.smaller(a, b),
    isa.larger: lambda values, a, b: values.larger(a, b),
}


def output(row: isa.Instruction, values: Any, a: Any, b: Any) -> Any:
    """What an instruction that does not read the tape outputs."""
    if isinstance(a, int) and isinstance(b, int):
        return row.output(a, b, values.M)
    formula = FORMULAS.get(row.output)
    return values.looked_up(row, a, b) if formula is None else formula(values, a, b)


class Vectors:
    """The numbers below M as bit-vectors in one context of the solver, in as few bits as they need.

    With M a power of two, they wrap around by themselves.
    """

    def __init__(self, M: int, ctx: z3.Context) -> None:
        self.M, self.ctx, self.width = M, ctx, max(1, (M - 1).bit_length())
        self.wraps = 1 << self.width == M

    def variable(self, name: str) -> z3.BitVecRef:
        return z3.BitVec(name, self.width, self.ctx)

    def number(self, value: int, bits: int = 0) -> z3.BitVecRef:
        return z3.BitVecVal(value, bits or self.width, self.ctx)

    def vector(self, value: Any) -> z3.BitVecRef:
        return self.number(value) if isinstance(value, int) else value

    def added(self, a: z3.BitVecRef, b: z3.BitVecRef) -> z3.BitVecRef:
        """a + b, modulo M."""
        return a + b if self.wraps else self._reduced(z3.ZeroExt(1, a) + z3.ZeroExt(1, b))

    def subtracted(self, a: z3.BitVecRef, b: z3.BitVecRef) -> z3.BitVecRef:
        """a - b, modulo M."""
        return a - b if self.wraps else self._reduced(z3.ZeroExt(1, a) + self.M - z3.ZeroExt(1, b))

    def _reduced(self, total: z3.BitVecRef) -> z3.BitVecRef:
        """What is below 2 M, in one bit more, modulo M."""
        total = z3.If(z3.UGE(total, self.M), total - self.M, total)
        return z3.Extract(self.width - 1, 0, total)

    def one_of(
        self, at: z3.BitVecRef, allowed: np.ndarray, among: np.ndarray | None = None
    ) -> z3.BoolRef:
        """That a vector is one of the values where `allowed` (M,) is true, as ranges.

        Where it is known to be `among` some values, others do not matter.
        """
        values = np.arange(self.M) if among is None else among
        inside = allowed[values].astype(np.int8)
        edges = np.flatnonzero(np.diff(np.concatenate([[0], inside, [0]])))
        ranges = []
        for low, high in zip(
            values[edges[::2]].tolist(), values[edges[1::2] - 1].tolist(), strict=True
        ):
            is_single = low == high
            ranges.append(at == low if is_single else z3.And(z3.UGE(at, low), z3.ULE(at, high)))
        return z3.Or(ranges)


def read(tape: Sequence[Any], address: Any) -> Any:
    """The cell at an address, all of them numbers or bit-vectors."""
    return tape[address] if isinstance(address, int) else entry(enumerate(tape), address)


def entry(entries: Iterable[tuple[int, Any]], at: z3.BitVecRef) -> Any:
    """The entry at an address, which is one of those given; equal ones are asked for together."""
    places: dict[Any, list[int]] = {}
    for place, value in entries:
        places.setdefault(value, []).append(place)
    *others, last = sorted(places, key=lambda value: len(places[value]))
    found = last
    for value in reversed(others):
        here = z3.Or([at == place for place in places[value]])
        found = z3.If(here, _vector(value, at), _vector(found, at))
    return found


def _vector(value: Any, like: z3.BitVecRef) -> z3.BitVecRef:
    return z3.BitVecVal(value, like.size(), like.ctx) if isinstance(value, int) else value
