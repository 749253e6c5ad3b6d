"""Adaptation: the whole method in one function.

An exact search looks for the cheapest program that is right on the samples. Cheap methods run first (cleaning,
specialisation, traces of the samples); then enumeration, annealing and gradient descent share the time according
to their success. Whenever the search falls quiet, its best program is proved equal to the generic one under facts
that hold on the samples; facts that are missing are learnt. Proofs run in other processes while the search
continues. A program that fails on a tape which no fact distinguishes from the samples remains an unproved answer.
After the opening of the search this tape becomes a case, and the search continues for a program that can be
proved.
"""

from __future__ import annotations

import math
from collections.abc import Iterator
from contextlib import ExitStack, closing
from subprocess import Popen
from time import sleep

from anc.adaptation.evidence import MOST_SAMPLES, Dropped, Evidence, Samples, Why, check_assumed
from anc.adaptation.extra_cases import Drawn
from anc.adaptation.functions import as_python_runs_it, leaving_lines_alone
from anc.adaptation.gradient import Gradient
from anc.adaptation.mutations import Mutations
from anc.adaptation.proof_pool import ProofPool, get_ready, memory_of_each
from anc.adaptation.proof_queue import ALIKE, ProofQueue
from anc.adaptation.result import Adapted
from anc.adaptation.select_answers import Asked, conclude, duration_on, is_trained
from anc.data.tasks.cases import Case
from anc.program import Program
from anc.search import EVERY_METHOD, Found, Search, SearchSettings, prepare
from anc.search.result import SearchEnd
from anc.support import limits, resources
from anc.support.clock import timed
from anc.support.job import Job, cores
from anc.training.fused.engine import compiling
from anc.training.problem import Problem

SEARCHES = {  # the methods of the exact search, for each method of adaptation
    "all": EVERY_METHOD,
    "search": EVERY_METHOD,
    "gradient": ("guide", "observed"),
    "specialise": ("clean", "specialise", "traces", "observed"),
}
METHODS = tuple(SEARCHES)
WAITING = {
    "all": 0.25,
    "gradient": 0.0,
}  # of the budget: the initial account of gradient descent
USUAL = 60.0  # seconds: for smaller budgets, patience does not shrink further
SEARCH_SHARE = 0.8  # of the budget: the search ends here, and the rest is for proofs
PATIENCE = (
    0.35  # of the budget: the search also ends when it finds nothing better for about this long
)
AGAIN = 0.25  # of the budget: the limit of each of two proofs of an earlier answer
HERE = 0.5  # of the memory limit: the rest is for the worker processes
FIRST_LOOK = 0.02  # of the budget: after being quiet for this long, the best program is proved
LONG = 15  # mean steps: shorter programs have less to gain and are given less patience
CASES = 100  # on which every candidate is run; the others only judge what is found
MORE_SAMPLES = 0.01  # of the budget: the time for drawing more samples
DRAWING = 0.06  # ... and for drawing cases to test answers on
LOOK = 0.05  # seconds between two checks while idle
BYTES_OF_CELL = 50  # that the cells of all cases take, with their copies
MUTATED = 2  # times that mutated samples become cases of the search
HOPELESS = "not proved: it costs hardly more than another program without a proof"


