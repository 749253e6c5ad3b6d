"""The table of the digits, as Markdown and as JSON that can be read back, and its figure."""

from __future__ import annotations

import json
from collections.abc import Callable, Sequence
from dataclasses import asdict
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from anc.pages.figures import BLUE, GREEN, GREY, ORANGE, legend_above, panels
from anc.support.diagnostics import AncError
from anc.support.files import read_json, write_atomically
from anc.support.job import provenance
from anc.version import __version__
from anc_experiments.digits.methods import METHODS, Row
from anc_experiments.digits.network import Training
from anc_experiments.digits.tasks import TASKS

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

    from anc.pages.figures import Figures

# Published results for MNIST addition, on the authors' machines: accuracy of sums, seconds of training.
OTHERS = {
    "NeurASP": (0.962, 966),
    "DeepProbLog": (0.971, 2045),
    "LTN": (0.974, 251),
    "DeepStochLog": (0.975, 257),
    "ABL": (0.981, 47),
}
_LEAST = 0.2  # percent
_LOOKS = {  # label, colour, marker, horizontal offset
    "exact": ("through the program, exact", BLUE, "o", 0.0),
    "soft": ("through the program, soft", ORANGE, "s", 0.2),
    "direct labels": ("trained on the digits (ceiling)", GREEN, "D", -0.2),
    "no program": ("without the program (floor)", GREY, "^", 0.0),
}


class Table:
    """Rows by task and method, and each task's gap between soft and exact."""

    def __init__(self, seeds: int, training: Training, command: str) -> None:
        self.seeds, self.training, self.command = seeds, training, command
        self.rows: dict[tuple[str, str], Row] = {}
        self.gaps: dict[str, float] = {}

    def add(self, row: Row) -> None:
        self.rows[row.task, row.method] = row

    def tasks(self) -> list[str]:
        return [name for name in TASKS if any(name == task for task, _ in self.rows)]

    def data(self) -> dict[str, Any]:
        """The table as plain data, in the order of the tasks."""
        found = (self.rows.get((task, method)) for task in self.tasks() for method in METHODS)
        return {
            "command": self.command,
            "anc": __version__,
            "provenance": provenance(self.command, seed=0, seeds=self.seeds, budget=None),
            "seeds": self.seeds,
            "training": asdict(self.training),
            "rows": [asdict(row) for row in found if row is not None],
            "untrained_gaps": self.gaps,
            "others_on_mnist_addition": OTHERS,
        }

    def write(self, folder: Path) -> None:
        """Write digits.json and digits.md; only the former contains times."""
        text = json.dumps(self.data(), indent=1) + "\n"
        write_atomically(folder / "digits.json", text.encode())
        write_atomically(folder / "digits.md", self.markdown(timed=False).encode())

    def read(self, folder: Path) -> None:
        """Take over the rows of an earlier run with the same settings."""
        path = folder / "digits.json"
        if not path.exists():
            return
        data: dict[str, Any] = read_json(path)
        try:
            if (data["seeds"], data["training"]) != (self.seeds, asdict(self.training)):
                return
            for row in data["rows"]:
                pairs = {name: tuple(row[name]) for name in row if "interval" in name and row[name]}
                self.add(Row(**row | pairs))
            self.gaps |= data["untrained_gaps"]
        except (KeyError, TypeError):
            raise AncError(f"{path} is not a table that this anc wrote") from None

    def markdown(self, timed: bool = True) -> str:
        """A line for each task: results with and without the program, digits, seconds."""
        columns = [(name, cell) for name, cell in _COLUMNS if timed or cell is not _seconds]
        seconds = " Seconds: all seeds together, compilation included." if timed else ""
        lines = [
            f"Command: `{self.command}`. Percent right on test pictures, mean of {self.seeds} seeds with its"
            " 95 % interval. *Exact* and *soft* are trained through the program on its results only;"
            " *direct labels* is the same network trained on the digits; *no program* predicts the result"
            " from the pictures. Digits count as right if the program cannot tell them from the right"
            f" one; in brackets after the best renaming.{seconds} Gap: how far soft is from exact for a"
            " network that knows nothing yet.",
            "",
            "| " + " | ".join(name for name, _ in columns) + " |",
            "|" + "---|" * len(columns),
        ]
        for task in self.tasks():
            lines.append("| " + " | ".join(cell(self, task) for _, cell in columns) + " |")
        others = ", ".join(f"{name} {a:.1%} in {s} s" for name, (a, s) in OTHERS.items())
        lines += ["", f"Others, on MNIST's pictures and their own machines, sums of two: {others}."]
        return "\n".join(lines) + "\n"


