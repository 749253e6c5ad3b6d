"""Programs run on terms: all tapes at once.

What an instruction outputs comes from the instruction table: numbers are computed, some meanings
have a formula, and every other one is looked up among its tabulated outputs.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from typing import Any

import z3  # type: ignore[import-untyped]

from anc import isa
from anc.machine.outputs import outputs_of
from anc.verify.space import Space
from anc.verify.terms import Value
from anc.verify.verdict import Undecided

_LARGEST = 256  # a memory with more cells takes minutes to look up in

FORMULAS: dict[isa.Meaning, Callable[[Space, Value, Value], Value]] = {
    isa.zero: lambda space, a, b: 0,
    isa.increment: lambda space, a, b: space.sum(a, 1),
    isa.decrement: lambda space, a, b: space.sum(a, -1),
    isa.add: Space.sum,
    isa.subtract: Space.difference,
    isa.smaller: Space.smaller,
    isa.larger: Space.larger,
}


def output(row: isa.Instruction, space: Space, a: Value, b: Value) -> Value:
    """What an instruction that does not read the tape outputs."""
    if isinstance(a, int) and isinstance(b, int):
        return row.output(a, b, space.M)
    formula = FORMULAS.get(row.output)
    if formula is not None:
        return formula(space, a, b)
    return looked_up(row, space, a, b)


def looked_up(row: isa.Instruction, space: Space, a: Value, b: Value) -> Value:
    """The output of an instruction for any meaning at all; at least one operand is no number."""
    outputs = outputs_of(row, space.M)
    if isinstance(a, int):
        assert not isinstance(b, int)
        return space.mapped(outputs[a], b)
    if isinstance(b, int):
        return space.mapped(outputs[:, b], a)
    if space.M > _LARGEST:
        raise Undecided(f"a look-up among {space.M} times {space.M} outputs is too large")
    return space.mapped2(outputs, a, b)


# -- the solver's own values: numbers or bit-vectors ------------------------------------


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
