"""Exhaustive check: every tape that satisfies the precondition, as far as the runs can tell.

Both programs run on numbers. A cell has no value until a run first reads it; there the walk splits
into all values that the precondition leaves it. Tapes that differ only in cells that nobody reads
are therefore walked once. The values tried may be a few too many (facts over several cells cut a
value off only when the known cells settle them), which is harmless: where the programs fail, a
whole tape that satisfies the precondition is looked for before anything is said.
"""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from random import Random

from anc.isa import Effect
from anc.program import Program
from anc.verify.inquiry import Inquiry
from anc.verify.tapes import Tapes
from anc.verify.verdict import Undecided, Verdict, unknown

GENERIC, ADAPTED, COMPARE = range(3)
NONE, READ, WRITE, STOP = Effect.NONE, Effect.READ, Effect.WRITE, Effect.STOP
_UNUSED = -1  # the last register: nothing writes there


class _Unread(Exception):
    """A cell is wanted that has no value yet."""

    def __init__(self, cell: int) -> None:
        self.cell = cell


@dataclass
class _State:
    """Where one walk stands; `share` is its part of all that there is to walk."""

    phase: int
    here: int
    registers: list[int]
    steps: int = 0
    written: dict[int, int] = field(default_factory=dict)  # cells changed by the run at hand
    known: dict[int, int] = field(default_factory=dict)  # cells of the input that have a value
    wanted: dict[int, int] = field(default_factory=dict)  # cells changed by the generic program
    share: float = 1.0

    def with_cell(self, cell: int, value: int, share: float) -> _State:
        return replace(
            self,
            registers=list(self.registers),
            written=dict(self.written),
            known={**self.known, cell: value},
            share=share,
        )


class Walk:
    """One exhaustive walk over a claim."""

    def __init__(self, inquiry: Inquiry, tapes: Tapes, random: Random) -> None:
        self.inquiry, self.claim, self.clock = inquiry, inquiry.claim, inquiry.clock
        self.tapes, self.random = tapes, random
        self.lines = [_decoded(program) for program in (self.claim.generic, self.claim.adapted)]
        self.leaves = self.compared = 0  # walked to the end; those where both programs stopped
        self.done = 0.0  # the part of everything that has been walked
        self.spent = 0.0  # seconds
        self.stack = [_State(GENERIC, *_beginning(self.claim.generic))]

    def run(self, patience: float, at_most: float) -> Verdict | None:
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
            verdict = self.judge(state) if failed else None
            if verdict is not None:
                return verdict
        return self.inquiry.ended("exhaustive", self.leaves, self.compared)

    def split(self, state: _State, cell: int) -> None:
        """Go on with each value that the cell can have."""
        values = self.tapes.values(cell, state.known)
        if not values:
            self.done += state.share
        for value in reversed(values):
            self.stack.append(state.with_cell(cell, value, state.share / len(values)))

    def ends_within(self, seconds: float) -> bool:
        """Whether all of the walk can be expected to take so long, at the pace so far."""
        return self.done > 0 and self.spent / self.done < seconds

    def judge(self, state: _State) -> Verdict | None:
        """The verdict, if a tape that satisfies the precondition gets to this failing state."""
        try:
            tape = self.tapes.find(self.random, self.clock, state.known)
        except Undecided:
            return unknown("the solver found no tape for a failing run in time")
        if tape is None:
            return None
        return self.inquiry.settled_by(tape, "exhaustive", self.leaves)

    def advance(self, state: _State) -> bool:
        """Go on until the claim is settled for this state; True: it fails."""
        while state.phase != COMPARE:
            if not self.run_program(state):
                return state.phase == ADAPTED or not self.claim.partial
            if state.phase == GENERIC:
                state.wanted, state.written, state.steps = state.written, {}, 0
                state.here, state.registers = _beginning(self.claim.adapted)
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
        lines, M, limit = self.lines[state.phase], self.claim.M, self.claim.max_steps
        registers, written, known = state.registers, state.written, state.known
        here, steps, L = state.here, state.steps, len(lines)
        while steps < limit:
            output, first, second, out, effect = lines[here]
            a, b, after = registers[first], registers[second], here + 1
            value = 0
            if effect is NONE:
                value = output(a, b, M)
            elif effect is READ:
                if a in written:
                    value = written[a]
                elif a in known:
                    value = known[a]
                else:
                    state.here, state.steps = here, steps
                    raise _Unread(a)
            elif effect is WRITE:
                written[a] = b
            elif effect is STOP:
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
    """What a step needs of each line."""
    found = []
    for line in program.lines:
        first, second = (*line.operands, _UNUSED, _UNUSED)[:2]
        row = line.instruction
        found.append((row.output, first, second, line.out, row.effect))
    return found


def _beginning(program: Program) -> tuple[int, list[int]]:
    """The first line, and the registers with one more that is always 0: what is unused."""
    return program.start, [*(value or 0 for value in program.registers), 0]
