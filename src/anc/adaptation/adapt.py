"""Adaptation, the whole method in one function.

An exact search looks for the cheapest program that is right on the samples: cheap methods first
(cleaning, specialisation, what the samples do), then enumeration, annealing and gradient descent,
which share the time by what they bring. Whenever the search falls quiet, its best program is proved
equal to the generic one under facts that the samples support, which are learnt where that takes new
ones; that happens in another process, while the search goes on. What fails on a tape that nothing
tells from the samples is remembered as an unproved answer; once the first methods have had their
time, the tape becomes a case, and the search goes on for one that can be proved.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from contextlib import closing
from dataclasses import dataclass, field

from anc.adaptation.evidence import Evidence, Samples, check_assumed
from anc.adaptation.examiner import Examiner
from anc.adaptation.functions import as_python_runs_it
from anc.adaptation.gradient import Gradient, prepare_training
from anc.adaptation.result import Adapted, conclude
from anc.learning.problem import Problem
from anc.program import Program
from anc.search import EVERY_METHOD, STEPS, Cost, Found, Search, SearchSettings, prepare
from anc.search.result import SearchEnd, SearchProgress
from anc.tasks.cases import Case
from anc.verify import Fact
from anc.verify.clock import Clock
from anc.verify.verdict import unknown

SEARCHES = {  # what the exact search may do for each method of adaptation
    "all": EVERY_METHOD,
    "search": EVERY_METHOD,
    "gradient": ("guide", "observed"),
    "specialise": ("clean", "specialise", "traces", "observed"),
}
METHODS = tuple(SEARCHES)
WAITING = {
    "all": 0.25,
    "gradient": 0.0,
}  # of the budget: gradient descent's account at the beginning
SEARCH_SHARE = 0.8  # the search ends here; the rest is for proofs
PATIENCE = 0.35  # the search also ends when it found nothing better for about this share of it
FIRST_LOOK = 0.02  # of the budget: quiet for so long, the best program is examined
LAST_LOOK = 0.03  # of the budget: with less than this left, nothing more is examined
PROOF = 20.0  # seconds for one proof, at most
PROOF_SHARE = 0.5  # ... and of the time that is left
ALIKE = 1.02  # a program that costs little more than one without a proof has hardly one either
LONG = 15  # mean steps: a shorter program has less left to gain and is given less patience
NOT_EXAMINED = Evidence(unknown("the time was over before it could be examined"))
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
    problem = as_python_runs_it(problem)
    check_assumed(problem.everything, assumed)
    samples = Samples.of(problem.looked_at)
    with closing(Examiner(problem.program, samples, assumed, problem.exact)) as examiner:
        tell("compiling, once for this installation", None)
        prepare()
        if method in WAITING:
            prepare_training(problem)
        clock = Clock(budget, asked_to_stop)
        work = _Adaptation(
            problem, samples, examiner, clock, method, seed, cost, trade_off, tell
        )  # fmt: skip
        work.run()
        return conclude(
            problem, work.candidates(), work.history, work.gradient, work.search.result().front,
            trust, clock,
        )  # fmt: skip


@dataclass
class _Adaptation:
    """One adaptation under way."""

    problem: Problem
    samples: Samples
    examiner: Examiner
    clock: Clock
    method: str
    seed: int
    cost: Cost
    trade_off: bool
    tell: Tell
    gradient: Gradient = field(init=False)
    search: Search = field(init=False)
    history: dict[Program, Found] = field(init=False, default_factory=dict)
    failing: list[Case] = field(init=False, default_factory=list)  # not among the cases yet
    examined: dict[Program, Evidence] = field(init=False, default_factory=dict)

    def __post_init__(self) -> None:
        problem, budget = self.problem, self.clock.budget
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
        beside = " and a proof" if self.examiner.at_work else ""
        self.tell(progress.method + beside, progress.best.steps)

    def run(self) -> None:
        """Search, with the best program examined beside it, until nothing better is to be expected."""
        search = self.search
        while True:
            search.run(FIRST_LOOK * self.clock.budget, self.examiner.has_news)
            self.history |= {
                f.program: f for f in search.found[1:] if f.program not in self.history
            }
            if search.end is not SearchEnd.DONE:
                return
            is_done = search.turn() is None
            if is_done:
                self.examiner.wait(lambda: not self.clock.over)
            if self.examiner.has_news():
                self.failing += [c for e in self.hear() if (c := e.counterexample) is not None]
            elif self.failing and not search.is_opening:
                search.add(self.failing)
                self.failing.clear()
            elif self.clock.over:
                return
            elif (found := self.unexamined()) is not None and self.makes_room(found):
                self.begin(found)
            elif not self.examiner.at_work and (is_done or self.is_tired):
                return

    def unexamined(self) -> Found | None:
        """The fastest program not examined yet that may become the answer."""
        for found in sorted(self.search.found[1:], key=lambda found: found.rank):
            evidence = self.examined.get(found.program)
            if evidence is not None and evidence.verdict.proved:
                return None
            is_new = evidence is None and found.program not in self.examiner.at_work
            if is_new and not self.is_hopeless(found):
                return found
        return None

    def is_hopeless(self, found: Found) -> bool:
        """Whether a program costs hardly more than one for which there is no proof so far."""
        unproved = {p for p, e in self.examined.items() if not e.verdict.proved}
        costs = (self.history[p].cost for p in unproved.union(self.examiner.at_work))
        return any(cost <= found.cost < ALIKE * cost for cost in costs)

    def makes_room(self, found: Found) -> bool:
        """Whether a program can be examined now; for a clearly better one, another may be given up.

        While the search opens it has most of the time: only one program is examined beside it.
        """
        at_work = self.examiner.at_work
        is_full = bool(at_work) if self.search.is_opening else not self.examiner.has_room
        if is_full and found is self.search.best:
            slowest = max(at_work, key=lambda program: self.history[program].cost)
            if self.history[slowest].cost > ALIKE * found.cost:
                self.examiner.give_up(slowest)
                return True
        return not is_full

    @property
    def is_tired(self) -> bool:
        """Whether nothing better is to be expected: long programs are given more patience."""
        steps = self.search.best.steps
        patience = PATIENCE * self.clock.budget * min(2.3, max(0.3, (steps / LONG) ** 1.5))
        return not self.search.is_opening and self.search.is_quiet(patience)

    def begin(self, found: Found) -> None:
        self.tell("proof", found.steps)
        self.examiner.begin(found.program, max(0.2, min(PROOF, PROOF_SHARE * self.clock.left)))

    def hear(self) -> list[Evidence]:
        news = self.examiner.news()
        self.examined |= news
        return list(news.values())

    def candidates(self) -> Iterator[tuple[Found, Evidence]]:
        """Every program found, fastest first, with its evidence, which is looked for when asked."""
        for found in sorted(self.history.values(), key=lambda found: found.rank):
            known = found.program in self.examined or found.program in self.examiner.at_work
            if known or not self.is_hopeless(found):
                yield found, self.evidence(found)

    def evidence(self, found: Found) -> Evidence:
        """What is known about a program, or can be found out in the time that is left."""
        while found.program not in self.examined and not self.clock.over:
            is_late = self.clock.left <= LAST_LOOK * self.clock.budget
            if found.program not in self.examiner.at_work and self.examiner.has_room:
                if is_late:
                    break
                self.begin(found)
            self.examiner.wait(lambda: not self.clock.over)
            self.hear()
        return self.examined.get(found.program, NOT_EXAMINED)
