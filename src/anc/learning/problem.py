"""A problem: a generic program and cases to adapt it to, split so that no number flatters itself."""

from __future__ import annotations

import random
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from anc.compiler import compile_source
from anc.diagnostics import AncError
from anc.language import Source
from anc.learning.interface import Cases
from anc.machine import exact
from anc.machine.exact import Stop
from anc.program import Program
from anc.tasks import Case, Task

FEWEST_TO_SPLIT = 30
POOL, VALIDATION, CONFIRMATION, TEST = 4096, 100, 400, 1000
_LIMIT = 100_000


@dataclass(frozen=True)
class Problem:
    """A program and four sets of cases: to train on, to choose checkpoints with, and to report on.

    `validation` is looked at often, `confirmation` only when a checkpoint looks like a new best, and
    `test` once, at the end.
    """

    name: str
    source: Source
    program: Program
    M: int
    pool: tuple[Case, ...]
    validation: tuple[Case, ...]
    confirmation: tuple[Case, ...]
    test: tuple[Case, ...]
    note: str = ""

    def generic_steps(self, cases: Sequence[Case]) -> float:
        """Mean steps of the generic program."""
        runs = [exact.run(self.program, case.input, _LIMIT) for case in cases]
        if any(run.stop is not Stop.STOPPED for run in runs):
            raise AncError(f"the program '{self.name}' does not stop on all of its cases")
        return sum(run.steps for run in runs) / len(runs)


def from_task(
    task: Task, biased: bool = True, seed: int = 0, pool: int = POOL, test: int = TEST
) -> Problem:
    """A task's problem; the four sets are drawn from different seeds, training from a large pool."""

    def draw(number: int, size: int) -> tuple[Case, ...]:
        return tuple(task.draw(biased, size, 4 * seed + number))

    return Problem(
        task.name,
        task.source,
        task.program,
        task.M,
        pool=draw(0, pool),
        validation=draw(1, VALIDATION),
        confirmation=draw(2, CONFIRMATION),
        test=draw(3, test),
    )


def from_cases(
    name: str, source: Source, cases: Sequence[Case], memory: int | None = None, seed: int = 0
) -> Problem:
    """A user's problem: three fifths to train on, a fifth to choose with, a fifth to report on."""
    if not cases:
        raise AncError("there are no cases to adapt to")
    program = compile_source(source, memory).program
    shuffled = list(cases)
    random.Random(seed).shuffle(shuffled)
    everything = tuple(shuffled)
    M = everything[0].M
    if len(everything) < FEWEST_TO_SPLIT:
        note = f"only {len(everything)} cases: training, validation and test use all of them"
        return Problem(
            name, source, program, M, everything, everything, everything, everything, note
        )
    fifth = len(everything) // 5
    test, held, pool = everything[:fifth], everything[fifth : 2 * fifth], everything[2 * fifth :]
    note = f"{len(pool)} cases to train on, {len(held)} to choose with, {len(test)} to report on"
    return Problem(name, source, program, M, pool, held, held, test, note)


def as_arrays(cases: Sequence[Case]) -> Cases:
    """Cases as the engines want them."""
    columns = ("input", "output", "mask")
    return Cases(*(np.array([getattr(c, x) for c in cases], np.int64) for x in columns))
