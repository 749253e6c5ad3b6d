"""An inquiry into a claim: what all ways to prove or refute it share."""

from __future__ import annotations

from dataclasses import dataclass

from anc.clock import Clock
from anc.verify.claim import Claim
from anc.verify.verdict import Verdict, proved, unknown

Cells = tuple[int, ...]


@dataclass
class Inquiry:
    """A claim, the time there is for it, and what was found so far.

    `outside` is the verdict on a tape that is allowed though the generic program itself fails on it:
    nothing can be proved any more, but another tape may still refute the claim. With `any_failure`
    such a tape ends the inquiry.
    """

    claim: Claim
    clock: Clock
    any_failure: bool = False
    outside: Verdict | None = None

    def settled_by(self, tape: Cells, how: str, walked: int) -> Verdict | None:
        """The verdict, if a tape that seems to fail settles the claim."""
        verdict = self.claim.replay(tape, how, walked)
        if verdict.refuted or verdict.tape is None or self.any_failure:
            return verdict
        self.outside = self.outside or verdict
        return None

    def ended(self, how: str, walked: int, compared: int, cut: int = 0) -> Verdict:
        """The verdict when everything was walked, and in `compared` of it both programs stopped.

        In `cut` of it the generic program may stop after more steps than were followed: of such tapes
        nothing is known, so that this is no proof.
        """
        if self.outside is not None:
            return self.outside
        if compared == 0:
            return unknown("the generic program stops on no tape that is allowed", how, walked)
        if cut:
            steps = f"{self.claim.max_steps:,} steps"
            reason = (
                f"right where the generic program stops within {steps}; elsewhere it may stop later"
            )
            return unknown(reason, how, walked)
        return proved(how, walked, partial=self.claim.partial)
