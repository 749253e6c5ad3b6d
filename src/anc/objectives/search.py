"""A search for an objective: walks from the generic program and from the best, until the time is over."""

from __future__ import annotations

from collections.abc import Callable, Iterator

import numpy as np

from anc.objectives.objective import Objective
from anc.objectives.walk import Candidate, Ground, Walk
from anc.program import Program

PROPOSALS = 4_000  # of the first walk; every later pair of walks is longer
GROWTH = 1.5
SLICE = 500  # proposals between looks at the clock
COOLER = 0.3  # the heat of a walk that goes on from the best program


def search(
    program: Program,
    inputs: np.ndarray,
    objective: Objective,
    max_steps: int,
    seed: int,
    proposals: int | None = None,
    is_over: Callable[[], bool] = lambda: False,
    earlier: Program | None = None,
) -> Iterator[tuple[Candidate, int]]:
    """Better and better programs, each with the proposals so far; None better: the last one again.

    Ends when `is_over` says so, or after so many proposals; what is found depends on the seed and on
    the proposals only. If an `earlier` program is better than the generic one, it is the first best.
    """
    ground = Ground(objective, inputs, max_steps, program)
    firsts = [program] if earlier is None else [program, earlier]
    best = min((Walk(ground, first, 0, 1).best for first in firsts), key=lambda each: each.rank)
    done, number, length = 0, 0, float(PROPOSALS)
    while not is_over() and (proposals is None or done < proposals):
        is_fresh = number % 2 == 0
        left = int(length) if proposals is None else min(int(length), proposals - done)
        start, heat = (program, 1.0) if is_fresh else (best.program, COOLER)
        walk = Walk(ground, start, seed * 10_007 + number, left, heat)
        while not walk.is_done and not is_over():
            before = walk.done
            walk.advance(SLICE)
            done += walk.done - before
            if walk.best.rank < best.rank:
                best = walk.best
            yield best, done
        number += 1
        length *= 1.0 if is_fresh else GROWTH
