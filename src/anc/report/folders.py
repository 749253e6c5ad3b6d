"""Which kind of folder this is, and its page."""

from __future__ import annotations

import json
from enum import Enum
from pathlib import Path

from anc.diagnostics import AncError


class Kind(Enum):
    TRAINING = "a training run"
    ADAPTATION = "an adaptation"
    TABLE1 = "Table 1"


_MARKS = {"run.json": Kind.TRAINING, "result.json": Kind.ADAPTATION, "table1.json": Kind.TABLE1}


def kind_of(path: Path) -> Kind:
    """What anc wrote into a folder; any other folder is refused with what was looked for."""
    if not path.exists():
        raise AncError(f"there is no folder {path}")
    if not path.is_dir():
        raise AncError(f"{path} is a file; a report is about a folder")
    for mark, kind in _MARKS.items():
        if (path / mark).exists() and _is_ours(path / mark, kind):
            return kind
    raise AncError(
        f"{path} holds nothing that a report can be about",
        help="it should hold run.json (anc train -o), result.json (anc adapt -o)"
        " or table1.json (anc table1 -o)",
    )


def _is_ours(file: Path, kind: Kind) -> bool:
    """A run.json or result.json of some other program is no folder of ours."""
    try:
        data = json.loads(file.read_text())
    except (OSError, ValueError):
        return True  # damaged: let its reader say so
    if not isinstance(data, dict):
        return False
    wanted = {
        Kind.TRAINING: data.get("format") == "anc-run",
        Kind.ADAPTATION: "steps_generic" in data,
        Kind.TABLE1: "rows" in data,
    }
    return wanted[kind]


def report_page(path: Path) -> str:
    """The page about a folder, whatever anc wrote there."""
    kind = kind_of(path)
    if kind is Kind.TRAINING:
        from anc.report.training_data import read_training
        from anc.report.training_page import training_page

        return training_page(read_training(path))
    if kind is Kind.ADAPTATION:
        from anc.report.adapt_data import read_adaptation
        from anc.report.adapt_page import adapt_page

        return adapt_page(read_adaptation(path))
    from anc.report.table1_page import read_table1, table1_page

    return table1_page(read_table1(path))