def _result(method: str) -> Callable[[Table, str], str]:
    def cell(table: Table, task: str) -> str:
        row = table.rows.get((task, method))
        return "-" if row is None else _rate(row.result, row.result_interval)

    return cell


def _digits(method: str) -> Callable[[Table, str], str]:
    def cell(table: Table, task: str) -> str:
        row = table.rows.get((task, method))
        if row is None or row.digits is None or row.digits_interval is None:
            return "-"
        text = _rate(row.digits, row.digits_interval)
        is_other = row.renamed is not None and row.renamed - row.digits > 0.001
        return f"{text} ({100 * row.renamed:.1f})" if is_other else text  # type: ignore[operator]

    return cell


def _rate(mean: float, interval: tuple[float, float]) -> str:
    """Percent, with the interval if there are several seeds.

    >>> _rate(0.976, (0.971, 0.981)), _rate(0.976, (0.0, 1.0))
    ('97.6 (97.1 to 98.1)', '97.6')
    """
    if interval == (0.0, 1.0):
        return f"{100 * mean:.1f}"
    return f"{100 * mean:.1f} ({100 * interval[0]:.1f} to {100 * interval[1]:.1f})"


def _seconds(table: Table, task: str) -> str:
    found = (table.rows.get((task, method)) for method in METHODS[:2])
    return " / ".join("-" if row is None else f"{row.seconds:.0f}" for row in found)


def _gap(table: Table, task: str) -> str:
    return f"{table.gaps[task]:.2f}" if task in table.gaps else "-"


_COLUMNS: Sequence[tuple[str, Callable[[Table, str], str]]] = (
    ("task", lambda table, task: task),
    ("result: exact", _result("exact")),
    ("soft", _result("soft")),
    ("direct labels", _result("direct labels")),
    ("no program", _result("no program")),
    ("digits: exact", _digits("exact")),
    ("soft", _digits("soft")),
    ("direct labels", _digits("direct labels")),
    ("gap", _gap),
    ("seconds: exact / soft", _seconds),
)


def digits_figures(table: dict[str, Any]) -> Figures:
    """The figure, by name: results and digits for each task."""
    return {"digits": lambda: _both(table)}


def _both(table: dict[str, Any]) -> Figure:
    tasks = list(dict.fromkeys(row["task"] for row in table["rows"]))
    figure, (above, below) = panels(2, 1, max(5.0, 0.85 * len(tasks)), 2.9)
    _errors(above, table["rows"], tasks, "result", "results wrong (%)")
    _errors(below, table["rows"], tasks, "digits", "hidden digits wrong (%)")
    above.tick_params(labelbottom=False)
    below.set_xlabel("task (hollow: digits after the best renaming)")
    legend_above(figure, above)
    return figure


def _errors(axis: Axes, rows: list[dict[str, Any]], tasks: list[str], key: str, label: str) -> None:
    for method, (name, colour, shape, shift) in _LOOKS.items():
        found = [row for row in rows if row["method"] == method and row[key] is not None]
        if not found:
            continue
        place = np.array([tasks.index(row["task"]) for row in found]) + shift
        wrong = _shown(1 - np.array([row[key] for row in found]))
        high, low = _shown(1 - np.array([row[f"{key}_interval"] for row in found])).T
        spread = np.abs(np.stack([wrong - low, high - wrong]))
        axis.errorbar(place, wrong, spread, fmt=shape, color=colour, label=name, capsize=3, ms=6)
        renamed = _shown(1 - np.array([row.get("renamed") or 0.0 for row in found]))
        better = (wrong > 1.1 * renamed) & (key == "digits")
        if better.any():
            axis.plot(place[better], renamed[better], shape, mfc="none", mec=colour, ms=6)
    axis.set_yscale("log")
    axis.set_ylim(_LEAST, 120)
    axis.set_yticks([0.3, 1, 3, 10, 30, 100], ["0.3", "1", "3", "10", "30", "100"])
    axis.minorticks_off()
    axis.set_ylabel(label)
    axis.set_xticks(range(len(tasks)), tasks, rotation=30 if len(tasks) > 6 else 0)
    axis.grid(axis="x", visible=False)


def _shown(rates: np.ndarray) -> np.ndarray:
    """Percent, clipped to the axis."""
    return np.maximum(100 * rates, _LEAST)
