"""The page and the figures of a result folder, by its kind."""

from __future__ import annotations

import os
from pathlib import Path

from anc.pages.figures import Figures
from anc.support.diagnostics import AncError, quoted
from anc.support.folders import KINDS, Kind


def kind_of(path: Path) -> Kind:
    """The kind of a result folder; refuses other folders, with what is expected."""
    if not os.path.exists(path):
        raise AncError(f"there is no folder {quoted(str(path))}")
    if not os.path.isdir(path):
        raise AncError(f"{quoted(str(path))} is a file, expected a result folder")
    for kind in KINDS:
        if kind.page and kind.is_in(path, if_damaged=True):  # its reader reports the damage
            return kind
    raise AncError(
        f"{quoted(str(path))} does not hold a result to report on",
        help="it should hold run.json (anc train -o), result.json (anc adapt -o,"
        " anc fill -o) or table1.json (anc table1 -o)",
    )


def report_page(path: Path) -> str:
    """The page about a result folder."""
    kind = kind_of(path)
    return kind.made(kind.page, path)


def folder_figures(path: Path) -> Figures:
    """All figures of a result folder."""
    kind = kind_of(path)
    return kind.made(kind.figures, path)
