"""The store of incumbents, which all drivers share: the best candidates so far, and their history.

A *judge* assigns a *standing* to a candidate (a program or a filling), either by cases with right answers or by a
score.
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
    """A standing: the quality of a candidate; smaller is better."""

    @property
    def grade(self) -> tuple[float, ...]:
        """The quality: candidates of the same grade are equally good."""

    @property
    def rank(self) -> tuple[float, ...]:
        """The grade, followed by tie-breakers."""

    @property
    def is_right(self) -> bool:
        """Whether no candidate can be better."""


S = TypeVar("S", bound=Graded)


G = TypeVar("G", bound=Graded, covariant=True)
D = TypeVar("D", contravariant=True)


class Judge(Protocol[D, G]):
    """Judges candidates by cases or by a score."""

    def judged(self, candidate: D, /) -> G: ...


class Improvement(NamedTuple, Generic[C, S]):
    """A candidate that was at least as good as all before it, and when it was found."""

    seconds: float  # or work as seconds
    tried: int
    candidate: C
    standing: S
    method: str


class Incumbents(Generic[C, S]):
    """The candidates of the best grade so far, each with its standing and its method."""

    def __init__(self, clock: Clock) -> None:
        self.clock = clock
        self.good: dict[C, tuple[S, str]] = {}
        self.trail: list[Improvement[C, S]] = []

    def begin_now(self, clock: Clock) -> None:
        """Restart the time: earlier improvements count as found at the beginning."""
        self.clock = clock
        self.trail = [last._replace(seconds=0.0) for last in self.trail[-1:]]

    def offer(self, candidate: C, standing: S, method: str, tried: int = 0) -> None:
        """Record a candidate that is at least as good as the best, and drop those that are worse."""
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
        """The candidate of the best rank; ties are broken by the order of candidates."""
        return min(self.good, key=lambda candidate: (self.good[candidate][0].rank, candidate))

    @property
    def grade(self) -> tuple[float, ...]:
        """The grade of the best."""
        return next(standing.grade for standing, _ in self.good.values())

    @property
    def history(self) -> list[tuple[float, tuple[float, ...]]]:
        """The times at which better grades were reached."""
        found: list[tuple[float, tuple[float, ...]]] = []
        for each in self.trail:
            if not found or each.standing.grade < found[-1][1]:
                found.append((each.seconds, each.standing.grade))
        return found


@dataclass
class RunningSearch(Generic[C, S]):
    """A running search: its job, its judge, and its incumbents."""

    job: Job
    judge: Judge[C, S]
    part: float = field(
        init=False, default=0.0
    )  # share that is done of a number of proposals or iterations

    def __post_init__(self) -> None:
        self.clock = self.job.clock
        self.incumbents: Incumbents[C, S] = Incumbents(self.clock)
        self.tell = timed(self.job.tell, self.share)

    def share(self) -> float:
        """The share of the budget that is spent."""
        return max(self.part, self.clock.seconds / self.clock.budget)

    def offer(self, candidate: C | None, method: str, tried: int = 0) -> None:
        if candidate is not None and candidate not in self.incumbents.good:
            self.incumbents.offer(candidate, self.judge.judged(candidate), method, tried)

    def stop(self, is_complete: bool = False) -> str:
        """Why the search ended; a complete search is done even if its time is over."""
        is_cut = self.job.asked_to_stop() or (self.clock.over and not is_complete)
        return self.clock.why_over if is_cut else "done"


def check_repeatable(evaluations: int, method: str) -> None:
    """Refuse gradient descent with a budget in evaluations, which must be reproducible."""
    limits.EVALUATIONS.check(evaluations)
    if method == "gradient":
        raise AncError(
            "gradient descent cannot be repeated to the last bit on another machine",
            help="'evaluations' go with the methods all and search",
        )


def in_proposals(job: Job, method: str, proposals: int | None) -> tuple[Job, str, int | None]:
    """A budget in evaluations as a number of proposals of the search, without a time limit."""
    if job.evaluations is None:
        return job, method, proposals
    check_repeatable(job.evaluations, method)
    if proposals is not None:
        raise AncError("'evaluations' and 'proposals' exclude each other", help="give one of them")
    return replace(job, budget=math.inf, evaluations=None), "search", job.evaluations


def unrepeatable(thing: str, evaluations: int) -> str:
    """The note for a search that ended by time: which number of evaluations makes it reproducible."""
    return (
        f"a budget of seconds depends on the machine; --evaluations {evaluations} gives the same {thing}"
        " everywhere"
    )
