"""What came of a chunk: a few numbers for each member, exact in JSON."""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from anc.support.records import COUNT, NUMBER, SHARE, TEXT, check, list_of, record
from anc.training.checkpoint import Checkpoint
from anc.training.training import StopReason

_REALS = ("right", "steps", "certainty")
_COUNTS = ("found_at", "attempts", "skipped")
COLUMNS = _REALS + _COUNTS
_Z = 1.959964  # 95 %


@dataclass(frozen=True, eq=False)
class Outcome:
    """What a chunk's members do with their best checkpoints; arrays are (S,).

    A chunk that trains to the end is judged on the test cases. One that stops on its way is judged on
    the cases that checkpoints are chosen with (`cases_tested` is 0), and says where it stands.
    """

    right: np.ndarray  # share of the cases right and halted
    steps: np.ndarray  # mean steps on them
    certainty: np.ndarray  # least certain cell that counts; 0 where it was not looked at
    found_at: np.ndarray  # iteration of the best checkpoint
    attempts: np.ndarray
    skipped: np.ndarray  # updates left out because a gradient was not finite
    generic_steps: float  # of the generic program on the same cases
    cases_tested: int
    iteration: int  # how far it was trained
    seconds: float  # of its worker, from where it began
    stop: StopReason
    moment: Checkpoint | None = None  # where it stands, unless it was trained to the end

    @property
    def S(self) -> int:
        return len(self.steps)

    @property
    def succeeded(self) -> np.ndarray:
        """The paper's success: right on all of the cases, halted, faster than the generic program."""
        return (self.right >= 1) & (self.steps < self.generic_steps)

    @property
    def is_done(self) -> bool:
        """Whether nobody stopped it before its end."""
        return self.stop is StopReason.DONE

    def cut(self, sizes: Sequence[int]) -> Iterator[Outcome]:
        """The outcomes of parts of these sizes; each has its share of the time."""
        first = 0
        for size in sizes:
            these = slice(first, first + size)
            arrays: dict[str, Any] = {name: getattr(self, name)[these] for name in COLUMNS}
            moment = None if self.moment is None else self.moment.part(these)
            yield replace(self, **arrays, seconds=self.seconds * size / self.S, moment=moment)
            first += size

    @staticmethod
    def joined(outcomes: Sequence[Outcome]) -> Outcome:
        """The outcomes of several parts of one population as one; without where they stand."""
        arrays: dict[str, Any] = {
            name: np.concatenate([getattr(one, name) for one in outcomes]) for name in COLUMNS
        }
        return replace(
            outcomes[0],
            **arrays,
            iteration=min(one.iteration for one in outcomes),
            seconds=sum(one.seconds for one in outcomes),
            stop=next((one.stop for one in outcomes if not one.is_done), StopReason.DONE),
            moment=None,
        )

    def to_dict(self) -> dict[str, Any]:
        """Everything but the moment, as plain data."""
        columns = {name: getattr(self, name).tolist() for name in COLUMNS}
        return columns | {
            "generic_steps": self.generic_steps,
            "cases_tested": self.cases_tested,
            "iteration": self.iteration,
            "seconds": self.seconds,
            "stop": self.stop.value,
        }

    @staticmethod
    def from_dict(data: Any, S: int, where: str, moment: Checkpoint | None = None) -> Outcome:
        """The outcome of S members that `to_dict` wrote; anything else is refused with the reason."""
        check(data, _shape(S), where)
        columns: dict[str, Any] = {name: np.array(data[name], float) for name in _REALS}
        columns |= {name: np.array(data[name], np.int64) for name in _COUNTS}
        return Outcome(
            **columns,
            generic_steps=float(data["generic_steps"]),
            cases_tested=data["cases_tested"],
            iteration=data["iteration"],
            seconds=float(data["seconds"]),
            stop=StopReason(data["stop"]),
            moment=moment,
        )


def _shape(S: int):
    return record(
        right=list_of(SHARE, S),
        steps=list_of(NUMBER, S),
        certainty=list_of(SHARE, S),
        found_at=list_of(COUNT, S),
        attempts=list_of(COUNT, S),
        skipped=list_of(COUNT, S),
        generic_steps=NUMBER,
        cases_tested=COUNT,
        iteration=COUNT,
        seconds=NUMBER,
        stop=TEXT,
    )


def wilson(successes: int, trials: int) -> tuple[float, float]:
    """The 95 % Wilson interval of a rate.

    >>> tuple(round(x, 3) for x in wilson(37, 100))
    (0.282, 0.468)
    >>> tuple(round(x, 3) for x in wilson(0, 10))
    (0.0, 0.278)
    """
    rate = successes / trials
    scale = 1 + _Z**2 / trials
    middle = (rate + _Z**2 / (2 * trials)) / scale
    half = _Z * math.sqrt(rate * (1 - rate) / trials + _Z**2 / (4 * trials**2)) / scale
    return max(0.0, middle - half), min(1.0, middle + half)
