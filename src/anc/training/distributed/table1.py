"""The paper's Table 1, reproduced: generic and learned iterations and the success rate of each task.

Numbers are iterations, steps + 1, because the paper counts the initial state. Success is defined as in the paper: right
on all held-out test cases, halted, and with fewer steps on average than the generic program.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Iterable, Mapping
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

from anc.support.diagnostics import AncError
from anc.support.files import write_atomically
from anc.support.job import provenance
from anc.training.distributed.chunk import Chunk, chunks_of
from anc.training.distributed.scheduler import check_trainings
from anc.training.engines import device_of
from anc.training.members import Members
from anc.training.problem import Problem
from anc.training.result import TrainingOutcome, wilson
from anc.training.settings import TrainingSettings
from anc.training.training import StopReason
from anc.version import __version__

PARTS = "chunks"  # the folder in a table's folder in which its parts are saved


@dataclass(frozen=True)
class PaperRow:
    """The paper's numbers for a task, in iterations."""

    generic: float
    learned: float
    ideal: float
    success_rate: float


TABLE1 = {
    "access": PaperRow(6, 4, 4, 0.37),
    "increment": PaperRow(40, 16, 34, 0.84),
    "swap": PaperRow(10, 6, 6, 0.27),
    "listk": PaperRow(18, 11, 10, 0.19),
    "addition": PaperRow(20, 9, 6, 0.12),
    "sort": PaperRow(38, 18, 9.5, 0.74),
}


@dataclass(frozen=True)
class Row:
    """One task of the table; iterations are steps + 1."""

    task: str
    seeds: int
    generic: float
    learned_best: float | None
    learned_median: float | None
    successes: int
    success_rate: float
    interval: tuple[float, float]
    first_try_successes: int  # of members that were never restarted
    first_try_interval: tuple[float, float]
    restarts: int
    skipped_updates: int
    cases_tested: int
    seconds: float  # of all workers together
    stop: str


def _interval(successes: int, S: int) -> tuple[float, float]:
    low, high = wilson(successes, S)
    return round(low, 4), round(high, 4)


def row_of(task: str, outcome: TrainingOutcome, is_whole: bool = True) -> Row:
    """The table's row of a task, from the seeds trained so far."""
    best, median = outcome.steps_best, outcome.steps_median
    first_try = int((outcome.succeeded & (outcome.attempts == 0)).sum())
    stop = outcome.stop if is_whole else StopReason.INTERRUPTED
    return Row(
        task=task,
        seeds=outcome.S,
        generic=round(outcome.generic_steps + 1, 3),
        learned_best=None if best is None else round(best + 1, 3),
        learned_median=None if median is None else round(median + 1, 3),
        successes=outcome.successes,
        success_rate=outcome.successes / outcome.S,
        interval=_interval(outcome.successes, outcome.S),
        first_try_successes=first_try,
        first_try_interval=_interval(first_try, outcome.S),
        restarts=int(outcome.attempts.sum()),
        skipped_updates=int(outcome.skipped.sum()),
        cases_tested=outcome.cases_tested,
        seconds=round(outcome.seconds, 2),
        stop=stop.value,
    )


class TableInProgress:
    """A table in progress: each task's seeds in parts, and the outcomes so far."""

    def __init__(
        self, plans: Mapping[str, tuple[Problem, TrainingSettings]], seeds: int, engine: str
    ) -> None:
        check_trainings(len(plans) * seeds)
        self._parts = {
            name: chunks_of(problem, Members.alike(settings, seeds), engine)
            for name, (problem, settings) in plans.items()
        }
        self._found: dict[str, TrainingOutcome] = {}
        self._missing = {name: {part.key for part in some} for name, some in self._parts.items()}
        self.names = tuple(self._parts)

    @property
    def parts(self) -> list[Chunk]:
        """All parts to train."""
        return [part for some in self._parts.values() for part in some]

    def add(self, part: Chunk, outcome: TrainingOutcome) -> None:
        """Add the outcome of a part."""
        self._found[part.key] = outcome
        if outcome.is_done:
            self._missing[part.problem.name].discard(part.key)

    def row(self, name: str) -> Row | None:
        """A task's row from the seeds trained so far, or None."""
        parts = self._parts[name]
        found = [self._found[part.key] for part in parts if part.key in self._found]
        return (
            row_of(name, TrainingOutcome.joined(found), len(found) == len(parts)) if found else None
        )

    def rows(self) -> list[Row]:
        """The rows of all tasks with outcomes."""
        return [row for name in self.names if (row := self.row(name)) is not None]

    @property
    def done(self) -> set[str]:
        """The tasks whose seeds are all trained."""
        return {name for name, missing in self._missing.items() if not missing}


