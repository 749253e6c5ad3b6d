"""The page of `anc table1`: the table and its plots."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from anc.pages.page import page
from anc.support.diagnostics import AncError
from anc.support.files import read_json
from anc.support.shapes import COUNT, NUMBER, SHARE, TEXT, check, list_of, maybe, record, table_of

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
    """The contents of table1.json."""
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
