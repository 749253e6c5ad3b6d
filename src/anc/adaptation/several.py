"""Adaptation with several seeds, some at a time in processes of their own; the best is kept.

The cases are the same for all, so that results can be compared: seeds differ in what the search tries.
The best is chosen by the cost on the samples, never by the test cases, and whoever is done first has no
say in it.
"""

from __future__ import annotations

import functools
import os
import pickle
import subprocess
import time
from collections.abc import Callable, Iterable, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, replace
from itertools import islice
from queue import Empty, SimpleQueue
from threading import Thread
from typing import Any

from anc import resources
from anc.adaptation.adapt import adapt
from anc.adaptation.answer import Answer
from anc.adaptation.earlier import Earlier
from anc.adaptation.evidence import MAX_STEPS
from anc.adaptation.result import Adapted, OfSeed
from anc.adaptation.seeded import Order, Progress
from anc.diagnostics import AncError
from anc.job import Job, Tell
from anc.learning.problem import Problem
from anc.machine.cases import Cases
from anc.processes import Failure, Refusal, end_process, how_it_ended, started
from anc.provenance import cores
from anc.python.function import Function
from anc.remaining import TimeLeft
from anc.search import STEPS, Cost, score
from anc.tasks.cases import Case
from anc.verify import Fact

MOST_CASES = 20_000  # that are drawn for all seeds to try answers on
MOST_CELLS = 2_000_000  # ... and of their tapes
DRAWING = 0.06  # of the budget: so long they may take
_GONE = 1.0  # seconds in which a process ends that has closed its output
_LOOK = 0.1  # seconds between two looks at whether somebody asked to stop


