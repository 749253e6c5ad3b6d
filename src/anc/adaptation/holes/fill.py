"""Filling a sketch from cases, and the driver that is shared with filling for an objective.

Annealing quickly finds a good filling; branch and bound then decides whether there is a better one, and what the
cases leave open. If there are too many fillings for that, gradient descent proposes others, which annealing
polishes, and every other choice of each hole is tried for a while. Cases may be wrong: the filling with the
fewest wrong cells is taken, and among these the one with the fewest steps.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field
from typing import Any, ClassVar, Generic, TypeVar

import numpy as np

from anc.adaptation.holes.descent import SETTINGS, FillingDescent, soft_settings
from anc.adaptation.holes.machine import CaseJudge, JudgedFilling
from anc.adaptation.holes.result import Decided, Filled, WrongCells
from anc.adaptation.holes.search import Enumerated, Explorer, FillingAnnealer
from anc.adaptation.holes.sketch import Filling, Sketch
from anc.adaptation.objectives.incumbents import (
    Graded,
    RunningSearch,
    check_repeatable,
    unrepeatable,
)
from anc.data.tasks.cases import Case
from anc.machine.encoded import Cases
from anc.support import limits
from anc.support.clock import timed
from anc.support.folders import METHOD
from anc.support.job import Job
from anc.support.records import record_of
from anc.training.engines import (
    check_room,
    engine,
    has_room,
    iterations_between_looks,
    seconds_of_iteration,
)
from anc.training.settings import TrainingSettings, changed

METHODS = ("all", "search", "gradient")
MAX_STEPS = 1000
CHAINS = 4  # of annealing, for the first bound
FIRST, WALK, DESCENT, POLISH = 0.1, 0.4, 0.7, 0.85  # shares of the budget at which phases end
ALLOWED = (0.0, 0.02, 0.05, 0.1)  # shares of all cells: the bounds of successive searches
MANY = 1_000_000  # chains: until the time is up

G = TypeVar("G", bound=Graded)


@dataclass
class FillingWork(RunningSearch[Filling, G], Generic[G]):
    """A running search for a filling, independent of its judge."""

    sketch: Sketch
    method: str
    members: range  # the seeds of gradient descent
    seed: int
    max_steps: int
    settings: TrainingSettings
    engine_name: str
    moment: ClassVar[type]  # of the history
    is_complete: bool = field(init=False, default=False)  # whether every filling was considered
    descent: FillingDescent | None = field(init=False, default=None)

    @property
    def first(self) -> Filling:
        return (0,) * len(self.sketch.holes)

    def measure(self, grade: tuple[float, ...]) -> float:
        """A grade as it is shown in progress and history."""
        raise NotImplementedError

    def until(self, share: float, doing: str) -> Callable[[], bool]:
        def may_go_on() -> bool:
            self.tell(doing, self.measure(self.incumbents.grade))
            return self.clock.until(share) > 0

        return may_go_on

    @property
    def population(self) -> tuple[int, int, int, TrainingSettings, str]:
        """M, R, S, the settings and the engine of gradient descent."""
        limited = soft_settings(self.sketch, self.settings, self.max_steps)
        return self.sketch.M, self.sketch.program.R, len(self.members), limited, self.engine_name

    def descend(self, share: float, cases: Cases, **others: Any) -> None:
        """Train a population, and offer the fillings of its members."""
        self.descent = FillingDescent(
            self.sketch, cases, engine(self.engine_name), self.members, self.max_steps, **others
        )
        may_go_on = self.until(share, "gradient descent")
        while not self.descent.is_done and may_go_on():
            self.descent.advance()
            for filling in self.proposed:
                self.offer(filling, "gradient descent")

    @property
    def proposed(self) -> list[Filling]:
        """The best filling of each member."""
        return [found[0] for found in self.descent.best if found] if self.descent else []

    # -- the end -----------------------------------------------------------------

    def choices(self, number: int) -> set[int]:
        """The choices of a hole in fillings that are as good as the best."""
        return {filling[number] for filling in self.incumbents.good}

    def is_as_good(self, filling: Filling) -> bool:
        return filling in self.incumbents.good

    def decided(self) -> Iterator[Decided]:
        best = self.incumbents.best
        for number, hole in enumerate(self.sketch.holes):
            others = sorted(self.choices(number) - {best[number]})
            alone = (k for k in others if self.is_as_good((*best[:number], k, *best[number + 1 :])))
            yield Decided(
                line=hole.span.line,
                column=hole.span.column,
                word=hole.words[best[number]],
                alternatives=tuple(hole.words[k] for k in others),
                is_certain=self.is_complete,
                alone=tuple(hole.words[k] for k in alone),
            )

    @property
    def fillings(self) -> float:
        """The number of known fillings that are as good as the best."""
        return float(len(self.incumbents.good))

    def notes(self) -> Iterator[str]:
        raise NotImplementedError

    def completed(self, name: str, **made: Any) -> dict[str, Any]:
        """The fields that all results share; `made` are settings for the provenance."""
        best, clock = self.incumbents.best, self.clock
        method, found = self.incumbents.good[best][1], self.descent.best if self.descent else []
        grades = [standing.grade for _, standing in filter(None, found)]
        measured = ((t, self.measure(grade)) for t, grade in self.incumbents.history)
        holes = tuple(self.decided())
        return {
            "name": name,
            "sketch": self.sketch,
            "filling": best,
            "text": self.sketch.text(best),
            "is_determined": all(each.is_determined and each.is_certain for each in holes),
            "holes": holes,
            "size": self.sketch.size,
            "fillings": self.fillings if self.is_complete else None,
            "method": method,
            "members": len(found),
            "members_right": sum(grade <= self.incumbents.grade for grade in grades),
            "notes": tuple(self.notes()),
            "seconds": clock.seconds,
            "stop": self.stop(self.is_complete),
            "provenance": self.job.made(seed=self.seed, **made, method=self.method),
            "history": tuple(
                self.moment(round(at, 3), value) for at, value in measured if np.isfinite(value)
            ),
            "evaluations": clock.evaluations,
        }


def fill(
    name: str,
    sketch: Sketch,
    cases: Sequence[Case],
    fresh: Sequence[Case] = (),
    job: Job | None = None,
    method: str = "all",
    seeds: int = 100,
    seed: int = 0,
    max_steps: int = MAX_STEPS,
    engine: str = "fused",
    earlier: Filling | None = None,
) -> Filled:
    """Find the best filling within the job's budget, and what the cases determine.

    `fresh` cases are held out for the report. With a budget in evaluations, the same seed gives the same filling on
    any machine; gradient descent, which is not reproducible, does not run then. An `earlier` filling is tried first.
    """
    limits.check_word("method", method, METHODS)
    job = job or Job()
    if job.evaluations is not None:
        check_repeatable(job.evaluations, method)
        method = "search"
    judge = CaseJudge(sketch, Cases.distinct(cases), max_steps)
    members = range(seed * 1000, seed * 1000 + seeds)
    work = _ByCases(job, judge, sketch, method, members, seed, max_steps, SETTINGS, engine, cases)
    job.tell("compiling, once for this installation", None)
    work.prepare()
    work.offer(earlier, METHOD)
    work.begin()
    work.run()
    return work.result(name, fresh)


@dataclass
class _ByCases(FillingWork[JudgedFilling]):
    """A search for a filling by cases."""

    moment = WrongCells
    judge: CaseJudge
    given: Sequence[Case]
    explored: Enumerated | None = field(init=False, default=None)
    note: str = field(init=False, default="")

    def prepare(self) -> None:
        """Compile the kernels, and offer a first filling."""
        if self.method == "gradient":
            check_room(*self.population)
        self.offer(self.first, "the first choices")
        explorer, annealer = Explorer(self.judge), FillingAnnealer(self.judge)
        explorer.run(_once())
        annealer.run(1, (), _once())

    def begin(self) -> None:
        """Start the budget now."""
        self.judge.clock = self.clock
        self.incumbents.begin_now(self.clock)
        self.tell = timed(self.job.tell, self.share)

    def measure(self, grade: tuple[float, ...]) -> float:
        return int(grade[0])

    @property
    def wrong(self) -> int:
        return int(self.incumbents.grade[0])

    # -- the parts of the method -----------------------------------------------

    def run(self) -> None:
        if self.method == "gradient":
            self.train(1.0)
            return
        self.anneal(CHAINS, (), FIRST)
        self.walk(WALK if self.method == "all" else DESCENT)
        if self.is_complete:
            return
        if self.wrong > 0 and self.method == "all" and has_room(*self.population):
            self.train(DESCENT)
            proposals = self.proposed
            self.anneal(len(proposals), sorted(set(proposals)), POLISH)
        elif self.wrong > 0:
            self.anneal(MANY, (), POLISH)
        self.try_others()

    def anneal(self, chains: int, starts: Sequence[Filling], share: float) -> None:
        annealer = FillingAnnealer(self.judge, self.seed)
        annealer.run(chains, starts, self.until(share, "annealing"))
        self.offer(annealer.best, "annealing")

    def walk(self, share: float) -> None:
        """Branch and bound over all fillings, as far as the time allows.

        A tighter bound on wrong cells makes the search faster, so the bound starts at 0 and is relaxed.
        """
        allowed = {float(int(part * self.judge.cells)) for part in ALLOWED}
        for bound in sorted({b for b in allowed if b < self.wrong} | {float(self.wrong)}):
            explorer = Explorer(self.judge, bound)
            explorer.run(self.until(share, "branch and bound"))
            self.explored = explored = explorer.found()
            if explored.is_complete and explored.fillings:
                self.incumbents.good.clear()
            self.offer(explored.filling, "search")
            if explored.fillings or not explored.is_complete:
                break
        self.is_complete = explored.is_complete

    def train(self, share: float) -> None:
        M, _, S, settings, _ = self.population
        each = S * seconds_of_iteration(M, settings)
        every = iterations_between_looks(self.clock.until(share), each, settings)
        if every == 0:
            self.note = "gradient descent was skipped: it is too large for this budget"
            return
        settings = changed(self.settings, {"validate_every": every})
        self.descend(share, Cases.of(self.given), settings=settings)

    def try_others(self) -> None:
        """Anneal with every other choice of every hole fixed, for a while each."""
        holes = self.sketch.holes
        pairs = [(h, k) for h, hole in enumerate(holes) for k in range(len(hole.choices))]
        for done, (hole, index) in enumerate(pairs):
            if index in super().choices(hole):
                continue
            share = POLISH + (1 - POLISH) * (done + 1) / len(pairs)
            restricted = self.sketch.restricted(hole, index)
            judge = CaseJudge(restricted, self.judge.cases, self.max_steps, self.clock)
            annealer, best = FillingAnnealer(judge, self.seed), self.incumbents.best
            start = (*best[:hole], 0, *best[hole + 1 :])
            annealer.run(1, [start], self.until(share, "trying other choices"))
            if (found := annealer.best) is not None:
                self.offer((*found[:hole], index, *found[hole + 1 :]), "annealing")

    # -- the end -----------------------------------------------------------------

    @property
    def fillings(self) -> float:
        assert self.explored is not None
        return self.explored.fillings

    def choices(self, number: int) -> set[int]:
        found, explored = super().choices(number), self.explored
        if explored and explored.fillings and explored.wrong_cells == self.wrong:
            found.update(explored.choices[number])
        return found

    def is_as_good(self, filling: Filling) -> bool:
        return self.judge.judged(filling).wrong_cells <= self.wrong

    def result(self, name: str, fresh: Sequence[Case]) -> Filled:
        best = self.incumbents.best
        by_case = CaseJudge(self.sketch, Cases.of(self.given), self.max_steps).wrong_by_case(best)[
            1
        ]
        judged, shown = self.incumbents.good[best][0], None
        if fresh:
            shown = CaseJudge(self.sketch, Cases.distinct(fresh), 10 * self.max_steps).judged(best)
        return record_of(
            Filled,
            None,
            **self.completed(name, seeds=len(self.members)),
            **vars(judged),
            is_right=judged.is_right,
            contradicting=tuple(int(n) + 1 for n in np.flatnonzero(by_case)),
            fresh_cases=shown.cases if shown else 0,
            fresh_right=shown.cases - shown.wrong_cases if shown else 0,
        )

    def notes(self) -> Iterator[str]:
        outputs: dict[tuple[int, ...], set[tuple[Any, ...]]] = {}
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
        elif not self.is_complete:
            yield f"not all of the {self.sketch.size:,} fillings could be tried in this time"
        if not (self.is_complete or self.clock.counts_work):
            yield unrepeatable("filling", self.clock.worth)


def _once() -> Callable[[], bool]:
    """A check that allows a single iteration."""
    answers = iter((True, True))
    return lambda: next(answers, False)
