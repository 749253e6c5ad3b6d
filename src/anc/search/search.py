"""Exact search: finds the cheapest program that is right on all cases, by a portfolio of methods."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import replace

import numpy as np

from anc.data.tasks.cases import Case
from anc.machine.encoded import Cases
from anc.program import Program
from anc.search.anneal import Annealer
from anc.search.chain import Guides
from anc.search.clean import clean, clean_observed
from anc.search.cost import CaseCost, score
from anc.search.portfolio import (
    CHEAP,
    GOING_ON,
    IN_PLACE,
    LASTING,
    OPENING,
    SLICE,
    WORTH,
    Method,
    Portfolio,
)
from anc.search.result import (
    DEFAULT,
    BestSoFar,
    Found,
    SearchEnd,
    SearchSettings,
    front_of,
)
from anc.support import resources
from anc.support.clock import Clock, Cut, looking
from anc.support.diagnostics import AncError
from anc.support.job import cores

OPENING_FIRST = 0.5  # of the budget: until then other methods wait for the opening methods
OPENING_SHARE = 0.2  # ... credited to each opening method before the others catch up
OPENING_LASTS = 0.3  # ... after which the opening counts as over
MOST_SAFE = 6  # programs that assume hardly anything
NEAR = 1.1  # times the best cost on the cases: a cheaper program is judged by all samples
CHEAP_SHARE = 0.5  # of the budget: the limit of each cheap method
CHARGED = 4_096  # cells: what a method does with more of them is hardly more work
_LIMIT = 100_000  # steps of a run, at most


class _Enough(Exception):
    """The search is over."""


class Search:
    """A running search: the cases, the best programs so far, the schedule, the clock.

    Every candidate is run on the given cases. Only a candidate that seems better than all before is also run on
    `more`, and the cases that it fails are added to the given ones. `others` are additional methods, each with
    the initial state of its account in seconds. The clock shows seconds, or work expressed as seconds.
    """

    def __init__(
        self,
        program: Program,
        given: Sequence[Case],
        M: int,
        settings: SearchSettings = DEFAULT,
        on_progress: Callable[[Search], None] = lambda search: None,
        asked_to_stop: Callable[[], bool] = lambda: False,
        more: Sequence[Case] = (),
        others: Mapping[str, tuple[Method, float]] = {},
        clock: Clock | None = None,
    ) -> None:
        if not given:
            raise AncError("a search needs at least one case")
        if any(case.M != M for case in given):
            raise AncError(f"a case's tape does not have {M} cells")
        program.check_fits(M)
        self.program, self.M, self.settings = program, M, settings
        self.cost = settings.cost
        self.on_progress, self.asked_to_stop = on_progress, asked_to_stop
        self.clock = clock or Clock(np.inf)
        self.told, self.slice_end = 0.0, 0.0
        self.threads = (
            settings.threads or cores()
        )  # of annealing; lowered while other work needs cores
        self.method, self.end = "generic", SearchEnd.DONE
        self.given, self.more = list(given), list(dict.fromkeys(more))
        self.others, self.schedule = dict(others or {}), Portfolio()
        self.planned = 0  # number of `more` samples that plans use
        self.annealers = 0  # number started so far
        self.latest = np.inf  # deadline of the running method
        self.cut: dict[str, str] = {}  # methods that were ended early, and why
        self.lost: list[Program] = []  # were right before cases were added
        self.safe: list[Found] = []  # the best programs that assume hardly anything, best first
        self.start_with(self.given)

    # -- cases ------------------------------------------------------------------

    def start_with(self, given: Sequence[Case], go_on: Sequence[str] = ()) -> None:
        """(Re)start with these cases; the methods in `go_on` are not restarted."""
        self.found: list[Found] = []
        self.all_right: dict[Program, Found] = {}
        self.missed: list[Case] = []
        self.near = np.inf  # cost of the best program on the given cases alone
        self.annealer: Annealer | None = None
        self.cases = Cases.distinct(given)
        self.rest = Cases.distinct(self.more) if self.more else None
        self.limit = _LIMIT
        generic = self.score(self.program)
        if not self.on_all_samples(self.program, generic).right:
            raise AncError(
                "the program itself is not right on all cases",
                "check the cases' outputs, or raise the limit on steps",
            )
        self.limit = int(max(50, 4 * generic.steps))
        if not self.on_all_samples(self.program, self.score(self.program)).right:
            self.limit = _LIMIT
        self.missed = []
        self.newest = self.started = self.seconds
        self.keep(self.program, generic, "generic", self.seconds)
        wait = OPENING_SHARE * (self.settings.budget or 0.0)
        for name, method in (CHEAP | LASTING).items():
            if self.program.frozen and name not in IN_PLACE:
                continue
            if name in self.settings.methods and name not in go_on and name not in self.cut:
                debt = 0.0 if name in CHEAP or name in OPENING else wait
                self.schedule.begin(name, method(self), debt)
        for name, (method, debt) in self.others.items():
            if name not in self.schedule.accounts and name not in self.cut:
                self.schedule.begin(name, method(self), debt)

    def take_in(self, name: str, method: Method, debt: float) -> None:
        """Add a method of the caller."""
        self.others[name] = method, debt
        self.schedule.begin(name, method(self), debt)

    def add(self, cases: Iterable[Case]) -> None:
        """Add cases: programs that are still right are kept, and methods that used the old cases restart."""
        new, planned = list(cases), {*self.given, *self.more[: self.planned]}
        self.given += new
        before = self.found[1:]
        safe, self.safe = self.safe, []
        self.start_with(self.given, ("plans",) if planned.issuperset(new) else ())
        for found in before:
            scored = self.score(found.program)
            if scored.right:
                self.keep(found.program, scored, found.method, found.seconds)
            else:
                self.lost.append(found.program)
        for found in safe:
            self.keep(found.program, self.score(found.program), found.method, found.seconds, True)

    # -- the best so far --------------------------------------------------------

    @property
    def best(self) -> Found:
        return self.found[-1]

    @property
    def best_so_far(self) -> BestSoFar:
        return self.shown(self.best)

    def shown(self, found: Found) -> BestSoFar:
        """What progress lines say of a program."""
        return BestSoFar(found.cost, found.steps, self.cost)

    @property
    def seconds(self) -> float:
        return self.clock.seconds

    def score(self, program: Program) -> CaseCost:
        return score(program, self.cases, self.limit, self.cost)

    def offer(
        self, programs: Iterable[Program], method: str | None = None, is_safe: bool = False
    ) -> None:
        """Offer programs, as found by the running method unless another one is named.

        A safe one does what the program does, on all tapes or wherever constant cells are constant.
        """
        for program in programs:
            if program.smallest_memory <= self.M:
                scored = self.score(program)
                self.keep(program, scored, method or self.method, self.seconds, is_safe)

    def keep(
        self,
        program: Program,
        scored: CaseCost,
        method: str,
        seconds: float,
        is_safe: bool = False,
    ) -> None:
        """Record a program that is right; if it is close to the best one, or safe, it is judged by all samples."""
        if not scored.right or not self.program.keeps(program):
            return
        program = replace(program, frozen=self.program.frozen)
        found = Found(program, scored.cost, scored.steps, method, seconds)
        if self.found and scored.cost > NEAR * self.near and not is_safe:
            self.all_right.setdefault(program, found)
            return
        whole = self.on_all_samples(program, scored)
        if not whole.right:
            return
        found = replace(found, cost=whole.cost, steps=whole.steps)
        self.all_right.setdefault(program, found)
        if is_safe and self.found and found.cost < self.found[0].cost:
            known = {each.program: each for each in [*self.safe, found]}.values()
            self.safe = sorted(known, key=lambda each: each.rank)[:MOST_SAFE]
        if not self.found or found.rank < self.best.rank:
            self.found.append(replace(found, method=self.named(found)))
            self.near, self.newest = scored.cost, self.seconds

    def named(self, found: Found) -> str:
        """The method to credit: a program that is only smaller than the best keeps the credit of the best."""
        is_smaller = len(self.found) > 1 and found.rank[0] == self.best.rank[0]
        return self.best.method if is_smaller and found.method in GOING_ON else found.method

    def on_all_samples(self, program: Program, scored: CaseCost) -> CaseCost:
        """Score a program on all samples; a sample that it fails is noted in `missed`."""
        if self.rest is None or not scored.right:
            return scored
        rest = score(program, self.rest, self.limit, self.cost)
        if not rest.right:
            self.missed.append(self.more[rest.first_bad])
            return rest
        share = float(self.rest.counts.sum() / (self.rest.counts.sum() + self.cases.counts.sum()))
        cost = scored.cost + share * (rest.cost - scored.cost)
        return CaseCost(cost, scored.steps + share * (rest.steps - scored.steps), right=True)

    def guide(self, guides: Guides) -> None:
        """Use the programs and the proposal distributions of another method.

        Annealing restarts with them only if they improved the best program, because a restart loses its progress.
        """
        best = self.best
        self.offer(self.tidied(guides.programs))
        self.settings = replace(self.settings, guides=guides)
        is_wanted = "anneal" in self.settings.methods and "anneal" not in self.cut
        if self.best is not best and is_wanted:
            self.schedule.begin("anneal", LASTING["anneal"](self))

    def tidied(self, programs: Iterable[Program]) -> list[Program]:
        """The programs, each followed by its cleaned forms."""
        result = []
        for program in programs:
            observed = clean_observed(program, self.cases, self.limit)
            result += [program, clean(program, self.M)]
            result += [] if observed is None else [observed]
        return result

    def offer_annealed(self) -> None:
        """Offer what annealing has found so far, cleaned."""
        if self.annealer is None:
            return
        if self.settings.front:
            programs = [program for _, program in self.annealer.by_length()]
        else:
            best = self.annealer.best()
            programs = [best[1]] if best is not None else []
        self.offer(self.tidied(programs))

    # -- the methods, and the clock ------------------------------------------------

    def run(
        self, quiet: float | None = None, is_called: Callable[[], bool] = lambda: False
    ) -> None:
        """Search until the budget is spent, all methods have ended, or nothing new was found for `quiet` seconds.

        The search also pauses when `is_called` returns True. The next call resumes it.
        """
        try:
            while (name := self.turn()) is not None:
                self.let_work(name)
                if is_called() or (quiet is not None and self.is_quiet(quiet)):
                    return
        except _Enough:
            self.offer_annealed()  # also after a round that was cut short
        except KeyboardInterrupt:
            self.end = SearchEnd.INTERRUPTED
            self.offer_annealed()

    def is_quiet(self, seconds: float) -> bool:
        """Whether nothing new was found for this long."""
        return self.seconds - self.newest > seconds

    def is_tired(self, seconds: float) -> bool:
        """Whether it is quiet, and the opening is over."""
        return not self.is_opening and self.is_quiet(seconds)

    @property
    def is_opening(self) -> bool:
        """Whether the opening methods are still running, within their share of the budget."""
        under_way = any(name in self.schedule.methods for name in OPENING)
        budget = self.settings.budget or np.inf
        return under_way and self.seconds - self.started < OPENING_LASTS * budget

    def turn(self) -> str | None:
        """The method that runs next: first the cheap ones, then plans and traces until they end.

        These follow what the program does, and find nearly all improvements. Other methods run before they have
        ended only if they take more than half of a short budget. Without a budget all methods run one after the
        other.
        """
        under_way = self.schedule.methods
        cheap = next((name for name in CHEAP if name in under_way), None)
        if cheap is not None or self.settings.budget is None:
            return cheap or next(iter(under_way), None)
        opening = [name for name in OPENING if name in under_way]
        is_late = opening and self.seconds >= OPENING_FIRST * self.settings.budget
        return self.schedule.next([] if is_late else opening)

    def let_work(self, name: str) -> None:
        self.method, begin, best = name, self.seconds, self.best
        self.slice_end = begin + SLICE
        self.latest = begin + CHEAP_SHARE * (self.settings.budget or np.inf)
        self.latest = self.latest if name in CHEAP else np.inf
        try:
            with looking(self.look):
                self.schedule.work(name)
        except Cut as reason:
            if self.may_go_on():  # otherwise the search is over
                self.end_method(name, str(reason))
        except (MemoryError, resources.NotEnough):
            self.end_method(name, resources.why_full())
        if resources.is_full():
            self.end_method(name, resources.why_full())
        self.clock.did(self.worth(name))
        self.schedule.charge(name, self.seconds - begin, self.best is not best)
        if self.missed:
            self.add(dict.fromkeys(self.missed))
        if not self.may_go_on():
            raise _Enough

    def look(self) -> None:
        """Interrupt the running method if its time is over or it holds too much memory.

        If work is counted, a method is never interrupted for its time, so that results stay the same.
        """
        if resources.is_full():
            raise Cut(resources.why_full())
        if self.clock.counts_work:
            is_over = self.asked_to_stop()
        else:
            is_over = not self.may_go_on() or self.seconds > self.latest
        if is_over:
            raise Cut("its time was over")

    def end_method(self, name: str, reason: str) -> None:
        """End a method, and free what it holds."""
        self.schedule.methods.pop(name, None)
        self.cut[name] = reason
        if name == "anneal":
            self.offer_annealed()
            self.annealer = None
        if resources.is_full():
            resources.give_back()
        if resources.is_full():
            self.end = SearchEnd.MEMORY

    def worth(self, name: str) -> float:
        """The evaluations charged for one step of a method; methods of the caller count their own work."""
        least, more = WORTH.get(name, (0.0, 0.0))
        return least + more * self.program.L * min(self.M, CHARGED)

    def in_slice(self) -> Callable[[], bool]:
        """A check for long-running methods: whether they may continue in this slice."""
        if self.settings.budget is None:
            return lambda: self.may_go_on() and not resources.is_full()
        return lambda: (
            self.may_go_on() and self.seconds < self.slice_end and not resources.is_full()
        )

    def may_go_on(self) -> bool:
        """Report progress; whether the search may continue."""
        now, budget = self.seconds, self.settings.budget
        if now - self.told > 0.1:
            self.told = now
            self.on_progress(self)
        if self.asked_to_stop():
            self.end = SearchEnd.STOPPED
        elif budget is not None and now >= budget:
            self.end = SearchEnd.BUDGET
        return self.end is SearchEnd.DONE

    @property
    def front(self) -> tuple[Found, ...]:
        """The trade-off between steps and lines, if the settings request it."""
        return front_of(self.all_right.values()) if self.settings.front else ()
