"""Adaptation, the whole method in one function.

An exact search looks for the cheapest program that is right on the samples: cheap methods first
(cleaning, specialisation, what the samples do), then enumeration, annealing and gradient descent,
which share the time by what they bring. Whenever the search falls quiet, its best program is proved
equal to the generic one under facts that the samples support, which are learnt where that takes new
ones. What fails on a tape that nothing tells from the samples is remembered as an unproved answer,
the tape becomes a case, and the search goes on for one that can be proved.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field

from anc.adaptation.evidence import Evidence, Samples, check_assumed, examine
from anc.adaptation.gradient import Gradient, prepare_training
from anc.adaptation.result import Adapted, conclude
from anc.learning.problem import Problem
from anc.program import Program
from anc.search import EVERY_METHOD, STEPS, Cost, Found, Search, SearchSettings, prepare
from anc.search.result import SearchEnd, SearchProgress
from anc.verify import Fact
from anc.verify.clock import Clock

SEARCHES = {  # what the exact search may do for each method of adaptation
    "all": EVERY_METHOD,
    "search": EVERY_METHOD,
    "gradient": ("guide", "observed"),
    "specialise": ("clean", "specialise", "traces", "observed"),
}
METHODS = tuple(SEARCHES)
WAITING = {
    "all": 0.15,
    "gradient": 0.0,
}  # of the budget: gradient descent's account at the beginning
SEARCH_SHARE = 0.8  # the search ends here; the rest is for proofs
PATIENCE = 0.35  # the search also ends when it found nothing better for about this share of it
FIRST_LOOK = 0.02  # of the budget: quiet for so long, the best program is examined
LAST_LOOK = 0.03  # of the budget: with less than this left, nothing more is examined
ALIKE = 1.02  # a program that costs little more than one without a proof has hardly one either
LONG = 15  # mean steps: a shorter program has less left to gain and is given less patience
CASES = 100  # that the search looks at all the time; the others only judge what it finds

Tell = Callable[[str, float | None], None]  # what is being done, best mean steps so far


def adapt(
    problem: Problem,
    budget: float = 60.0,
    method: str = "all",
    seed: int = 0,
    assumed: Sequence[Fact] = (),
    cost: Cost = STEPS,
    trade_off: bool = False,
    trust: str = "proof",
    tell: Tell = lambda doing, steps: None,
    asked_to_stop: Callable[[], bool] = lambda: False,
) -> Adapted:
    """The best exact programs that the budget (in seconds) allows, with evidence of where they are right.

    `trust` says which answer comes first if there are two: the fastest with a "proof", or the one
    that is right on all "samples". With `trade_off`, also the curve between steps and lines: programs
    that no other beats in both.
    """
    check_assumed(problem.everything, assumed)
    tell("compiling, once for this installation", None)
    prepare()
    if method in WAITING:
        prepare_training(problem)
    clock = Clock(budget, asked_to_stop)
    work = _Adaptation(problem, clock, method, seed, tuple(assumed), cost, trade_off, tell)
    work.run()
    return conclude(
        problem, work.candidates(), work.history, work.gradient, work.search.result().front,
        trust, clock,
    )  # fmt: skip


@dataclass
class _Adaptation:
    """One adaptation under way."""

    problem: Problem
    clock: Clock
    method: str
    seed: int
    assumed: tuple[Fact, ...]
    cost: Cost
    trade_off: bool
    tell: Tell
    gradient: Gradient = field(init=False)
    search: Search = field(init=False)
    history: dict[Program, Found] = field(init=False, default_factory=dict)
    examined: dict[Program, Evidence] = field(init=False, default_factory=dict)

    def __post_init__(self) -> None:
        problem, budget = self.problem, self.clock.budget
        self.samples = Samples.of(problem.looked_at)
        self.gradient = Gradient(problem, self.clock, SEARCH_SHARE, self.seed, self.tell)
        others = {}
        if self.method in WAITING:
            others["gradient"] = (self.gradient.work, WAITING[self.method] * budget)
        settings = SearchSettings(
            self.seed, SEARCH_SHARE * budget, cost=self.cost, methods=SEARCHES[self.method],
            front=self.trade_off,
        )  # fmt: skip
        cases = self.samples.cases
        self.search = Search(
            problem.program, cases[:CASES], problem.M, settings, self.on_progress,
            self.clock.asked_to_stop, more=cases[CASES:], others=others,
        )  # fmt: skip

    def on_progress(self, progress: SearchProgress) -> None:
        self.tell(progress.method, progress.best.steps)

    def run(self) -> None:
        """Search and examine in turn until nothing better is to be expected."""
        quiet = FIRST_LOOK * self.clock.budget
        search = self.search
        while True:
            search.run(quiet)
            self.history |= {
                f.program: f for f in search.found[1:] if f.program not in self.history
            }
            is_over = search.end is not SearchEnd.DONE or search.turn() is None
            best = search.best
            if best.program != self.problem.program and best.program not in self.examined:
                evidence = self.examine(best)
                if evidence.counterexample is not None and not is_over:
                    search.add([evidence.counterexample])
                    continue
            if is_over or quiet >= self.patience:
                return
            quiet = min(2 * quiet, self.patience)

    @property
    def patience(self) -> float:
        steps = self.search.best.steps
        return PATIENCE * self.clock.budget * min(2.3, max(0.3, (steps / LONG) ** 1.5))

    def examine(self, found: Found) -> Evidence:
        if found.program not in self.examined:
            self.tell("proof", found.steps)
            self.examined[found.program] = examine(
                self.problem.program, found.program, self.samples, self.assumed, self.clock
            )
        return self.examined[found.program]

    def candidates(self) -> Iterator[tuple[Found, Evidence]]:
        """Every program found, fastest first, with its evidence, which is looked for when asked."""
        hopeless = -math.inf
        for found in sorted(self.history.values(), key=lambda found: found.rank):
            if found.program not in self.examined:
                is_late = self.clock.left <= LAST_LOOK * self.clock.budget
                if is_late or found.cost < ALIKE * hopeless:
                    continue
            evidence = self.examine(found)
            if not evidence.verdict.proved:
                hopeless = max(hopeless, found.cost)
            yield found, evidence
