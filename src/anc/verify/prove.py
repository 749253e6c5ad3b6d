"""Prove or refute that an adapted program does what the generic one does.

First single tapes, because most wrong programs fail at once; then, where runs are long, induction over
loops; then every tape, if they are few enough to walk; then paths with terms. All are cut at the same
deadline.
"""

from __future__ import annotations

from collections.abc import Callable
from random import Random

from anc.clock import Clock, Time
from anc.limits import PROVED
from anc.machine import exact
from anc.verify.claim import Claim
from anc.verify.exhaustive import Exhaustive
from anc.verify.inquiry import Inquiry
from anc.verify.tapes import Tapes
from anc.verify.verdict import Undecided, Verdict, error_in, unknown

_TESTS = 50
_TEST = 30  # evaluations that one of them is worth
_TESTING = 0.05  # the part of the time that single tapes may take
_PATIENCE = 0.4  # seconds after which the exhaustive walk must look short
_SHORT = 3.5  # seconds that a short walk takes
_LONG = 150  # steps of the generic program from which on induction is tried
_LOOKED_AT = 8  # tapes that tell whether it takes so many
_INDUCTION = 0.75  # the part of the time left that it may take
_PATHS = 0.8  # the part of the time left for paths, before a long walk is tried


def prove(
    claim: Claim,
    seconds: float = 10.0,
    method: str = "auto",
    any_failure: bool = False,
    asked_to_stop: Callable[[], bool] = lambda: False,
    time: Time | None = None,
) -> Verdict:
    """Whether a claim holds; `method` "exhaustive", "paths" or "induction" insists on one of them.

    If the generic program itself fails on some tape that is allowed, there is no right answer there:
    the verdict is then unknown (with that tape), unless another tape refutes the claim. With
    `any_failure` the first failing tape ends it all. It is over at once when somebody asked to stop.
    """
    if PROVED.most < claim.M:
        found = f"the memory has {claim.M:,} cells: there are proofs for up to {PROVED.most:,}"
        return unknown(found)
    clock = Clock(seconds, asked_to_stop, time=time or Time())
    inquiry = Inquiry(claim, clock, any_failure)
    try:
        verdict = _settle(inquiry, method)
    except Exception as problem:
        verdict = inquiry.outside or unknown(error_in(problem))
    return verdict.after(inquiry.clock.seconds)


def _settle(inquiry: Inquiry, method: str) -> Verdict:
    clock, random = inquiry.clock, Random(0)
    possible = Tapes(inquiry.claim.precondition, inquiry.claim.M)
    try:
        known = inquiry.claim.witnesses
        witness = tuple(known[0].tolist()) if len(known) else possible.find(random, clock)
    except Undecided:
        return unknown("no tape that satisfies the precondition was found in time")
    if witness is None:
        return unknown("no tape satisfies the precondition")
    verdict = _test(inquiry, witness, possible, random)
    if verdict is not None:
        return verdict
    if method == "induction" or (method == "auto" and _is_long(inquiry, possible, random)):
        from anc.verify.induction import by_induction

        share = 1.0 if method == "induction" else _INDUCTION
        try:
            return by_induction(inquiry, clock.part(clock.left * share))
        except Undecided as reason:
            if method == "induction":
                return inquiry.outside or unknown(str(reason), "induction", reason.walked)
    exhaustive = Exhaustive(inquiry, possible, random)
    if method == "auto":
        verdict = exhaustive.run(min(_PATIENCE, clock.left / 4), min(_SHORT, clock.left / 2))
        if verdict is not None:
            return verdict
    gave_up: Verdict | None = None
    if method != "exhaustive":
        from anc.verify.paths import by_paths

        share = 1.0 if method == "paths" else _PATHS
        try:
            return by_paths(inquiry, clock.part(clock.left * share))
        except Undecided as reason:
            gave_up = unknown(str(reason), "paths", reason.walked)
    if method != "paths":
        verdict = exhaustive.run(clock.left, clock.left)
    late = gave_up or unknown("the time is over", "exhaustive", exhaustive.walk.leaves)
    return verdict or inquiry.outside or late


def _is_long(inquiry: Inquiry, possible: Tapes, random: Random) -> bool:
    """Whether some run of the generic program is long, and nothing speaks against a proof."""
    claim = inquiry.claim
    if inquiry.outside is not None:
        return False
    drawn = (possible.draw(random) for _ in range(_LOOKED_AT))
    tapes = claim.examples[:_LOOKED_AT] or [tape for tape in drawn if tape is not None]
    return any(exact.run(claim.generic, tape, _LONG).steps >= _LONG for tape in tapes)


def _test(
    inquiry: Inquiry, witness: tuple[int, ...], possible: Tapes, random: Random
) -> Verdict | None:
    """Try single tapes; the verdict if one of them settles the claim."""
    enough = inquiry.clock.seconds + _TESTING * inquiry.clock.budget
    for number in range(_TESTS + 1):
        if inquiry.clock.seconds > enough:
            break
        tape = possible.draw(random) if number else witness
        inquiry.clock.did(_TEST + possible.effort)
        if tape is not None and inquiry.claim.failure(tape) is not None:
            verdict = inquiry.settled_by(tape, "test", number + 1)
            if verdict is not None:
                return verdict
    return None
