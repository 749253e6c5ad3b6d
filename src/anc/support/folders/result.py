"""Base class of results: records that convert to plain data, save themselves in a folder, and start later runs."""

from __future__ import annotations

import json
import os
from abc import ABC, abstractmethod
from pathlib import Path
from typing import Any, ClassVar, TypeVar

from anc.support.diagnostics import AncError, quoted
from anc.support.files import read_json, write_atomically
from anc.support.folders.claim import save_whole
from anc.support.folders.kinds import ResultKind
from anc.support.records import plain_record, read

METHOD = "the earlier result"  # the method name of programs and fillings that come from it
T = TypeVar("T")


class Result(ABC):
    """The result of a command: a record, which is written to a folder and read back from it."""

    kind: ClassVar[ResultKind]

    @abstractmethod
    def files(self) -> dict[str, str]:
        """The contents of the other files, by name."""

    def to_dict(self) -> dict[str, Any]:
        """Everything as plain data, for result.json and --json."""
        return plain_record(self)

    def write(self, folder: Path) -> None:
        """Write its files, result.json last."""
        write_result(folder, self.files(), self)

    def save(self, folder: Path | str, force: bool = False) -> None:
        """Save it in a folder, replacing an older result; `force` replaces any contents."""
        save_whole(self.write, folder, self.kind, force)


def write_result(folder: Path, files: dict[str, str], result: Result) -> None:
    """Write these files of a result, result.json last."""
    text = json.dumps(result.to_dict(), indent=1) + "\n"
    for name, content in (files | {"result.json": text}).items():
        write_atomically(folder / name, content.encode())


def earlier_listing(start: Any) -> str:
    """The generic program of an earlier result or of its folder; empty if there is none to be read."""
    if hasattr(start, "to_dict"):
        start = start.to_dict()
    if isinstance(start, str | Path):
        file = Path(start) / "result.json"
        start = read_json(file) if os.path.exists(file) else None
    found = start.get("generic") if isinstance(start, dict) else None
    return found if isinstance(found, str) else ""


def earlier_result(start: Any, kind: type[T], command: str, what: str) -> tuple[T, str]:
    """A warm start: the record of an earlier result or of its folder, and its name.

    `what` describes the expected result in error messages.
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
