"""Extra cases beyond the samples: they refute programs and facts that hold on the samples by chance.

A generator can draw far more cases than the search can afford to run all the time. Answers and their facts are
tested on them, and cases that refute one become samples. The extra cases and the test cases are disjoint.
"""

from __future__ import annotations

from collections.abc import Sequence
from itertools import chain

import numpy as np

from anc.adaptation.evidence import MAX_STEPS, Dropped, Samples, Why
from anc.data.tasks.cases import Case
from anc.machine.batch import judge
from anc.machine.encoded import Cases
from anc.program import Program
from anc.proof import Fact
from anc.proof.preconditions.support import holding
from anc.search import Found
from anc.support.clock import Clock
from anc.support.diagnostics import AncError
from anc.training.problem import Problem

MOST = 60_000
_CHUNK = 500
_LOOK = 25  # cases between two checks of the clock
_DRAWN = 5  # evaluations charged for drawing a case
_STALE = 3_000  # known cases in a row: there are hardly any new ones
_TOLD = 50  # most cases that are returned at once


class Drawn:
    """The distinct extra cases drawn so far; none is a sample or a test case."""

    def __init__(self, problem: Problem, samples: Samples, assumed: Sequence[Fact], clock: Clock):
        self.program, self.assumed, self.clock = problem.program, assumed, clock
        self.known = {hash(case) for case in chain(samples.cases, problem.test)}
        given = [case for case in problem.looked_at if hash(case) not in self.known]
        self.source = chain(given, problem.more() if problem.more is not None else ())
        self.chunks: list[Cases] = []
        self.tried: dict[Program, int] = {}  # number of chunks on which a program was right
        self.held: dict[tuple[Fact, ...], int] = {}  # number of chunks on which facts held
        self.seconds, self.ended = 0.0, False
        self.notes: list[str] = []

    @property
    def count(self) -> int:
        return sum(chunk.C for chunk in self.chunks)

    def grow(self, seconds: float) -> bool:
        """Draw more cases within a total of `seconds`; whether there may be others."""
        while not self.ended and self.seconds < seconds and not self.clock.over:
            found = self.draw(_CHUNK, seconds)
            if found:
                chunk = Cases.of(found)
                self.chunks.append(chunk.choose(np.flatnonzero(self.is_right(chunk))))
            self.ended |= self.count >= MOST
        return not self.ended

    def take(self, n: int, seconds: float) -> list[Case]:
        """Up to n new cases that will not be among the others, in the same time."""
        found = self.draw(n, seconds)
        right = self.is_right(Cases.of(found)) if found else ()
        return [case for case, good in zip(found, right, strict=True) if good]

    def is_right(self, cases: Cases) -> np.ndarray:
        """(n,) bool: the cases on which the generic program is right; no program could be right on others."""
        return ~judge(self.program, cases, MAX_STEPS)[0]

    def draw(self, n: int, seconds: float) -> list[Case]:
        """Draw up to n new cases, within a total of `seconds`."""
        begin, before, found, stale = self.clock.seconds, self.seconds, [], 0
        try:
            for number, case in enumerate(self.source, start=1):
                if hash(case) in self.known:
                    stale += 1
                elif all(fact.holds(case.input) for fact in self.assumed):
                    self.known.add(hash(case))
                    found.append(case)
                    stale = 0
                self.clock.did(_DRAWN)
                if number % _LOOK == 0:
                    self.seconds = before + self.clock.seconds - begin
                if len(found) == n or stale == _STALE or self.seconds >= seconds:
                    break
            else:
                self.ended = True
        except AncError as problem:  # the user's generator has no more, or a wrong one
            self.ended = True
            self.notes.append(f"no more cases could be drawn: {problem.message}")
        self.ended |= stale == _STALE
        self.seconds = before + self.clock.seconds - begin
        return found

    def wrong(self, program: Program) -> list[Case]:
        """Some cases on which a program is wrong; empty if it is right on all extra cases."""
        for number in range(self.tried.get(program, 0), len(self.chunks)):
            chunk = self.chunks[number]
            wrong, _ = judge(program, chunk, MAX_STEPS)
            if wrong.any():
                return _cases(chunk, wrong)
            self.tried[program] = number + 1
        return []

    def refused(self, found: Found) -> Dropped | None:
        """The rejection of a program that is wrong on an extra case; None if it may become an answer."""
        wrong = self.wrong(found.program)
        if not wrong:
            return None
        reason = f"right on all samples, but wrong on some of {self.count:,} more cases"
        return Dropped(found, Why.WRONG, reason, wrong[0].input)

    def outside(self, facts: tuple[Fact, ...]) -> list[Case]:
        """Some cases that break one of the facts."""
        found: list[Case] = []
        for chunk in self.chunks[self.held.get(facts, 0) :]:
            found += _cases(chunk, ~holding(facts, chunk.inputs.astype(np.int64)))
        if not found:
            self.held[facts] = len(self.chunks)
        return found[:_TOLD]


def _cases(chunk: Cases, which: np.ndarray) -> list[Case]:
    rows = np.flatnonzero(which)[:_TOLD]
    columns = (chunk.inputs, chunk.outputs, chunk.masks.astype(np.bool_))
    return [Case(*(tuple(column[row].tolist()) for column in columns)) for row in rows]
