"""The control flow of a program: which lines come next, where ways part and meet, what is still needed.

Proofs trust two things here: that every line which can come next is in `after`, and that no register
outside of `live` is read before it is written, for runs that are joined forget what these hold. Both may
hold too much, never too little; tests compare them with the exact machine. All else only decides which
runs are joined and when, which is sound whatever it says.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from functools import cached_property
from itertools import product

import numpy as np

from anc.compiler.dataflow import finished_last_first, fixpoint
from anc.isa import Effect
from anc.program import Line, Program

Values = frozenset[int] | None  # that a register can hold; None: anything
Known = tuple[Values, ...]  # of all registers
Domain = Callable[[int], np.ndarray]  # the values of an input cell, as M truth values

MEMORY = -1  # the tape, among the registers that a line needs
_FEW = 16  # numbers of a register that are told apart


class Flow:
    """The lines of a program on a tape of M cells; line `exit` stands for the end of the run.

    `domain` says what values the input cells have. A register holds one of a few numbers, or anything.
    Only programs that compute where they jump need more than one number: what they read then tells where
    they can go. A jump to anything may go to every line.
    """

    def __init__(
        self, program: Program, M: int, domain: Domain | None = None, few: int = _FEW
    ) -> None:
        self.program, self.M, self.exit = program, M, program.L
        self.effects = [program.row(line).effect for line in program.lines]
        self.written = frozenset(line.out for line in program.lines)
        lines = list(zip(program.lines, self.effects, strict=True))
        computes = any(e is Effect.JUMP and line.second in self.written for line, e in lines)
        self._most = few if computes else 1
        stores = {line.first for line, e in lines if e is Effect.WRITE}
        self._domain = None if self.written & stores else domain
        self._changed = {program.registers[r] or 0 for r in stores if r is not None}
        self.after: list[frozenset[int]] = [frozenset()] * program.L
        start: Known = tuple(frozenset([value or 0]) for value in program.registers)
        for number, known in fixpoint({program.start: start}, self._onwards, self._either).items():
            self.after[number] = self._next(number, known)

    # -- what registers hold -------------------------------------------------------------

    def _onwards(self, number: int, known: Known) -> Iterator[tuple[int, Known]]:
        """What is known at the lines after one, as far as that one says."""
        out = self.program.lines[number].out
        after = (*known[:out], self._output(number, known), *known[out + 1 :])
        return ((line, after) for line in self._next(number, known) if line != self.exit)

    def _either(self, one: Known, other: Known) -> Known:
        pairs = zip(one, other, strict=True)
        return tuple(None if a is None or b is None else self._few(a | b) for a, b in pairs)

    def _few(self, values: frozenset[int]) -> Values:
        return values if len(values) <= self._most else None

    def _output(self, number: int, known: Known) -> Values:
        line, row = self.program.lines[number], self.program.row(self.program.lines[number])
        operands = [known[operand] for operand in line.operands]
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
        if (
            self._domain is None
            or addresses is None
            or addresses & self._changed
            or self._most == 1
        ):
            return None
        cells = [frozenset(np.flatnonzero(self._domain(cell)).tolist()) for cell in addresses]
        return self._few(frozenset().union(*cells))

    def _next(self, number: int, known: Known) -> frozenset[int]:
        following = min((number + 1) % self.M, self.exit)
        if self.effects[number] is Effect.STOP:
            return frozenset([self.exit])
        if self.effects[number] is not Effect.JUMP:
            return frozenset([following])
        zero, targets = (known[operand] for operand in self.program.lines[number].operands)
        found = set() if zero == {0} else {following}
        if zero is None or 0 in zero:
            everything = range(self.exit + 1)
            found |= {
                min(target, self.exit) for target in (everything if targets is None else targets)
            }
        return frozenset(found)

    # -- where ways meet -----------------------------------------------------------------

    @cached_property
    def _before(self) -> list[list[int]]:
        """Of each line and the end, the lines from which a run comes there."""
        lines = range(self.exit)
        return [[n for n in lines if number in self.after[n]] for number in range(self.exit + 1)]

    @cached_property
    def meeting(self) -> list[int]:
        """Of each line, the first line that every way from there to the end goes through."""

        def backwards(number: int, through: int) -> Iterator[tuple[int, int]]:
            return ((line, through | 1 << line) for line in self._before[number])

        through = fixpoint({self.exit: 1 << self.exit}, backwards, int.__and__)
        found = []
        for number in range(self.exit):
            later = through.get(number, 0) & ~(1 << number)
            lines = (line for line in range(self.exit + 1) if later >> line & 1)
            found.append(max(lines, key=lambda line: through[line].bit_count(), default=self.exit))
        return found

    def next_meeting(self, number: int) -> int:
        """The next line that every way from a line goes through and where several ways meet."""
        while number != self.exit:
            number = self.meeting[number]
            if len(self._before[number]) > 1:
                break
        return number

    def is_tail(self, number: int) -> bool:
        """Whether only one way, without a jump, leads from a line to the end."""
        for _ in range(self.exit):
            if number == self.exit:
                return True
            if len(self.after[number]) != 1:
                return False
            (number,) = self.after[number]
        return False

    @cached_property
    def heads(self) -> frozenset[int]:
        """The heads of loops: lines such that every loop goes through one of them."""
        edges = {n: tuple(sorted(after, reverse=True)) for n, after in enumerate(self.after)}
        order = finished_last_first(edges, self.program.start)
        place = {number: i for i, number in enumerate(order)}
        ways = ((number, line) for number in order for line in edges[number] if line in place)
        return frozenset(line for number, line in ways if place[line] <= place[number])

    # -- what is still needed ------------------------------------------------------------

    @cached_property
    def live(self) -> list[frozenset[int]]:
        """The registers whose value may still be read, before each line."""
        return self._needed(lambda line, effect: line.operands, lambda line, effect: ())

    @cached_property
    def addresses(self) -> list[frozenset[int]]:
        """Before each line, the registers (and perhaps MEMORY) that addresses and targets come from."""

        def direct(line: Line, effect: Effect) -> Iterable[int | None]:
            if effect in (Effect.READ, Effect.WRITE):
                return (line.first,)
            return (line.second,) if effect is Effect.JUMP else ()

        return self._needed(direct, _sources)

    @cached_property
    def decisions(self) -> list[frozenset[int]]:
        """Before each line, the registers (and perhaps MEMORY) that jumps depend on."""
        return self._needed(
            lambda line, effect: (line.first,) if effect is Effect.JUMP else (), _sources
        )

    def _needed(
        self,
        direct: Callable[[Line, Effect], Iterable[int | None]],
        sources: Callable[[Line, Effect], Iterable[int | None]],
    ) -> list[frozenset[int]]:
        """What each line needs: directly, or because what it outputs is needed later."""

        def before(number: int, later: frozenset[int]) -> frozenset[int]:
            line, effect = self.program.lines[number], self.effects[number]
            found: set[int | None] = {*(later - {line.out}), *direct(line, effect)}
            if line.out in later:
                found.update(sources(line, effect))
            if effect is Effect.WRITE and MEMORY in later:
                found.add(line.second)
            return frozenset(register for register in found if register is not None)

        def backwards(number: int, later: frozenset[int]) -> Iterator[tuple[int, frozenset[int]]]:
            return ((line, before(line, later)) for line in self._before[number])

        begin = {number: before(number, frozenset()) for number in reversed(range(self.exit))}
        found = fixpoint(begin, backwards, frozenset.union)
        return [*(found[number] for number in range(self.exit)), frozenset()]


def _sources(line: Line, effect: Effect) -> Iterable[int | None]:
    """What the output of a line is made of."""
    if effect is Effect.READ:
        return (MEMORY,)
    return line.operands if effect is Effect.NONE else ()
