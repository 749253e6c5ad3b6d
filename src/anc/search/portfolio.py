"""Portfolio: the methods of the search as generators, and the schedule that decides which runs next.

A method is a generator function of the search; it offers the programs that it finds and yields often. Methods
in CHEAP take milliseconds to seconds and run first, in this order; those in LASTING share the remaining time
according to their recent success (`Schedule`).
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterator
from dataclasses import dataclass, field
from itertools import islice
from typing import TYPE_CHECKING

import numpy as np

from anc.machine.encoded import Cases
from anc.search.anneal import CHAINS, FEW, FIRST_SLICE, Annealer
from anc.search.clean import clean, constant_cells, specialise
from anc.search.cost import score
from anc.search.decision_tree import planned
from anc.search.enumerate import enumerate_programs
from anc.search.trace_specialiser import follow
from anc.search.unroll import unrolled
from anc.support.clock import PER_SECOND

DEFAULT_EVALUATIONS = 4_000_000
SLICE = 0.5  # seconds for which a method runs before the schedule chooses again
ROUND = 400_000  # most evaluations of one chain in one round
FEWEST = 10_000  # ... and fewest
ROUNDS = 12  # rounds of annealing that should fit into a budget
SEEDS_APART = 1_000_003  # between the seeds of successive annealers
PAUSES = 60  # without a time budget: enumeration ends after this many times two million candidates
PLANNING = 300  # most pauses of a planner
PLANNING_FEW = 30  # ... that plans for the few given cases alone
PLANNED_CASES = 600  # most cases that it plans for
PLANNED_VALUES = 20_000_000  # most register values that it stores
PLANNED_CELLS = 8_000_000  # most cells of their tapes
BARE = 0.1  # evaluations charged for a candidate of annealing, and for each of its steps
PER_STEP = 0.008
MOST_STEPS = 250  # steps beyond this number are hardly ever executed, and not charged
LOOPED = 3  # best programs whose loops are unrolled
OPENING = ("plans", "traces")  # lasting methods that find most, and early
# Evaluations charged for one step of each method: a constant, and a part for each line and cell of memory.
# Annealing also counts its own work.
WORTH = {
    "guide": (10, 0.0),
    "clean": (100, 0.05),
    "specialise": (100, 5.0),
    "observed": (300, 0.3),
    "loops": (500, 0.3),
    "plans": (1_000, 0.3),
    "traces": (1_000, 2.0),
    "enumerate": (3_000, 0.0),
    "anneal": (100, 0.0),
}
GOING_ON = ("observed", "loops", "anneal")  # methods that start from what others found
IN_PLACE = ("guide", "anneal")  # methods that can keep frozen lines; the others write new programs


@dataclass
class Portfolio:
    """The methods that are running, and the time charged to the account of each."""

    methods: dict[str, Iterator[None]] = field(default_factory=dict)
    accounts: dict[str, float] = field(default_factory=dict)

    def begin(self, name: str, method: Iterator[None], debt: float = 0.0) -> None:
        """Add a method; a method that ran before keeps its account."""
        self.methods[name] = method
        self.accounts.setdefault(name, debt)

    def next(self, first: Collection[str] = ()) -> str | None:
        """The method with the lowest account, one of the `first` if any is left; None if all have ended."""
        waiting = [name for name in self.methods if name in first] or self.methods
        return min(waiting, key=self.accounts.__getitem__, default=None)

    def work(self, name: str) -> None:
        """Run a method up to its next yield."""
        try:
            next(self.methods[name])
        except StopIteration:
            del self.methods[name]

    def charge(self, name: str, seconds: float, brought_something: bool) -> None:
        self.accounts[name] += seconds
        if brought_something:
            self.accounts[name] /= 2


if TYPE_CHECKING:
    from anc.search.search import Search

Method = Callable[["Search"], Iterator[None]]


def guided(search: Search) -> Iterator[None]:
    search.offer(search.settings.guides.programs)
    yield


def cleaned(search: Search) -> Iterator[None]:
    search.offer([clean(search.program, search.M)], is_safe=True)
    yield


def specialised(search: Search) -> Iterator[None]:
    found = specialise(search.program, constant_cells(search.cases), search.M)
    search.offer([found], is_safe=True)
    yield


def traced(search: Search) -> Iterator[None]:
    """Straight-line code and branches from the traces of the samples."""
    for found, is_safe in follow(search.program, search.cases, search.M, cost=search.cost):
        if is_safe:
            search.offer([found, clean(found, search.M)], is_safe=True)
        search.offer(search.tidied([found]))
        yield


def observed(search: Search) -> Iterator[None]:
    search.offer(search.tidied(list(search.all_right)))
    yield


def looped(search: Search) -> Iterator[None]:
    """The best programs so far with unrolled loops; an unrolled one does the same on all tapes."""
    best = sorted(search.all_right.values(), key=lambda found: found.rank)[:LOOPED]
    for found in dict.fromkeys([*best, *search.safe[:LOOPED]]):
        new = unrolled(found.program, search.cases, search.limit, search.cost)
        search.offer([] if new is None else [new], is_safe=found in search.safe)
        yield


def derived(search: Search) -> Iterator[None]:
    """Decision trees with straight-line code, from the values that the program itself computes.

    Planning for the few given cases is fast. It is followed by planning for more samples, because a plan for few
    cases may be wrong on the others.
    """
    room = int(PLANNED_VALUES / (search.program.R * search.found[0].steps))
    most = min(room, PLANNED_CASES, PLANNED_CELLS // search.M)
    search.planned = max(0, most - len(search.given))
    cases = Cases.distinct([*search.given, *search.more[: search.planned]])
    if search.cases.C < cases.C:
        for found in islice(planned(search.program, search.cases, search.cost), PLANNING_FEW):
            if found is not None and score(found, cases, search.limit, search.cost).right:
                search.offer(search.tidied([found]))
            yield
    for found in islice(planned(search.program, cases, search.cost), PLANNING):
        if found is not None:
            search.offer(search.tidied([found]))
        yield


def enumerated(search: Search) -> Iterator[None]:
    registers = (value for value in search.program.registers if value is not None)
    constants = sorted({1, 2, *registers})
    pauses = 0
    for found in enumerate_programs(
        search.cases, search.program.instructions, search.best.cost, constants, cost=search.cost
    ):
        if found is not None:
            search.offer([found])
        else:
            pauses += 1
        if search.settings.budget is None and pauses >= PAUSES:
            return
        yield


def annealed(search: Search) -> Iterator[None]:
    settings = search.settings
    evaluations, round_size, rounds = settings.evaluations, ROUND, None
    if evaluations is None and settings.budget is None:
        evaluations = DEFAULT_EVALUATIONS
    if evaluations is not None:
        rounds = max(1, -(-evaluations // (CHAINS * ROUND)))
        round_size = max(1, evaluations // (CHAINS * rounds))
    elif settings.budget is not None:
        round_size = _affordable(search, settings.budget / ROUNDS)
    starts = [search.program, *(found.program for found in search.found[:0:-1]), *search.lost]
    weights = (0.0, 1.0, 0.0, 3.0) if settings.front else (0.0,)
    seed = settings.seed + SEEDS_APART * search.annealers  # different random numbers each time
    search.annealers += 1
    annealer = search.annealer = Annealer(
        starts, search.cases, search.limit, seed, settings.guides, search.cost,
        round_size=round_size, line_weights=weights,
    )  # fmt: skip
    price, most = _price(annealer.steps, annealer.cases), None
    while rounds is None or annealer.rounds_done < rounds:
        yield
        annealer.threads, before = search.threads, annealer.evaluated
        if search.clock.counts_work:
            seconds = min(SLICE, search.clock.left)
            slices = seconds * PER_SECOND / (price * len(annealer.chains)) // FIRST_SLICE
            most = max(1, int(slices)) * FIRST_SLICE
        annealer.round(search.in_slice(), most)
        search.clock.did(price * (annealer.evaluated - before))
        search.offer_annealed()


def _price(steps: float, cases: Cases) -> float:
    """The evaluations charged for a candidate, if the generic program takes this many steps."""
    return BARE + PER_STEP * min(steps, MOST_STEPS) * min(1.0, cases.C / FEW)


def _affordable(search: Search, seconds: float) -> int:
    """Evaluations of each chain that fit into a round of this many seconds."""
    threads = 1 if search.clock.counts_work else search.threads
    price = CHAINS * _price(search.found[0].steps, search.cases)
    return int(np.clip(threads * seconds * PER_SECOND / price, FEWEST, ROUND))


CHEAP: dict[str, Method] = {
    "guide": guided,
    "clean": cleaned,
    "specialise": specialised,
    "observed": observed,
    "loops": looped,
}
LASTING: dict[str, Method] = {
    "plans": derived,
    "traces": traced,
    "enumerate": enumerated,
    "anneal": annealed,
}
EVERY_METHOD = (*CHEAP, *LASTING)
