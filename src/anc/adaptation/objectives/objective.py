"""Objectives: a score to minimise or maximise, a constraint, and the judge and instances for them."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any, Generic, NamedTuple, TypeVar

import numpy as np

from anc.adaptation.objectives.scores import Score, make_score, shown
from anc.machine.batch import Rules, Runs, run_all, run_encoded
from anc.machine.encoded import Cases, Encoded, encode
from anc.program import Program
from anc.support.diagnostics import AncError, counted
from anc.training.problem import FEWEST_TO_SPLIT, in_fifths

C = TypeVar("C")


class Judged(NamedTuple):
    """The scores of a program on n inputs, one row of each array for each input."""

    scores: np.ndarray  # (n,) float64; NaN where it is not valid
    valid: np.ndarray  # (n,) bool: it stopped, and the constraint holds
    steps: np.ndarray  # (n,) int64


STEP = 1e-5  # the cost of a step in annealing, in units of scores, as a tie-breaker
DIGITS = 9  # of a mean score: smaller differences are ignored


@dataclass(frozen=True)
class Standing:
    """The standing of a candidate by score: invalid runs, the mean cost of the valid ones, mean steps."""

    violations: int  # runs that do not stop or violate the constraint
    cost: float  # mean score times the objective's sign; infinite if no run is valid
    steps: float

    @property
    def grade(self) -> tuple[float, ...]:
        """The number of invalid runs, then the cost."""
        return self.violations, float(f"{self.cost:.{DIGITS}g}")

    @property
    def rank(self) -> tuple[float, ...]:
        return *self.grade, self.steps

    @property
    def is_right(self) -> bool:
        """Never: the optimum of a score is not known."""
        return False


@dataclass(frozen=True)
class Objective:
    """Minimises (or maximises) the mean score of the runs that stop and satisfy the constraint."""

    score: Score
    constraint: Score | None = None
    maximise: bool = False

    @staticmethod
    def of(objective: Any, constraint: Any, maximise: bool, M: int) -> Objective:
        """Make an objective from the user's arguments, for tapes of M cells."""
        bound = None if constraint is None else make_score(constraint, M, "constraint")
        return Objective(make_score(objective, M, "objective"), bound, maximise)

    @property
    def sign(self) -> float:
        """The factor that turns a score into a cost."""
        return -1.0 if self.maximise else 1.0

    def __str__(self) -> str:
        verb = "maximise" if self.maximise else "minimise"
        bound = "" if self.constraint is None else f" where {self.constraint.name} is not 0"
        return f"{verb} {self.score.name}{bound}"

    def judge(self, inputs: np.ndarray, runs: Runs) -> Judged:
        """Score runs on these inputs."""
        valid = runs.stopped.copy()
        if self.constraint is not None:
            valid[valid] = _holds(self.constraint.exact(inputs[valid], runs.tapes[valid]))
        scores = np.full(len(inputs), np.nan)
        scores[valid] = self.score.exact(inputs[valid], runs.tapes[valid])
        return Judged(scores, valid & np.isfinite(scores), runs.steps)

    def standing(self, judged: Judged) -> Standing:
        valid = judged.valid
        cost = float(self.sign * judged.scores[valid].mean()) if valid.any() else np.inf
        return Standing(int((~valid).sum()), cost, float(judged.steps.mean()))

    def judged(self, program: Program, inputs: np.ndarray, max_steps: int) -> Judged:
        """Run and score a program on these inputs."""
        return self.judge(inputs, run_all(program, inputs, max_steps))

    def check(self, program: Program, inputs: np.ndarray, max_steps: int) -> None:
        """Raise unless all runs of the generic program can be scored, and some of them are valid."""
        runs = run_all(program, inputs, max_steps)
        if not runs.stopped.any():
            raise AncError(
                f"the program stops on none of {len(inputs)} inputs within {max_steps:,} steps"
            )
        inputs, finals = inputs[runs.stopped], runs.tapes[runs.stopped]
        if self.constraint is not None:
            self.constraint.check(inputs, finals)
            holds = _holds(self.constraint.exact(inputs, finals))
            if not holds.any():
                raise AncError(
                    f"'constraint': {self.constraint.name} is 0, which means violated, for every final"
                    f" tape of the program; the first is {shown(finals[0])}"
                )
            inputs, finals = inputs[holds], finals[holds]
        self.score.check(inputs, finals)

    def check_soft(self, M: int) -> None:
        """Raise if the score or the constraint has no gradient."""
        for score in (self.score, self.constraint):
            if score is not None:
                score.check_soft(M)

    def has_gradient(self, M: int) -> bool:
        """Whether the score and the constraint have a gradient."""
        try:
            self.check_soft(M)
        except AncError:
            return False
        return True


