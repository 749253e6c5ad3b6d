"""The claim to prove or to refute, its check on one tape by the exact machine, and the state of its proof."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from functools import cached_property

import numpy as np

from anc.data.tasks.cases import Case
from anc.machine import exact
from anc.program import Program
from anc.proof.facts import Fact
from anc.proof.sampler import Tapes
from anc.proof.verdict import Verdict, proved, refuted, unknown
from anc.support.clock import Clock
from anc.support.diagnostics import AncError

_ROUND = 1_000
Cells = tuple[int, ...]


@dataclass(frozen=True)
class Failure:
    """Why the claim does not hold on a tape; `generic`: because the generic program itself fails."""

    reason: str
    generic: bool = False


@dataclass(frozen=True)
class Claim:
    """On every tape that satisfies the precondition both programs stop and the masked cells agree.

    To stop is to execute STOP within `max_steps` steps. A tape on which the *generic* program does not
    stop has no right answer: it refutes nothing, but nothing is proved while the precondition admits it.
    A *partial* claim is about the other tapes only. It is proved only if every run of the generic program
    that takes more steps is known never to stop. Its adapted program may take `slack` steps more, for
    what is rare may be slower in it. A *strict* claim never becomes partial: the precondition must exclude such tapes.
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
        sets = self.generic.instructions, self.adapted.instructions
        if sets[0] != sets[1]:
            raise AncError(
                f"the generic program has the instruction set {sets[0]}, the adapted one {sets[1]}",
                help="compile both programs with the same instruction set",
            )
        self.generic.check_fits(self.M)
        self.adapted.check_fits(self.M)
        for fact in self.precondition:
            beyond = [cell for cell in fact.cells if cell >= self.M]
            if beyond:
                raise AncError(
                    f"'{fact}' refers to cell {beyond[0]}, but the memory has {self.M} cells"
                )

    @cached_property
    def tapes(self) -> Tapes:
        """The tapes that satisfy the precondition."""
        return Tapes(self.precondition, self.M)

    @cached_property
    def witnesses(self) -> np.ndarray:
        """The examples that satisfy the precondition (n, M)."""
        tapes = np.array(self.examples, np.uint16).reshape(-1, self.M)
        for fact in self.precondition:
            tapes = tapes[fact.truths(tapes)]
        return tapes

    def applies(self, tape: Sequence[int]) -> bool:
        """Whether the tape satisfies the precondition."""
        return all(fact.holds(tape) for fact in self.precondition)

    @property
    def slack(self) -> int:
        """Steps beyond `max_steps` that the adapted program may take."""
        return self.max_steps + self.adapted.L if self.partial else 0

    @property
    def patience(self) -> int:
        """Steps beyond `max_steps` within which a run that never stops must repeat a state."""
        return max(self.max_steps, _ROUND)

    def failure(self, tape: Sequence[int]) -> Failure | None:
        """How the programs fail on this tape, whether or not the claim applies to it."""
        wanted = exact.run(self.generic, tape, self.max_steps)
        if wanted.stop is not exact.Stop.STOPPED:
            if self.partial:
                return None
            return Failure(f"the generic program {_ending(wanted, self.max_steps)}", True)
        found = exact.run(self.adapted, tape, self.max_steps + self.slack)
        if found.stop is not exact.Stop.STOPPED:
            return Failure(f"the adapted program {_ending(found, self.max_steps + self.slack)}")
        for cell, counts in enumerate(self.mask):
            if counts and wanted.tape[cell] != found.tape[cell]:
                return Failure(
                    f"cell {cell} is {found.tape[cell]}, the generic program makes it"
                    f" {wanted.tape[cell]}"
                )
        return None

    def replay(self, tape: tuple[int, ...], how: str, walked: int) -> Verdict:
        """The verdict on a candidate counter-example, by the exact machine."""
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


@dataclass
class Inquiry:
    """The state of a proof: a claim, its time budget, and the verdict so far.

    `outside` is the verdict on an admitted tape on which the generic program itself fails. The claim can
    then no longer be proved, but another tape may still refute it. With `any_failure` such a tape
    ends the proof.
    """

    claim: Claim
    clock: Clock
    any_failure: bool = False
    outside: Verdict | None = None
    tapes: np.ndarray | None = None  # the witnesses of proofs by paths, once they are found

    def settled_by(self, tape: Cells, how: str, walked: int) -> Verdict | None:
        """The verdict, if a candidate counter-example settles the claim."""
        verdict = self.claim.replay(tape, how, walked)
        if verdict.refuted or verdict.tape is None or self.any_failure:
            return verdict
        self.outside = self.outside or verdict
        return None

    def ended(self, how: str, walked: int, compared: int, cut: int = 0) -> Verdict:
        """The verdict once all paths or tapes are covered; both programs stop on `compared` of them.

        On `cut` of them the generic program may stop after more steps than were followed. Nothing is
        known about these tapes, so that this is no proof.
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


@dataclass(frozen=True)
class TestReport:
    """The number of right cases, the mean steps over all cases, and the first wrong case."""

    __test__ = False  # pytest must not collect it

    cases: int
    right: int
    mean_steps: float
    wrong: Case | None

    @property
    def all_right(self) -> bool:
        return self.right == self.cases


def test_on(program: Program, cases: Iterable[Case], max_steps: int) -> TestReport:
    """Run the program on every case; it is right if it stops and every counted cell agrees."""
    total = steps = 0
    wrong: list[Case] = []
    for case in cases:
        result = exact.run(program, case.input, max_steps)
        total += 1
        steps += result.steps
        if result.stop is not exact.Stop.STOPPED or not case.is_right(result.tape):
            wrong.append(case)
    mean = steps / total if total else 0.0
    return TestReport(total, total - len(wrong), mean, wrong[0] if wrong else None)


test_on.__test__ = False  # type: ignore[attr-defined]