def adapt(problem: Problem, job: Job | None = None, asked: Asked | None = None) -> Adapted:
    """Find the best exact programs within the job's budget, with evidence of where they are right.

    With a budget in evaluations, the same seed gives the same result on any machine. Gradient descent then runs
    only if it is the only method, because processors round its numbers differently. The budget runs from the call
    of the user, and pauses only while machine code is compiled that is cached for later calls.
    """
    job, asked = job or Job(), asked or Asked()
    start, assumed = asked.start, asked.assumed
    limits.LEARNT.check(problem.M)
    count = len(problem.looked_at)
    what = f"adapting to {count} cases of {problem.M:,} cells"
    resources.require(BYTES_OF_CELL * problem.M * count, what, "the memory, or use fewer cases")
    problem = leaving_lines_alone(as_python_runs_it(problem), asked.method)
    check_assumed(problem.everything, assumed, problem.function)
    if start is not None:
        start.check(problem)
    clock = job.clock
    get_ready()
    job.tell("compiling, once for this installation", None)
    prepare(problem.M)
    known: dict[Program, Evidence] = {}
    if start is not None:
        job.tell("proving again what the earlier result proved", None)
        most = math.inf if clock.counts_work else AGAIN * clock.left
        known = start.proved_again(problem, Samples.of(problem.looked_at), assumed, most)
    samples = Samples.of(problem.looked_at)
    drawn = Drawn(problem, samples, assumed, clock)
    missing = MOST_SAMPLES - len(samples.cases)
    samples = samples.with_others(drawn.take(missing, MORE_SAMPLES * clock.budget))
    with ExitStack() as around:
        around.enter_context(resources.bounded())
        beside = memory_of_each()
        around.enter_context(resources.bounded(resources.part_of_bound(HERE)))
        pool = ProofPool(problem.program, samples, assumed, problem.exact, clock, beside)
        around.enter_context(closing(pool))
        queue = ProofQueue(pool, samples, drawn, clock, known)
        work = _Adaptation(problem, queue, drawn, job, asked)
        if is_trained(asked.method, clock.counts_work):
            work.train(around)
        work.run()
        made = job.made(seed=asked.seed, method=asked.method, **asked.cost.provenance)
        return conclude(
            problem, work.candidates(), work.history, work.gradient, work.search.front,
            clock, drawn, asked, work.stop, made,
            (
                work.mutations.note,
                *(f"{name} ended early: {why}" for name, why in work.search.cut.items()),
            ),
            queue.evidence,
        )  # fmt: skip


