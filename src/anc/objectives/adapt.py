"""Adapting a program to an objective: search, gradient descent or both, then a fair comparison.

Programs are looked for on one set of instances and chosen on another; what is reported is about a
third set, which nothing looked at before. There is no proof: an objective has no right answer.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field, replace
from typing import Any

import numpy as np

from anc import limits
from anc.clock import Clock, check_evaluations
from anc.diagnostics import AncError
from anc.folders import METHOD
from anc.machine.batch import run_all
from anc.machine.cases import ALL_BITS, Cases
from anc.objectives.comparing import Comparison, best_of
from anc.objectives.instances import Instances
from anc.objectives.objective import Objective
from anc.objectives.result import Improved, Moment
from anc.objectives.search import search
from anc.objectives.walk import Candidate, Ground
from anc.program import Program
from anc.provenance import finite, provenance
from anc.remaining import timed
from anc.search.clean import clean, clean_observed

METHODS = ("all", "search", "gradient")
LIMIT = 10_000  # steps of the generic program
SLACK = 2  # how much longer than the generic program's longest run a run may be
SEEDS = 8  # members of gradient descent
SEARCH_SHARE = 0.6  # of the time, if gradient descent follows
CHUNK = {"validate_every": 5}  # iterations between looks at the clock after a search
LEAST = 20.0  # seconds: with less, compiling for gradient descent would not pay
FINALISTS = 12  # of the search, of which the best on other instances is taken

Tell = Callable[[str, float | None], None]  # what is being done, best mean score so far


@dataclass(frozen=True)
class Aimed:
    """A program, instances and an objective: what is to be adapted, and to what."""

    name: str
    program: Program
    text: str
    instances: Instances
    objective: Objective
    max_steps: int = field(init=False)

    def __post_init__(self) -> None:
        inputs = np.concatenate([self.instances.searched, self.instances.chosen])
        self.objective.check(self.program, inputs, LIMIT)
        runs = run_all(self.program, inputs, LIMIT)
        longest = int(runs.steps[runs.stopped].max())
        object.__setattr__(self, "max_steps", SLACK * longest + 10)


@dataclass
class _Work:
    """One adaptation under way: the best programs so far, and when each was found."""

    aimed: Aimed
    tell: Tell
    clock: Clock
    earlier: Program | None = None
    finalists: list[tuple[Candidate, str]] = field(default_factory=list)
    history: list[Moment] = field(default_factory=list)
    tried: int = 0
    part: float = 0.0  # of what was asked for by numbers, the share that is done
    members: tuple[float, ...] = ()
    notes: list[str] = field(default_factory=list)

    def __post_init__(self) -> None:
        self.tell = timed(self.tell, lambda: max(self.part, self.seconds / self.clock.budget))

    @property
    def seconds(self) -> float:
        return self.clock.seconds

    def hear(self, best: Candidate, tried: int, method: str) -> None:
        """A method's best program so far."""
        score = self.aimed.objective.sign * best.cost
        self.tell(method, score)
        if all(best is not known for known, _ in self.finalists):
            self.finalists = [*self.finalists[-FINALISTS + 1 :], (best, method)]
            self.history.append(Moment(round(self.seconds, 3), tried, score))

    def search(self, seed: int, proposals: int | None, is_over: Callable[[], bool]) -> None:
        aimed = self.aimed
        given = aimed.program, aimed.instances.searched, aimed.objective, aimed.max_steps
        for best, tried in search(*given, seed, proposals, is_over, self.earlier):
            self.tried, self.part = tried, tried / proposals if proposals else 0.0
            self.hear(best, tried, "search")

    def descend(
        self,
        start: Program,
        seeds: Sequence[int],
        settings: dict[str, Any],
        is_over: Callable[[], bool],
    ) -> None:
        """Gradient descent from a program."""
        from anc.learning.members import Members
        from anc.objectives.gradient import descend, settings_for

        aimed, inputs = self.aimed, self.aimed.instances.searched
        ground = Ground(aimed.objective, inputs, aimed.max_steps, aimed.program)
        longest = int(aimed.objective.judged(start, inputs, aimed.max_steps).steps.max())
        members = Members((settings_for(longest, settings),) * len(seeds), tuple(seeds))
        self.tell("gradient", None)
        before, self.part = self.tried, 0.0
        for best, iteration, each in descend(start, ground, members, is_over):
            self.tried, self.part = before + iteration, iteration / members.shared.iterations
            self.hear(best, self.tried, "gradient")
            self.members = tuple(aimed.objective.sign * member.cost for member in each)

    @property
    def best(self) -> Program:
        candidates = [candidate for candidate, _ in self.finalists]
        return min(candidates, key=lambda c: c.rank).program if candidates else self.aimed.program