class ScoreJudge(Generic[C]):
    """Judges candidates by an objective on inputs; `encoded` makes their programs.

    The deviation of the scores of the generic `program` is the unit of cost.
    """

    def __init__(
        self,
        objective: Objective,
        inputs: np.ndarray,
        max_steps: int,
        program: Program,
        encoded: Callable[[Any], Encoded] = encode,
    ) -> None:
        self.objective, self.inputs, self.max_steps = objective, inputs, max_steps
        self.program, self.encoded = program, encoded
        self.M = int(inputs.shape[1])
        self.rules = Rules.of(program.instructions, self.M, max_steps)
        self.known: dict[C, Standing] = {}

    def judged(self, candidate: C) -> Standing:
        if candidate not in self.known:
            self.known[candidate] = self.objective.standing(self.scores(candidate))
        return self.known[candidate]

    def scores(self, candidate: C) -> Judged:
        """The score on each input."""
        return self.runs(self.encoded(candidate))

    def runs(self, program: Encoded, begin: int = 0, end: int | None = None) -> Judged:
        """Run and score an encoded program on some of the inputs."""
        inputs = self.inputs[begin:end]
        return self.objective.judge(inputs, run_encoded(program, inputs, self.rules))

    @cached_property
    def usual(self) -> np.ndarray:
        """The costs of the generic program on the inputs on which it is valid."""
        judged = self.runs(encode(self.program))
        return self.objective.sign * judged.scores[judged.valid]

    @cached_property
    def unit(self) -> float:
        return max(float(self.usual.std()), 0.05 * abs(float(self.usual.mean())), 1e-9)

    def costs(self, judged: Judged) -> np.ndarray:
        """The cost of each input in annealing; an invalid one costs more than any of the generic program."""
        price = float(self.usual.max()) + 2 * self.unit
        paid = np.where(judged.valid, self.objective.sign * judged.scores, price)
        return paid + STEP * self.unit * judged.steps


def _holds(numbers: np.ndarray) -> np.ndarray:
    return np.isfinite(numbers) & (numbers != 0)


SEARCHED, CHOSEN, FRESH = 200, 400, 1000  # of a function or a task that draws them


@dataclass(frozen=True)
class Instances:
    """Three sets of tapes (n, M): to search with, to choose with, and held-out ones to report on."""

    searched: np.ndarray
    chosen: np.ndarray
    fresh: np.ndarray
    note: str = ""

    @property
    def M(self) -> int:
        return self.searched.shape[1]

    @property
    def are_fresh(self) -> bool:
        """Whether the instances of the report are held out."""
        return self.fresh is not self.searched

    @property
    def everything(self) -> np.ndarray:
        """All instances, each once."""
        if not self.are_fresh:
            return self.searched
        return np.concatenate([self.searched, self.chosen, self.fresh])

    @staticmethod
    def of(tapes: Sequence[Sequence[int]], seed: int = 0) -> Instances:
        """A user's tapes: three fifths to search with, a fifth to choose with, a fifth to report on."""
        if not len(tapes):
            raise AncError("'inputs' is empty: there is nothing to adapt to")
        sets = in_fifths(tapes, seed)
        if len(tapes) >= FEWEST_TO_SPLIT:
            return _apart(sets)
        everything = np.array(sets[0], np.uint16)
        note = (
            f"only {counted(len(tapes), 'input')}: the numbers are about the inputs of the search"
        )
        return Instances(everything, everything, everything, note)

    @staticmethod
    def drawn(draw: Callable[[int, int], Sequence[Sequence[int]]], seed: int = 0) -> Instances:
        """Tapes from a distribution: `draw(n, seed)` gives n of them."""
        sizes = enumerate((SEARCHED, CHOSEN, FRESH))
        return _apart(draw(n, 3 * seed + number) for number, n in sizes)


def _apart(sets: Iterable[Sequence[Sequence[int]]]) -> Instances:
    """The three sets, with a note if held-out instances equal others."""
    searched, chosen, fresh = (np.array(part, np.uint16) for part in sets)
    known = {row.tobytes() for row in np.concatenate([searched, chosen])}
    count = sum(row.tobytes() in known for row in fresh)
    note = f"{count} of the {len(fresh)} held-out instances equal one that was seen before"
    return Instances(searched, chosen, fresh, note if count else "")


def unanswered(inputs: np.ndarray) -> Cases:
    """Inputs as cases in which no cell counts."""
    tapes = np.ascontiguousarray(inputs, np.uint16)
    return Cases(tapes, tapes, np.zeros_like(tapes), np.ones(len(tapes)))
