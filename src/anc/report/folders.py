"""Which kind of folder this is, its page and its figures."""

from __future__ import annotations

import os
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from pkgutil import resolve_name
from typing import Any

from anc.diagnostics import AncError, quoted
from anc.files import read_json
from anc.report.figures import Figures


@dataclass(frozen=True)
class Kind:
    """A kind of folder: the file that marks it and what is in there, and what can be made of it.

    The functions are named, so that nothing is imported for a kind that is not there.
    """

    words: str
    mark: str
    marked: Callable[[dict[str, Any]], bool]  # not by some other program's file of that name
    read: str
    page: str
    figures: str

    def made(self, function: str, path: Path) -> Any:
        """What the function makes of the folder."""
        return resolve_name(f"anc.report.{function}")(resolve_name(f"anc.report.{self.read}")(path))


TRAINING = Kind(
    "a training run",
    "run.json",
    lambda data: data.get("format") == "anc-run",
    read="training_data:read_training",
    page="training_page:training_page",
    figures="figures.training:training_figures",
)
ADAPTATION = Kind(
    "an adaptation",
    "result.json",
    lambda data: "steps_generic" in data,
    read="adapt_data:read_adaptation",
    page="adapt_page:adapt_page",
    figures="figures.adapt:adapt_figures",
)
OBJECTIVE = Kind(
    "a program for an objective",
    "result.json",
    lambda data: "comparison" in data and "holes" not in data,
    read="aim_data:read_improved",
    page="aim_page:aim_page",
    figures="figures.aim:aim_figures",
)
FILLED = Kind(
    "a filled sketch",
    "result.json",
    lambda data: "holes" in data,
    read="aim_data:read_filled",
    page="aim_page:aim_page",
    figures="figures.aim:aim_figures",
)
TABLE1 = Kind(
    "Table 1",
    "table1.json",
    lambda data: "rows" in data,
    read="table1_page:read_table1",
    page="table1_page:table1_page",
    figures="figures.table1:table1_figures",
)


def kind_of(path: Path) -> Kind:
    """What anc wrote into a folder; any other folder is refused with what was looked for."""
    if not os.path.exists(path):
        raise AncError(f"there is no folder {quoted(str(path))}")
    if not os.path.isdir(path):
        raise AncError(f"{quoted(str(path))} is a file; a report is about a folder")
    for kind in (TRAINING, ADAPTATION, OBJECTIVE, FILLED, TABLE1):
        if (path / kind.mark).exists() and _is_ours(path, kind):
            return kind
    raise AncError(
        f"{quoted(str(path))} holds nothing that a report can be about",
        help="it should hold run.json (anc train -o), result.json (anc adapt -o,"
        " anc fill -o) or table1.json (anc table1 -o)",
    )


def _is_ours(path: Path, kind: Kind) -> bool:
    try:
        data = read_json(path / kind.mark)
    except AncError:
        return True  # damaged: let its reader say so
    return isinstance(data, dict) and kind.marked(data)


def report_page(path: Path) -> str:
    """The page about a folder, whatever anc wrote there."""
    kind = kind_of(path)
    return kind.made(kind.page, path)


def folder_figures(path: Path) -> Figures:
    """All figures of a folder, whatever anc wrote there."""
    kind = kind_of(path)
    return kind.made(kind.figures, path)
