"""Exhaustive enumeration: both programs on every tape, except in cells that no run reads.

A tape that satisfies the precondition is drawn, and both programs run on it. All tapes that agree with it
in the cells that were read behave alike. Every other tape first differs in one of these cells: it is found
under another value of that cell, with the cells that were read earlier unchanged.
"""

from __future__ import annotations

from itertools import pairwise
from random import Random

from anc.isa import Effect
from anc.machine import exact
from anc.program import Program
from anc.proof.claim import Cells, Inquiry
from anc.proof.verdict import Undecided, Verdict
from anc.support.clock import Clock

_TAPE = 20  # evaluations that it takes to draw a tape and to run both programs on it ...
_CELL = 0.06  # ... what each of its cells adds ...
_STEP = 0.6  # ... and each step

Known = dict[int, int]  # the values of some cells


def by_enumeration(inquiry: Inquiry, clock: Clock) -> Verdict:
    """The verdict when all tapes are tried; Undecided when there are too many."""
    return Enumeration(inquiry, clock).run()


class Enumeration:
    """One enumeration of the tapes of a claim."""

    def __init__(self, inquiry: Inquiry, clock: Clock) -> None:
        self.inquiry, self.claim, self.clock = inquiry, inquiry.claim, clock
        self.waiting: list[Known] = [{}]
        self.tried = self.compared = 0  # tapes; those on which both programs stop
        self.cut = 0  # tapes of a partial claim on which the generic program may stop after all

    def run(self) -> Verdict:
        claim, random = self.claim, Random(0)
        effort = _TAPE + _CELL * claim.M + claim.tapes.effort
        while self.waiting:
            if self.clock.over:
                raise Undecided("the time is over", self.tried)
            known = self.waiting.pop()
            self.clock.did(effort)
            tape = claim.tapes.find(random, self.clock, known)
            verdict = None if tape is None else self._try(tape, known)
            if verdict is not None:
                return verdict
        return self.inquiry.ended("exhaustive", self.tried, self.compared, self.cut)

    def _try(self, tape: Cells, known: Known) -> Verdict | None:
        """The verdict, if this tape settles the claim; those that it does not stand for have to wait."""
        self.tried += 1
        cells = self._compared(tape)
        if self.claim.failure(tape) is not None:
            verdict = self.inquiry.settled_by(tape, "exhaustive", self.tried)
            if verdict is not None:
                return verdict
        same = dict(known)
        for cell in cells:
            if cell not in same:
                values = self.claim.tapes.values(cell, same)
                self.waiting += [{**same, cell: v} for v in values if v != tape[cell]]
                same[cell] = tape[cell]
        return None

    def _compared(self, tape: Cells) -> list[int]:
        """Run both programs; the cells of the input on which their runs or the comparison depend."""
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
        """A run, the cells of the input that it reads, in order, and those that it writes."""
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
    """Whether a run never stops: it left the program, or was in one state twice."""
    if run.stop is not exact.Stop.STEP_LIMIT:
        return run.stop is exact.Stop.PAST_END
    states = [(after.line, before.registers, before.tape) for before, after in pairwise(run.trace)]
    return len(set(states)) < len(states)
