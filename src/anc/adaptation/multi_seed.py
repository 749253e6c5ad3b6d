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
from typing import Any

from anc.adaptation.adapt import adapt
from anc.adaptation.evidence import MAX_STEPS
from anc.adaptation.result import Adapted, Answer, OfSeed
from anc.data.tasks.cases import Case
from anc.machine.encoded import Cases
from anc.python.function import Function
from anc.search import score
from anc.support import resources
from anc.support.clock import TimeLeft
from anc.support.diagnostics import AncError
from anc.support.job import Job, Tell, cores
from anc.support.processes import Boss, Done, Gone, Pool, Process, cores_of
from anc.training.problem import Problem

MOST_CASES = 20_000  # extra cases that are drawn for all seeds
MOST_CELLS = 2_000_000  # ... in total cells of their tapes
DRAWING = 0.06  # of the budget: the time limit for drawing them


def usual_jobs() -> int:
    """The default number of seeds at a time: each has one process that searches and one that proves."""
    return max(1, cores() // 2)


def adapt_with_seeds(
    problem: Problem,
    job: Job,
    seed: int = 0,
    seeds: int = 1,
    jobs: int | None = None,
    **settings: Any,
) -> Adapted:
    """The best result of `adapt` over the seeds from `seed` on, `jobs` of them at a time.

    The settings are those of `adapt`; each seed has the whole budget. When a stop is requested, running seeds end
    with their best result, and the others are skipped. A single seed runs in this process.
    """
    start = settings.get("start")
    if start is not None and (doubt := start.seen_by(seed)):
        problem = replace(problem, note="\n".join(filter(None, (problem.note, doubt))))
    if seeds == 1:
        return adapt(problem, job, seed=seed, **settings)
    several, jobs = range(seed, seed + seeds), min(jobs or usual_jobs(), seeds)
    seconds = None if job.evaluations else job.budget
    memory, sent = resources.part_of_bound(1 / jobs), _sendable(problem, seconds)
    whole = Job(job.budget, job.evaluations, command=job.command)  # of each seed
    orders = [SeedOrder(sent, whole, settings, each, memory) for each in several]
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
        seeds=tuple(
            OfSeed(
                seed, result.proved, result.unproved, result.seconds, result.stop, seed == source
            )
            for seed, result in results.items()
        ),
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
    """An adaptation with one seed, and the settings of `adapt`."""

    problem: Problem
    job: Job
    settings: Mapping[str, Any]
    seed: int
    memory: int | None = None  # memory limit in bytes, including its worker processes


def adapted(order: SeedOrder, boss: Boss) -> Adapted:
    """Adapt with one seed in a process of its own, which reports the mean steps of its best program."""
    job = replace(
        order.job, tell=lambda doing, steps: boss.tell(steps), asked_to_stop=boss.asked_to_stop
    )
    with resources.bounded(order.memory):
        result = adapt(order.problem, job, seed=order.seed, **order.settings)
    return replace(result, problem=replace(result.problem, more=None))


class _Seeds:
    """The seeds, their processes, and their results."""

    def __init__(self, orders: Sequence[SeedOrder], jobs: int, budget: float | None) -> None:
        self.orders, self.budget = orders, budget  # in seconds, if it is
        each = max(1, cores() // jobs)
        self.pool: Pool[SeedOrder] = Pool(
            lambda place, heard: Process(adapted, heard, cores_of(place, each)),
            jobs,
            lambda order: f"the adaptation with seed {order.seed}",
            least=1,
        )
        self.begun: dict[int, float] = {}  # start times
        self.steps: dict[int, float] = {}  # of the best program so far
        self.results: dict[int, Adapted] = {}
        self.lost: dict[int, str] = {}  # seeds whose process died, and how
        self.left = TimeLeft()

    def run(self, tell: Tell, asked_to_stop: Callable[[], bool]) -> None:
        for heard in self.pool.run(self.orders, asked_to_stop):
            for at_work in self.pool.at_work.values():
                self.begun.setdefault(at_work.seed, time.monotonic())
            if heard is not None:
                order, message = heard
                if isinstance(message, Done):
                    self.results[order.seed] = message.value
                elif isinstance(message, Gone):  # other seeds may still succeed
                    self.lost[order.seed] = message.how
                elif isinstance(message, float):
                    self.steps[order.seed] = message
            tell(self._words(), self._best())
        if not self.results:
            seed, how = next(iter(self.lost.items()))
            raise AncError(
                f"there is no result: the process that adapted with seed {seed} died; {how}",
                help="with fewer jobs at a time there is more memory for each",
            )

    def _best(self) -> float | None:
        answers = [(result.proved, result.unproved) for result in self.results.values()]
        found = [answer.steps for both in answers for answer in both if answer is not None]
        at_work = (self.steps.get(order.seed) for order in self.pool.at_work.values())
        return min((*found, *(steps for steps in at_work if steps is not None)), default=None)

    def _words(self) -> str:
        now, at_work = time.monotonic(), self.pool.at_work.values()
        begun = [self.begun.get(order.seed, now) for order in at_work]
        parts = [min(0.99, (now - since) / self.budget) if self.budget else 0.0 for since in begun]
        done, n = len(self.results), len(self.orders)
        left = self.left.words((done + sum(parts)) / n)
        words = f"{done} of {n} seeds done, {len(at_work)} at work"
        return f"{words} ({left})" if left else words
