"""Programs run on bit-vectors: all tapes at once, one path at a time.

A value is a number where it is known and a bit-vector where it depends on the tape; both are always
below M. What an instruction outputs comes from the instruction table: numbers are computed, some
meanings have a formula, and every other one is looked up among its tabulated outputs.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
import z3  # type: ignore[import-untyped]

from anc import isa
from anc.machine.outputs import outputs_of
from anc.program import Program
from anc.verify.verdict import Undecided

Value = Any  # int | z3.BitVecRef

_LARGEST = 256  # a memory with more cells takes minutes to look up in


def width(M: int) -> int:
    """Bits enough for the sum of two values and for M itself."""
    return max(1, (2 * M - 1).bit_length())


def same(a: Value, b: Value) -> bool:
    """Whether two values are surely equal: the same number or the same formula."""
    return bool(a == b)  # of two bit-vectors, z3 says so only when they are one formula


# -- values: at least one of the operands is a bit-vector ------------------------


def _sum(a: Value, b: Value, M: int) -> Value:
    if isinstance(a, int):
        a, b = b, a
    if isinstance(b, int) and b == 0:
        return a
    total = a + b  # at most 2M - 2: it fits
    return z3.If(z3.ULT(total, M), total, total - M)


def _difference(a: Value, b: Value, M: int) -> Value:
    if isinstance(b, int):
        return _sum(a, -b % M, M)
    if not isinstance(a, int) and a.eq(b):
        return 0
    return z3.If(z3.UGE(a, b), a - b, a + M - b)


FORMULAS: dict[isa.Meaning, Callable[[Value, Value, int], Value]] = {
    isa.zero: lambda a, b, M: 0,
    isa.increment: lambda a, b, M: _sum(a, 1 % M, M),
    isa.decrement: lambda a, b, M: _sum(a, M - 1, M),
    isa.add: _sum,
    isa.subtract: _difference,
    isa.smaller: lambda a, b, M: z3.If(z3.ULE(a, b), a, b),
    isa.larger: lambda a, b, M: z3.If(z3.ULE(a, b), b, a),
}


def looked_up(outputs: np.ndarray, a: Value, b: Value) -> Value:
    """outputs[a, b] of a table (M, M): a formula for any meaning at all."""
    if isinstance(a, int):
        return _entry(outputs[a].tolist(), b)
    if isinstance(b, int):
        return _entry(outputs[:, b].tolist(), a)
    if len(outputs) > _LARGEST:
        raise Undecided(f"a look-up among {len(outputs)} times {len(outputs)} outputs is too large")
    rows, columns = (list(map(tuple, table.tolist())) for table in (outputs, outputs.T))
    if len(set(rows)) > len(set(columns)):
        rows, a, b = columns, b, a
    return _entry(rows, a, lambda row: _entry(row, b))


def _entry(
    entries: Sequence[Any], at: z3.BitVecRef, value: Callable[[Any], Value] = lambda entry: entry
) -> Value:
    """The value of entries[at]; equal entries are asked for together, the most frequent one last."""
    if tuple(entries) == tuple(range(len(entries))):
        return at
    places: dict[Any, list[int]] = {}
    for place, entry in enumerate(entries):
        places.setdefault(entry, []).append(place)
    *others, last = sorted(places, key=lambda entry: len(places[entry]))
    found = value(last)
    for entry in reversed(others):
        found = z3.If(
            z3.Or(*(at == place for place in places[entry])),
            _vector(value(entry), at),
            _vector(found, at),
        )
    return found


def _vector(value: Value, like: z3.BitVecRef) -> z3.BitVecRef:
    return z3.BitVecVal(value, like.size(), like.ctx) if isinstance(value, int) else value


def output(row: isa.Instruction, a: Value, b: Value, M: int) -> Value:
    """What an instruction that does not read the tape outputs."""
    if isinstance(a, int) and isinstance(b, int):
        return row.output(a, b, M)
    formula = FORMULAS.get(row.output)
    if formula is not None:
        return formula(a, b, M)
    return looked_up(outputs_of(isa.INDEX[row.name], M), a, b)


def read(tape: list[Value], address: Value) -> Value:
    """The cell at an address."""
    return tape[address] if isinstance(address, int) else _entry(tape, address)


def written(tape: list[Value], address: Value, value: Value) -> list[Value]:
    """The tape after tape[address] = value."""
    if isinstance(address, int):
        return [*tape[:address], value, *tape[address + 1 :]]
    new = _vector(value, address)
    return [z3.If(address == cell, new, _vector(old, address)) for cell, old in enumerate(tape)]


# -- runs ------------------------------------------------------------------------


@dataclass
class Running:
    """A run in the middle: nothing but values and the line to execute next."""

    program: Program
    here: int
    registers: list[Value]
    tape: list[Value]
    steps: int = 0
    stopped: bool = False

    @staticmethod
    def of(program: Program, tape: list[Value]) -> Running:
        return Running(program, program.start, [value or 0 for value in program.registers], tape)

    @property
    def past_end(self) -> bool:
        return self.here >= self.program.L

    def parted(self, here: int) -> Running:
        """The same run, going on at a line."""
        return replace(self, here=here, registers=list(self.registers))


@dataclass(frozen=True)
class Jump:
    """The next line depends on the tape: `target` if `zero` is 0, else `after`."""

    zero: Value
    target: Value
    after: int


def step(run: Running, settle: Callable[[Value], Value]) -> Jump | None:
    """Execute one instruction; None: the run stopped, or goes on at `run.here` if there is a line.

    `settle` may turn an address into the number that it must be on the path at hand.
    """
    line, M = run.program.lines[run.here], len(run.tape)
    row = line.instruction
    first = run.registers[line.first] if line.first is not None else 0
    second = run.registers[line.second] if line.second is not None else 0
    if row.effect is isa.Effect.READ:
        run.registers[line.out] = read(run.tape, settle(first))
    else:
        run.registers[line.out] = output(row, first, second, M)
    if row.effect is isa.Effect.WRITE:
        run.tape = written(run.tape, settle(first), second)
    run.steps += 1
    run.stopped = row.effect is isa.Effect.STOP
    run.here = (run.here + 1) % M
    if row.effect is isa.Effect.JUMP:
        if not isinstance(first, int) or (first == 0 and not isinstance(second, int)):
            return Jump(first, second, run.here)
        if first == 0:
            run.here = second
    return None
