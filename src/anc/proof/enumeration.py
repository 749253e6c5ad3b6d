"""Exhaustive enumeration of tapes, up to the cells that no run reads.

Both programs run on a tape that satisfies the precondition. All tapes that agree with it in the cells that
were read behave alike. Every other tape differs first in one of these cells: it has another value there, and
the same values in the cells that were read earlier.
"""

from __future__ import annotations

from itertools import pairwise
from random import Random
from typing import NamedTuple

from anc.isa import Effect
from anc.machine import exact
from anc.program import Program
from anc.proof.claim import Cells, Inquiry
from anc.proof.verdict import Undecided, Verdict
from anc.support.clock import Clock

_TAPE = 20  # evaluations that a tape costs ...
_CELL = 0.06  # ... plus those for each cell ...
_STEP = 0.6  # ... and for each step

Known = dict[int, int]  # the values of some cells


def by_enumeration(inquiry: Inquiry, clock: Clock) -> Verdict:
    """The verdict once all tapes are tried; raises Undecided if there are too many."""
    return Enumeration(inquiry, clock).run()


class UntriedTapes(NamedTuple):
    """The tapes that agree with a tape in the first of some cells, and have other values in the next one."""

    tape: Cells
    cells: list[int]
    number: int  # of the cells in which they agree
    values: list[int]  # of the next cell, that remain


class Enumeration:
    """One enumeration of the tapes of a claim."""

    def __init__(self, inquiry: Inquiry, clock: Clock) -> None:
        self.inquiry, self.claim, self.clock = inquiry, inquiry.claim, clock
        self.branches: list[UntriedTapes] = []
        self.tried = self.compared = 0  # tapes; those on which both programs stop
        self.cut = 0  # tapes of a partial claim on which the generic program may stop after all

    def run(self) -> Verdict:
        claim, random = self.claim, Random(0)
        effort = _TAPE + _CELL * claim.M + claim.tapes.effort
        known: Known | None = {}
        while known is not None:
            if self.clock.over:
                raise Undecided("the time is over", self.tried)
            self.clock.did(effort)
            tape = claim.tapes.find(random, self.clock, known)
            verdict = None if tape is None else self._try(tape, known)
            if verdict is not None:
                return verdict
            known = self._next()
        return self.inquiry.ended("exhaustive", self.tried, self.compared, self.cut)

    def _next(self) -> Known | None:
        """The known cells of the tapes to try next; None if all are tried."""
        while self.branches and not self.branches[-1].values:
            self.branches.pop()
        if not self.branches:
            return None
        tape, cells, number, values = self.branches[-1]
        return {cell: tape[cell] for cell in cells[:number]} | {cells[number]: values.pop()}

    def _try(self, tape: Cells, known: Known) -> Verdict | None:
        """Run both programs on a tape and add the branches of tapes that may behave differently.

        Returns the verdict if this tape settles the claim.
        """
        self.tried += 1
        cells = list(dict.fromkeys([*known, *self._compared(tape)]))
        if self.claim.failure(tape) is not None:
            verdict = self.inquiry.settled_by(tape, "exhaustive", self.tried)
            if verdict is not None:
                return verdict
        same = dict(known)
        for number, cell in enumerate(cells[len(known) :], len(known)):
            values = [v for v in self.claim.tapes.values(cell, same).tolist() if v != tape[cell]]
            self.branches.append(UntriedTapes(tape, cells, number, values))
            same[cell] = tape[cell]
        return None

    def _compared(self, tape: Cells) -> list[int]:
        """The input cells on which both runs and their comparison depend, in order of reading."""
        claim, limit = self.claim, self.claim.max_steps
        generic, read, written = self._followed(claim.generic, tape, limit)
        if generic.stop is not exact.Stop.STOPPED:
            if claim.partial:
                generic, read, _ = self._followed(claim.generic, tape, limit + claim.patience)
                self.cut += not _is_endless(generic)
            return read
        adapted, read_too, written_too = self._followed(claim.adapted, tape, limit)
        self.compared += adapted.stop is exact.Stop.STOPPED
        counted = (cell for cell in written ^ written_too if claim.mask[cell])
        return [*read, *read_too, *sorted(counted)]

    def _followed(
        self, program: Program, tape: Cells, limit: int
    ) -> tuple[exact.Run, list[int], set[int]]:
        """A run, the input cells that it reads, in order, and the cells that it writes."""
        run = exact.run(program, tape, limit, trace=True)
        self.clock.did(_STEP * len(run.trace))
        read, written = list[int](), set[int]()
        for step in run.trace:
            reads = program.instructions[step.op].effect is Effect.READ
            if reads and step.first is not None and step.first not in written:
                read.append(step.first)
            if step.cell is not None:
                written.add(step.cell)
        return run, read, written


def _is_endless(run: exact.Run) -> bool:
    """Whether a run never stops: it left the program, or it repeated a state."""
    if run.stop is not exact.Stop.STEP_LIMIT:
        return run.stop is exact.Stop.PAST_END
    states = [(after.line, before.registers, before.tape) for before, after in pairwise(run.trace)]
    return len(set(states)) < len(states)
