"""The tables of MNIST: ours beside what digits allow and what others published; kept after each training."""

from __future__ import annotations

import json
from collections.abc import Iterable, Sequence
from dataclasses import asdict
from pathlib import Path
from statistics import mean
from typing import Any

from anc.support.diagnostics import AncError
from anc.support.files import read_json, write_atomically
from anc.support.job import cores, provenance
from anc_experiments.intervals import mean_interval
from anc_experiments.mnist.tasks import TASKS, addition
from anc_experiments.mnist.training import METHODS, RECIPES, Row, Training

# Published: accuracy of sums in percent and, where known, minutes on the authors' machines.
PUBLISHED: dict[str, dict[int, tuple[float, int | None]]] = {
    "DeepProofLog": {4: (94.0, 25), 15: (80.8, 42), 100: (37.8, 106), 200: (23.2, 128), 500: (6.0, 469)},
    "DeepSoftLog": {4: (93.5, 880), 15: (77.1, 1325)},
    "A-NeSI": {4: (92.6, 70), 15: (75.9, 917)},
    "PLIA": {4: (91.8, None), 15: (79.0, None)},
    "NeSyDM": {4: (92.5, None), 15: (77.3, None)},
    "EXAL": {4: (91.8, 32), 15: (73.3, 145)},
    "Scallop": {4: (92.3, 74)},
}  # fmt: skip
WORDS = {"results": "anc, told sums only", "digits": "the same, told every digit"}


class Table:
    """Finished trainings by task, method and seed, in a folder where they are found again."""

    def __init__(self, training: Training, command: str, folder: Path | None = None) -> None:
        self.training, self.command, self.folder = training, command, folder
        self.rows: dict[tuple[str, str, int], Row] = {}

    def read(self) -> None:
        """Take over the rows of an earlier run with the same settings."""
        path = None if self.folder is None else self.folder / "mnist.json"
        if path is None or not path.exists():
            return
        data: dict[str, Any] = read_json(path)
        try:
            if data["training"] == asdict(self.training):
                for row in data["rows"]:
                    self.add(Row(**row))
        except (KeyError, TypeError):
            raise AncError(f"{path} is not a table that this anc wrote") from None

    def add(self, row: Row) -> None:
        self.rows[row.task, row.method, row.seed] = row

    def write(self, folder: Path) -> None:
        text = json.dumps(self.data(), indent=1) + "\n"
        write_atomically(folder / "mnist.json", text.encode())
        write_atomically(folder / "mnist.md", self.markdown().encode())

    def data(self) -> dict[str, Any]:
        rows = [asdict(self.rows[key]) for key in sorted(self.rows)]
        return {
            "provenance": provenance(self.command, seed=0, seeds=None, budget=None),
            "training": asdict(self.training),
            "cores": cores(),
            "rows": rows,
            "published": {
                name: {str(N): found for N, found in each.items()}
                for name, each in PUBLISHED.items()
            },
        }

    def markdown(self) -> str:
        tricks = RECIPES[self.training.recipe].words
        lines = [
            f"Command: `{self.command}`. Percent of right results on test pictures / minutes of"
            f" training on {cores()} cores, layer built and compiled included; mean over the seeds with its"
            " 95 % interval. The epoch is chosen on training samples that are left out."
            f" Tricks, in all lines of anc: {tricks}, averaged weights, a"
            " falling rate, a pull towards all digits in the first steps, and random starts that have learnt"
            " nothing in a trial are dropped.",
        ]
        return "\n".join([*lines, *self._additions(), *self._tasks()]) + "\n"

    def _additions(self) -> list[str]:
        """A column for each N: sums of two numbers of N digits."""
        names = {task for task, _, _ in self.rows if task not in TASKS}
        sizes = sorted(int(name.removeprefix("addition")) for name in names)
        if not sizes:
            return []
        lines = ["", _line("N", map(str, sizes)), "|---|" + "---|" * len(sizes)]
        for method in METHODS:
            found = [self._some(addition(N).name, method) for N in sizes]
            if any(found):
                lines += [
                    _line(WORDS[method], map(_rate, found)),
                    _line("- digits read", map(_digits, found)),
                    _line("- which allows", map(_allowed, found, sizes)),
                ]
        for name, each in PUBLISHED.items():
            if any(N in each for N in sizes):
                lines.append(_line(name, [_published(each.get(N)) for N in sizes]))
        return lines

    def _tasks(self) -> list[str]:
        """A line for each task; digits count up to those that its program cannot distinguish."""
        names = [name for name in TASKS if any(task == name for task, _, _ in self.rows)]
        if not names:
            return []
        lines = [
            "",
            "| task | anc, told results only | digits read | told every digit | digits read"
            " | best published | seeds |",
            "|---|---|---|---|---|---|---|",
        ]
        for name in names:
            results, told = (self._some(name, method) for method in METHODS)
            cells = [_rate(results), _digits(results), _rate(told), _digits(told)]
            lines.append(_line(name, [*cells, f"{TASKS[name].published}", f"{len(results)}"]))
        return lines

    def _some(self, task: str, method: str) -> list[Row]:
        return [self.rows[key] for key in sorted(self.rows) if key[:2] == (task, method)]


def _line(name: str, cells: Iterable[str]) -> str:
    return f"| {name} | " + " | ".join(cells) + " |"


def _rate(rows: Sequence[Row]) -> str:
    if not rows:
        return "-"
    rates = [row.result for row in rows]
    low, high = mean_interval(rates)
    interval = f" ({100 * low:.1f} to {100 * high:.1f})" if len(rows) > 1 else ""
    return f"{100 * mean(rates):.1f}{interval} / {mean(row.minutes for row in rows):.1f}"


def _digits(rows: Sequence[Row]) -> str:
    return f"{100 * mean(row.digits for row in rows):.2f}" if rows else "-"


def _allowed(rows: Sequence[Row], N: int) -> str:
    return f"{100 * mean(row.digits ** (2 * N) for row in rows):.3g}" if rows else "-"


def _published(found: tuple[float, int | None] | None) -> str:
    if found is None:
        return "-"
    rate, minutes = found
    return f"{rate}" if minutes is None else f"{rate} / {minutes}"
