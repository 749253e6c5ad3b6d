"""The least precondition: as few facts as the proof needs, learnt where the known ones are too few.

Samples are positive examples, failing tapes negative ones. Facts that hold on all samples are at
hand; of these, few and well-supported ones are chosen that exclude every failing tape. Where none
does, new facts are learnt that separate it from the samples. While a proof attempt finds another
failing tape, it is moved as close to a sample as it still fails, and excluded in the same way. Where
the generic program stops may take many facts to say: after a few, the proof becomes a partial one. Lists
are taken to be no longer than those of the samples, which makes proofs short, and what still takes too
long is tried with all that is known of single cells. Once the proof goes through, every fact is
dropped or made weaker that turns out not to be needed as it is.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np

from anc.proof.claim import Claim
from anc.proof.facts import Along, Comparison, Fact, conjuncts, merged
from anc.proof.preconditions.cegis import Exclusion, Hopeless
from anc.proof.preconditions.failing import failures, holding
from anc.proof.prove import prove
from anc.proof.verdict import Undecided, Verdict, unknown
from anc.support.clock import Clock, Time

Cells = tuple[int, ...]

_DROPPED_SINGLY = 8  # more facts than this are first dropped in groups
_SHARE = 0.5  # the part of the time left that one proof may take
_LAST = 0.8  # ... after which nothing else will be tried
_DROPPING = 0.25  # the part of the time that one attempt to drop a fact may take
_LONGER = 3.0  # times longer than the proof before, and a second
_ENDLESS = 6  # facts that are tried to say where the generic program stops
_EXAMPLES = 100  # samples that a proof is told of


@dataclass(frozen=True)
class Precondition:
    """A verdict, the facts under which it holds, and what they keep out.

    `rejected` is a tape that violates them and on which the program is indeed wrong, where one is
    known.
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
    """The verdict, and the facts under which it holds: the claim's own ones and few others.

    The mined facts hold on all samples and come in order of plausibility; others are learnt from the
    samples. Without samples, a tape that satisfies the facts is looked for, and nothing is learnt. A
    counter-example that nothing separates from the samples refutes. When the facts allow tapes on
    which the generic program does not stop, the proof is a partial one.
    """
    clock = Clock(seconds, time=time or Time())
    tapes = np.asarray(samples, np.int64).reshape(-1, claim.M)
    tapes = np.unique(tapes[holding(claim.precondition, tapes)], axis=0)
    examples = tuple(tuple(tape) for tape in tapes[:: max(1, len(tapes) // _EXAMPLES)].tolist())
    claim = replace(claim, examples=examples)
    search = _Search(claim, conjuncts(mined), clock, tapes)
    try:
        verdict = search.run()
    except Hopeless as end:
        search.used, verdict = [], end.verdict
    facts = merged([*claim.precondition, *search.used])
    return Precondition(verdict.after(clock.seconds), tuple(facts), search.rejected())


class _Search(Exclusion):
    undecided: tuple[frozenset[Fact], ...] = ()  # what is not enough for a proof in time

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
        """Prove with the facts so far and more, until it is proved or nothing helps."""
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
        self.undecided = ()  # less is claimed now

    def attempt(self, facts: list[Fact], seconds: float, method: str = "auto") -> Verdict:
        claim = replace(self.claim, precondition=[*self.claim.precondition, *facts])
        verdict = prove(claim, seconds, method, any_failure=True, time=self.clock.time)
        if not verdict.proved:
            self.undecided += (frozenset(facts),)
        return verdict

    def plain(self) -> list[Fact]:
        """The same, and all that is known of one cell."""
        short = self.short()
        order = np.argsort(self.pool.weights, kind="stable")
        return list(
            dict.fromkeys([*short, *(f for i in order if _is_plain(f := self.pool.facts[i]))])
        )

    def drop(self, verdict: Verdict) -> Verdict:
        """Drop the facts that the proof does not need, the least supported first, many at once."""
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
        """Say things of fewer elements of a list where that is enough."""
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
        """Prove with these facts in place of those used; if that fails, all stays as it is."""
        longest = 1.0 + _LONGER * verdict.seconds
        seconds = min(self.clock.left, self.clock.budget * _DROPPING, longest)
        useless = any(known.issuperset(facts) for known in self.undecided)
        if facts == self.used or seconds <= 0 or useless or holding(facts, self.pool.tapes).any():
            return verdict
        method = "induction" if verdict.how == "induction" else "auto"  # others take far longer
        again = self.attempt(facts, seconds, method)
        if again.proved:
            self.used = facts
            return again
        if again.tape is not None:
            self.pool.add_tapes(np.array([again.tape], np.int64))
        return verdict


def _is_plain(fact: Fact) -> bool:
    """Whether a fact says what one cell is, or that two are the same: what makes proofs easier."""
    if fact.pointers:
        return False
    is_equality = isinstance(fact, Comparison) and fact.rest[0][0] == "=="
    return len(fact.cells) == 1 or (is_equality and len(fact.cells) == 2)
