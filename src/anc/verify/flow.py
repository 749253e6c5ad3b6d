"""Where the ways of a program part and meet, and what its registers are still needed for.

Proofs trust two things here: that every line which can come next is in `after`, and that no register
outside of `live` is read before it is written, for runs that are joined forget what these hold. Both may
hold too much, never too little; tests compare them with the exact machine. All else only decides which
runs are joined and when, which is sound whatever it says. A computed jump may go to every line of which
nothing else is known.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from functools import cached_property
from typing import Any

from anc.isa import Effect
from anc.program import Line, Program
from anc.verify.followers import Domain, followers

MEMORY = -1  # the tape, among the registers that a line needs


class Flow:
    """The lines of a program on a tape of M cells; line `exit` stands for the end of the run.

    `domain` says what values the input cells have.
    """

    def __init__(self, program: Program, M: int, domain: Domain | None = None) -> None:
        self.program, self.exit = program, program.L
        self.after = followers(program, M, domain)

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
