"""The same result again: what an adaptation says about whether, and how, it can be repeated."""

from __future__ import annotations

from anc.clock import PER_SECOND, Clock

TRAINED = ("all", "gradient")  # the methods that take gradient descent


def is_trained(method: str, counts_work: bool) -> bool:
    """Whether gradient descent takes part.

    Processors round its numbers differently, so that it takes no part in what has to be the same
    everywhere, unless it was asked for by itself.
    """
    return method == "gradient" or (method in TRAINED and not counts_work)


def told(clock: Clock, seconds: float) -> str:
    """A time of this clock as people read it."""
    return f"{seconds * PER_SECOND:,.0f} evaluations" if clock.counts_work else f"{seconds:.0f} s"


def note(clock: Clock, method: str) -> str:
    """Whether this result can be repeated; if not, with which number of evaluations one can."""
    if clock.counts_work and clock.asked_to_stop():
        return "without the interruption, the same seed and evaluations always give the same result"
    if clock.counts_work and method == "gradient":
        return "gradient descent: the same seed gives the same result on the same kind of processor"
    if clock.counts_work:
        left_out = "; gradient descent, which cannot, was left out" if method in TRAINED else ""
        return f"the same seed and evaluations give this result on any machine{left_out}"
    return (
        "a budget of seconds: the same seed may give another result; with"
        f" --evaluations {clock.worth}, as much work or more, it always gives the same"
    )
