"""Warm starts: an earlier result that a command begins with, as the record of its kind."""

from __future__ import annotations

import os
from pathlib import Path
from typing import Any, TypeVar

from anc.diagnostics import AncError, quoted
from anc.files import read_json
from anc.records import read

METHOD = "the earlier result"  # what finds its programs and fillings again
T = TypeVar("T")


def earlier_result(start: Any, kind: type[T], command: str, what: str) -> tuple[T, str]:
    """The record of what a command gave back or left in a folder, and its name in messages.

    `what` it has to be is said where it is not.
    """
    if hasattr(start, "to_dict"):
        start = start.to_dict()
    if isinstance(start, dict):
        return read(kind, start, METHOD, what), METHOD
    if not isinstance(start, str | Path):
        found = type(start).__name__
        raise AncError(f"'start' is an earlier result or its folder, not something of type {found}")
    file = Path(start) / "result.json"
    if not os.path.exists(file):
        raise AncError(
            f"{quoted(str(start))} holds no result to start from",
            help=f"it should hold result.json, as {command} -o FOLDER writes it",
        )
    return read(kind, read_json(file), file, what), str(file)
