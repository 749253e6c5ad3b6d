"""The proof queue: which programs are proved next, and the evidence for each.

Programs that assume hardly anything are tried quickly, with hardly any facts: a slower program that is proved at once
is worth more than a faster one that may never be.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, field

from anc.adaptation.evidence import Evidence, Samples
from anc.adaptation.extra_cases import Drawn
from anc.adaptation.proof_pool import ProofPool
from anc.data.tasks.cases import Case
from anc.program import Program
from anc.proof.verdict import unknown
from anc.search import Found
from anc.support.clock import Clock

PROOF = 20.0  # most seconds for one proof
QUICK = 8.0  # most seconds for a quick proof
QUICK_SHARE = 0.15  # ... and the share of the remaining time
QUICK_LEAST = 0.2  # ... but at least this; with less than half of it left, none begins
PROOF_SHARE = 0.5  # ... and the share of the remaining time
LAST_SHARE = 0.9  # of the remaining time, for a proof that is tried again
LONGER = 1.25  # a proof is tried again only with at least this many times its earlier limit
LAST_LOOK = 0.03  # of the budget: with less than this left, no proof job begins
ALIKE = (
    1.02  # a program that costs up to this much more than one without a proof hardly has one either
)
AGAIN = 2  # times that a program is proved again after a case broke its facts
NOT_EXAMINED = Evidence(unknown("the time was up before it could be proved"))
GIVEN_UP = Evidence(unknown("its proof was abandoned for a better program"))


@dataclass
class ProofQueue:
    """Programs with their evidence, and the proof jobs that are running.

    Facts that fail on an extra case held on the samples by chance: the case becomes a sample, and the program is
    proved again. Its old proof counts until there is a new one.
    """

    pool: ProofPool
    samples: Samples
    drawn: Drawn
    clock: Clock
    evidence: dict[Program, Evidence] = field(default_factory=dict)
    seconds: dict[Program, float] = field(
        default_factory=dict
    )  # limit of the latest proof of a program
    doubted: dict[Program, int] = field(default_factory=dict)  # how often its facts failed
    again: set[Program] = field(default_factory=set)  # to be proved again
    tried: dict[Program, bool] = field(default_factory=dict)  # quickly; whether that is going on
    given_up: set[Program] = field(default_factory=set)  # abandoned for a better one

    def is_proved(self, program: Program) -> bool:
        return program in self.evidence and self.evidence[program].verdict.proved

    def is_open(self, program: Program) -> bool:
        """Whether a proof job for the program is still due."""
        return program not in self.evidence or program in self.again

    def has_failed(self, program: Program) -> bool:
        """Whether a proof was tried, and did not succeed."""
        return program in self.evidence and not self.is_proved(program)

    def quick_of(self, safe: Iterable[Found]) -> Found | None:
        """The first of some programs to be tried quickly, among those that are faster than any proved one of them."""
        for found in safe if self.quick_seconds else ():
            if self.is_proved(found.program):
                return None
            if found.program not in self.evidence and found.program not in self.tried:
                return found
        return None

    def next_of(self, ranked: Iterable[Found]) -> Found | None:
        """The first program that is due, among those that are faster than any proved one."""
        earlier: list[Found] = []
        for found in ranked:
            program = found.program
            at_work = program in self.pool.at_work
            if not at_work and self.is_open(program) and not self.is_hopeless(found, earlier):
                return found
            if self.is_proved(program):
                return None
            earlier.append(found)
        return None

    def late_of(self, ranked: Iterable[Found]) -> Found | None:
        """The first program worth a longer proof, among those that are faster than any proved one."""
        for found in ranked:
            program = found.program
            if self.is_proved(program):
                return None
            known = self.evidence.get(program)
            is_late = known is not None and not known.verdict.refuted
            if is_late and program not in self.pool.at_work:
                longer = LONGER * self.seconds.get(program, 0.0)
                if LAST_SHARE * self.clock.left >= longer:
                    return found
        return None

    def is_hopeless(self, found: Found, earlier: Iterable[Found]) -> bool:
        """Whether a program costs hardly more than one without a proof so far."""
        unproved = (
            other.cost
            for other in earlier
            if other.program in self.pool.at_work
            or (other.program in self.evidence and not self.is_proved(other.program))
        )
        return any(cost <= found.cost < ALIKE * cost for cost in unproved)

    @property
    def quick_seconds(self) -> float:
        """The limit of a quick proof that begins now; 0 if it is not worth while."""
        if self.clock.left < QUICK_LEAST / 2:
            return 0.0
        return max(QUICK_LEAST, min(QUICK, QUICK_SHARE * self.clock.left))

    def begin_quickly(self, program: Program) -> None:
        self.tried[program] = True
        self.pool.begin(program, self.quick_seconds, quick=True)

    def begin(self, program: Program) -> None:
        seconds = min(PROOF, PROOF_SHARE * self.clock.left)
        if program in self.evidence and program not in self.again:
            seconds = LAST_SHARE * self.clock.left
        self.again.discard(program)
        self.seconds[program] = max(0.2, seconds)
        self.pool.begin(program, self.seconds[program])

    def give_up(self, program: Program) -> None:
        """Abandon a proof job for a better program."""
        self.pool.give_up(program)
        self.tried[program] = False
        self.given_up.add(program)

    def hear(self) -> list[Case]:
        """Take what was found out; the cases on which programs fail though they look like samples."""
        cases = []
        for program, evidence in self.pool.news().items():
            was_quick = self.tried.get(program, False)
            self.tried[program] = False
            if was_quick and not evidence.verdict.proved:
                continue  # the longer proof is still due
            if evidence.verdict.proved or not self.is_proved(program):
                self.evidence[program] = evidence
            cases.append(evidence.counterexample)
        return [case for case in cases if case is not None]

    def doubt(self, program: Program) -> None:
        """Prove a proved program again if its facts fail on a case that was drawn."""
        if not self.is_proved(program) or self.doubted.get(program, 0) >= AGAIN:
            return
        outside = self.drawn.outside(self.evidence[program].facts)
        if outside and program not in self.pool.at_work:
            self.doubted[program] = self.doubted.get(program, 0) + 1
            self.again.add(program)
            self.samples = self.samples.with_others(outside)
            self.pool.learn_from(self.samples)

    def wait_for(self, program: Program) -> Evidence:
        """The evidence for a program; waits for its proof job while there is time left."""
        self.doubt(program)
        while self.is_open(program) and not self.clock.over:
            is_late = self.clock.left <= LAST_LOOK * self.clock.budget
            if program not in self.pool.at_work and self.pool.has_room:
                if is_late:
                    break
                self.begin(program)
            self.pool.wait(lambda: not self.clock.over)
            self.hear()
            self.doubt(program)
        return self.evidence.get(program, GIVEN_UP if program in self.given_up else NOT_EXAMINED)
