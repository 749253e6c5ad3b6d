"""Training results: numbers for each member, exact in JSON, its weights, and the program read back from them."""

from __future__ import annotations

import json
import math
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, fields, replace
from enum import Enum
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from anc.compiler import to_text
from anc.language import self_contained
from anc.machine.files import save_weights
from anc.machine.interpretability import Reading, read_back
from anc.machine.text import figure
from anc.machine.weights import Weights
from anc.support.files import write_atomically
from anc.support.records import COUNT, NUMBER, SHARE, TEXT, check, list_of, record
from anc.training.members import learnt_weights

if TYPE_CHECKING:
    from anc.training.checkpoint import Checkpoint
    from anc.training.members import Members
    from anc.training.problem import Problem


_REALS = {"right": SHARE, "steps": NUMBER, "certainty": SHARE}
_COUNTS = dict.fromkeys(("found_at", "attempts", "skipped"), COUNT)
COLUMNS = (*_REALS, *_COUNTS)
_SHAPES = {"generic_steps": NUMBER, "cases_tested": COUNT, "iteration": COUNT, "seconds": NUMBER}
_Z = 1.959964  # 95 %


class StopReason(Enum):
    """Why training ended."""

    DONE = "done"
    INTERRUPTED = "interrupted"


@dataclass(frozen=True, eq=False)
class TrainingOutcome:
    """How the members' best checkpoints perform; arrays are (S,).

    Members trained to the end are judged on the test cases. Members that stop earlier are judged on the cases that
    checkpoints are chosen with (`cases_tested` is 0), and `checkpoint` is the one to resume from.
    """

    right: np.ndarray  # share of the cases on which it is right and halts
    steps: np.ndarray  # mean steps on them
    certainty: np.ndarray  # of the least certain cell that counts; 0 if not measured
    found_at: np.ndarray  # iteration of the best checkpoint
    attempts: np.ndarray
    skipped: np.ndarray  # updates skipped because a gradient was not finite
    generic_steps: float  # of the generic program on the same cases
    cases_tested: int
    iteration: int  # the last one
    seconds: float  # of its worker, in this run
    stop: StopReason
    checkpoint: Checkpoint | None = None  # to resume from, unless it was trained to the end

    @property
    def S(self) -> int:
        return len(self.steps)

    @property
    def is_right(self) -> np.ndarray:
        return self.right >= 1

    @property
    def succeeded(self) -> np.ndarray:
        """The paper's success: right on all of the cases, halted, faster than the generic program."""
        return self.is_right & (self.steps < self.generic_steps)

    @property
    def successes(self) -> int:
        return int(self.succeeded.sum())

    @property
    def steps_best(self) -> float | None:
        """The fewest steps of the successful members; None if there are none."""
        return float(self.steps[self.succeeded].min()) if self.successes else None

    @property
    def steps_median(self) -> float | None:
        return float(np.median(self.steps[self.succeeded])) if self.successes else None

    @property
    def is_done(self) -> bool:
        """Whether it was not interrupted."""
        return self.stop is StopReason.DONE

    def cut(self, sizes: Sequence[int]) -> Iterator[TrainingOutcome]:
        """The outcomes of parts of these sizes, each with its share of the time."""
        first = 0
        for size in sizes:
            these = slice(first, first + size)
            arrays: dict[str, Any] = {name: getattr(self, name)[these] for name in COLUMNS}
            checkpoint = None if self.checkpoint is None else self.checkpoint.part(these)
            yield replace(
                self, **arrays, seconds=self.seconds * size / self.S, checkpoint=checkpoint
            )
            first += size

    @staticmethod
    def joined(outcomes: Sequence[TrainingOutcome]) -> TrainingOutcome:
        """The outcomes of several parts of one population as one, without checkpoints."""
        arrays: dict[str, Any] = {
            name: np.concatenate([getattr(one, name) for one in outcomes]) for name in COLUMNS
        }
        return replace(
            outcomes[0],
            **arrays,
            iteration=min(one.iteration for one in outcomes),
            seconds=sum(one.seconds for one in outcomes),
            stop=next((one.stop for one in outcomes if not one.is_done), StopReason.DONE),
            checkpoint=None,
        )

    def to_dict(self) -> dict[str, Any]:
        """Everything but the checkpoint, as plain data."""
        columns = {name: getattr(self, name).tolist() for name in COLUMNS}
        numbers = {name: getattr(self, name) for name in _SHAPES}
        return columns | numbers | {"stop": self.stop.value}

    @staticmethod
    def from_dict(
        data: Any, S: int, where: str, checkpoint: Checkpoint | None = None
    ) -> TrainingOutcome:
        """The outcome of S members that `to_dict` wrote; refuse anything else with the reason."""
        columns = {name: list_of(shape, S) for name, shape in (_REALS | _COUNTS).items()}
        check(data, record(None, **columns, **_SHAPES, stop=TEXT), where)
        values = {name: data[name] for name in _SHAPES} | {"stop": StopReason(data["stop"])}
        values |= {name: np.array(data[name], float) for name in _REALS}
        values |= {name: np.array(data[name], np.int64) for name in _COUNTS}
        return TrainingOutcome(**values, checkpoint=checkpoint)


