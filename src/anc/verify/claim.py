"""The claim that is proved or refuted, and its check on one tape by the exact machine."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property

import numpy as np

from anc.diagnostics import AncError
from anc.machine import exact
from anc.program import Program
from anc.verify.facts import Fact
from anc.verify.verdict import Verdict, refuted, unknown

_ROUND = 1_000


@dataclass(frozen=True)
class Failure:
    """Why the claim does not hold on a tape; it is the generic program's own fault or not."""

    reason: str
    generic: bool = False


@dataclass(frozen=True)
class Claim:
    """On every tape that satisfies the precondition both programs stop and the masked cells agree.

    To stop is to execute STOP within `max_steps` steps. A tape on which the *generic* program does
    not stop has no right answer: it refutes nothing, but nothing is proved while the precondition
    lets such a tape in. A *partial* claim leaves such tapes out: it only speaks of those on which
    the generic program stops, and is proved only if what goes on for longer is known never to stop. A
    *strict* claim never becomes partial: such tapes must be kept out.
    """

    generic: Program
    adapted: Program
    M: int
    mask: Sequence[bool]
    precondition: Sequence[Fact] = ()
    max_steps: int = 10_000
    partial: bool = False
    strict: bool = False
    examples: Sequence[tuple[int, ...]] = ()  # some tapes that may satisfy the precondition

    def __post_init__(self) -> None:
        if len(self.mask) != self.M:
            raise AncError(f"the mask has {len(self.mask)} cells, the memory {self.M}")
        self.generic.check_fits(self.M)
        self.adapted.check_fits(self.M)
        for fact in self.precondition:
            beyond = [cell for cell in fact.cells if cell >= self.M]
            if beyond:
                raise AncError(f"'{fact}' speaks of cell {beyond[0]}, the memory has {self.M}")

    @cached_property
    def witnesses(self) -> np.ndarray:
        """The examples that satisfy the precondition (n, M)."""
        tapes = np.array(self.examples, np.int64).reshape(-1, self.M)
        for fact in self.precondition:
            tapes = tapes[fact.truths(tapes)]
        return tapes

    def applies(self, tape: Sequence[int]) -> bool:
        """Whether the tape satisfies the precondition."""
        return all(fact.holds(tape) for fact in self.precondition)

    @property
    def patience(self) -> int:
        """Steps after its last one in which a run has to come round, to be known never to stop."""
        return max(self.max_steps, _ROUND)

    def failure(self, tape: Sequence[int]) -> Failure | None:
        """How the programs fail on this tape, whether or not the claim applies to it."""
        wanted = exact.run(self.generic, tape, self.max_steps)
        if wanted.stop is not exact.Stop.STOPPED:
            if self.partial:
                return None
            return Failure(f"the generic program {_ending(wanted, self.max_steps)}", True)
        found = exact.run(self.adapted, tape, self.max_steps)
        if found.stop is not exact.Stop.STOPPED:
            return Failure(f"the adapted program {_ending(found, self.max_steps)}")
        for cell, counts in enumerate(self.mask):
            if counts and wanted.tape[cell] != found.tape[cell]:
                return Failure(
                    f"cell {cell} is {found.tape[cell]}, the generic program makes it"
                    f" {wanted.tape[cell]}"
                )
        return None

    def replay(self, tape: tuple[int, ...], how: str, walked: int) -> Verdict:
        """The verdict that a would-be counter-example deserves, after running it."""
        if len(tape) != self.M or not all(0 <= value < self.M for value in tape):
            return unknown("the tape that was found is not a tape", how, walked)
        if not self.applies(tape):
            return unknown("the tape that was found violates the precondition", how, walked)
        failure = self.failure(tape)
        if failure is None:
            return unknown("the exact machine does not confirm the tape found", how, walked)
        if failure.generic:
            return unknown(f"{failure.reason} on a tape that is allowed", how, walked, tape)
        return refuted(how, walked, tape, failure.reason)


def _ending(run: exact.Run, max_steps: int) -> str:
    if run.stop is exact.Stop.PAST_END:
        return "leaves its last line without STOP"
    return f"does not stop within {max_steps:,} steps"