def _number(value: float | None) -> str:
    return "-" if value is None else f"{value:.2f}".rstrip("0").rstrip(".")


def _paper(task: str, name: str) -> float | None:
    return getattr(TABLE1.get(task), name, None)


def _percent(value: float | None) -> str:
    return "-" if value is None else f"{value:.0%}"


def _range(interval: tuple[float, float]) -> str:
    return " to ".join(map(_percent, interval))


_RESTARTS = (
    "The success rate is of one attempt for each seed, as the paper's is. With restarts, a seed that has found"
    " nothing begins again from other weights, within the same run."
)
_WITH_RESTARTS = "with restarts", "their 95 % interval"
_COLUMNS: tuple[tuple[str, Callable[[Row], str]], ...] = (
    ("task", lambda row: row.task),
    ("generic", lambda row: _number(row.generic)),
    ("paper", lambda row: _number(_paper(row.task, "generic"))),
    ("learned: best", lambda row: _number(row.learned_best)),
    ("paper", lambda row: _number(_paper(row.task, "learned"))),
    ("median", lambda row: _number(row.learned_median)),
    ("success rate", lambda row: _percent(row.first_try_successes / row.seeds)),
    ("95 % interval", lambda row: _range(row.first_try_interval)),
    ("paper", lambda row: _percent(_paper(row.task, "success_rate"))),
    (_WITH_RESTARTS[0], lambda row: _percent(row.success_rate)),
    (_WITH_RESTARTS[1], lambda row: _range(row.interval)),
    ("seconds", lambda row: f"{row.seconds:.1f}"),
)


def markdown(rows: Iterable[Row], settings: str, command: str, timed: bool = True) -> str:
    """The table for people, with the paper's numbers next to ours."""
    rows = list(rows)
    restarts = any(row.restarts for row in rows)
    left_out = set() if any(row.task in TABLE1 for row in rows) else {"paper"}
    left_out |= set() if timed else {"seconds"}
    left_out |= set() if restarts else {*_WITH_RESTARTS}
    columns = [(name, cell) for name, cell in _COLUMNS if name not in left_out]
    lines = [
        f"Settings: {settings}. Command: `{command}`. Numbers are iterations (steps + 1), learned ones over"
        " the successes.",
        "",
        "| " + " | ".join(name for name, _ in columns) + " |",
        "|" + "---|" * len(columns),
    ]
    for row in rows:
        cells = [cell(row) for _, cell in columns]
        lines.append("| " + " | ".join(cells) + " |")
    notes = [_RESTARTS] if restarts else []
    notes += ["Seconds include compilation where a size was new to this machine."] if timed else []
    lines += ["", " ".join(notes)] if notes else []
    return "\n".join(lines) + "\n"


def table_data(rows: list[Row], settings: str, engine: str, command: str) -> dict[str, Any]:
    """The table as plain data, for other programs."""
    data: dict[str, Any] = {"settings": settings, "engine": engine, "command": command}
    data["anc"] = __version__
    seeds = max((row.seeds for row in rows), default=0)
    data["provenance"] = provenance(command, seed=0, seeds=seeds, budget=None, **device_of(engine))
    data |= {"unit": "iterations (steps + 1)", "rows": [asdict(row) for row in rows]}
    return data | {"paper": {task: asdict(row) for task, row in TABLE1.items()}}


def write_table(rows: list[Row], settings: str, engine: str, command: str, folder: Path) -> None:
    """Write table1.md and table1.json; only the latter contains times."""
    text = json.dumps(table_data(rows, settings, engine, command), indent=1) + "\n"
    write_atomically(folder / "table1.json", text.encode())
    text = markdown(rows, settings, command, timed=False)
    write_atomically(folder / "table1.md", text.encode())


def check_older(folder: Path) -> None:
    """Refuse a folder with a table but without parts: older versions saved none."""
    path = folder / "table1.json"
    if path.exists() and not (folder / PARTS).is_dir():
        raise AncError(
            f"{folder} has a table but no folder '{PARTS}', as older versions of anc wrote it: it cannot"
            " be resumed",
            help="choose another folder with -o, or replace it with --force",
        )