@dataclass(frozen=True, eq=False, kw_only=True)
class TrainingResult(TrainingOutcome):
    """The outcome of a whole training on the test cases, with its problem, members and weights."""

    problem: Problem
    members: Members
    weights: np.ndarray  # (S, n): best checkpoints

    @property
    def numbers(self) -> TrainingOutcome:
        """The outcome without problem, members and weights."""
        return TrainingOutcome(
            **{each.name: getattr(self, each.name) for each in fields(TrainingOutcome)}
        )

    @property
    def best_member(self) -> int:
        """The member with most cases right, then fewest steps, then the most certain output."""
        return min(range(self.S), key=lambda i: (-self.right[i], self.steps[i], -self.certainty[i]))

    def summary(self) -> dict[str, Any]:
        """The summary's numbers, for people and programs."""
        best, median = self.steps_best, self.steps_median
        return {
            "problem": self.problem.name,
            "members": self.S,
            "members_right": int(self.is_right.sum()),
            "members_faster": self.successes,
            "steps_generic": round(self.generic_steps, 4),
            "steps_best": None if best is None else round(best, 4),
            "steps_median": None if median is None else round(median, 4),
            "cases_tested": self.cases_tested,
            "skipped_updates": int(self.skipped.sum()),
            "restarts": int(self.attempts.sum()),
            "seconds": round(self.seconds, 2),
            "stop": self.stop.value,
        }


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


_CASES_TO_READ = 40
FILES = ("summary.json", "best.safetensors", "best.anc")


@dataclass(frozen=True)
class DecompiledMember:
    """A member's weights, and the program that they read back as on the test cases."""

    member: int
    weights: Weights
    reading: Reading

    @property
    def figure(self) -> str:
        """The lines that the cases visit, as the paper prints them."""
        return figure(self.weights, only=set(self.reading.lines))


def member_weights(result: TrainingResult, member: int) -> Weights:
    """The best checkpoint of one member."""
    settings = result.members.settings[member]
    return learnt_weights(result.problem, settings, result.weights[member])


def decompiled(result: TrainingResult) -> DecompiledMember:
    """Decompile the best member."""
    member = result.best_member
    weights = member_weights(result, member)
    tapes = [case.input for case in result.problem.test[:_CASES_TO_READ]]
    limit = result.members.shared.max_steps
    return DecompiledMember(member, weights, read_back(weights, tapes, limit))


def write_decompiled(result: TrainingResult, best: DecompiledMember, folder: Path) -> None:
    """Write summary.json, best.safetensors and, if there is an exact program, best.anc."""
    reading = best.reading
    summary = result.summary() | {
        "best_member": best.member,
        "type": reading.kind,
        "type_reason": reading.reason,
        "steps": [round(float(x), 4) for x in result.steps],
        "right": [round(float(x), 6) for x in result.right],
    }
    write_atomically(folder / "summary.json", (json.dumps(summary, indent=1) + "\n").encode())
    save_weights(best.weights, folder / "best.safetensors")
    if reading.program is not None:
        texts = {"best.anc": to_text(reading.program)}
        for name, text in self_contained(texts, reading.program.instructions).items():
            write_atomically(folder / name, text.encode())
