"""Adaptation with several seeds in parallel processes; the best result is returned.

All seeds get the same cases, so that results can be compared; seeds differ in what the search tries. The best is
chosen by its cost on the samples, never by the test cases, and independently of which seed finishes first.
"""

from __future__ import annotations

import functools
import time
from collections.abc import Callable, Iterable, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, replace
from itertools import islice

from anc.adaptation.adapt import adapt
from anc.adaptation.evidence import MAX_STEPS
from anc.adaptation.result import Adapted, Answer
from anc.adaptation.saved import SeedResult
from anc.adaptation.select_answers import Asked
from anc.data.tasks.cases import Case
from anc.machine.encoded import Cases
from anc.python.function import Function
from anc.search import BestSoFar, score
from anc.support import resources
from anc.support.clock import TimeLeft
from anc.support.diagnostics import AncError
from anc.support.job import Job, Tell, cores
from anc.support.processes import Boss, Done, Gone, Pool, Process, cores_of
from anc.support.records import record_of
from anc.training.problem import Problem

MOST_CASES = 20_000  # extra cases that are drawn for all seeds
MOST_CELLS = 2_000_000  # ... in total cells of their tapes
DRAWING = 0.06  # of the budget: the time limit for drawing them


def usual_jobs() -> int:
    """The default number of seeds at a time: each has one process that searches and one that proves."""
    return max(1, cores() // 2)


def adapt_with_seeds(
    problem: Problem, job: Job, asked: Asked, seeds: int = 1, jobs: int | None = None
) -> Adapted:
    """The best result of `adapt` over the seeds from the one asked for on, `jobs` of them at a time.

    Each seed has the whole budget. When a stop is requested, running seeds end with their best result, and the
    others are skipped. A single seed runs in this process.
    """
    seed = asked.seed
    if asked.start is not None and (doubt := asked.start.seen_by(seed)):
        problem = replace(problem, note="\n".join(filter(None, (problem.note, doubt))))
    if seeds == 1:
        return adapt(problem, job, asked)
    several, jobs = range(seed, seed + seeds), min(jobs or usual_jobs(), seeds)
    seconds = None if job.evaluations else job.budget
    memory, sent = resources.part_of_bound(1 / jobs), _sendable(problem, seconds)
    whole = Job(job.budget, job.evaluations, command=job.command)  # of each seed
    orders = [SeedOrder(sent, whole, replace(asked, seed=each), memory) for each in several]
    tried = _Seeds(orders, jobs, seconds)
    begin = time.monotonic()
    tried.run(job.tell, job.asked_to_stop)
    found = dict(sorted(tried.results.items()))
    best = best_of(found)
    made = {**best.made, "seed": seed, "seeds": seeds, "jobs": jobs, "cores": cores()}
    best = replace(best, made=made)
    lost = tuple(f"seed {seed} was lost: {how}" for seed, how in tried.lost.items())
    best = replace(best, notes=(*best.notes, *lost))
    stop = "interrupted" if job.asked_to_stop() else best.stop
    work = [result.evaluations for result in found.values() if result.evaluations is not None]
    if work:
        seconds = sum(result.seconds for result in found.values())
        return replace(best, seconds=seconds, evaluations=sum(work), stop=stop)
    return replace(best, seconds=time.monotonic() - begin, stop=stop)


def best_of(results: Mapping[int, Adapted]) -> Adapted:
    """Merge the results of several seeds: the best proved answer, and the best unproved one."""
    some = next(iter(results.values()))
    cases = Cases.distinct(some.problem.looked_at)

    @functools.cache
    def rank(answer: Answer) -> tuple[float, int, int]:
        """The cost on the samples, the lines and the registers, as in `Found.rank`."""
        cost = score(answer.program, cases, MAX_STEPS, some.cost).cost
        return round(cost, 9), answer.program.L, answer.program.R

    winner = min(results, key=lambda seed: (rank(results[seed].proved), seed))
    proved = results[winner].proved
    others = {
        seed: result.unproved
        for seed, result in results.items()
        if result.unproved is not None and rank(result.unproved)[0] < rank(proved)[0]
    }
    second = min(others, key=lambda seed: (rank(others[seed]), seed), default=None)
    source = winner if second is None or some.trust == "proof" else second
    tried = sum(result.candidates for result in results.values())

    def among_all(seed: int, answer: Answer) -> Answer:
        """The answer, with the candidates of the other seeds counted, which used the same cases."""
        others = tried - results[seed].candidates
        return replace(answer, candidates=answer.candidates + others)

    softs = [result.soft for result in results.values() if result.soft is not None]
    return replace(
        results[source],
        proved=among_all(winner, proved),
        unproved=None if second is None else among_all(second, others[second]),
        candidates=tried,
        soft=min(softs, key=lambda soft: soft.steps, default=None),
        dropped=tuple(
            replace(dropped, seed=seed)
            for seed, result in results.items()
            for dropped in result.dropped
        ),
        seeds=tuple(_told(result, seed, seed == source) for seed, result in results.items()),
    )


def _told(result: Adapted, seed: int, is_best: bool) -> SeedResult:
    proved, unproved = result.proved, result.unproved
    return record_of(
        SeedResult,
        result,
        seed=seed,
        is_best=is_best,
        steps_proved=proved.steps,
        cost_proved=proved.cost,
        steps_unproved=unproved and unproved.steps,
        cost_unproved=unproved and unproved.cost,
        method=proved.method,
    )


def _sendable(problem: Problem, budget: float | None) -> Problem:
    """The problem without anything that cannot be pickled."""
    function = problem.function
    if function is not None and function.python is not None:
        function = Function(function.routine)
    more = None
    if problem.more is not None:
        most = min(MOST_CASES, MOST_CELLS // problem.M)
        seconds = float("inf") if budget is None else DRAWING * budget
        more = functools.partial(iter, _drawn(problem.more(), most, seconds))
    return replace(problem, function=function, more=more)


def _drawn(source: Iterable[Case], most: int, seconds: float) -> tuple[Case, ...]:
    """Draw distinct cases within the time limit."""
    begin, found = time.monotonic(), dict[Case, None]()
    with suppress(AncError):  # the user's generator is exhausted
        for case in islice(source, most):
            found[case] = None
            if time.monotonic() - begin > seconds:
                break
    return tuple(found)


@dataclass(frozen=True)
class SeedOrder:
    """An adaptation with one seed."""

    problem: Problem
    job: Job
    asked: Asked
    memory: int | None = None  # memory limit in bytes, including its worker processes


def adapted(order: SeedOrder, boss: Boss) -> Adapted:
    """Adapt with one seed in a process of its own, which reports its best program so far."""
    job = replace(
        order.job, tell=lambda doing, best: boss.tell(best), asked_to_stop=boss.asked_to_stop
    )
    with resources.bounded(order.memory):
        result = adapt(order.problem, job, order.asked)
    return replace(result, problem=replace(result.problem, more=None))


class _Seeds:
    """The seeds, their processes, and their results."""

    def __init__(self, orders: Sequence[SeedOrder], jobs: int, budget: float | None) -> None:
        self.orders, self.budget = orders, budget  # in seconds, if it is
        each = max(1, cores() // jobs)
        self.pool: Pool[SeedOrder] = Pool(
            lambda place, heard: Process(adapted, heard, cores_of(place, each)),
            jobs,
            lambda order: f"the adaptation with seed {order.asked.seed}",
            least=1,
        )
        self.begun: dict[int, float] = {}  # start times
        self.best: dict[int, BestSoFar] = {}
        self.results: dict[int, Adapted] = {}
        self.lost: dict[int, str] = {}  # seeds whose process died, and how
        self.left = TimeLeft()

    def run(self, tell: Tell, asked_to_stop: Callable[[], bool]) -> None:
        for heard in self.pool.run(self.orders, asked_to_stop):
            for at_work in self.pool.at_work.values():
                self.begun.setdefault(at_work.asked.seed, time.monotonic())
            if heard is not None:
                order, message = heard
                if isinstance(message, Done):
                    self.results[order.asked.seed] = message.value
                elif isinstance(message, Gone):  # other seeds may still succeed
                    self.lost[order.asked.seed] = message.how
                elif isinstance(message, BestSoFar):
                    self.best[order.asked.seed] = message
            tell(self._words(), self._best())
        if not self.results:
            seed, how = next(iter(self.lost.items()))
            raise AncError(
                f"there is no result: the process that adapted with seed {seed} died; {how}",
                help="with fewer jobs at a time there is more memory for each",
            )

    def _best(self) -> BestSoFar | None:
        results = self.results.values()
        found = [
            BestSoFar(answer.cost, answer.steps, each.cost)
            for each in results
            for answer in (each.proved, each.unproved)
            if answer is not None
        ]
        at_work = (self.best.get(order.asked.seed) for order in self.pool.at_work.values())
        return min((*found, *(best for best in at_work if best is not None)), default=None)

    def _words(self) -> str:
        now, at_work = time.monotonic(), self.pool.at_work.values()
        begun = [self.begun.get(order.asked.seed, now) for order in at_work]
        parts = [min(0.99, (now - since) / self.budget) if self.budget else 0.0 for since in begun]
        done, n = len(self.results), len(self.orders)
        left = self.left.words((done + sum(parts)) / n)
        words = f"{done} of {n} seeds done, {len(at_work)} at work"
        return f"{words} ({left})" if left else words
