"""Where the ways of a program part and meet, and what its registers are still needed for.

This only decides which runs are joined and when; joining any two runs at one line is sound, so that
nothing here needs to be exact. A computed jump may go to every line.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from functools import cached_property
from typing import Any

from anc.isa import Effect
from anc.program import Line, Program

MEMORY = -1  # the tape, among the registers that a line needs


class Flow:
    """The lines of a program on a tape of M cells; line `exit` stands for the end of the run."""

    def __init__(self, program: Program, M: int) -> None:
        self.program, self.M, self.exit = program, M, program.L
        self.after: list[frozenset[int]] = [frozenset()] * program.L
        self._pointers: dict[int, bool] = {}
        self._go_through()

    def _go_through(self) -> None:
        """Find which lines can follow each line, with what is known of the registers there."""
        start = [value or 0 for value in self.program.registers]
        known: dict[int, list[int | None]] = {self.program.start: list(start)}
        waiting = [self.program.start]
        while waiting:
            number = waiting.pop()
            before = known[number]
            self.after[number] |= self._following(number, before)
            after = list(before)
            line = self.program.lines[number]
            after[line.out] = self._output(line, before)
            for following in self.after[number] - {self.exit}:
                old = known.get(following)
                pairs = zip(old or after, after, strict=True)
                known[following] = [a if a == b else None for a, b in pairs]
                if known[following] != old:
                    waiting.append(following)

    def _output(self, line: Line, registers: Sequence[int | None]) -> int | None:
        """What a line outputs, where that is known."""
        row = line.instruction
        operands = [registers[operand] for operand in line.operands]
        if row.effect is Effect.READ or None in operands:
            return None if row.effect in (Effect.READ, Effect.NONE) else 0
        a, b = (*operands, 0, 0)[:2]
        assert a is not None and b is not None
        return row.output(a, b, self.M)

    def _following(self, number: int, registers: Sequence[int | None]) -> frozenset[int]:
        line = self.program.lines[number]
        effect, next_line = line.instruction.effect, self._line((number + 1) % self.M)
        if effect is Effect.STOP:
            return frozenset([self.exit])
        if effect is not Effect.JUMP:
            return frozenset([next_line])
        zero, target = (registers[operand] for operand in line.operands)
        found = set() if zero == 0 else {next_line}
        if zero is None or zero == 0:
            found |= set(range(self.exit + 1)) if target is None else {self._line(target)}
        return frozenset(found)

    def _line(self, number: int) -> int:
        return min(number, self.exit)

    @cached_property
    def meeting(self) -> list[int]:
        """Of each line, the first line that every way from there to the end goes through."""
        everything = (1 << (self.exit + 1)) - 1
        through = [everything] * self.exit + [1 << self.exit]
        changed = True
        while changed:
            changed = False
            for number in reversed(range(self.exit)):
                common = everything
                for following in self.after[number]:
                    common &= through[following]
                common |= 1 << number
                if common != through[number]:
                    through[number], changed = common, True
        found = []
        for number in range(self.exit):
            later = [n for n in range(self.exit + 1) if n != number and through[number] >> n & 1]
            nearest = max(later, key=lambda n: through[n].bit_count(), default=self.exit)
            found.append(self.exit if through[number] == everything else nearest)
        return found

    def is_pointer(self, number: int) -> bool:
        """Whether the address that a line reads or writes is made of its own address of before."""
        if number not in self._pointers:
            self._pointers[number] = self._comes_back(number)
        return self._pointers[number]

    def _comes_back(self, number: int) -> bool:
        """Follow what is made of the address until it is an address of the same line again."""
        address = self.program.lines[number].first
        made: dict[int, frozenset[Any]] = {}  # before each line, the registers made of it
        waiting = [(line, frozenset([address])) for line in self.after[number]]
        if self.program.lines[number].out == address:
            return False
        while waiting:
            here, registers = waiting.pop()
            if here == self.exit or registers <= made.get(here, frozenset()):
                continue
            if here == number and address in registers:
                return True
            made[here] = registers | made.get(here, frozenset())
            line = self.program.lines[here]
            after = made[here] - {line.out}
            if line.instruction.effect is Effect.NONE and made[here] & set(line.operands):
                after |= {line.out}
            waiting += [(following, after) for following in self.after[here]]
        return False

    def next_meeting(self, number: int) -> int:
        """The next line that every way from a line goes through and where several ways meet."""
        while number != self.exit:
            number = self.meeting[number]
            if sum(number in after for after in self.after) > 1:
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
    def live(self) -> list[frozenset[int]]:
        """The registers whose value may still be read, before each line."""
        return self._needed(lambda line: line.operands, lambda line: ())

    @cached_property
    def addresses(self) -> list[frozenset[int]]:
        """Before each line, the registers (and perhaps MEMORY) that addresses and targets come from."""

        def direct(line: Line) -> Iterable[int | None]:
            if line.instruction.effect in (Effect.READ, Effect.WRITE):
                return (line.first,)
            return (line.second,) if line.instruction.effect is Effect.JUMP else ()

        return self._needed(direct, self._sources)

    @cached_property
    def decisions(self) -> list[frozenset[int]]:
        """Before each line, the registers (and perhaps MEMORY) that jumps depend on."""
        jump = Effect.JUMP
        return self._needed(
            lambda line: (line.first,) if line.instruction.effect is jump else (), self._sources
        )

    @staticmethod
    def _sources(line: Line) -> Iterable[int | None]:
        """What the output of a line is made of."""
        effect = line.instruction.effect
        return (
            (MEMORY,) if effect is Effect.READ else line.operands if effect is Effect.NONE else ()
        )

    def _needed(
        self,
        direct: Callable[[Line], Iterable[int | None]],
        sources: Callable[[Line], Iterable[int | None]],
    ) -> list[frozenset[int]]:
        """What each line needs: directly, or because what it outputs is needed later."""
        needed: list[frozenset[Any]] = [frozenset()] * (self.exit + 1)
        changed = True
        while changed:
            changed = False
            for number in reversed(range(self.exit)):
                line = self.program.lines[number]
                later = frozenset().union(*(needed[following] for following in self.after[number]))
                found = (later - {line.out}) | set(direct(line))
                if line.out in later:
                    found |= set(sources(line))
                if line.instruction.effect is Effect.WRITE and MEMORY in later:
                    found |= {line.second}
                if found != needed[number]:
                    needed[number], changed = frozenset(found), True
        return needed
