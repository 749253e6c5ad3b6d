"""Precondition inference: as few facts as the proof needs, learnt where the known ones do not suffice.

Samples are positive examples, failing tapes are negative ones. Facts that hold on all samples are the
candidates; a few well-supported ones are chosen that exclude every failing tape. Where none does, new facts
are learnt that separate it from the samples. Each failing tape that a proof attempt finds is moved as close
to a sample as it still fails, and excluded in the same way. If it takes many facts to say where the generic
program stops, the claim becomes one of partial correctness. Lists are assumed to be no longer than those of
the samples, which shortens proofs; a proof that still takes too long is tried with all that is known of
single cells. After the proof, every fact is dropped or weakened if the proof survives that.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np

from anc.proof.cfg import Flow
from anc.proof.claim import Claim
from anc.proof.facts import Along, Comparison, Fact, conjuncts, merged
from anc.proof.preconditions.cegis import Exclusion, Hopeless
from anc.proof.preconditions.support import failures, holding
from anc.proof.prove import prove
from anc.proof.verdict import Undecided, Verdict, unknown
from anc.support.clock import Clock, Time

Cells = tuple[int, ...]

_DROPPED_SINGLY = 8  # up to this many facts are dropped one by one, more in groups
_PLAIN = 0.6  # share of the time of a quick proof for one without facts
_SHARE = 0.5  # share of the remaining time for one proof
_LAST = 0.8  # ... if nothing else follows
_DROPPING = 0.25  # share of the budget for one attempt to drop a fact
_LONGER = 3.0  # factor over the previous proof, plus a second
_ENDLESS = 6  # failing tapes without a halt, before the claim becomes partial
_EXAMPLES = 100  # samples that are passed to a proof


@dataclass(frozen=True)
class Precondition:
    """A verdict and the facts under which it holds.

    `rejected` is a tape that violates them and on which the program is indeed wrong, if one is known.
    """

    verdict: Verdict
    facts: tuple[Fact, ...]
    rejected: Cells | None = None


def prove_with_least(
    claim: Claim,
    mined: Sequence[Fact],
    samples: Sequence[Sequence[int]] | np.ndarray = (),
    seconds: float = 10.0,
    time: Time | None = None,
) -> Precondition:
    """The verdict, and the facts under which it holds: those of the claim and a few others.

    The mined facts hold on all samples, the most plausible first; others are learnt from the samples.
    Without samples, the search starts from a tape that satisfies the facts, and learns nothing. A
    counter-example that no fact separates from the samples refutes the claim. If the facts allow tapes on
    which the generic program does not stop, the proof is one of partial correctness.
    """
    clock = Clock(seconds, time=time or Time())
    claim, tapes = _with_examples(claim, samples)
    search = _Search(claim, conjuncts(mined), clock, tapes)
    try:
        verdict = search.run()
    except Hopeless as end:
        search.used, verdict = [], end.verdict
    facts = merged([*claim.precondition, *search.used])
    return Precondition(verdict.after(clock.seconds), tuple(facts), search.rejected())


def prove_quickly(
    claim: Claim,
    mined: Sequence[Fact],
    samples: Sequence[Sequence[int]] | np.ndarray,
    seconds: float,
    time: Time | None = None,
) -> Precondition:
    """A proof that the programs agree wherever the generic one stops, without facts or with a few constant cells.

    These are cells that the generic program uses at fixed addresses.
    """
    clock = Clock(seconds, time=time or Time())
    claim = _with_examples(claim, samples)[0]
    verdict = _simulated(claim, clock, clock.left * _PLAIN)
    used: list[Fact] = []
    fixed = set(Flow(claim.generic, claim.M).fixed_cells)
    constant = [fact for fact in mined if fact.cells <= fixed and _is_constant(fact)]
    if not verdict.proved and constant:
        verdict, used = _simulated(claim, clock, clock.left * _PLAIN, constant), constant
    for fact in used if verdict.proved else ():
        fewer = [other for other in used if other is not fact]
        again = _simulated(claim, clock, 1.0 + verdict.seconds, fewer)
        verdict, used = (again, fewer) if again.proved else (verdict, used)
    facts = merged([*claim.precondition, *used])
    return Precondition(verdict.after(clock.seconds), tuple(facts))


def _with_examples(
    claim: Claim, samples: Sequence[Sequence[int]] | np.ndarray
) -> tuple[Claim, np.ndarray]:
    """The claim with some samples as examples, and all samples to which it applies."""
    tapes = np.asarray(samples, np.int64).reshape(-1, claim.M)
    tapes = np.unique(tapes[holding(claim.precondition, tapes)], axis=0)
    examples = tuple(tuple(tape) for tape in tapes[:: max(1, len(tapes) // _EXAMPLES)].tolist())
    return replace(claim, examples=examples), tapes


def _simulated(claim: Claim, clock: Clock, seconds: float, facts: Sequence[Fact] = ()) -> Verdict:
    """The verdict of simulation on the claim about all runs that stop, with further facts."""
    known = [*claim.precondition, *facts]
    claim = replace(claim, precondition=known, partial=not claim.strict)
    seconds = min(seconds, clock.left)
    return prove(claim, seconds, "simulation", any_failure=True, time=clock.time)


def _is_constant(fact: Fact) -> bool:
    """Whether a fact gives the value of one cell."""
    if not isinstance(fact, Comparison) or len(fact.cells) != 1 or fact.pointers:
        return False
    return len(fact.rest) == 1 and fact.rest[0][0] == "=="


class _Search(Exclusion):
    undecided: tuple[frozenset[Fact], ...] = ()  # sets of facts that did not suffice in time

    def run(self) -> Verdict:
        for tape in self.samples[failures(self.claim, self.samples)][:1]:
            self.give_up(tape)
        try:
            bases = self.bases()
        except Undecided:
            return unknown("the solver found no tape that satisfies all facts in time")
        if not len(bases):
            return unknown("no tape satisfies the assumed facts and all of the mined ones")
        self.look(bases)
        return self.prove()

    def prove(self) -> Verdict:
        """Alternate proof attempts and exclusion of their counter-examples."""
        late: Verdict | None = None
        endless = 0
        for more, share in ((self.short, _SHARE), (self.plain, _LAST)):
            while late is None or more() != self.short():
                few, facts = self.used, more()
                verdict = self.attempt(facts, self.clock.left * share)
                if verdict.proved:
                    self.used = facts
                    return self.weaken(self.drop(self.instead(few, verdict)))
                if verdict.tape is None:
                    late = late or verdict
                    break
                endless += not verdict.refuted
                if endless > _ENDLESS and not (self.claim.partial or self.claim.strict):
                    self.become_partial()
                else:
                    self.exclude(self.closer(np.array(verdict.tape, np.int64))[None])
        assert late is not None
        return late

    def become_partial(self) -> None:
        super().become_partial()
        self.undecided = ()  # the claim is weaker now

    def attempt(self, facts: list[Fact], seconds: float, method: str = "auto") -> Verdict:
        claim = replace(self.claim, precondition=[*self.claim.precondition, *facts])
        verdict = prove(claim, seconds, method, any_failure=True, time=self.clock.time)
        if not verdict.proved:
            self.undecided += (frozenset(facts),)
        return verdict

    def plain(self) -> list[Fact]:
        """The short list, plus all that is known of single cells."""
        short = self.short()
        order = np.argsort(self.pool.weights, kind="stable")
        return list(
            dict.fromkeys([*short, *(f for i in order if _is_plain(f := self.pool.facts[i]))])
        )

    def drop(self, verdict: Verdict) -> Verdict:
        """Drop facts that the proof does not need, least supported first, in groups of shrinking size."""
        weight = dict(zip(self.pool.facts, self.pool.weights, strict=True))
        order = sorted(self.used, key=weight.__getitem__, reverse=True)
        size = 1 if len(order) <= _DROPPED_SINGLY else len(order) // 2
        while size >= 1:
            for begin in range(0, len(order), size):
                group = set(order[begin : begin + size])
                others = [kept for kept in self.used if kept not in group]
                if len(others) < len(self.used):
                    verdict = self.instead(others, verdict)
            size //= 2
        return verdict

    def weaken(self, verdict: Verdict) -> Verdict:
        """Shorten facts about lists to as few elements as the proof needs."""
        for fact in self.used:
            while isinstance(fact, Along) and len(fact.numbers) > 1:
                shorter = fact.shortened(len(fact.numbers) // 2)
                others = [shorter if kept is fact else kept for kept in self.used]
                verdict = self.instead(others, verdict)
                if self.used != others:
                    break
                fact = shorter
        return verdict

    def instead(self, facts: list[Fact], verdict: Verdict) -> Verdict:
        """Replace the used facts if the proof still succeeds; otherwise change nothing."""
        longest = 1.0 + _LONGER * verdict.seconds
        seconds = min(self.clock.left, self.clock.budget * _DROPPING, longest)
        useless = any(known.issuperset(facts) for known in self.undecided)
        if facts == self.used or seconds <= 0 or useless or holding(facts, self.pool.tapes).any():
            return verdict
        method = (
            "induction" if verdict.how == "induction" else "auto"
        )  # other methods take far longer
        again = self.attempt(facts, seconds, method)
        if again.proved:
            self.used = facts
            return again
        if again.tape is not None:
            self.pool.add_tapes(np.array([again.tape], np.int64))
        return verdict


def _is_plain(fact: Fact) -> bool:
    """Whether a fact is about one cell, or equates two: such facts make proofs easier."""
    if fact.pointers:
        return False
    is_equality = isinstance(fact, Comparison) and fact.rest[0][0] == "=="
    return len(fact.cells) == 1 or (is_equality and len(fact.cells) == 2)
