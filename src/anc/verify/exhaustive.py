"""Exhaustive check: a walk over all tapes, as long as that does not take too long."""

from __future__ import annotations

import math
from random import Random

from anc.clock import Clock
from anc.verify.inquiry import Inquiry
from anc.verify.tapes import Tapes
from anc.verify.verdict import Verdict
from anc.verify.walk import Walk


class Exhaustive:
    """One exhaustive check of a claim."""

    def __init__(self, inquiry: Inquiry, tapes: Tapes, random: Random) -> None:
        self.inquiry, self.walk = inquiry, Walk(inquiry, tapes, random)
        self.spent = 0.0  # seconds

    def run(self, patience: float, at_most: float) -> Verdict | None:
        """The verdict, or None while there is none; a later call goes on where this one gave up.

        It gives up at the deadline, after `patience` seconds unless all of it can be expected to
        take `at_most` seconds, and where the facts exclude too many tapes only as a whole.
        """
        clock, walk = self.inquiry.clock, self.walk
        longest = clock.part(min(clock.left, max(patience, at_most)))
        begin = clock.seconds - self.spent
        while walk.stack and not walk.hopeless and not self._gives_up(longest, patience, at_most):
            tape = walk.go_on(longest)
            self.spent = clock.seconds - begin
            if tape is not None:
                return self.inquiry.settled_by(tape, "exhaustive", walk.leaves)
        if walk.stack or walk.hopeless:
            return None
        return self.inquiry.ended("exhaustive", walk.leaves, walk.compared, walk.cut)

    def _gives_up(self, longest: Clock, patience: float, at_most: float) -> bool:
        """Whether there is no time left, or more to do than there should be."""
        return longest.over or (self.spent > patience and self._expected() >= at_most)

    def _expected(self) -> float:
        """The seconds that all of it takes at the pace so far."""
        part = self.walk.part_done
        return self.spent / part if part > 0 else math.inf