def improve(
    aimed: Aimed,
    budget: float = 60.0,
    method: str = "all",
    seed: int = 0,
    proposals: int | None = None,
    seeds: int = SEEDS,
    settings: dict[str, Any] | None = None,
    tell: Tell = lambda doing, score: None,
    asked_to_stop: Callable[[], bool] = lambda: False,
    command: str | None = None,
    earlier: Program | None = None,
    evaluations: int | None = None,
    since: float | None = None,
) -> Improved:
    """The best program that the budget (seconds, and so many proposals of the search) allows.

    With `evaluations` it is so many proposals and no limit of seconds, so that the same seed gives the
    same program on any machine; gradient descent takes no part then.

    The method "all" searches first; if the score has a gradient and there is time enough left, gradient
    descent goes on from the best program. An `earlier` program for the same objective is where both
    begin, if it is better than the generic one. The result remembers the `command` that asked for it.
    """
    limits.check_word("method", method, METHODS)
    if not budget > 0:
        raise AncError(f"'budget' is {budget}, expected seconds")
    if evaluations is not None:
        check_counted(evaluations, method, proposals)
        budget, method, proposals = math.inf, "search", evaluations
    clock = Clock.of(budget, None, asked_to_stop, since)
    work = _Work(aimed, tell, clock, earlier)
    is_soft = method == "all" and aimed.objective.has_gradient(aimed.instances.M)
    if method != "gradient":
        share = SEARCH_SHARE if is_soft else 1.0
        work.search(seed, proposals, lambda: clock.until(share) <= 0)
        if work.seconds > share * budget:
            work.notes.append(unrepeatable(work.tried))
    if method == "gradient" or (is_soft and budget - work.seconds > LEAST):
        start = earlier or aimed.program if method == "gradient" else work.best
        chosen = settings or ({} if method == "gradient" else CHUNK)
        start = replace(start, frozen=aimed.program.frozen)
        numbers = range(seed, seed + seeds)
        work.descend(start, numbers, chosen, lambda: clock.over)
    stop = clock.why_over if clock.over else "done"
    made = provenance(command, seed=seed, budget=finite(budget), proposals=proposals, method=method)
    return _conclude(aimed, work, stop, made)


def check_counted(evaluations: int, method: str, proposals: int | None) -> None:
    """Refuse what a number of evaluations does not go with."""
    check_evaluations(evaluations)
    if method == "gradient":
        raise AncError(
            "gradient descent cannot be repeated to the last bit on another machine",
            help="'evaluations' go with the methods all and search",
        )
    if proposals is not None:
        raise AncError("'evaluations' and 'proposals' exclude each other", help="give one of them")


def unrepeatable(tried: int) -> str:
    """What is said of a search that the time ended after so many programs or fillings."""
    return (
        "a budget of seconds: the same seed may give another result; with"
        f" --evaluations {tried} it always gives the same"
    )


def _conclude(aimed: Aimed, work: _Work, stop: str, made: dict[str, Any]) -> Improved:
    """Choose on the instances to choose with, compare on the fresh ones."""
    objective, instances = aimed.objective, aimed.instances
    everything = [(aimed.program, "none"), *((c.program, method) for c, method in work.finalists)]
    everything += [] if work.earlier is None else [(work.earlier, METHOD)]
    judged = [objective.judged(p, instances.chosen, aimed.max_steps) for p, _ in everything]
    found, method = everything[best_of(objective, judged)]
    if found is not aimed.program:
        found = _finished(aimed, found)
    fresh = [objective.judged(p, instances.fresh, aimed.max_steps) for p in (aimed.program, found)]
    return Improved(
        aimed.name, aimed.program, aimed.text, found, str(objective),
        objective.constraint is not None, method, Comparison.of(objective, *fresh),
        instances.are_fresh, tuple(work.history), work.tried, work.seconds, stop,
        (*((instances.note,) if instances.note else ()), *work.notes), work.members, made,
    )  # fmt: skip


def _finished(aimed: Aimed, program: Program) -> Program:
    """The program without what it does not need; with frozen lines, as it is."""
    generic = aimed.program
    if not generic.frozen:
        return _cleaned(aimed, program)
    assert generic.keeps(program)
    return replace(program, frozen=generic.frozen)


def _cleaned(aimed: Aimed, program: Program) -> Program:
    """The program without what its runs never need, if it does as well without."""
    inputs = np.concatenate([aimed.instances.searched, aimed.instances.chosen])
    runs = run_all(program, inputs, aimed.max_steps)
    counts = np.full_like(inputs, ALL_BITS)
    stopped = runs.stopped
    cases = Cases(inputs[stopped], runs.tapes[stopped], counts[stopped], np.ones(stopped.sum()))
    short = clean_observed(program, cases, aimed.max_steps)
    if short is not None:
        again = run_all(short, inputs, aimed.max_steps)
        same = np.array_equal(again.tapes[stopped], runs.tapes[stopped])
        if same and again.stopped[stopped].all():
            return short
    return clean(program, aimed.instances.M)
