"""Training a population: iterations, validation, best checkpoints and restarts.

Each member keeps its best checkpoint: most validation cases right, then fewest steps. The numbers reported at the end
come from test cases that training has never looked at.
"""

from __future__ import annotations

import time
from collections.abc import Callable
from dataclasses import dataclass

import numpy as np

from anc.machine.encoded import Cases
from anc.machine.weights import Weights
from anc.training.interface import Engine, Report, SoftResults
from anc.training.members import (
    Members,
    Population,
    learnt_program,
    reference_population,
    starting_population,
    trainable,
)
from anc.training.problem import Problem
from anc.training.result import StopReason, TrainingOutcome, TrainingResult


@dataclass(frozen=True)
class Progress:
    """The state of a training for display."""

    iteration: int
    iterations: int
    right: int  # members whose best checkpoint is right on the validation cases
    faster: int  # ... and takes fewer steps than the generic program
    best_steps: float | None
    seconds: float
    report: Report
    validation: SoftResults

    @property
    def seconds_left(self) -> float:
        return self.seconds * (self.iterations - self.iteration) / max(self.iteration, 1)


@dataclass
class Best:
    """Each member's best checkpoint so far."""

    weights: np.ndarray  # (S, n)
    right: np.ndarray  # (S,) share of the held-out cases that it gets right and halts on
    steps: np.ndarray  # (S,) mean steps on them
    iteration: np.ndarray  # (S,) at which it was found
    promise: np.ndarray  # (S,) the largest of any checkpoint so far; see `promise_of`

    @classmethod
    def nothing(cls, weights: np.ndarray) -> Best:
        S = len(weights)
        steps, iteration = np.full(S, np.inf), np.zeros(S, np.int64)
        return cls(weights.copy(), np.full(S, -1.0), steps, iteration, np.zeros(S))


def promise_of(right: np.ndarray, running: np.ndarray, generic_steps: float) -> np.ndarray:
    """A progress score: the squared share of cases right × the share of time saved.

    The share is squared because a program that stops at once is right on some cases by chance. `running` is the
    expected number of steps before a run stops (the efficiency term), which falls before the steps do. The score
    ranks members that have not succeeded yet: partly right and about to be faster beats right and still slow.
    """
    return right**2 * (1 - running / generic_steps).clip(0)


class Training(Population):
    """A training in progress, with all state that is needed to save and resume it."""

    def __init__(self, problem: Problem, members: Members, engine: Engine) -> None:
        self.problem = problem
        program = learnt_program(problem, members.shared)
        super().__init__(
            engine,
            members,
            Cases.of(problem.pool),
            self._starting,
            reference_population(problem, members),
            trainable(program, problem.M),
        )
        self.best = Best.nothing(self.state.weights)
        self._validation = Cases.of(problem.validation)
        self._confirmation = Cases.of(problem.confirmation)
        self.generic_steps = problem.generic_steps_held_out

    def _starting(self, which: np.ndarray) -> Weights:
        return starting_population(self.problem, self.members.some(which), self.attempts[which])

    @property
    def arrays(self) -> dict[str, np.ndarray]:
        """Every array that training changes, by name. With the iteration they are the whole checkpoint."""
        changing = ("weights", "moment1", "moment2", "applied", "skipped")
        return (
            {name: getattr(self.state, name) for name in changing}
            | {"attempts": self.attempts, "begun": self.begun}
            | {f"best_{name}": array for name, array in vars(self.best).items()}
        )

    @property
    def succeeded(self) -> np.ndarray:
        """Members whose best checkpoint is right on all held-out cases and faster."""
        return (self.best.right >= 1) & (self.best.steps < self.generic_steps)

    def advance(self) -> tuple[Report, SoftResults]:
        """Train until the next validation, validate, keep the best, restart members without success."""
        report = self.train()
        evaluation = self._evaluate(self.state.logits, self._validation)
        self._keep_best(evaluation)
        self._keep_promise(report, evaluation)
        self._restart()
        return report, evaluation

    def _evaluate(self, weights: Weights, cases: Cases) -> SoftResults:
        shared = self.members.shared
        return self.engine.evaluate(weights, cases, shared.max_steps, shared.threshold)

    def _keep_best(self, evaluation: SoftResults) -> None:
        right = (evaluation.right & evaluation.halted).mean(1)
        steps = evaluation.steps.mean(1)
        best = self.best
        promising = np.flatnonzero(
            (right > best.right) | ((right == best.right) & (steps < best.steps))
        )
        # Only a checkpoint that gets all of these right is tried on the larger set of cases.
        sure = [i for i in promising if right[i] >= 1]
        if sure:
            more = self._evaluate(self.state.logits[sure], self._confirmation)
            V, C = len(self.problem.validation), len(self.problem.confirmation)
            right[sure] = (V + C * (more.right & more.halted).mean(1)) / (V + C)
            steps[sure] = (V * steps[sure] + C * more.steps.mean(1)) / (V + C)
        for i in promising:
            if (right[i], -steps[i]) > (best.right[i], -best.steps[i]):
                best.weights[i] = self.state.weights[i]
                best.right[i], best.steps[i] = right[i], steps[i]
                best.iteration[i] = self.state.iteration

    def _keep_promise(self, report: Report, evaluation: SoftResults) -> None:
        right = (evaluation.right & evaluation.halted).mean(1)
        promise = promise_of(right, report.efficiency, self.generic_steps)
        np.fmax(self.best.promise, promise, out=self.best.promise)  # NaN counts as 0

    def _restart(self) -> None:
        shared = self.members.shared
        if shared.restart_after == 0 or self.is_done:
            return
        self.restart(np.flatnonzero(~self.succeeded & (self.waited >= shared.restart_after)))


