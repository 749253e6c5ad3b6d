"""Prove or refute that an adapted program does what the generic one does.

First single tapes, because most wrong programs fail at once; then every tape, if they are few enough
to walk; then paths with bit-vectors. All three are cut at the same deadline.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from random import Random

from anc.program import Program
from anc.verify.claim import Claim
from anc.verify.clock import Clock
from anc.verify.facts import Fact
from anc.verify.tapes import Tapes, Undecided
from anc.verify.verdict import Verdict, unknown
from anc.verify.walk import Walk

MAX_STEPS = 10_000
_TESTS = 50
_TESTING = 0.05  # the part of the time that single tapes may take
_PATIENCE = 0.3  # seconds after which the exhaustive walk must look short
_SHORT = 3.0  # seconds that a short walk takes


def prove(
    generic: Program,
    adapted: Program,
    M: int,
    mask: Sequence[bool],
    precondition: Iterable[Fact] = (),
    time_limit: float = 10.0,
    max_steps: int = MAX_STEPS,
    tapes: Iterable[Sequence[int]] = (),
    method: str = "auto",
    any_failure: bool = False,
    partial: bool = False,
) -> Verdict:
    """Whether, on every tape that satisfies the precondition, both stop and the masked cells agree.

    Both programs must execute STOP within `max_steps` steps. If the generic one does not on some
    tape that is allowed, there is no right answer there: the verdict is then unknown (with that
    tape), unless another tape refutes the claim. A `partial` proof leaves those tapes out instead,
    and its verdict says so. `tapes` are tried first. `method` "exhaustive" or
    "paths" insists on one of the two. With `any_failure` the first failing tape ends it all.
    """
    clock = Clock(time_limit)
    claim = Claim(generic, adapted, M, tuple(mask), tuple(precondition), max_steps, partial)
    verdict = _settle(claim, clock, tapes, method, any_failure)
    return verdict.after(clock.seconds)


def _settle(
    claim: Claim, clock: Clock, first: Iterable[Sequence[int]], method: str, any_failure: bool
) -> Verdict:
    random = Random(0)
    possible = Tapes(claim.precondition, claim.M)
    try:
        witness = possible.find(random, clock)
    except Undecided:
        return unknown("no tape that satisfies the precondition was found in time")
    if witness is None:
        return unknown("no tape satisfies the precondition")
    outside = _test(claim, clock, [*map(tuple, first), witness], possible, random, any_failure)
    if outside is not None and (outside.refuted or any_failure):
        return outside
    walk = Walk(claim, possible, clock, random)
    if method == "exhaustive":
        return walk.run(clock.left, clock.left, any_failure) or _late(walk, outside)
    if method != "paths":
        short = min(_SHORT, clock.left / 2)
        walked = walk.run(min(_PATIENCE, clock.left / 4), short, any_failure)
        if walked is not None:
            return walked
    from anc.verify.paths import Paths

    slice = Clock(clock.left * (1.0 if method == "paths" else 0.7))
    verdict = Paths(claim, slice).run(any_failure)
    outside = outside or walk.outside
    if verdict.proved or verdict.refuted or method == "paths" or clock.over:
        return verdict if verdict.refuted or outside is None else outside
    return walk.run(clock.left, clock.left, any_failure) or outside or verdict


def _late(walk: Walk, outside: Verdict | None) -> Verdict:
    return outside or walk.outside or unknown("the time is over", "exhaustive", walk.leaves)


def _test(
    claim: Claim,
    clock: Clock,
    first: list[tuple[int, ...]],
    possible: Tapes,
    random: Random,
    any_failure: bool,
) -> Verdict | None:
    """Try single tapes; the refutation, or else a tape that the generic program does not stop on."""
    outside: Verdict | None = None
    enough = clock.seconds + _TESTING * clock.limit
    for number in range(len(first) + _TESTS):
        if clock.seconds > enough:
            break
        tape = first[number] if number < len(first) else possible.draw(random)
        if tape is None or not claim.applies(tape) or claim.failure(tape) is None:
            continue
        verdict = claim.replay(tape, "test", number + 1)
        if verdict.refuted or any_failure:
            return verdict
        outside = outside or verdict
    return outside
