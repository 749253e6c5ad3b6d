"""The settings of a search, the programs that it finds, and why it ends."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from enum import Enum

from anc.program import Program
from anc.search.chain import NO_GUIDES, Guides
from anc.search.cost import STEPS, Cost
from anc.search.portfolio import EVERY_METHOD


@dataclass(frozen=True)
class SearchSettings:
    """Settings of a search: the cost model, the methods, and the budget.

    A search ends after `budget` seconds, or after this number of `evaluations` of annealing. Without a budget
    the methods run one after the other, and the result depends only on the seed and the evaluations. `front`
    requests the trade-off between steps and lines.
    """

    seed: int = 0
    budget: float | None = None
    evaluations: int | None = None
    guides: Guides = NO_GUIDES
    cost: Cost = STEPS
    methods: Sequence[str] = EVERY_METHOD
    threads: int | None = None
    front: bool = False


DEFAULT = SearchSettings()


class SearchEnd(Enum):
    """Why a search ended."""

    DONE = "done"  # all methods finished
    BUDGET = "budget"
    STOPPED = "stopped"
    INTERRUPTED = "interrupted"
    MEMORY = "memory"  # ending methods does not free enough


@dataclass(frozen=True, order=True)
class BestSoFar:
    """The cost and the steps of the best program so far, for progress lines."""

    paid: float
    steps: float
    cost: Cost = field(default=STEPS, compare=False)

    def __str__(self) -> str:
        steps = f"{self.steps:.2f} steps"
        if self.cost == STEPS:
            return steps
        return f"{self.cost.label} {self.cost.amount(self.paid)}, {steps}"


@dataclass(frozen=True)
class Found:
    """A program that is right on all cases: its cost, the method that found it, and when."""

    program: Program
    cost: float
    steps: float
    method: str
    seconds: float

    @property
    def rank(self) -> tuple[float, int, int]:
        """The cost, then the lines, then the registers; smaller is better."""
        return round(self.cost, 9), self.program.L, self.program.R


def front_of(found: Iterable[Found]) -> tuple[Found, ...]:
    """The Pareto front of steps and lines, fewest steps first."""
    kept: list[Found] = []
    for one in sorted(found, key=lambda f: (round(f.steps, 9), f.program.L, f.program.R)):
        if not kept or one.program.L < kept[-1].program.L:
            kept.append(one)
    return tuple(kept)
