"""Filling a sketch from cases, the whole method in one place.

Annealing soon finds a good filling; a walk over all fillings then says whether there is a better one,
and what the cases leave open. Where there are too many fillings for that, gradient descent proposes
others and annealing polishes them; each hole is then tried with every other choice for a while.
Cases may be wrong: the filling with the fewest wrong cells is taken, then the one with fewest steps.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from anc import limits
from anc.clock import Clock, check_evaluations
from anc.diagnostics import AncError
from anc.folders import METHOD
from anc.holes.answers import Answers
from anc.holes.descent import SETTINGS, Descent, soft_settings
from anc.holes.explore import Explored, Explorer
from anc.holes.machine import Ground, Judged
from anc.holes.result import Decided, Filled
from anc.holes.sketch import Filling, Sketch
from anc.holes.wander import Wanderer
from anc.learning.engines import (
    check_room,
    engine,
    has_room,
    iterations_between_looks,
    seconds_of_iteration,
)
from anc.learning.settings import TrainingSettings, changed
from anc.machine.cases import Cases
from anc.provenance import finite, provenance
from anc.remaining import timed
from anc.tasks.cases import Case

METHODS = ("all", "search", "gradient")
MAX_STEPS = 1000
CHAINS = 4  # of annealing, for a first bound
FIRST, WALK, DESCENT, POLISH = 0.1, 0.4, 0.7, 0.85  # shares of the budget at which a part ends
ALLOWED = (0.0, 0.02, 0.05, 0.1)  # shares of all cells that a walk allows to be wrong
MANY = 1_000_000  # chains: until the time is over

Tell = Callable[[str, int | None], None]  # what is being done, wrong cells of the best so far


def fill(
    name: str,
    sketch: Sketch,
    cases: Sequence[Case],
    fresh: Sequence[Case] = (),
    budget: float = 60.0,
    method: str = "all",
    seeds: int = 100,
    seed: int = 0,
    max_steps: int = MAX_STEPS,
    engine_name: str = "fused",
    settings: TrainingSettings = SETTINGS,
    tell: Tell = lambda doing, wrong: None,
    asked_to_stop: Callable[[], bool] = lambda: False,
    command: str | None = None,
    earlier: Filling | None = None,
    evaluations: int | None = None,
    since: float | None = None,
) -> Filled:
    """The best filling that the budget (in seconds) allows, with what the cases determine.

    `fresh` cases are only reported on, never looked at before. With `evaluations` the budget is work
    instead: the same seed then gives the same filling on any machine, without gradient descent, which
    cannot promise that. An `earlier` filling is tried first. The result remembers the `command` that
    asked for it.
    """
    limits.check_word("method", method, METHODS)
    if evaluations is not None:
        check_evaluations(evaluations)
        if method == "gradient":
            raise AncError(
                "gradient descent cannot be repeated to the last bit on another machine",
                help="'evaluations' go with the methods all and search",
            )
        method = "search"
    clock = Clock.of(budget, evaluations, asked_to_stop, since)
    work = _Filling(
        sketch, cases, method, seeds, seed, max_steps, engine_name, settings, tell, clock
    )
    tell("compiling, once for this installation", None)
    work.prepare()
    work.offer(earlier, METHOD)
    work.ground.clock = clock
    work.answers.begin_now(clock)
    work.tell = timed(tell, lambda: clock.seconds / clock.budget)
    work.run()
    made = provenance(
        command,
        seed=seed,
        seeds=seeds,
        budget=None if evaluations else finite(budget),
        evaluations=evaluations,
        method=method,
    )
    return work.result(name, fresh, made)


@dataclass
class _Filling:
    """One filling under way."""

    sketch: Sketch
    given: Sequence[Case]
    method: str
    seeds: int
    seed: int
    max_steps: int
    engine_name: str
    settings: TrainingSettings
    tell: Tell
    clock: Clock
    answers: Answers[Judged] = field(init=False)
    explored: Explored | None = field(init=False, default=None)
    descent: Descent | None = field(init=False, default=None)
    note: str = field(init=False, default="")

    def __post_init__(self) -> None:
        self.cases = Cases.distinct(self.given)
        self.ground = Ground(self.sketch, self.cases, self.max_steps)
        self.answers = Answers(self.ground)

    def prepare(self) -> None:
        """Have the kernels compiled, and know some filling."""
        if self.method == "gradient":
            check_room(*self.population, self.engine_name)
        self.offer((0,) * len(self.sketch.holes), "the first choices")
        explorer, wanderer = Explorer(self.ground), Wanderer(self.ground)
        explorer.run(_once())
        wanderer.run(1, (), _once())

    @property
    def population(self) -> tuple[int, int, int, TrainingSettings]:
        """M, R, S and the settings of a gradient descent."""
        settings = soft_settings(self.sketch, self.settings, self.max_steps)
        return self.sketch.M, self.sketch.program.R, self.seeds, settings

    @property
    def best(self) -> Filling:
        return self.answers.best

    @property
    def wrong(self) -> int:
        return int(self.answers.grade[0])

    def offer(self, filling: Filling | None, method: str) -> None:
        self.answers.offer(filling, method)

    def until(self, share: float, doing: str) -> Callable[[], bool]:
        def may_go_on() -> bool:
            self.tell(doing, self.wrong)
            return self.clock.until(share) > 0

        return may_go_on

    # -- the parts of the method -----------------------------------------------

    def run(self) -> None:
        if self.method == "gradient":
            self.descend(1.0)
            return
        self.anneal(CHAINS, (), FIRST)
        self.walk(WALK if self.method == "all" else DESCENT)
        if self.explored is not None and self.explored.is_complete:
            return
        if self.wrong > 0 and self.method == "all" and has_room(*self.population, self.engine_name):
            self.descend(DESCENT)
            proposals = [found[0] for found in self.descent.best if found] if self.descent else []
            self.anneal(len(proposals), sorted(set(proposals)), POLISH)
        elif self.wrong > 0:
            self.anneal(MANY, (), POLISH)
        self.try_others()

    def anneal(self, chains: int, starts: Sequence[Filling], share: float) -> None:
        wanderer = Wanderer(self.ground, self.seed)
        wanderer.run(chains, starts, self.until(share, "annealing"))
        self.offer(wanderer.best, "annealing")

    def walk(self, share: float) -> None:
        """Look through all fillings, as far as there is time.

        The fewer wrong cells are allowed, the sooner a walk ends: so none at first, then a few.
        """
        allowed = {float(int(part * self.ground.cells)) for part in ALLOWED}
        for bound in sorted({b for b in allowed if b < self.wrong} | {float(self.wrong)}):
            explorer = Explorer(self.ground, bound)
            explorer.run(self.until(share, "looking through all fillings"))
            self.explored = explorer.found()
            if self.explored.is_complete and self.explored.fillings:
                self.answers.good.clear()
            self.offer(self.explored.filling, "search")
            if self.explored.fillings or not self.explored.is_complete:
                return

    def descend(self, share: float) -> None:
        """Train a population; its members' fillings are as good as any other."""
        M, _, S, settings = self.population
        each = S * seconds_of_iteration(M, settings)
        every = iterations_between_looks(self.clock.until(share), each, settings)
        if every == 0:
            self.note = "gradient descent was left out: it is too large for this budget"
            return
        first = self.seed * 1000
        self.descent = Descent(
            self.sketch, Cases.of(self.given), engine(self.engine_name),
            range(first, first + self.seeds), self.max_steps,
            changed(self.settings, {"validate_every": every}),
        )  # fmt: skip
        may_go_on = self.until(share, "gradient descent")
        while not self.descent.is_done and may_go_on():
            self.descent.advance()
            for found in self.descent.best:
                if found is not None:
                    self.offer(found[0], "gradient descent")

    def try_others(self) -> None:
        """Every other choice of every hole, with all others free, for a while each."""
        holes = self.sketch.holes
        pairs = [(h, k) for h, hole in enumerate(holes) for k in range(len(hole.choices))]
        for done, (hole, index) in enumerate(pairs):
            if any(filling[hole] == index for filling in self.answers.good):
                continue
            share = POLISH + (1 - POLISH) * (done + 1) / len(pairs)
            restricted = self.sketch.restricted(hole, index)
            ground = Ground(restricted, self.cases, self.max_steps, self.clock)
            wanderer = Wanderer(ground, self.seed)
            start = (*self.best[:hole], 0, *self.best[hole + 1 :])
            wanderer.run(1, [start], self.until(share, "trying other choices"))
            if (found := wanderer.best) is not None:
                self.offer((*found[:hole], index, *found[hole + 1 :]), "annealing")

    # -- the end -----------------------------------------------------------------

    def result(self, name: str, fresh: Sequence[Case], made: dict[str, Any]) -> Filled:
        best = self.best
        judged, method = self.answers.good[best]
        explored = self.explored
        is_complete = explored is not None and explored.is_complete
        by_case = Ground(self.sketch, Cases.of(self.given), self.max_steps).wrong_by_case(best)[1]
        right = 0
        if self.descent is not None:
            right = self.descent.as_good_as(judged)
        stop = "done" if is_complete or not self.clock.over else self.clock.why_over
        return Filled(
            name=name,
            made=made,
            history=tuple((seconds, grade[0]) for seconds, grade in self.answers.history),
            sketch=self.sketch,
            filling=best,
            judged=judged,
            contradicting=tuple(int(n) + 1 for n in np.flatnonzero(by_case)),
            fresh=self._fresh(best, fresh),
            holes=tuple(self._decided(best, is_complete)),
            fillings=explored.fillings if explored is not None and is_complete else None,
            method=method,
            members=0 if self.descent is None else self.seeds,
            members_right=right,
            notes=tuple(self._notes(is_complete)),
            seconds=self.clock.seconds,
            stop=self.clock.why_over if self.clock.asked_to_stop() else stop,
            evaluations=self.clock.evaluations,
        )

    def _fresh(self, best: Filling, fresh: Sequence[Case]) -> Judged | None:
        if not fresh:
            return None
        return Ground(self.sketch, Cases.distinct(fresh), 10 * self.max_steps).judged(best)

    def _decided(self, best: Filling, is_complete: bool):
        for number, hole in enumerate(self.sketch.holes):
            possible = {filling[number] for filling in self.answers.good}
            explored = self.explored
            if explored and explored.fillings and explored.wrong_cells == self.wrong:
                possible.update(explored.choices[number])
            others = tuple(sorted(possible - {best[number]}))
            alone = tuple(k for k in others if self._is_as_good(best, number, k))
            yield Decided(hole, best[number], others, alone, is_complete)

    def _is_as_good(self, best: Filling, hole: int, index: int) -> bool:
        changed = (*best[:hole], index, *best[hole + 1 :])
        return self.ground.judged(changed).wrong_cells <= self.wrong

    def _notes(self, is_complete: bool):
        outputs: dict[tuple[int, ...], set[tuple]] = {}
        for case in self.given:
            wanted = tuple(v if m else None for v, m in zip(case.output, case.mask, strict=True))
            outputs.setdefault(case.input, set()).add((wanted, case.mask))
        clashes = sum(len(found) > 1 for found in outputs.values())
        if clashes:
            yield (
                f"{clashes} input{'s have' if clashes > 1 else ' has'} more than one output: no"
                " program is right on all cases"
            )
        if self.note:
            yield self.note
        if self.method == "gradient":
            yield "other choices were not tried: --method search does that"
        elif not is_complete:
            yield f"not all of the {self.sketch.size:,} fillings could be looked at in this time"
        if not (is_complete or self.clock.counts_work):
            yield (
                "a budget of seconds: the same seed may give another filling; with"
                f" --evaluations {self.clock.worth} it always gives the same"
            )


def _once() -> Callable[[], bool]:
    """Says yes once."""
    answers = iter((True, True))
    return lambda: next(answers, False)
