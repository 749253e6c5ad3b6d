"""Filling a sketch for an objective.

All fillings are tried if they are few. Otherwise hill climbing improves one hole after the other until no choice
is better, and restarts at random or at the best filling with some holes changed. If fillings are left and the
score has a gradient, gradient descent on the holes proposes further starts. The best filling is chosen on the
inputs of the search and reported on held-out ones.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace
from itertools import product

import numpy as np

from anc.adaptation.holes.descent import SETTINGS, soft_settings
from anc.adaptation.holes.fill import MAX_STEPS, METHODS, FillingWork
from anc.adaptation.holes.result import MeanScore, Scored
from anc.adaptation.holes.sketch import Filling, Sketch
from anc.adaptation.objectives.adapt import LEAST, SEEDS
from anc.adaptation.objectives.incumbents import in_proposals, unrepeatable
from anc.adaptation.objectives.objective import (
    Instances,
    Objective,
    ScoreJudge,
    Standing,
    unanswered,
)
from anc.adaptation.objectives.result import PairedComparison
from anc.machine.encoded import encode
from anc.program import Program
from anc.support import limits
from anc.support.diagnostics import AncError
from anc.support.folders import METHOD
from anc.support.job import Job
from anc.support.records import record_of
from anc.training.engines import check_room, has_room
from anc.training.settings import TrainingSettings

EVERYTHING = 100_000  # up to this many fillings are all tried
SEARCH_SHARE = 0.6  # of the time, if gradient descent follows
DESCENT_SHARE = 0.9
TRIES = 100  # random fillings that are tried to find one that is valid on some input
PATIENCE = 30  # climbs in a row without an improvement, after which the search ends
SHAKEN = 0.3  # share of the best filling's holes that are changed for a restart
USUAL = replace(SETTINGS, halting=5.0, batch=8, iterations=400)


def fill_for(
    name: str,
    sketch: Sketch,
    instances: Instances,
    objective: Objective,
    job: Job | None = None,
    method: str = "all",
    seeds: int | None = None,
    seed: int = 0,
    max_steps: int = MAX_STEPS,
    proposals: int | None = None,
    settings: TrainingSettings = USUAL,
    earlier: Filling | None = None,
) -> Scored:
    """Find the filling with the best mean score within the job's budget (and number of `proposals`).

    A budget in evaluations is a number of fillings without a time limit, so that the same seed gives the same
    filling on any machine; gradient descent does not run then.
    """
    limits.check_word("method", method, METHODS)
    job, method, proposals = in_proposals(job or Job(), method, proposals)
    members = range(seed * 1000, seed * 1000 + (SEEDS if seeds is None else seeds))
    if method == "gradient":
        objective.check_soft(sketch.M)
        limited = soft_settings(sketch, settings, max_steps)
        check_room(sketch.M, sketch.program.R, len(members), limited, "jax")
    parts = instances.searched, instances.chosen
    seen = np.concatenate(parts) if instances.are_fresh else parts[0]
    judge: ScoreJudge[Filling] = ScoreJudge(
        objective, seen, max_steps, sketch.program, lambda each: encode(sketch.filled(each))
    )
    work = _ByScore(
        job, judge, sketch, method, members, seed, max_steps, settings, "jax", instances, proposals
    )
    work.offer(earlier, METHOD)
    work.run()
    return work.result(name)


@dataclass
class _ByScore(FillingWork[Standing]):
    """A search for a filling by a score."""

    moment = MeanScore
    judge: ScoreJudge[Filling]
    instances: Instances
    proposals: int | None

    def __post_init__(self) -> None:
        super().__post_init__()
        self.objective = self.judge.objective
        self.sizes = [len(hole.choices) for hole in self.sketch.holes]
        self.climbing_until(1.0)

    def climbing_until(self, share: float) -> None:
        """Set up climbing, with its own random numbers, until this share of the budget is spent."""
        self.random = np.random.default_rng([self.seed, 23])
        has_time = self.until(share, "trying fillings")
        self.may_go_on: Callable[[], bool] = lambda: has_time() and not self.tried_all

    def measure(self, grade: tuple[float, ...]) -> float:
        return self.objective.sign * grade[1]

    def offer(self, candidate: Filling | None, method: str, tried: int = 0) -> None:
        super().offer(candidate, method, tried)
        self.part = len(self.judge.known) / self.proposals if self.proposals else 0.0

    @property
    def tried_all(self) -> bool:
        """Whether the allowed number of fillings was tried."""
        return self.proposals is not None and len(self.judge.known) >= self.proposals

    # -- the parts of the method -----------------------------------------------

    def run(self) -> None:
        self.offer(self.first, "the first choices")
        if self.method == "gradient":
            self.find_valid()
            self.train(1.0)
            return
        is_soft = self.method == "all" and self.objective.has_gradient(self.sketch.M)
        is_soft = is_soft and has_room(*self.population)
        self.climbing_until(SEARCH_SHARE if is_soft else 1.0)
        self.climb(self.first)
        if self.sketch.size <= EVERYTHING:
            self.is_complete = self.look_through()
        else:
            self.climb_again()
        self.check()
        if is_soft and not self.is_complete and self.clock.left > LEAST and not self.tried_all:
            self.train(DESCENT_SHARE)
            self.climbing_until(1.0)
            for filling in sorted(set(self.proposed)):
                self.climb(filling, "gradient descent and search")

    def climb(self, start: Filling, method: str = "search") -> None:
        """Climb from a filling to a local optimum, which no change of a single hole improves."""
        here = start
        self.offer(here, method)
        is_better = True
        while is_better:
            is_better = False
            for hole in self.random.permutation(len(self.sizes)).tolist():
                for index in range(self.sizes[hole]):
                    if not self.may_go_on():
                        return
                    there = (*here[:hole], index, *here[hole + 1 :])
                    self.offer(there, method)
                    judged = self.judge.judged
                    if judged(there).rank < judged(here).rank:
                        here, is_better = there, True

    def climb_again(self) -> None:
        """Restart climbing until PATIENCE climbs in a row find nothing better."""
        waited, number = 0, 0
        while waited < PATIENCE and self.may_go_on():
            before = self.incumbents.grade
            self.climb(self.anywhere() if number % 2 else self.nearby())
            waited = 0 if self.incumbents.grade < before else waited + 1
            number += 1

    def anywhere(self) -> Filling:
        return tuple(int(self.random.integers(size)) for size in self.sizes)

    def nearby(self) -> Filling:
        """The best filling with at least one of its holes changed."""
        best, other = self.incumbents.best, self.anywhere()
        changed = self.random.random(len(best)) < SHAKEN
        changed[self.random.integers(len(best))] = True
        return tuple(
            new if is_new else old for old, new, is_new in zip(best, other, changed, strict=True)
        )

    def look_through(self) -> bool:
        """Try every filling; whether there was time for all of them."""
        for filling in product(*map(range, self.sizes)):
            if not self.may_go_on():
                return False
            self.offer(filling, "search")
        return True

    def find_valid(self) -> None:
        """Find a filling that is valid on some input, which gradient descent needs to scale the score."""
        for _ in range(TRIES):
            if self.judge.judged(self.incumbents.best).cost < np.inf:
                break
            self.offer(self.anywhere(), "chance")
        self.check()

    def train(self, share: float) -> None:
        from anc.adaptation.objectives.gradient import aim_of

        self.tell("compiling for gradient descent", None)
        judge, best = self.judge, self.sketch.filled(self.incumbents.best)
        aim = aim_of(ScoreJudge(self.objective, judge.inputs, self.max_steps, best))
        self.descend(share, unanswered(judge.inputs), settings=self.settings, aim=aim, judge=judge)

    def check(self) -> None:
        """Raise if the best filling cannot be scored, or is valid on no input."""
        best, inputs = self.sketch.filled(self.incumbents.best), self.judge.inputs
        valid = self.judge.scores(self.incumbents.best).valid
        if valid.any():
            self.objective.check(best, inputs[valid], self.max_steps)
            return
        problem = self._invalid(best, inputs)
        raise AncError(
            f"none of {len(self.judge.known):,} fillings is valid on any input; of the best:"
            f" {problem.message}",
            problem.help,
        )

    def _invalid(self, program: Program, inputs: np.ndarray) -> AncError:
        """The reason why a program is valid on none of these inputs."""
        try:
            self.objective.check(program, inputs, self.max_steps)
        except AncError as problem:
            return problem
        raise AssertionError("a program that can be judged is valid")

    # -- the end -----------------------------------------------------------------

    def result(self, name: str) -> Scored:
        best = self.incumbents.best
        fresh = self.instances.fresh
        generic, filled = (
            self.objective.judged(self.sketch.filled(each), fresh, self.max_steps)
            for each in (self.first, best)
        )
        comparison = PairedComparison.of(self.objective, generic, filled)
        standing = self.incumbents.good[best][0]
        are_fresh = self.instances.are_fresh
        return record_of(
            Scored,
            None,
            **self.completed(name, proposals=self.proposals),
            objective=str(self.objective),
            is_valid=standing.violations == 0,
            improved=comparison.improved,
            inputs=len(self.judge.inputs),
            violations=standing.violations,
            are_fresh=are_fresh,
            score=float(filled.scores[filled.valid].mean()) if filled.valid.any() else np.nan,
            comparison=comparison,
            claim=comparison.claim(are_fresh, self.objective.constraint is not None),
            tried=len(self.judge.known),
        )

    def notes(self) -> Iterator[str]:
        if self.instances.note:
            yield self.instances.note
        best = self.incumbents.best
        valid = self.judge.scores(best).valid
        if not valid.all():
            problem = self._invalid(self.sketch.filled(best), self.judge.inputs[~valid])
            yield f"of the inputs where it is not valid: {problem.message}"
        if self.method == "gradient":
            yield "other choices were not tried: --method search does that"
        elif not self.is_complete:
            yield f"not all of the {self.sketch.size:,} fillings were tried"
            if self.clock.over:
                yield unrepeatable("result", len(self.judge.known))
