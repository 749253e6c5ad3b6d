"""What each method of the search does, a moment at a time, and which of them works next.

A method is a generator function of the search; it offers what it finds and yields often. Methods in
CHEAP take milliseconds to seconds and come first, in this order; those in LASTING share the rest by what they
have brought lately (`Schedule`).
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterator
from dataclasses import dataclass, field
from itertools import islice
from typing import TYPE_CHECKING

import numpy as np

from anc.machine.cases import Cases
from anc.search.anneal import CHAINS, FEW, FIRST_SLICE, Annealer
from anc.search.clean import clean, constant_cells, specialise
from anc.search.cost import score
from anc.search.decision_tree import planned
from anc.search.enumerate import enumerate_programs
from anc.search.trace_specialiser import follow
from anc.search.unroll import unrolled
from anc.support.clock import PER_SECOND

DEFAULT_EVALUATIONS = 4_000_000
SLICE = 0.5  # seconds that a method works before others are asked
ROUND = 400_000  # evaluations of one chain in one round, at most
FEWEST = 10_000  # ... and at least
ROUNDS = 12  # that a budget should be long enough for
SEEDS_APART = 1_000_003  # of annealers that begin again
PAUSES = 60  # without a time budget: so many times two million candidates of enumeration
PLANNING = 300  # pauses of a planner
PLANNING_FEW = 30  # ... that looks at few cases
PLANNED_CASES = 600  # that it looks at
PLANNED_VALUES = 20_000_000  # of registers that it remembers
BARE = 0.1  # evaluations that a candidate of annealing is worth, and what each of its steps adds
PER_STEP = 0.008
MOST_STEPS = 250  # ... up to so many: the rest is hardly ever executed
LOOPED = 3  # programs whose loops are unrolled
OPENING = ("plans", "traces")  # what lasts, but soon brings most
# Evaluations that a moment of each is worth: at least, and for each line and cell of memory. What
# annealing does beside is counted by itself.
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
GOING_ON = ("observed", "loops", "anneal")  # those that begin with what others found
IN_PLACE = ("guide", "anneal")  # those that can leave lines alone; the others write new programs


@dataclass
class Schedule:
    """Methods under way, and what each has on its account."""

    methods: dict[str, Iterator[None]] = field(default_factory=dict)
    accounts: dict[str, float] = field(default_factory=dict)

    def begin(self, name: str, method: Iterator[None], debt: float = 0.0) -> None:
        """Take a method in; one that was here before keeps its account."""
        self.methods[name] = method
        self.accounts.setdefault(name, debt)

    def next(self, first: Collection[str] = ()) -> str | None:
        """The method to go on with, of the first ones if any is left; None when all came to their end."""
        waiting = [name for name in self.methods if name in first] or self.methods
        return min(waiting, key=self.accounts.__getitem__, default=None)

    def work(self, name: str) -> None:
        """Let a method work for a moment."""
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
    search.offer([clean(search.program, search.M)])
    yield


def specialised(search: Search) -> Iterator[None]:
    search.offer([specialise(search.program, constant_cells(search.cases), search.M)])
    yield


def traced(search: Search) -> Iterator[None]:
    """What the samples do."""
    for found in follow(search.program, search.cases, search.M, cost=search.cost):
        search.offer(search.tidied([found]))
        yield


def observed(search: Search) -> Iterator[None]:
    search.offer(search.tidied(list(search.all_right)))
    yield


def looped(search: Search) -> Iterator[None]:
    """The best short programs so far, with less to do in each round of a loop."""
    for found in sorted(search.all_right.values(), key=lambda found: found.rank)[:LOOPED]:
        new = unrolled(found.program, search.cases, search.limit, search.cost)
        search.offer([] if new is None else [new])
        yield


def derived(search: Search) -> Iterator[None]:
    """Straight lines and decisions from the values that the program itself computes.

    Few cases are soon planned for. Other samples are looked at too, since a plan that few cases suggest
    may be wrong on one of the rest.
    """
    room = int(PLANNED_VALUES / (search.program.R * search.found[0].steps))
    search.planned = max(0, min(room, PLANNED_CASES) - len(search.given))
    cases = Cases.distinct([*search.given, *search.more[: search.planned]])
    if search.cases.C < cases.C:
        for found in islice(planned(search.program, search.cases), PLANNING_FEW):
            if found is not None and score(found, cases, search.limit, search.cost).right:
                search.offer(search.tidied([found]))
            yield
    for found in islice(planned(search.program, cases), PLANNING):
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
    seed = settings.seed + SEEDS_APART * search.annealers  # another way each time
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
    """What a candidate of annealing is worth, where the generic program takes so many steps."""
    return BARE + PER_STEP * min(steps, MOST_STEPS) * min(1.0, cases.C / FEW)


def _affordable(search: Search, seconds: float) -> int:
    """Evaluations for each chain that a round of so many seconds has room for."""
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