class _Adaptation:
    """A running adaptation."""

    def __init__(
        self,
        problem: Problem,
        queue: ProofQueue,
        drawn: Drawn,
        job: Job,
        asked: Asked,
    ) -> None:
        self.queue, self.pool = queue, queue.pool
        self.drawn, self.method = drawn, asked.method
        is_blind = problem.more is None and problem.function is None  # nothing draws more cases
        self.mutations = Mutations(problem.program, queue.samples, is_blind)
        self.mutated = 0  # times that mutated samples became cases
        self.clock = clock = job.clock
        self.tell = timed(job.tell, lambda: clock.seconds / clock.budget)
        self.stop = "out of evaluations" if clock.counts_work else "out of time"
        self.history: dict[Program, Found] = {}
        self.failing: list[Case] = []  # counter-examples that are not cases of the search yet
        self.compiling: Popen[bytes] | None = None  # for gradient descent
        self.gradient = Gradient(problem, clock, SEARCH_SHARE, asked.seed, self.tell)
        part = clock.part(SEARCH_SHARE * clock.left)
        settings = SearchSettings(
            asked.seed, part.budget, cost=asked.cost, methods=SEARCHES[asked.method],
            front=asked.trade_off,
        )  # fmt: skip
        cases = queue.samples.cases
        self.search = Search(
            problem.program, cases[:CASES], problem.M, settings, self.on_progress,
            clock.asked_to_stop, more=cases[CASES:], clock=part,
        )  # fmt: skip
        if asked.start is not None:
            asked.start.offer_to(self.search)

    def train(self, around: ExitStack) -> None:
        """Add gradient descent; next to other methods, it starts when its kernels are compiled."""
        size = self.gradient.size
        if size is not None and self.method != "gradient":
            self.compiling = around.enter_context(compiling(*size))
        if self.compiling is None:
            self.begin_training()
        else:
            self.gradient.note = (
                "gradient descent was not compiled in time for a machine of this size"
            )

    def begin_training(self) -> None:
        self.compiling, self.gradient.note = None, ""
        self.search.take_in(
            "gradient", self.gradient.work, WAITING[self.method] * self.clock.budget
        )

    @property
    def is_compiled(self) -> bool:
        """Whether the kernels of gradient descent have just become ready."""
        return self.compiling is not None and self.compiling.poll() is not None

    def on_progress(self, search: Search) -> None:
        beside = " and a proof" if self.pool.at_work else ""
        self.tell(search.method + beside, search.best_so_far)

    def run(self) -> None:
        """Search, and prove the best programs meanwhile, until nothing better can be expected."""
        search = self.search
        while True:
            if self.is_compiled:
                self.begin_training()
            others = len(self.pool.at_work) + (self.compiling is not None)
            search.threads = max(1, cores() - others)
            search.run(
                FIRST_LOOK * self.clock.budget, lambda: self.is_compiled or self.pool.has_news()
            )
            known = [*search.safe, *search.found[1:]]  # of a program in both, the second counts
            self.history |= {f.program: f for f in known if f.program not in self.history}
            if search.end is not SearchEnd.DONE:
                self.stop = "out of memory" if search.end is SearchEnd.MEMORY else self.stop
                return
            self.drawn.grow(DRAWING * self.clock.seconds)
            is_done = search.turn() is None
            if is_done:
                self.pool.wait(lambda: not self.clock.over)
            if self.pool.has_news():
                self.failing += self.queue.hear()
            elif self.failing and not search.is_opening:
                search.add(self.failing)
                self.failing.clear()
            elif self.clock.over:
                return
            elif wrong := self.wrong_cases():
                search.add(wrong)
            elif (safe := self.next_to_try()) is not None:
                self.tell("proof", search.shown(safe))
                self.queue.begin_quickly(safe.program)
            elif (found := self.next_to_examine()) is not None:
                self.tell("proof", search.shown(found))
                self.queue.begin(found.program)
            elif self.compiling is not None:
                sleep(LOOK if is_done else 0.0)  # gradient descent may still find something
            elif not self.pool.at_work and (is_done or search.is_tired(self.patience)):
                before = self.drawn.count
                self.drawn.grow(DRAWING * self.clock.budget)
                if self.drawn.count == before:
                    tired = f"nothing better for {duration_on(self.clock, self.patience)}"
                    self.stop = "done" if is_done else tired
                    return

    def next_to_examine(self) -> Found | None:
        """The next proof job: a program without one so far, or one whose proof needs more time."""
        ranked = self.ranked()
        found = self.queue.next_of(ranked)
        if found is not None and self.makes_room(found):
            return found
        return self.queue.late_of(ranked) if self.has_room else None

    def next_to_try(self) -> Found | None:
        """The next quick proof job: a program that assumes hardly anything."""
        proved = [f.cost for f in self.history.values() if self.queue.is_proved(f.program)]
        best = min(proved, default=math.inf)
        safe = [found for found in self.search.safe if found.cost < best]
        return self.queue.quick_of(safe) if self.has_room else None

    @property
    def has_room(self) -> bool:
        """Whether another proof job can begin; during the opening of the search, only one may run."""
        return not self.pool.at_work or (self.pool.has_room and not self.search.is_opening)

    def ranked(self) -> list[Found]:
        """The programs found, fastest first."""
        return sorted(self.search.found[1:], key=lambda found: found.rank)

    def wrong_cases(self) -> list[Case]:
        """Drawn cases, or mutated samples, on which a possible answer is wrong.

        A mutated sample may break what the samples have in common: it counts only if the proof has failed.
        """
        for found in self.ranked():
            wrong = self.drawn.wrong(found.program)
            if not wrong and self.mutated < MUTATED and self.queue.has_failed(found.program):
                wrong = self.mutations.wrong(found.program)
                self.mutated += bool(wrong)
            if wrong:
                return wrong
            self.queue.doubt(found.program)
            if self.queue.is_proved(found.program):
                break
        return []

    def makes_room(self, found: Found) -> bool:
        """Whether a proof job can begin now; for a clearly better program, another job is abandoned."""
        if self.has_room or found is not self.search.best:
            return self.has_room
        slowest = max(self.pool.at_work, key=lambda program: self.history[program].cost)
        if self.history[slowest].cost > ALIKE * found.cost:
            self.queue.give_up(slowest)
            return True
        return False

    @property
    def patience(self) -> float:
        """Seconds to wait for something better; longer programs are given more."""
        budget = max(USUAL, self.clock.budget)
        return PATIENCE * budget * min(2.3, max(0.3, (self.search.best.steps / LONG) ** 1.5))

    def candidates(self) -> Iterator[tuple[Found, Evidence] | Dropped]:
        """Yield every program found, best first, with its evidence, which is computed on demand."""
        self.drawn.grow(DRAWING * self.clock.budget)
        earlier: list[Found] = []
        for found in sorted(self.history.values(), key=lambda found: found.rank):
            if (refused := self.drawn.refused(found)) is not None:
                yield refused
                continue
            known = not self.queue.is_open(found.program)
            at_work = found.program in self.pool.at_work
            if known or at_work or not self.queue.is_hopeless(found, earlier):
                evidence = self.queue.wait_for(found.program)
                is_proved = evidence.verdict.proved
                refused = None if is_proved else self.mutations.refused(found)
                yield refused or (found, evidence)
            else:
                yield Dropped(found, Why.UNPROVED, HOPELESS)
            earlier.append(found)
