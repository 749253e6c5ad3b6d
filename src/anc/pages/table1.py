"""Table 1, as saved by `anc table1`: its page and its figures."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from anc.pages.figures import BLUE, GREEN, GREY, ORANGE, SKY, legend_above, panels
from anc.pages.page import page
from anc.support.diagnostics import AncError
from anc.support.files import read_json
from anc.support.records import COUNT, NUMBER, SHARE, TEXT, check, list_of, maybe, record, table_of

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

    from anc.pages.figures import Figures

_BLANK = float("nan")
_ROW = record(
    {
        "seconds": NUMBER,
        "first_try_successes": COUNT,
        "first_try_interval": list_of(SHARE, 2),
        "restarts": COUNT,
    },
    task=TEXT,
    seeds=COUNT,
    generic=NUMBER,
    learned_best=maybe(NUMBER),
    learned_median=maybe(NUMBER),
    success_rate=SHARE,
    interval=list_of(SHARE, 2),
)
_PAPER = record(generic=NUMBER, learned=NUMBER, success_rate=SHARE)
_TABLE = record({"paper": table_of(_PAPER)}, settings=TEXT, command=TEXT, rows=list_of(_ROW))


def read_table1(path: Path) -> dict[str, Any]:
    """Read table1.json."""
    file = path / "table1.json"
    table = read_json(file)
    check(table, _TABLE, file)
    if not table["rows"]:
        raise AncError(f"{file} has no rows")
    return table


def table1_page(table: dict[str, Any]) -> str:
    """The HTML of the page."""
    rows = table["rows"]
    seeds = sorted({row["seeds"] for row in rows})
    return page(
        "Table 1",
        table,
        ("tiles", "charts", "page_table1"),
        ("report", "table1"),
        subtitle=f"settings: {table['settings']}; {', '.join(map(str, seeds))} seeds a task;"
        f" numbers are iterations (steps + 1)",
        notes=(f"command: {table['command']}",),
    )


def table1_figures(table: dict[str, Any]) -> Figures:
    """The two figures of the table by name, and both in one as `table1`."""
    return {
        "table1": lambda: _both(table),
        "iterations": lambda: _alone(_iterations, table),
        "success": lambda: _alone(_success, table),
    }


def _width(table: dict[str, Any]) -> float:
    return max(4.6, 0.95 * len(table["rows"]))


def _alone(draw: Callable[[dict[str, Any], Axes], None], table: dict[str, Any]) -> Figure:
    figure, (axis,) = panels(1, 1, _width(table), 3.3)
    draw(table, axis)
    legend_above(figure, axis)
    return figure


def _both(table: dict[str, Any]) -> Figure:
    figure, (left, right) = panels(1, 2, _width(table), 3.6)
    for draw, axis in ((_iterations, left), (_success, right)):
        draw(table, axis)
        axis.legend(loc="lower center", bbox_to_anchor=(0.5, 1.0), ncols=2)
    return figure


def _iterations(table: dict[str, Any], axis: Axes) -> None:
    rows = table["rows"]
    place = np.arange(len(rows))
    bars = (
        ("generic", "generic", GREY),
        ("learned_median", "learned, median", SKY),
        ("learned_best", "learned, best", BLUE),
    )
    for shift, (key, label, colour) in zip((-0.27, 0, 0.27), bars, strict=True):
        values = [_BLANK if row[key] is None else row[key] for row in rows]
        axis.bar(place + shift, values, 0.25, label=label, color=colour)
    _paper(axis, table, place + 0.27, "learned", 1, "the paper, learned")
    axis.set_ylabel("iterations (steps + 1)")
    _tasks(axis, rows)


def _success(table: dict[str, Any], axis: Axes) -> None:
    """Success rates of single attempts, comparable with the paper's, and of attempts with restarts."""
    rows = table["rows"]
    place = np.arange(len(rows))
    known = [
        row["first_try_successes"] / max(1, row["seeds"])
        if "first_try_successes" in row
        else _BLANK
        for row in rows
    ]
    restarts = any(
        row.get("restarts") or np.isnan(rate) for row, rate in zip(rows, known, strict=True)
    )
    shift = 0.2 if restarts else 0.0
    first = [row.get("first_try_interval", (_BLANK, _BLANK)) for row in rows]
    _rates(axis, place - shift, known, first, GREEN, "ours, one attempt")
    if restarts:
        again = [row["success_rate"] for row in rows]
        intervals = [row["interval"] for row in rows]
        _rates(axis, place + shift, again, intervals, (GREEN, 0.4), "ours, with restarts")
    _paper(axis, table, place - shift, "success_rate", 100, "the paper, one attempt")
    axis.set_ylabel("success rate (%)")
    axis.set_ylim(0, 105)
    _tasks(axis, rows)


def _rates(
    axis: Axes,
    place: np.ndarray,
    rates: Sequence[float],
    intervals: Sequence[Sequence[float]],
    colour: str | tuple[str, float],
    label: str,
) -> None:
    """Bars with 95 % intervals."""
    low, high = np.array(intervals, float).T
    errors = 100 * np.abs(np.stack([rates - low, high - rates]))
    axis.bar(place, 100 * np.array(rates), 0.38, yerr=errors, capsize=3, color=colour, label=label)


def _paper(
    axis: Axes, table: dict[str, Any], place: np.ndarray, key: str, times: float, label: str
) -> None:
    paper = table.get("paper", {})
    theirs = [paper.get(row["task"], {}).get(key, _BLANK) for row in table["rows"]]
    if not np.all(np.isnan(theirs)):
        axis.plot(place, times * np.array(theirs), "D", color=ORANGE, label=label)


def _tasks(axis: Axes, rows: list[dict[str, Any]]) -> None:
    names = [row["task"] for row in rows]
    axis.set_xticks(range(len(names)), names, rotation=30 if len(names) > 6 else 0)
    axis.set_xlabel("task")
    axis.grid(axis="x", visible=False)