def run(
    training: Training,
    should_stop: Callable[[], bool] = lambda: False,
    after_chunk: Callable[[Progress], None] = lambda progress: None,
    seconds_before: float = 0.0,
) -> TrainingResult:
    """Train to the end or until a stop is requested, then test the best checkpoints."""
    begin = time.perf_counter() - seconds_before
    reason = advanced(training, should_stop, after_chunk, begin)
    return test(training, reason, time.perf_counter() - begin)


def advanced(
    training: Training,
    should_stop: Callable[[], bool],
    after_chunk: Callable[[Progress], None],
    begin: float,
    until: int | None = None,
) -> StopReason:
    """Train from validation to validation, to the end, to an iteration, or until a stop is requested.

    `begin` is the time at which training began. Returns why it ended.
    """
    iterations = training.members.shared.iterations
    end = iterations if until is None else until
    while training.state.iteration < end:
        report, evaluation = training.advance()
        steps = training.best.steps[training.succeeded]
        progress = Progress(
            iteration=training.state.iteration,
            iterations=iterations,
            right=int((training.best.right >= 1).sum()),
            faster=len(steps),
            best_steps=float(steps.min()) if len(steps) else None,
            seconds=time.perf_counter() - begin,
            report=report,
            validation=evaluation,
        )
        after_chunk(progress)
        if should_stop() and training.state.iteration < end:
            return StopReason.INTERRUPTED
    return StopReason.DONE


def standing(training: Training, reason: StopReason, seconds: float) -> TrainingOutcome:
    """The outcome before the end, judged on the cases that checkpoints are chosen with."""
    best = training.best
    return TrainingOutcome(
        right=best.right,
        steps=best.steps,
        certainty=np.zeros(len(best.steps)),
        found_at=best.iteration,
        attempts=training.attempts,
        skipped=training.state.skipped,
        generic_steps=training.generic_steps,
        cases_tested=0,
        iteration=training.state.iteration,
        seconds=seconds,
        stop=reason,
    )


def test(training: Training, reason: StopReason, seconds: float) -> TrainingResult:
    """Run every member's best checkpoint on the test cases, once."""
    problem, weights = training.problem, training.best.weights
    found = training._evaluate(training.state.weights_of(weights), Cases.of(problem.test))
    known = vars(standing(training, reason, seconds)) | {
        "right": (found.right & found.halted).mean(1),
        "steps": found.steps.mean(1),
        "certainty": found.certainty.min(1),
        "generic_steps": problem.generic_steps_tested,
        "cases_tested": len(problem.test),
    }
    return TrainingResult(**known, problem=problem, members=training.members, weights=weights)
