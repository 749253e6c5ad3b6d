"""Adaptation to an objective: annealing, gradient descent or both, then a fair comparison.

The search uses one set of instances, the choice among its finalists another, and the report a third, held-out
one. There is no proof, because an objective has no right answer.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property
from typing import Any

import numpy as np

from anc.adaptation.objectives.annealing import Candidate, search
from anc.adaptation.objectives.incumbents import RunningSearch, in_proposals, unrepeatable
from anc.adaptation.objectives.objective import Instances, Judged, Objective, ScoreJudge, Standing
from anc.adaptation.objectives.result import Improved, Moment, PairedComparison
from anc.compiler import to_text
from anc.machine.batch import run_all
from anc.machine.encoded import ALL_BITS, Cases
from anc.program import Program
from anc.search.clean import clean, clean_observed
from anc.support import limits
from anc.support.diagnostics import AncError
from anc.support.folders import METHOD
from anc.support.job import Job
from anc.support.records import record_of

METHODS = ("all", "search", "gradient")
LIMIT = 10_000  # steps of the generic program
SLACK = 2  # step limit, in terms of the longest run of the generic program
SEEDS = 8  # members of gradient descent
SEARCH_SHARE = 0.6  # of the time, if gradient descent follows
CHUNK = {"validate_every": 5}  # iterations between checks of the clock after a search
LEAST = 20.0  # seconds: with less time left, compiling for gradient descent does not pay
FINALISTS = 12  # best programs of the search, among which other instances choose


@dataclass(frozen=True)
class Aimed:
    """The problem: a program, instances and an objective."""

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

    @cached_property
    def judge(self) -> ScoreJudge[Program]:
        """The judge of programs on the instances of the search."""
        return ScoreJudge(self.objective, self.instances.searched, self.max_steps, self.program)


@dataclass
class _Work(RunningSearch[Program, Standing]):
    """A running adaptation to an objective."""

    aimed: Aimed
    earlier: Program | None = None
    tried: int = 0
    members: tuple[float, ...] = ()
    notes: list[str] = field(default_factory=list)

    def hear(self, best: Candidate, method: str) -> None:
        """Report and record the best program of a method so far."""
        self.tell(method, self.score(best[1]))
        self.incumbents.offer(*best, method, self.tried)

    def score(self, standing: Standing) -> float:
        return self.aimed.objective.sign * standing.cost

    def search(self, seed: int, proposals: int | None, is_over: Callable[[], bool]) -> None:
        for best, tried in search(self.aimed.judge, seed, proposals, is_over, self.earlier):
            self.tried, self.part = tried, tried / proposals if proposals else 0.0
            self.hear(best, "search")

    def descend(
        self,
        start: Program,
        seeds: Sequence[int],
        settings: dict[str, Any],
        is_over: Callable[[], bool],
    ) -> None:
        """Gradient descent from a program."""
        from anc.adaptation.objectives.gradient import ProgramDescent, settings_for
        from anc.training.members import Members

        judge = self.aimed.judge
        shared = settings_for(int(judge.scores(start).steps.max()), settings)
        members = Members((shared,) * len(seeds), tuple(seeds))
        self.tell("gradient", None)
        descent, before = ProgramDescent(start, judge, members), self.tried
        self.part = 0.0
        while not descent.is_done and not is_over():
            descent.advance()
            done = descent.state.iteration
            self.tried, self.part = before + done, done / shared.iterations
            found = list(filter(None, descent.best))
            self.hear(min(found, key=lambda best: best[1].rank), "gradient")
            self.members = tuple(self.score(standing) for _, standing in found)


def improve(
    aimed: Aimed,
    job: Job,
    method: str = "all",
    seed: int = 0,
    proposals: int | None = None,
    seeds: int = SEEDS,
    settings: dict[str, Any] | None = None,
    earlier: Program | None = None,
) -> Improved:
    """Find the best program within the job's budget (and number of `proposals` of the search).

    A budget in evaluations is a number of proposals without a time limit, so that the same seed gives the same
    program on any machine; gradient descent does not run then.

    The method "all" searches first; if the score has a gradient and enough time is left, gradient descent
    continues from the best program. Both begin at an `earlier` program for the same objective if it is better
    than the generic one.
    """
    limits.check_word("method", method, METHODS)
    if not job.budget > 0:
        raise AncError(f"'budget' is {job.budget}, expected seconds")
    job, method, proposals = in_proposals(job, method, proposals)
    work, clock = _Work(job, aimed.judge, aimed, earlier), job.clock
    is_soft = method == "all" and aimed.objective.has_gradient(aimed.instances.M)
    if method != "gradient":
        share = SEARCH_SHARE if is_soft else 1.0
        work.search(seed, proposals, lambda: clock.until(share) <= 0)
        if clock.seconds > share * job.budget:
            work.notes.append(unrepeatable("result", work.tried))
    if method == "gradient" or (is_soft and job.budget - clock.seconds > LEAST):
        start = earlier or aimed.program
        if work.incumbents.trail:
            start = work.incumbents.trail[-1].candidate
        chosen = settings or ({} if method == "gradient" else CHUNK)
        start = replace(start, frozen=aimed.program.frozen)
        work.descend(start, range(seed, seed + seeds), chosen, lambda: clock.over)
    return _conclude(work, job.made(seed=seed, proposals=proposals, method=method))


def _conclude(work: _Work, made: dict[str, Any]) -> Improved:
    """Choose among the finalists, and compare the choice on the held-out instances."""
    aimed = work.aimed
    objective, instances = aimed.objective, aimed.instances

    def judged(program: Program, inputs: np.ndarray) -> Judged:
        return objective.judged(program, inputs, aimed.max_steps)

    finalists = work.incumbents.trail[-FINALISTS:]
    everything = [(aimed.program, "none"), *((f.candidate, f.method) for f in finalists)]
    everything += [] if work.earlier is None else [(work.earlier, METHOD)]
    found, method = min(
        everything, key=lambda one: objective.standing(judged(one[0], instances.chosen)).rank
    )
    if found is not aimed.program:
        found = _finished(aimed, found)
    fresh = [judged(program, instances.fresh) for program in (aimed.program, found)]
    comparison = PairedComparison.of(objective, *fresh)
    return record_of(
        Improved,
        work,
        name=aimed.name,
        objective=str(objective),
        provenance=made,
        improved=comparison.improved,
        method=method,
        are_fresh=instances.are_fresh,
        comparison=comparison,
        claim=comparison.claim(instances.are_fresh, objective.constraint is not None),
        listing=to_text(found),
        generic=aimed.text,
        memory=found.memory,
        history=tuple(
            Moment(round(each.seconds, 3), each.tried, work.score(each.standing))
            for each in work.incumbents.trail
        ),
        seconds=work.clock.seconds,
        stop=work.stop(),
        notes=(*filter(None, (instances.note,)), *work.notes),
        program=found,
    )


def _finished(aimed: Aimed, program: Program) -> Program:
    """The cleaned program; with frozen lines, the program itself."""
    generic = aimed.program
    if not generic.frozen:
        return _cleaned(aimed, program)
    assert generic.keeps(program)
    return replace(program, frozen=generic.frozen)


def _cleaned(aimed: Aimed, program: Program) -> Program:
    """The program without lines that its runs never need, if its outputs stay the same."""
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
