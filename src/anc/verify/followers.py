"""Which lines can follow each line of a program, with what is known of its registers there.

A register holds one of a few numbers, or anything. Only programs that compute where they jump need
more than one number: what they read then tells where they can go.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from itertools import product

import numpy as np

from anc.isa import Effect
from anc.program import Line, Program

Values = frozenset[int] | None  # None: anything
Domain = Callable[[int], np.ndarray]  # the values of an input cell, as M truth values

_FEW = 16  # numbers of a register that are told apart


def followers(program: Program, M: int, domain: Domain | None) -> list[frozenset[int]]:
    """For each line those that can come next; line L stands for the end of the run."""
    return _Followers(program, M, domain).after


class _Followers:
    def __init__(self, program: Program, M: int, domain: Domain | None) -> None:
        self.program, self.M, self.exit = program, M, program.L
        self.after: list[frozenset[int]] = [frozenset()] * program.L
        written = {line.out for line in program.lines}
        with_effect = {effect: [n for n in program.lines if n.instruction.effect is effect]
                       for effect in (Effect.JUMP, Effect.WRITE)}  # fmt: skip
        computes = any(line.second in written for line in with_effect[Effect.JUMP])
        self.most = _FEW if computes else 1
        stores = [line.first for line in with_effect[Effect.WRITE]]
        self.domain = None if written & set(stores) else domain
        self.changed = {program.registers[r] or 0 for r in stores if r is not None}
        self._go_through()

    def _go_through(self) -> None:
        start: list[Values] = [frozenset([value or 0]) for value in self.program.registers]
        known = {self.program.start: start}
        waiting = [self.program.start]
        while waiting:
            number = waiting.pop()
            before = known[number]
            self.after[number] |= self._next(number, before)
            after = list(before)
            line = self.program.lines[number]
            after[line.out] = self._output(line, before)
            for other in self.after[number] - {self.exit}:
                old = known.get(other)
                known[other] = [
                    self._either(*pair) for pair in zip(old or after, after, strict=True)
                ]
                if known[other] != old:
                    waiting.append(other)

    def _either(self, a: Values, b: Values) -> Values:
        return None if a is None or b is None else self._few(a | b)

    def _few(self, values: frozenset[int]) -> Values:
        return values if len(values) <= self.most else None

    def _output(self, line: Line, registers: Sequence[Values]) -> Values:
        row = line.instruction
        operands = [registers[operand] for operand in line.operands]
        if row.effect is Effect.READ:
            return self._read(operands[0])
        if row.effect is not Effect.NONE:
            return frozenset([0])
        sets = [values for values in operands if values is not None]
        if len(sets) < len(operands):
            return None
        first, second = (*sets, frozenset([0]), frozenset([0]))[:2]
        return self._few(frozenset(row.output(a, b, self.M) for a, b in product(first, second)))

    def _read(self, addresses: Values) -> Values:
        """What the input holds there, unless it may have been overwritten."""
        if self.domain is None or addresses is None or addresses & self.changed or self.most == 1:
            return None
        cells = [frozenset(np.flatnonzero(self.domain(cell)).tolist()) for cell in addresses]
        return self._few(frozenset().union(*cells))

    def _next(self, number: int, registers: Sequence[Values]) -> frozenset[int]:
        line = self.program.lines[number]
        effect, next_line = line.instruction.effect, self._line((number + 1) % self.M)
        if effect is Effect.STOP:
            return frozenset([self.exit])
        if effect is not Effect.JUMP:
            return frozenset([next_line])
        zero, targets = (registers[operand] for operand in line.operands)
        found = set() if zero == {0} else {next_line}
        if zero is None or 0 in zero:
            everything = range(self.exit + 1)
            found |= set(everything if targets is None else map(self._line, targets))
        return frozenset(found)

    def _line(self, number: int) -> int:
        return min(number, self.exit)
