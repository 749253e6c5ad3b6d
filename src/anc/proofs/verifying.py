"""The proof of a pair: first on the cases, then for every tape; where that cannot be, wherever it has a meaning."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from random import Random

from anc import resources
from anc.adaptation.evidence import counted_apart
from anc.clock import Clock
from anc.proofs.pair import Pair
from anc.proofs.verified import Verified
from anc.verify import Claim, Verdict, prove
from anc.verify.tapes import Tapes
from anc.verify.verdict import Undecided, proved, unknown

_TRIED = 50  # tapes on which a program that is compared with itself may stop


def verify_pair(
    pair: Pair, seconds: float = 60.0, asked_to_stop: Callable[[], bool] = lambda: False
) -> Verified:
    """Prove or refute, in so many seconds, that the adapted program does what the generic one does.

    Where the facts allow tapes on which the generic program does not stop, the proof speaks of those
    on which it does, and says so; a strict pair has no such proof.
    """
    clock = Clock(seconds, asked_to_stop)
    claim = pair.claim()
    verdict = _on_cases(pair, claim, clock) or _of_one(claim, clock) or _for_all(claim, clock)
    if resources.was_full() and not (verdict.proved or verdict.refuted):
        verdict = unknown(resources.why_full(), verdict.how, verdict.walked, verdict.tape)
    if asked_to_stop() and not (verdict.proved or verdict.refuted):
        verdict = unknown("it was interrupted", verdict.how, verdict.walked, verdict.tape)
    return Verified(pair, verdict.after(clock.seconds))


def _on_cases(pair: Pair, claim: Claim, clock: Clock) -> Verdict | None:
    """The refutation by a case, each with the cells that count in it; or that these do not fit together.

    Where the cells that count were named, they are the ones in every case.
    """
    for number, case in enumerate(dict.fromkeys(pair.cases), start=1):
        mask = claim.mask if pair.counts_are_given else case.mask
        verdict = replace(claim, mask=mask).replay(case.input, "test", number)
        if verdict.refuted:
            return verdict
        if clock.over:
            return None
    apart = None if pair.counts_are_given else counted_apart(claim, pair.cases)
    return None if apart is None else apart[1]


def _of_one(claim: Claim, clock: Clock) -> Verdict | None:
    """A program does what it does, and no proof needs to follow it; but it must stop on some tape."""
    if claim.adapted != claim.generic or claim.strict:
        return None
    random, possible = Random(0), Tapes(claim.precondition, claim.M)
    try:
        tapes = [possible.find(random, clock)]
    except Undecided:
        return None
    tapes += [possible.draw(random) for _ in range(_TRIED)] if tapes[0] else []
    if all(tape is None or claim.failure(tape) for tape in tapes):
        return None
    return proved("", 0, "it is the generic program", partial=True)


def _for_all(claim: Claim, clock: Clock) -> Verdict:
    stop = clock.asked_to_stop
    verdict = prove(claim, clock.left, any_failure=not claim.strict, asked_to_stop=stop)
    if verdict.tape is None or verdict.refuted or claim.strict or clock.over:
        return verdict
    partial = replace(claim, partial=True)
    return prove(partial, clock.left, asked_to_stop=stop)
