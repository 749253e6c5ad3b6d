"""Programs run on bit-vectors: all tapes at once, one path at a time.

A value is a number where it is known and a bit-vector where it depends on the tape; both are always
below M. What an instruction means comes from the instruction table, through the algebra below.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import z3  # type: ignore[import-untyped]

from anc import isa
from anc.program import Program

Value = Any  # int | z3.BitVecRef


def width(M: int) -> int:
    """Bits enough for the sum of two values and for M itself."""
    return max(1, (2 * M - 1).bit_length())


class BitVectors:
    """The algebra of values modulo M over a tape; M need not be a power of two.

    `settle` may turn an address into the number that it must be on the path at hand.
    """

    def __init__(self, M: int, ctx: z3.Context, settle: Callable[[Value], Value]) -> None:
        self.M, self.ctx, self.settle = M, ctx, settle
        self.bits = width(M)
        self.tape: list[Value] = []

    def constant(self, number: int) -> Value:
        return number % self.M

    def shift(self, value: Value, by: int) -> Value:
        return self.add(value, by % self.M)

    def add(self, left: Value, right: Value) -> Value:
        if isinstance(left, int) and isinstance(right, int):
            return (left + right) % self.M
        if isinstance(left, int):
            left, right = right, left
        if isinstance(right, int) and right == 0:
            return left
        total = left + right  # at most 2M - 2: it fits
        return z3.If(z3.ULT(total, self.vector(self.M)), total, total - self.M)

    def sub(self, left: Value, right: Value) -> Value:
        if isinstance(left, int) and isinstance(right, int):
            return (left - right) % self.M
        if isinstance(right, int):
            return self.add(left, -right % self.M)
        if not isinstance(left, int) and left.eq(right):
            return 0
        left = self.vector(left)
        return z3.If(z3.UGE(left, right), left - right, left + self.M - right)

    def min(self, left: Value, right: Value) -> Value:
        return self.choose(left, right, min)

    def max(self, left: Value, right: Value) -> Value:
        return self.choose(left, right, max)

    def choose(self, left: Value, right: Value, which: Callable[[int, int], int]) -> Value:
        if isinstance(left, int) and isinstance(right, int):
            return which(left, right)
        left, right = self.vector(left), self.vector(right)
        smaller, larger = (left, right) if which is min else (right, left)
        return z3.If(z3.ULE(left, right), smaller, larger)

    def read(self, address: Value) -> Value:
        address = self.settle(address)
        if isinstance(address, int):
            return self.tape[address]
        found = self.vector(self.tape[-1])
        for cell in range(self.M - 2, -1, -1):
            here = self.vector(self.tape[cell])
            if not here.eq(found):
                found = z3.If(address == cell, here, found)
        return found

    def written(self, address: Value, value: Value) -> list[Value]:
        """The tape after tape[address] = value."""
        address = self.settle(address)
        tape = list(self.tape)
        if isinstance(address, int):
            tape[address] = value
            return tape
        vector = self.vector(value)
        return [z3.If(address == cell, vector, self.vector(old)) for cell, old in enumerate(tape)]

    def vector(self, value: Value) -> z3.BitVecRef:
        return z3.BitVecVal(value, self.bits, self.ctx) if isinstance(value, int) else value


@dataclass
class Running:
    """A run in the middle: nothing but values and the line to execute next."""

    program: Program
    here: int
    steps: int
    registers: list[Value]
    tape: list[Value]

    @staticmethod
    def of(program: Program, tape: list[Value]) -> Running:
        return Running(program, program.start, 0, [v or 0 for v in program.registers], list(tape))

    @property
    def past_end(self) -> bool:
        return self.here >= self.program.L

    def copy(self, here: int) -> Running:
        return Running(self.program, here, self.steps, list(self.registers), list(self.tape))


@dataclass(frozen=True)
class Stopped:
    """The run executed STOP."""


@dataclass(frozen=True)
class Jump:
    """The next line depends on the tape: `target` if `zero` is 0, else `after`."""

    zero: Value
    target: Value
    after: int


def step(run: Running, algebra: BitVectors) -> Stopped | Jump | None:
    """Execute one instruction; None: the run goes on at `run.here`, unless that is past the end."""
    line = run.program.lines[run.here]
    row = line.instruction
    algebra.tape = run.tape
    first = run.registers[line.first] if line.first is not None else 0
    second = run.registers[line.second] if line.second is not None else 0
    value = row.output(algebra, first, second)
    if row.effect is isa.Effect.WRITE:
        run.tape = algebra.written(first, second)
    run.registers[line.out] = value
    run.steps += 1
    if row.effect is isa.Effect.STOP:
        return Stopped()
    after = (run.here + 1) % algebra.M
    if row.effect is isa.Effect.JUMP:
        if not isinstance(first, int) or (first == 0 and not isinstance(second, int)):
            return Jump(first, second, after)
        if first == 0:
            after = second
    run.here = after
    return None
