"""Filling a sketch from a specification, by counter-examples (CEGIS).

The search fills the holes from a few cases; the filling is compared with the specification on all inputs, or by a
proof; inputs on which it is wrong become cases, and the search goes on from there.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace
from typing import Any

from anc.adaptation.holes.fill_lines import fill_lines
from anc.adaptation.holes.result import Filled
from anc.adaptation.holes.sketch import Filling, Sketch
from anc.adaptation.holes.specification import DRAWN, Check, Specification, proof_of
from anc.data.tasks.cases import Case
from anc.support.job import Job

PATIENCE = 3.0  # seconds in which other fillings are looked for that are as good on the cases
Fill = Callable[[Sequence[Case], Job, Filling | None], Filled]


def fill_to_specification(
    name: str,
    sketch: Sketch,
    specification: Specification,
    cases: Sequence[Case],
    fresh: Sequence[Case],
    job: Job,
    seed: int,
    max_steps: int,
    fill: Fill,
    earlier: Filling | None = None,
    shortest: bool = False,
) -> Filled:
    """The best filling, compared with the specification; `fill` fills the holes from cases.

    The given cases come on top of those that are drawn.
    """
    clock = job.clock
    clock.restart()
    job.tell(f"calling {specification.name}", None)
    known = [*cases, *specification.draw(DRAWN, seed)]
    if sketch.lines is not None:
        about = specification, job, seed, max_steps, shortest
        return fill_lines(name, sketch, known, fresh, *about)
    refuted = 0
    while True:
        found = fill(known, _round(job, specification), earlier)
        clock.did(found.evaluations or 0)
        if not found.is_right:
            check = _of_cases(found)
            break
        job.tell(f"comparing with {specification.name}", None)
        check = specification.check(found.program, clock, max_steps)
        if not check.counter_examples:
            break
        refuted += 1
        known += check.counter_examples
        earlier = found.filling
        if clock.over:
            break
    stop = "done" if check.outcome == "proved" else found.stop
    seconds, proof = round(clock.seconds, 2), proof_of(specification, check, refuted)
    return replace(found, proof=proof, seconds=seconds, evaluations=clock.evaluations, stop=stop)


def _round(job: Job, specification: Specification) -> Job:
    """The job of filling the holes once: a part of the time that is left.

    A filling that is right on the cases is compared soon, though others may be as good on them.
    """
    clock, share = job.clock, specification.searching
    if job.evaluations is not None:
        left = int(share * (job.evaluations - (clock.evaluations or 0)))
        return replace(job, evaluations=max(1, left))
    best: list[Any] = [None]
    enough = clock.seconds + PATIENCE

    def tell(doing: str, wrong: Any) -> None:
        best[0] = wrong
        job.tell(doing, wrong)

    def asked_to_stop() -> bool:
        return job.asked_to_stop() or (best[0] == 0 and clock.seconds > enough)

    left_over = max(share * clock.left, 1e-3)
    return replace(job, budget=left_over, since=None, tell=tell, asked_to_stop=asked_to_stop)


def _of_cases(found: Filled) -> Check:
    """What is known if no filling is right on the cases."""
    if found.fillings is None:
        return Check("unknown", "no filling was found that is right on all cases")
    return Check("refuted", f"none of the {found.size:,} fillings is right on all cases")
