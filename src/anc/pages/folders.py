"""Which kind of folder this is, its page and its figures."""

from __future__ import annotations

import os
from pathlib import Path

from anc.pages.figures import Figures
from anc.support.diagnostics import AncError, quoted
from anc.support.folders import KINDS, Kind


def kind_of(path: Path) -> Kind:
    """What anc wrote into a folder; any other folder is refused with what was looked for."""
    if not os.path.exists(path):
        raise AncError(f"there is no folder {quoted(str(path))}")
    if not os.path.isdir(path):
        raise AncError(f"{quoted(str(path))} is a file; a report is about a folder")
    for kind in KINDS:
        if kind.page and kind.is_in(path, if_damaged=True):  # let its reader say what is wrong
            return kind
    raise AncError(
        f"{quoted(str(path))} holds nothing that a report can be about",
        help="it should hold run.json (anc train -o), result.json (anc adapt -o,"
        " anc fill -o) or table1.json (anc table1 -o)",
    )


def report_page(path: Path) -> str:
    """The page about a folder, whatever anc wrote there."""
    kind = kind_of(path)
    return kind.made(kind.page, path)


def folder_figures(path: Path) -> Figures:
    """All figures of a folder, whatever anc wrote there."""
    kind = kind_of(path)
    return kind.made(kind.figures, path)
