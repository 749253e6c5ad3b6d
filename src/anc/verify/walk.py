"""Exhaustive check: every tape that satisfies the precondition, as far as the runs can tell.

Both programs run on numbers. A cell has no value until a run first reads it; there the walk splits
into all values that the precondition leaves it. Tapes that differ only in cells that nobody reads
are therefore walked once. The values tried may be a few too many (facts over several cells cut a
value off only when the known cells settle them), which is harmless: where the programs fail, a
whole tape that satisfies the precondition is looked for before anything is said.
"""

from __future__ import annotations

from dataclasses import dataclass
from random import Random

from anc import isa
from anc.machine.exact import Numbers
from anc.program import Program
from anc.verify.claim import Claim
from anc.verify.clock import Clock
from anc.verify.tapes import Tapes, Undecided
from anc.verify.verdict import Verdict, unknown

GENERIC, ADAPTED, COMPARE = range(3)


class _Unread(Exception):
    """A cell is wanted that has no value yet."""

    def __init__(self, cell: int) -> None:
        self.cell = cell


@dataclass
class _State:
    """Where one walk stands; `share` is its part of all that there is to walk."""

    phase: int
    here: int
    steps: int
    registers: list[int]
    written: dict[int, int]  # cells changed by the run at hand
    known: dict[int, int]  # cells of the input that have a value
    wanted: dict[int, int]  # cells changed by the generic program's run
    share: float

    def copy(self, cell: int, value: int, share: float) -> _State:
        return _State(
            self.phase,
            self.here,
            self.steps,
            list(self.registers),
            dict(self.written),
            {**self.known, cell: value},
            self.wanted,
            share,
        )


class _Numbers(Numbers):
    """The exact machine's numbers; reading a cell without a value raises `_Unread`."""

    def __init__(self, M: int) -> None:
        super().__init__(M)
        self.written: dict[int, int] = {}
        self.known: dict[int, int] = {}

    def read(self, address: int) -> int:
        value = self.written.get(address)
        if value is None:
            value = self.known.get(address)
            if value is None:
                raise _Unread(address)
        return value


class Walk:
    """One exhaustive walk over a claim."""

    def __init__(self, claim: Claim, tapes: Tapes, clock: Clock, random: Random) -> None:
        self.claim, self.tapes, self.clock, self.random = claim, tapes, clock, random
        self.numbers = _Numbers(claim.M)
        self.programs = (claim.generic, claim.adapted)
        self.lines = [_decoded(program) for program in self.programs]
        self.leaves = self.compared = 0  # walked to the end; those where both programs stopped
        self.done = 0.0  # the part of everything that has been walked
        self.spent = 0.0  # seconds
        self.stack = [self.first()]
        self.outside: Verdict | None = None  # the generic program itself fails on an allowed tape

    @property
    def over(self) -> bool:
        """Whether everything has been walked."""
        return not self.stack

    def run(self, patience: float, at_most: float, any_failure: bool = False) -> Verdict | None:
        """The verdict, or None while there is none; a later call goes on where this one gave up.

        It gives up at the deadline, and after `patience` seconds unless all of it can be expected
        to take `at_most` seconds.
        """
        begin = self.clock.seconds - self.spent
        while self.stack:
            self.spent = self.clock.seconds - begin
            if self.clock.over or (self.spent > patience and not self.ends_within(at_most)):
                return None
            state = self.stack.pop()
            try:
                failed = self.advance(state)
            except _Unread as unread:
                self.split(state, unread.cell)
                continue
            except TimeoutError:
                self.stack.append(state)
                return None
            self.leaves += 1
            self.compared += state.phase == COMPARE
            self.done += state.share
            if failed:
                verdict = self.judge(state)
                if verdict is not None and (verdict.tape is None or verdict.refuted or any_failure):
                    return verdict
                self.outside = self.outside or verdict
        return self.outside or self.claim.holds("exhaustive", self.leaves, self.compared)

    def split(self, state: _State, cell: int) -> None:
        """Go on with each value that the cell can have."""
        values = self.tapes.values(cell, state.known)
        if not values:
            self.done += state.share
        for value in reversed(values):
            self.stack.append(state.copy(cell, value, state.share / len(values)))

    def first(self) -> _State:
        program = self.claim.generic
        return _State(GENERIC, program.start, 0, _initial(program), {}, {}, {}, 1.0)

    def ends_within(self, seconds: float) -> bool:
        """Whether all of the walk can be expected to take so long, at the pace so far."""
        return self.done > 0 and self.spent / self.done < seconds

    def judge(self, state: _State) -> Verdict | None:
        """A failing state's verdict; None when no tape that satisfies the precondition gets here."""
        try:
            tape = self.tapes.find(self.random, self.clock, state.known)
        except Undecided:
            return unknown("the solver found no tape for a failing run in time")
        if tape is None:
            return None
        return self.claim.replay(tape, "exhaustive", self.leaves)

    def advance(self, state: _State) -> bool:
        """Go on until the claim is settled for this state; True: it fails."""
        while state.phase != COMPARE:
            if not self.run_program(state):
                return state.phase == ADAPTED or not self.claim.partial
            program = self.claim.adapted
            if state.phase == GENERIC:
                state.wanted, state.written = state.written, {}
                state.registers, state.here, state.steps = _initial(program), program.start, 0
            state.phase += 1
        return self.differ(state)

    def differ(self, state: _State) -> bool:
        for cell in sorted(state.wanted.keys() | state.written.keys()):
            if self.claim.mask[cell]:
                sides = [w.get(cell, state.known.get(cell)) for w in (state.wanted, state.written)]
                if None in sides:
                    raise _Unread(cell)
                if sides[0] != sides[1]:
                    return True
        return False

    def run_program(self, state: _State) -> bool:
        """Run the program of this phase; True: it stopped."""
        lines, numbers, M = self.lines[state.phase], self.numbers, self.claim.M
        registers, written = state.registers, state.written
        numbers.written, numbers.known = written, state.known
        L, limit = len(lines), self.claim.max_steps
        here, steps = state.here, state.steps
        while steps < limit:
            output, first, second, out, effect = lines[here]
            a = 0 if first is None else registers[first]
            b = 0 if second is None else registers[second]
            try:
                value = output(numbers, a, b)
            except _Unread:
                state.here, state.steps = here, steps
                raise
            after = here + 1
            if effect is not isa.Effect.NONE:
                if effect is isa.Effect.WRITE:
                    written[a] = b
                elif effect is isa.Effect.STOP:
                    return True
                elif a == 0:
                    after = b
            registers[out] = value
            if after == M:
                after = 0
            if after >= L:
                return False
            here = after
            steps += 1
            if steps % 4096 == 0 and self.clock.over:
                state.here, state.steps = here, steps
                raise TimeoutError
        return False


def _decoded(program: Program) -> list[tuple]:
    return [
        (line.instruction.output, line.first, line.second, line.out, line.instruction.effect)
        for line in program.lines
    ]


def _initial(program: Program) -> list[int]:
    return [value or 0 for value in program.registers]