def usual_jobs() -> int:
    """How many seeds at a time: each has a process that searches and one that proves."""
    return max(1, cores() // 2)


def adapt_with_seeds(
    problem: Problem,
    job: Job,
    seed: int = 0,
    seeds: int = 1,
    jobs: int | None = None,
    *,
    method: str = "all",
    assumed: Sequence[Fact] = (),
    cost: Cost = STEPS,
    trade_off: bool = False,
    trust: str = "proof",
    start: Earlier | None = None,
) -> Adapted:
    """The best of what `adapt` finds with so many seeds from `seed` on, `jobs` of them at a time.

    The settings are those of `adapt`; each seed has the whole budget. When asked to stop, seeds under
    way end with the best that they have, and the others are left out. One seed needs no other process.
    """
    if start is not None and (doubt := start.seen_by(seed)):
        problem = replace(problem, note="\n".join(filter(None, (problem.note, doubt))))
    if seeds == 1:
        return adapt(problem, job, method, seed, assumed, cost, trade_off, trust, start)
    settings = {
        "method": method, "assumed": assumed, "cost": cost, "trade_off": trade_off, "trust": trust,
        "start": start, "budget": job.budget, "evaluations": job.evaluations, "command": job.command,
    }  # fmt: skip
    return _with_processes(problem, job, range(seed, seed + seeds), jobs, settings)


def _with_processes(
    problem: Problem, job: Job, seeds: range, jobs: int | None, settings: Mapping[str, Any]
) -> Adapted:
    jobs = min(jobs or usual_jobs(), len(seeds))
    seconds = None if job.evaluations else job.budget
    crew = _Crew(_sendable(problem, seconds), seeds, jobs, settings, seconds)
    begin = time.monotonic()
    try:
        crew.run(job.tell, job.asked_to_stop)
    finally:
        crew.close()
    found = dict(sorted(crew.results.items()))
    best = replace(best_of(found), made=_made(found, seeds, jobs))
    lost = tuple(f"seed {seed} was lost: {how}" for seed, how in crew.lost.items())
    best = replace(best, notes=(*best.notes, *lost))
    stop = "interrupted" if job.asked_to_stop() else best.stop
    work = [result.evaluations for result in found.values() if result.evaluations is not None]
    if work:
        seconds = sum(result.seconds for result in found.values())
        return replace(best, seconds=seconds, evaluations=sum(work), stop=stop)
    return replace(best, seconds=time.monotonic() - begin, stop=stop)


def best_of(results: Mapping[int, Adapted]) -> Adapted:
    """One result of those that seeds led to: the best proved answer, and the best unproved one."""
    some = next(iter(results.values()))
    cases = Cases.distinct(some.problem.looked_at)

    @functools.cache
    def rank(answer: Answer) -> tuple[float, int, int]:
        """As `Found.rank`: cheaper on the samples first."""
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
        """An answer that the candidates of the other seeds were tried beside, on the same cases."""
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


def _made(results: Mapping[int, Adapted], seeds: Sequence[int], jobs: int) -> dict[str, Any]:
    """How all of it was made: as one result was, with more seeds."""
    made = dict(next(iter(results.values())).made)
    return made | {"seed": seeds[0], "seeds": len(seeds), "jobs": jobs, "cores": cores()}


def _sendable(problem: Problem, budget: float | None) -> Problem:
    """The problem with nothing in it that another process could not be sent."""
    function = problem.function
    if function is not None and function.python is not None:
        function = Function(
            function.module, function.definition, function.layout, function.M, function.wrap
        )
    more = None
    if problem.more is not None:
        most = min(MOST_CASES, MOST_CELLS // problem.M)
        seconds = float("inf") if budget is None else DRAWING * budget
        more = functools.partial(iter, _drawn(problem.more(), most, seconds))
    return replace(problem, function=function, more=more)


def _drawn(source: Iterable[Case], most: int, seconds: float) -> tuple[Case, ...]:
    """Distinct cases, as many as there are and as the time allows."""
    begin, found = time.monotonic(), dict[Case, None]()
    with suppress(AncError):  # the user's generator has no more
        for case in islice(source, most):
            found[case] = None
            if time.monotonic() - begin > seconds:
                break
    return tuple(found)


class _Worker:
    """A process with one seed, and what it has said."""

    def __init__(self, order: Order) -> None:
        self.seed, self.begin = order.seed, time.monotonic()
        self.process = started("anc.adaptation.seeded")
        self.said: SimpleQueue[object] = SimpleQueue()
        self.latest: Progress | None = None
        Thread(target=self._talk, args=[order], daemon=True).start()

    def _talk(self, order: Order) -> None:
        assert self.process.stdin is not None and self.process.stdout is not None
        try:
            pickle.dump(order, self.process.stdin)
            self.process.stdin.flush()
            while True:
                self.said.put(pickle.load(self.process.stdout))
        except (EOFError, OSError, ValueError, pickle.UnpicklingError):
            self.said.put(None)  # it is gone

    def stop(self) -> None:
        """Ask it to end with the best that it has."""
        assert self.process.stdin is not None
        with suppress(OSError):
            self.process.stdin.write(b".")
            self.process.stdin.flush()

    def end(self) -> None:
        end_process(self.process)


@dataclass
class _Crew:
    """The seeds to be tried, those under way, and what came of the others."""

    problem: Problem
    seeds: Sequence[int]
    jobs: int
    settings: Mapping[str, Any]
    budget: float | None  # in seconds, if it is

    def __post_init__(self) -> None:
        self.waiting = list(self.seeds)
        self.at_work: dict[int, _Worker] = {}  # by place: each place has cores of its own
        self.results: dict[int, Adapted] = {}
        self.left = TimeLeft()
        self.memory = resources.part_of_bound(1 / self.jobs)
        self.lost: dict[int, str] = {}  # seeds whose process ended, and how

    def run(self, tell: Tell, asked_to_stop: Callable[[], bool]) -> None:
        is_stopping = False
        while self.at_work or self.waiting:
            if asked_to_stop() and not is_stopping:
                is_stopping = True
                self.waiting = [] if self.at_work or self.results else self.waiting[:1]
                for worker in self.at_work.values():
                    worker.stop()
            for place in range(self.jobs):
                if place not in self.at_work and self.waiting:
                    order = Order(
                        self.problem, self.settings, self.waiting.pop(0), self._cores_of(place),
                        self.memory,
                    )  # fmt: skip
                    self.at_work[place] = _Worker(order)
                    if is_stopping:
                        self.at_work[place].stop()
            self._listen()
            tell(self._words(), self._best())
        if not self.results:
            seed, how = next(iter(self.lost.items()))
            raise AncError(
                f"there is no result: the process that adapted with seed {seed} is gone; {how}",
                help="with fewer jobs at a time there is more memory for each",
            )

    def _listen(self) -> None:
        """Hear what the workers say; wait a little if they say nothing."""
        heard = False
        for place, worker in list(self.at_work.items()):
            with suppress(Empty):
                while place in self.at_work:
                    self._hear(place, worker, worker.said.get_nowait())
                    heard = True
        if not heard:
            time.sleep(_LOOK)

    def _hear(self, place: int, worker: _Worker, message: object) -> None:
        if isinstance(message, Progress):
            worker.latest = message
            return
        del self.at_work[place]
        if message is None:  # it has ended, and soon says how
            with suppress(subprocess.TimeoutExpired):
                worker.process.wait(_GONE)
        worker.end()
        if isinstance(message, Refusal):
            raise AncError(message.message, message.help)
        if message is None:  # others may lead to a result
            self.lost[worker.seed] = how_it_ended(worker.process.returncode)
            return
        if not isinstance(message, Adapted):
            text = message.text if isinstance(message, Failure) else repr(message)
            raise RuntimeError(f"the adaptation with seed {worker.seed} failed:\n{text}")
        self.results[worker.seed] = message

    def _cores_of(self, place: int) -> tuple[int, ...]:
        """The cores of a place; none where they cannot be given."""
        if not hasattr(os, "sched_getaffinity"):
            return ()
        all_cores = sorted(os.sched_getaffinity(0))
        each = max(1, len(all_cores) // self.jobs)
        first = place * each % len(all_cores)
        return tuple(all_cores[first : first + each])

    def _best(self) -> float | None:
        answers = [(result.proved, result.unproved) for result in self.results.values()]
        steps = [answer.steps for both in answers for answer in both if answer is not None]
        steps += [
            worker.latest.steps
            for worker in self.at_work.values()
            if worker.latest is not None and worker.latest.steps is not None
        ]
        return min(steps, default=None)

    def _words(self) -> str:
        budget, now = self.budget, time.monotonic()
        parts = [
            min(0.99, (now - worker.begin) / budget) if budget else 0.0
            for worker in self.at_work.values()
        ]
        done, n = len(self.results), len(self.seeds)
        left = self.left.words((done + sum(parts)) / n)
        words = f"{done} of {n} seeds done, {len(self.at_work)} at work"
        return f"{words} ({left})" if left else words

    def close(self) -> None:
        for worker in self.at_work.values():
            worker.end()
        self.at_work.clear()
