"""The page of `anc table1`: the table and its plots."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

from anc.diagnostics import AncError
from anc.report.page import page

_NEEDED = ("task", "generic", "learned_best", "learned_median", "success_rate", "interval")


def read_table1(path: Path) -> dict[str, Any]:
    """The contents of table1.json."""
    file = path / "table1.json"
    try:
        table = json.loads(file.read_text())
        complete = all(name in row for row in table["rows"] for name in _NEEDED)
    except OSError as problem:
        raise AncError(f"cannot read {file}: {problem}") from None
    except (ValueError, KeyError, TypeError):
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
