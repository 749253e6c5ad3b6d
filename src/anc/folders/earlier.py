"""A result that was kept in a folder, for a command that starts from it."""

from __future__ import annotations

import os
from pathlib import Path
from typing import Any

from anc.diagnostics import AncError, quoted
from anc.files import read_json


def earlier_result(folder: Path, command: str) -> tuple[Any, str]:
    """What the command left in a folder, as plain data, and the name of the file that it is from."""
    file = folder / "result.json"
    if not os.path.exists(file):
        raise AncError(
            f"{quoted(str(folder))} holds no result to start from",
            help=f"it should hold result.json, as {command} -o FOLDER writes it",
        )
    return read_json(file), str(file)
