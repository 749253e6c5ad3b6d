"""Filling a sketch for an objective, the whole method in one place.

Every filling is tried if there are not too many of them, else those that climbs pass. If that leaves
some out and the score has a gradient, gradient descent on the holes alone proposes others, from which
climbs go on. What is best is decided on the inputs that are looked at, and reported on fresh ones.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass, field, replace
from typing import Any

import numpy as np

from anc import limits
from anc.clock import Clock
from anc.diagnostics import AncError
from anc.folders import METHOD
from anc.holes.answers import Answers
from anc.holes.climb import Climber
from anc.holes.descent import SETTINGS, Descent, soft_settings
from anc.holes.fill import MAX_STEPS, METHODS
from anc.holes.result import Decided, Scored
from anc.holes.scoring import Scoring, Standing
from anc.holes.sketch import Filling, Sketch
from anc.learning.engines import check_room, has_room
from anc.learning.settings import TrainingSettings
from anc.machine.cases import Cases
from anc.objectives.adapt import LEAST, SEEDS, check_counted, unrepeatable
from anc.objectives.comparing import Comparison
from anc.objectives.instances import Instances
from anc.objectives.objective import Objective
from anc.program import Program
from anc.provenance import finite, provenance
from anc.remaining import timed

EVERYTHING = 100_000  # fillings: so many are all tried
SEARCH_SHARE = 0.6  # of the time, if gradient descent follows
DESCENT_SHARE = 0.9
TRIES = 100  # random fillings, among which one is looked for that is valid somewhere
USUAL = replace(SETTINGS, halting=5.0, batch=8, iterations=400)

Tell = Callable[[str, float | None], None]  # what is being done, best mean score so far


def fill_for(
    name: str,
    sketch: Sketch,
    instances: Instances,
    objective: Objective,
    budget: float = 60.0,
    method: str = "all",
    seeds: int | None = None,
    seed: int = 0,
    max_steps: int = MAX_STEPS,
    proposals: int | None = None,
    settings: TrainingSettings = USUAL,
    tell: Tell = lambda doing, score: None,
    asked_to_stop: Callable[[], bool] = lambda: False,
    command: str | None = None,
    earlier: Filling | None = None,
    evaluations: int | None = None,
    since: float | None = None,
) -> Scored:
    """The filling with the best mean score that the budget (seconds, and so many fillings) allows.

    With `evaluations` it is so many fillings and no limit of seconds, so that the same seed gives the
    same filling on any machine; gradient descent takes no part then.
    """
    limits.check_word("method", method, METHODS)
    if evaluations is not None:
        check_counted(evaluations, method, proposals)
        budget, method, proposals = np.inf, "search", evaluations
    members = range(seed * 1000, seed * 1000 + (SEEDS if seeds is None else seeds))
    if method == "gradient":
        objective.check_soft(sketch.M)
        limited = soft_settings(sketch, settings, max_steps)
        check_room(sketch.M, sketch.program.R, len(members), limited, "jax")
    clock = Clock.of(budget, None, asked_to_stop, since)
    work = _Aiming(
        sketch, instances, objective, method, members, seed, max_steps, proposals, settings, tell, clock
    )  # fmt: skip
    work.tell = timed(tell, work.share)
    work.answers.offer(earlier, METHOD)
    work.run()
    made = provenance(command, seed=seed, budget=finite(budget), proposals=proposals, method=method)
    return work.result(name, made)


@dataclass
class _Aiming:
    """One filling under way."""

    sketch: Sketch
    instances: Instances
    objective: Objective
    method: str
    members: range
    seed: int
    max_steps: int
    proposals: int | None
    settings: TrainingSettings
    tell: Tell
    clock: Clock
    is_complete: bool = field(init=False, default=False)
    descent: Descent | None = field(init=False, default=None)

    def __post_init__(self) -> None:
        parts = self.instances.searched, self.instances.chosen
        seen = np.concatenate(parts) if self.instances.are_fresh else parts[0]
        self.scoring = Scoring(self.sketch, self.objective, seen, self.max_steps)
        self.answers: Answers[Standing] = Answers(self.scoring)
        self.first: Filling = (0,) * len(self.sketch.holes)

    # -- the parts of the method -----------------------------------------------

    def run(self) -> None:
        self.answers.offer(self.first, "the first choices")
        if self.method == "gradient":
            self.find_valid()
            self.descend(1.0)
            return
        is_soft = self.method == "all" and self.objective.has_gradient(self.sketch.M)
        limited = soft_settings(self.sketch, self.settings, self.max_steps)
        sizes = self.sketch.M, self.sketch.program.R, len(self.members)
        is_soft = is_soft and has_room(*sizes, limited, "jax")
        climber = self.climber(SEARCH_SHARE if is_soft else 1.0)
        climber.climb(self.first)
        if self.sketch.size <= EVERYTHING:
            self.is_complete = climber.look_through()
        else:
            climber.climb_again()
        self.check()
        if is_soft and not self.is_complete and self.clock.left > LEAST and not self.tried_all:
            self.descend(DESCENT_SHARE)
            assert self.descent is not None
            climber = self.climber(1.0)
            for filling in sorted({found[0] for found in self.descent.best if found}):
                climber.climb(filling, "gradient descent and search")

    def climber(self, share: float) -> Climber:
        def may_go_on() -> bool:
            self.tell("trying fillings", self.score)
            return self.clock.until(share) > 0 and not self.tried_all

        return Climber(self.scoring, self.answers, self.seed, may_go_on)

    @property
    def tried_all(self) -> bool:
        """Whether as many fillings as allowed were tried."""
        return self.proposals is not None and len(self.scoring.known) >= self.proposals

    @property
    def score(self) -> float:
        return self.objective.sign * self.answers.grade[1]

    def share(self) -> float:
        """Of the time or of the fillings that are allowed, what is used up."""
        tried = len(self.scoring.known) / self.proposals if self.proposals else 0.0
        return max(tried, self.clock.seconds / self.clock.budget)

    def find_valid(self) -> None:
        """Gradient descent wants to know what scores are like: a filling that is valid somewhere."""
        climber = self.climber(1.0)
        for _ in range(TRIES):
            if self.scoring.judged(self.answers.best).cost < np.inf:
                break
            self.answers.offer(climber.anywhere(), "chance")
        self.check()

    def descend(self, share: float) -> None:
        """Train a population; its members' fillings are as good as any other."""
        from anc.learning import jax_engine
        from anc.objectives.gradient import aim_of
        from anc.objectives.walk import Ground

        self.tell("compiling for gradient descent", None)
        inputs, best = self.scoring.inputs, self.sketch.filled(self.answers.best)
        ground = Ground(self.objective, inputs, self.max_steps, best)
        cases = Cases(inputs, inputs, np.zeros_like(inputs), np.ones(len(inputs)))
        self.descent = Descent(
            self.sketch, cases, jax_engine, self.members, self.max_steps, self.settings,
            aim=aim_of(ground), judge=self.scoring,
        )  # fmt: skip
        while not self.descent.is_done and self.clock.until(share) > 0:
            self.descent.advance()
            for found in filter(None, self.descent.best):
                self.answers.offer(found[0], "gradient descent")
            self.tell("gradient descent", self.score)

    def check(self) -> None:
        """Raise if the scores of the best filling mean nothing, or if no filling is valid anywhere."""
        best, inputs = self.sketch.filled(self.answers.best), self.scoring.inputs
        valid = self.scoring.scores(self.answers.best)[0].valid
        if valid.any():
            self.objective.check(best, inputs[valid], self.max_steps)
            return
        problem = self._invalid(best, inputs)
        raise AncError(
            f"none of {len(self.scoring.known):,} fillings is valid on any input; of the best:"
            f" {problem.message}",
            problem.help,
        )

    def _invalid(self, program: Program, inputs: np.ndarray) -> AncError:
        """Why a program is valid on none of these inputs."""
        try:
            self.objective.check(program, inputs, self.max_steps)
        except AncError as problem:
            return problem
        raise AssertionError("a program that can be judged is valid")

    # -- the end -----------------------------------------------------------------

    def result(self, name: str, made: dict[str, Any]) -> Scored:
        best, fresh = self.answers.best, self.instances.fresh
        standing, method = self.answers.good[best]
        judge = Scoring(self.sketch, self.objective, fresh, self.max_steps)
        generic, filled = (judge.scores(filling)[0] for filling in (self.first, best))
        stop = self.clock.why_over if self.clock.over and not self.is_complete else "done"
        return Scored(
            name=name,
            made=made,
            history=tuple(
                (seconds, self.objective.sign * grade[1])
                for seconds, grade in self.answers.history
                if np.isfinite(grade[1])
            ),
            sketch=self.sketch,
            filling=best,
            holes=tuple(self._decided(best)),
            fillings=float(len(self.answers.good)) if self.is_complete else None,
            method=method,
            members=0 if self.descent is None else len(self.members),
            members_right=0 if self.descent is None else self.descent.as_good_as(standing),
            notes=tuple(self._notes()),
            seconds=self.clock.seconds,
            stop="interrupted" if self.clock.asked_to_stop() else stop,
            objective=self.objective,
            standing=standing,
            inputs=len(self.scoring.inputs),
            comparison=Comparison.of(self.objective, generic, filled),
            score=float(filled.scores[filled.valid].mean()) if filled.valid.any() else np.nan,
            are_fresh=self.instances.are_fresh,
            tried=len(self.scoring.known),
        )

    def _decided(self, best: Filling) -> Iterator[Decided]:
        good = self.answers.good
        for number, hole in enumerate(self.sketch.holes):
            others = sorted({filling[number] for filling in good} - {best[number]})
            alone = [k for k in others if (*best[:number], k, *best[number + 1 :]) in good]
            yield Decided(hole, best[number], tuple(others), tuple(alone), self.is_complete)

    def _notes(self) -> Iterator[str]:
        if self.instances.note:
            yield self.instances.note
        valid = self.scoring.scores(self.answers.best)[0].valid
        if not valid.all():
            program = self.sketch.filled(self.answers.best)
            problem = self._invalid(program, self.scoring.inputs[~valid])
            yield f"of the inputs where it is not valid: {problem.message}"
        if self.method == "gradient":
            yield "other choices were not tried: --method search does that"
        elif not self.is_complete:
            yield f"not all of the {self.sketch.size:,} fillings were tried"
            if self.clock.over:
                yield unrepeatable(len(self.scoring.known))
