"""The page of `anc table1`: the table and its plots."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from anc.diagnostics import AncError
from anc.files import read_json
from anc.report.page import page

_NEEDED = ("task", "generic", "learned_best", "learned_median", "success_rate", "interval")


def read_table1(path: Path) -> dict[str, Any]:
    """The contents of table1.json."""
    file = path / "table1.json"
    table = read_json(file)
    try:
        complete = all(name in row for row in table["rows"] for name in _NEEDED)
    except (KeyError, TypeError):
        raise AncError(f"{file} is not a table that anc wrote") from None
    if not complete:
        raise AncError(f"{file} is not a table that this anc wrote: a row lacks a number")
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
