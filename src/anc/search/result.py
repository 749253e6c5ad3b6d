"""What a search is asked for, what it finds, and why it ends."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from enum import Enum

from anc.program import Program
from anc.search.chain import NO_GUIDES, Guides
from anc.search.cost import STEPS, Cost
from anc.search.portfolio import EVERY_METHOD


@dataclass(frozen=True)
class SearchSettings:
    """How to search: what a program costs, the methods, and how long.

    A search ends after `budget` seconds or so many `evaluations` of annealing. Without a budget the
    methods work one after the other, and the result depends on the seed and the evaluations only.
    `front` asks for the trade-off between steps and lines.
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

    DONE = "done"  # all methods came to their end
    BUDGET = "budget"
    STOPPED = "stopped"
    INTERRUPTED = "interrupted"
    MEMORY = "memory"  # it holds too much, whatever is ended


@dataclass(frozen=True)
class Found:
    """A program that is right on all cases: what it costs, which method found it, and when."""

    program: Program
    cost: float
    steps: float
    method: str
    seconds: float

    @property
    def rank(self) -> tuple[float, int, int]:
        """Cheaper first; among equals fewer lines, then fewer registers."""
        return round(self.cost, 9), self.program.L, self.program.R


def front_of(found: Iterable[Found]) -> tuple[Found, ...]:
    """The programs that no other beats in both steps and lines, fewest steps first."""
    kept: list[Found] = []
    for one in sorted(found, key=lambda f: (round(f.steps, 9), f.program.L, f.program.R)):
        if not kept or one.program.L < kept[-1].program.L:
            kept.append(one)
    return tuple(kept)
