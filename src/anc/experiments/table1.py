"""The paper's Table 1, run again: generic and learned iterations and the success rate of each task.

Reading is in iterations, steps + 1, because the paper counts the initial state. Success is the paper's:
right on all fresh test cases, halted, and fewer steps on average than the generic program.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Iterable
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

import numpy as np

from anc.diagnostics import AncError
from anc.experiments.intervals import wilson
from anc.experiments.paper import TABLE1
from anc.files import read_json, write_atomically
from anc.learning.training import Result
from anc.provenance import provenance
from anc.version import __version__


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
    first_try_successes: int  # of members that never started again
    restarts: int
    skipped_updates: int
    cases_tested: int
    seconds: float
    stop: str


def row_of(result: Result) -> Row:
    """The table's row of a training."""
    steps = result.steps[result.succeeded] + 1
    S, won = len(result.steps), int(result.succeeded.sum())
    low, high = wilson(won, S)
    return Row(
        task=result.problem.name,
        seeds=S,
        generic=round(result.generic_steps + 1, 3),
        learned_best=round(float(steps.min()), 3) if won else None,
        learned_median=round(float(np.median(steps)), 3) if won else None,
        successes=won,
        success_rate=won / S,
        interval=(round(low, 4), round(high, 4)),
        first_try_successes=int((result.succeeded & (result.attempts == 0)).sum()),
        restarts=int(result.attempts.sum()),
        skipped_updates=result.skipped,
        cases_tested=len(result.problem.test),
        seconds=round(result.seconds, 2),
        stop=result.stop.value,
    )


def _number(value: float | None) -> str:
    return "-" if value is None else f"{value:.2f}".rstrip("0").rstrip(".")


def _paper(task: str, name: str) -> float | None:
    return getattr(TABLE1.get(task), name, None)


def _percent(value: float | None) -> str:
    return "-" if value is None else f"{value:.0%}"


_COLUMNS: tuple[tuple[str, Callable[[Row], str]], ...] = (
    ("task", lambda row: row.task),
    ("generic", lambda row: _number(row.generic)),
    ("paper", lambda row: _number(_paper(row.task, "generic"))),
    ("learned: best", lambda row: _number(row.learned_best)),
    ("paper", lambda row: _number(_paper(row.task, "learned"))),
    ("median", lambda row: _number(row.learned_median)),
    ("success rate", lambda row: _percent(row.success_rate)),
    ("95 % interval", lambda row: " to ".join(map(_percent, row.interval))),
    ("paper", lambda row: _percent(_paper(row.task, "success_rate"))),
    ("seconds", lambda row: f"{row.seconds:.1f}"),
)


def markdown(rows: Iterable[Row], settings: str, command: str, timed: bool = True) -> str:
    """The table for people, with the paper's numbers beside ours where it has some."""
    rows = list(rows)
    left_out = set() if any(row.task in TABLE1 for row in rows) else {"paper"}
    left_out |= set() if timed else {"seconds"}
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
    restarted = [row for row in rows if row.restarts]
    if restarted:
        parts = [f"{r.task} {r.first_try_successes} of {r.seeds}" for r in restarted]
        lines += ["", "Without any restart succeeded: " + ", ".join(parts) + "."]
    return "\n".join(lines) + "\n"


def table_data(rows: list[Row], settings: str, engine: str, command: str) -> dict[str, Any]:
    """All of it, for other programs."""
    data: dict[str, Any] = {"settings": settings, "engine": engine, "command": command}
    data["anc"] = __version__
    seeds = max((row.seeds for row in rows), default=0)
    data["provenance"] = provenance(command, seed=0, seeds=seeds, budget=None)
    data |= {"unit": "iterations (steps + 1)", "rows": [asdict(row) for row in rows]}
    return data | {"paper": {task: asdict(row) for task, row in TABLE1.items()}}


def write_table(rows: list[Row], settings: str, engine: str, command: str, folder: Path) -> None:
    """Write table1.md and table1.json; only the latter says how long it took."""
    text = json.dumps(table_data(rows, settings, engine, command), indent=1) + "\n"
    write_atomically(folder / "table1.json", text.encode())
    text = markdown(rows, settings, command, timed=False)
    write_atomically(folder / "table1.md", text.encode())


def read_rows(folder: Path, settings: str, seeds: int, engine: str) -> dict[str, Row]:
    """Rows that an earlier run of the same table finished with the same engine."""
    path = folder / "table1.json"
    if not path.exists():
        return {}
    data = read_json(path)
    try:
        rows = [Row(**row | {"interval": tuple(row["interval"])}) for row in data["rows"]]
        same = data["settings"] == settings and data.get("engine", engine) == engine
    except (KeyError, TypeError):
        raise AncError(f"{path} is not a table that this anc wrote") from None
    return {r.task: r for r in rows if same and r.seeds == seeds and r.stop == "done"}
