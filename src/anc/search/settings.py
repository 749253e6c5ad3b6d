"""What a search is asked for."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from anc.search.cost import STEPS, Cost
from anc.search.guides import NO_GUIDES, Guides
from anc.search.methods import EVERY_METHOD


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
