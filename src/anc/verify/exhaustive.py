"""Exhaustive check: a walk over all tapes, shared among cores, as long as that does not take too long."""

from __future__ import annotations

import math
from random import Random

from anc.verify.blocks import Block, Waiting
from anc.verify.crew import SETTLED, Crew, Findings, Job
from anc.verify.inquiry import Inquiry
from anc.verify.tapes import Tapes
from anc.verify.verdict import Undecided, Verdict
from anc.verify.walk import Walk

_WORTH_SHARING = 0.3  # seconds of a walk that are left


class Exhaustive:
    """One exhaustive check of a claim."""

    def __init__(self, inquiry: Inquiry, tapes: Tapes, random: Random) -> None:
        self.inquiry, self.walk = inquiry, Walk(inquiry, tapes, random)
        self.spent = 0.0  # seconds
        self.lent: list[Block | Waiting] = []  # what others walk
        self.lent_share = 0.0  # its part of everything

    def run(self, patience: float, at_most: float) -> Verdict | None:
        """The verdict, or None while there is none; a later call goes on where this one gave up.

        It gives up at the deadline, after `patience` seconds unless all of it can be expected to
        take `at_most` seconds, and where the facts exclude too many tapes only as a whole.
        """
        clock, walk = self.inquiry.clock, self.walk
        longest = clock.part(min(clock.left, max(patience, at_most)))
        self.crew = Crew(self.inquiry.cores, longest, walk.M, clock.seconds)
        self.patience, self.at_most, self.begin = patience, at_most, clock.seconds - self.spent
        before = Findings(walk.leaves, walk.compared, walk.cut)
        found = self.crew.lead(self.go_on)
        found.add(before)
        try:
            return self.inquiry.concluded("exhaustive", found, self.crew.settling)
        except Undecided:
            walk.stack += self.lent
            self.lent, self.lent_share = [], 0.0
            return None

    def go_on(self) -> Findings:
        """Walk what is left, and say what came of it."""
        walk = self.walk
        before = Findings(walk.leaves, walk.compared, walk.cut)
        tape = None
        while tape is None and walk.stack and not walk.hopeless and not self.gives_up():
            self.crew.share(lambda since: self.divide())
            tape = walk.go_on(self.crew.clock)
        reason = "not all tapes were walked" if walk.stack or walk.hopeless else None
        if tape is not None:
            self.crew.call_off(tape)
            reason = SETTLED
        outside = None if self.inquiry.outside is None else self.inquiry.outside.tape
        return Findings(
            walk.leaves - before.walked,
            walk.compared - before.compared,
            walk.cut - before.cut,
            outside,
            reason,
        )

    def divide(self) -> Job | None:
        """A part of what is left, if that takes long, but not so long that nothing helps."""
        expected = self.expected()
        is_long = expected - self.spent > _WORTH_SHARING
        is_hopeless = expected > self.crew.cores * self.at_most
        given = self.walk.divide() if is_long and not is_hopeless else None
        if given is None:
            return None
        self.lent.append(given)
        self.lent_share += given.share_left

        def walk_part() -> Findings:
            self.walk.stack = [given]
            self.lent_share = 1.0 - self.walk.done - given.share_left
            return self.go_on()

        return walk_part

    def gives_up(self) -> bool:
        """Whether there is no time left, or more to do than there should be."""
        self.spent = self.inquiry.clock.seconds - self.begin
        late = not self.crew.is_copy and self.spent > self.patience
        return self.crew.clock.over or (late and self.expected() >= self.at_most)

    def expected(self) -> float:
        """The seconds that all of it takes at the pace so far, without what others do."""
        part = self.walk.part_done
        return self.spent * (1.0 - self.lent_share) / part if part > 0 else math.inf
