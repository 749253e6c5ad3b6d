"""Prove or refute that an adapted program does what the generic one does.

Single tapes come first, because most wrong programs fail at once; then induction over loops, if runs are
long; then symbolic execution, interrupted by an enumeration of all tapes if that looks short, and by simulation
if the claim is about the runs that stop; then the whole enumeration. All of them share one deadline.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from functools import partial
from random import Random
from typing import TYPE_CHECKING

from anc.machine import exact
from anc.proof.cfg import Flow
from anc.proof.claim import Claim, Inquiry
from anc.proof.enumeration import Exhaustive
from anc.proof.verdict import Undecided, Verdict, error_in, unknown
from anc.support.clock import Clock, Time
from anc.support.limits import INDUCED

if TYPE_CHECKING:
    from anc.proof.symbolic_execution import ExplorationPlan

_TESTS = 50
_TEST = 30  # evaluations that one of them costs
_TESTING = 0.05  # the share of the time for single tapes
_LONG = 150  # steps of the generic program that make induction worth a try
_LOOKED_AT = 8  # tapes on which these steps are counted
_SIMULATION = 0.5  # the share of the remaining time for simulation
_INDUCTION = 0.75  # the share of the remaining time for induction
_PATHS = 0.8  # the share of the remaining time for symbolic execution

By = Callable[[Clock], Verdict | None]
Method = tuple[str, By, float]  # its name, how to run it, and its share of the remaining time


def prove(
    claim: Claim,
    seconds: float = 10.0,
    method: str = "auto",
    any_failure: bool = False,
    asked_to_stop: Callable[[], bool] = lambda: False,
    time: Time | None = None,
) -> Verdict:
    """The verdict on a claim; `method` names one: "exhaustive", "paths", "induction", or its part "simulation".

    If the generic program itself fails on an admitted tape, there is no right answer on that tape: the
    verdict is unknown (with that tape), unless another tape refutes the claim. With `any_failure` the
    first failing tape ends the proof. When a stop is requested, the proof ends at once.
    """
    clock = Clock(seconds, asked_to_stop, time=time or Time())
    inquiry = Inquiry(claim, clock, any_failure)
    try:
        verdict = _settle(inquiry, method)
    except Exception as problem:
        verdict = inquiry.outside or unknown(error_in(problem))
    return verdict.after(inquiry.clock.seconds)


def _settle(inquiry: Inquiry, method: str) -> Verdict:
    clock, random = inquiry.clock, Random(0)
    try:
        known = inquiry.claim.witnesses
        witness = (
            tuple(known[0].tolist()) if len(known) else inquiry.claim.tapes.find(random, clock)
        )
    except Undecided:
        return unknown("no tape that satisfies the precondition was found in time")
    if witness is None:
        return unknown("no tape satisfies the precondition")
    verdict = _test(inquiry, witness, random)
    if verdict is not None:
        return verdict
    gave_up = unknown("the time is over")
    for name, by, share in _methods(inquiry, method, random):
        try:
            found = by(clock.part(clock.left * share))
        except Exception as problem:
            if name != "exhaustive" or method == name:
                walked = problem.walked if isinstance(problem, Undecided) else 0
                gave_up = unknown(error_in(problem), name, walked)
        else:
            if found is not None:
                return found
    return inquiry.outside or gave_up


def _methods(inquiry: Inquiry, method: str, random: Random) -> Iterator[Method]:
    """The methods to try in order, each with its share of the remaining time.

    Simulation is for runs that stop, however long. A claim with few paths is proved by them at once. Enumeration
    is next if it looks short; if it does not, it resumes after the other paths.
    """
    if method in ("induction", "simulation") and _may_loop(inquiry):
        share = 1.0 if method == "simulation" else _SIMULATION
        yield "simulation", partial(_by_simulation, inquiry), share
    if method == "simulation":
        return
    if method == "induction" or (method == "auto" and _is_long(inquiry, random)):
        from anc.proof.induction import by_induction

        share = 1.0 if method == "induction" else _INDUCTION
        yield "induction", partial(by_induction, inquiry), share
    if method == "induction":
        return
    from anc.proof.symbolic_execution import PLANS, by_paths

    def paths(plans: Sequence[ExplorationPlan]) -> By:
        return partial(by_paths, inquiry, plans=plans)

    if method == "paths":
        yield "paths", paths(PLANS), 1.0
        return
    exhaustive = Exhaustive(inquiry, random)
    if method == "auto":
        yield "paths", paths(PLANS[:1]), 1.0
        yield "exhaustive", exhaustive.run_if_short, 1.0
        if inquiry.claim.partial and _may_loop(inquiry):
            yield "simulation", partial(_by_simulation, inquiry), _SIMULATION
        yield "paths", paths(PLANS[1:]), _PATHS
    yield "exhaustive", exhaustive.run, 1.0


def _by_simulation(inquiry: Inquiry, clock: Clock) -> Verdict:
    from anc.proof.induction import by_simulation

    return by_simulation(inquiry, clock)


def _may_loop(inquiry: Inquiry) -> bool:
    """Whether the generic program has a backward jump, and a proof is still possible."""
    if inquiry.outside is not None or INDUCED.most < inquiry.claim.M:
        return False
    return bool(Flow(inquiry.claim.generic, inquiry.claim.M).loop_heads)


def _is_long(inquiry: Inquiry, random: Random) -> bool:
    """Whether some run of the generic program is long, and a proof is still possible."""
    claim = inquiry.claim
    if inquiry.outside is not None or INDUCED.most < claim.M:
        return False
    drawn = (claim.tapes.draw(random) for _ in range(_LOOKED_AT))
    tapes = claim.examples[:_LOOKED_AT] or [tape for tape in drawn if tape is not None]
    return any(exact.run(claim.generic, tape, _LONG).steps >= _LONG for tape in tapes)


def _test(inquiry: Inquiry, witness: tuple[int, ...], random: Random) -> Verdict | None:
    """Try single tapes; return the verdict if one of them settles the claim."""
    possible = inquiry.claim.tapes
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
