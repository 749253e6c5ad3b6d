"""The figure of the digits: how well networks learn through programs."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from anc.pages.figures import BLUE, GREEN, GREY, ORANGE, legend_above, panels

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

    from anc.pages.figures import Figures

_LEAST = 0.2  # percent
_LOOKS = {  # label, colour, shape, place beside the others
    "exact": ("through the program, exact", BLUE, "o", 0.0),
    "soft": ("through the program, soft", ORANGE, "s", 0.2),
    "direct labels": ("told every digit (ceiling)", GREEN, "D", -0.2),
    "no program": ("without the program (floor)", GREY, "^", 0.0),
}


def digits_figures(table: dict[str, Any]) -> Figures:
    """The one figure, by name: results and digits, task by task."""
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
    """Percent, as far as the axis goes."""
    return np.maximum(100 * rates, _LEAST)
