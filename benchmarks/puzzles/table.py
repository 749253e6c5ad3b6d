"""The table of the puzzles: what adaptation finds and proves, judged on cases that it never saw."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from statistics import geometric_mean
from typing import Any

import numpy as np

import anc
from anc.adaptation.result import Adapted, Answer
from anc.compiler import to_text
from anc.data.tasks.cases import Case
from anc.machine.batch import judge
from anc.machine.encoded import Cases
from anc.proof.preconditions.support import holding

from .puzzle import Puzzle

GIVEN = 120  # cases that an adaptation gets
JUDGED = 2_000  # other cases, which judge
_MOST_STEPS = 20_000


@dataclass(frozen=True)
class Row:
    """The answers for a puzzle: mean steps on held-out cases, and on how many of them they are wrong.

    A proved answer is judged where its precondition holds, on `covered` cases. None: there is no other answer.
    """

    name: str
    sentence: str
    held_out: bool
    generic: float
    proved: float | None
    verdict: str
    covered: int
    wrong_proved: int
    unproved: float | None
    wrong_unproved: int
    judged: int
    seconds: float
    listing: str  # of the proved answer

    def to_dict(self) -> dict[str, object]:
        return dict(self.__dict__)


def measured(
    puzzle: Puzzle, budget: float = 60.0, evaluations: int | None = None, seed: int = 0
) -> Row:
    """Adapt the solution of a puzzle once, and judge what comes back."""
    given = [_as_dict(case) for case in puzzle.cases(GIVEN, f"{seed}/given")]
    work: dict[str, Any] = {"evaluations": evaluations} if evaluations else {"budget": budget}
    found = anc.adapt(puzzle.text, given, seed=seed, **work)
    assert isinstance(found, Adapted)
    tests = Cases.of(puzzle.cases(JUDGED, f"{seed}/judged"))
    tapes = tests.inputs.astype(np.int64)
    is_better = found.proved.method != "none"
    held = holding(found.proved.facts, tapes)
    wrong, steps = _judged(found.proved, tests)
    other = None if found.unproved is None else _judged(found.unproved, tests)
    return Row(
        puzzle.name,
        puzzle.sentence,
        puzzle.held_out,
        float(judge(puzzle.program, tests, _MOST_STEPS)[1].mean()),
        float(steps.mean()) if is_better else None,
        found.proved.verdict.statement,
        int(held.sum()),
        int((wrong & held).sum()),
        None if other is None else float(other[1].mean()),
        0 if other is None else int(other[0].sum()),
        tests.C,
        found.seconds,
        to_text(found.proved.program),
    )


def rows(
    chosen: Iterable[Puzzle], budget: float = 60.0, evaluations: int | None = None
) -> Iterator[Row]:
    """A row for each puzzle, as soon as it is measured."""
    return (measured(puzzle, budget, evaluations) for puzzle in chosen)


def shown(row: Row) -> str:
    """A row as a line of text."""
    proved = "-" if row.proved is None else f"{row.proved:.1f}"
    unproved = "-" if row.unproved is None else f"{row.unproved:.1f} ({row.wrong_unproved})"
    mark = " *" if row.held_out else ""
    return (
        f"{row.name + mark:<20} {row.generic:7.1f} {proved:>7} ({row.wrong_proved} of {row.covered})"
        f" {unproved:>14} {row.seconds:6.1f} s"
    )


def totals(done: list[Row]) -> str:
    """How many are improved and proved, and how many answers are wrong somewhere."""
    better = [row for row in done if row.proved is not None]
    shares = [(row.proved or row.generic) / row.generic for row in done]
    unproved = [row for row in done if row.unproved is not None]
    return (
        f"{len(better)} of {len(done)} improved and proved, at {geometric_mean(shares):.0%} of the steps in the"
        f" geometric mean; wrong somewhere: {sum(row.wrong_proved > 0 for row in done)} of them, and"
        f" {sum(row.wrong_unproved > 0 for row in unproved)} of {len(unproved)} unproved answers"
    )


def _judged(answer: Answer, tests: Cases) -> tuple[np.ndarray, np.ndarray]:
    """On which cases it is wrong, and its steps."""
    return judge(answer.program, tests, _MOST_STEPS)


def _as_dict(case: Case) -> dict[str, list[int]]:
    return {
        "input": list(case.input),
        "output": list(case.output),
        "mask": [int(counts) for counts in case.mask],
    }
