"""What every search keeps, whatever it looks for and whoever judges: the best so far, and how it came to it.

A *judge* gives a candidate (a program, a filling) a *standing*: how it does on cases that say what is right,
or what it scores where nobody knows.
"""

from __future__ import annotations

import math
from dataclasses import dataclass, field, replace
from typing import Generic, NamedTuple, Protocol, TypeVar

from anc.support import limits
from anc.support.clock import Clock, timed
from anc.support.diagnostics import AncError
from anc.support.job import Job

C = TypeVar("C")


class Graded(Protocol):
    """A standing: how good a judge finds a candidate; of two, the smaller is better."""

    @property
    def grade(self) -> tuple[float, ...]:
        """How good it is: candidates of one grade might stand for each other."""

    @property
    def rank(self) -> tuple[float, ...]:
        """The grade, and then what decides between equals."""

    @property
    def is_right(self) -> bool:
        """Whether nothing can be better."""


S = TypeVar("S", bound=Graded)


G = TypeVar("G", bound=Graded, covariant=True)
D = TypeVar("D", contravariant=True)


class Judge(Protocol[D, G]):
    """Whatever judges candidates: cases that say what is right, or a score."""

    def judged(self, candidate: D, /) -> G: ...


class Improvement(NamedTuple, Generic[C, S]):
    """A candidate that was as good as any before it, and when it was found."""

    seconds: float  # or work, where the clock counts that
    tried: int
    candidate: C
    standing: S
    method: str


class Incumbents(Generic[C, S]):
    """Candidates with as good a grade as any known one, each with the method that found it."""

    def __init__(self, clock: Clock) -> None:
        self.clock = clock
        self.good: dict[C, tuple[S, str]] = {}
        self.trail: list[Improvement[C, S]] = []

    def begin_now(self, clock: Clock) -> None:
        """Let the time count from now: what is known already was there at the beginning."""
        self.clock = clock
        self.trail = [last._replace(seconds=0.0) for last in self.trail[-1:]]

    def offer(self, candidate: C, standing: S, method: str, tried: int = 0) -> None:
        """Keep a candidate that is as good as the best ones, and forget those that are worse."""
        if candidate in self.good or (self.good and standing.grade > self.grade):
            return
        if self.good and standing.grade < self.grade:
            self.good.clear()
        self.good[candidate] = standing, method
        if not self.trail or standing.rank <= self.trail[-1].standing.rank:
            new = Improvement(self.clock.seconds, tried, candidate, standing, method)
            self.trail.append(new)

    @property
    def best(self) -> C:
        """The best rank among them, then what sorts first."""
        return min(self.good, key=lambda candidate: (self.good[candidate][0].rank, candidate))

    @property
    def grade(self) -> tuple[float, ...]:
        """The grade of the best."""
        return next(standing.grade for standing, _ in self.good.values())

    @property
    def history(self) -> list[tuple[float, tuple[float, ...]]]:
        """When each better grade was reached."""
        found: list[tuple[float, tuple[float, ...]]] = []
        for each in self.trail:
            if not found or each.standing.grade < found[-1][1]:
                found.append((each.seconds, each.standing.grade))
        return found


@dataclass
class Work(Generic[C, S]):
    """A search under way: its clock, who is told, its judge, and what it has found."""

    job: Job
    judge: Judge[C, S]
    part: float = field(init=False, default=0.0)  # of what was asked for by numbers, what is done

    def __post_init__(self) -> None:
        self.clock = self.job.clock
        self.incumbents: Incumbents[C, S] = Incumbents(self.clock)
        self.tell = timed(self.job.tell, self.share)

    def share(self) -> float:
        """What is used up of the budget."""
        return max(self.part, self.clock.seconds / self.clock.budget)

    def offer(self, candidate: C | None, method: str, tried: int = 0) -> None:
        if candidate is not None and candidate not in self.incumbents.good:
            self.incumbents.offer(candidate, self.judge.judged(candidate), method, tried)

    def stop(self, is_complete: bool = False) -> str:
        """Why it ended; what is complete needed no more time."""
        is_cut = self.job.asked_to_stop() or (self.clock.over and not is_complete)
        return self.clock.why_over if is_cut else "done"


def check_repeatable(evaluations: int, method: str) -> None:
    """Refuse gradient descent where a number of evaluations promises the same result anywhere."""
    limits.EVALUATIONS.check(evaluations)
    if method == "gradient":
        raise AncError(
            "gradient descent cannot be repeated to the last bit on another machine",
            help="'evaluations' go with the methods all and search",
        )


def in_proposals(job: Job, method: str, proposals: int | None) -> tuple[Job, str, int | None]:
    """A job in evaluations as one in so many proposals of a search, with no limit of seconds."""
    if job.evaluations is None:
        return job, method, proposals
    check_repeatable(job.evaluations, method)
    if proposals is not None:
        raise AncError("'evaluations' and 'proposals' exclude each other", help="give one of them")
    return replace(job, budget=math.inf, evaluations=None), "search", job.evaluations


def unrepeatable(thing: str, evaluations: int) -> str:
    """What is said of a search that the time ended: with so many evaluations it is the same again."""
    return (
        f"a budget of seconds: the same seed may give another {thing}; with"
        f" --evaluations {evaluations} it always gives the same"
    )
