"""What every result can do: tell itself as plain data, and be kept in a folder with files beside its record."""

from __future__ import annotations

import json
from abc import ABC, abstractmethod
from pathlib import Path
from typing import Any, ClassVar

from anc.files import write_atomically
from anc.folders.claim import save_whole
from anc.folders.kinds import Kind
from anc.records import plain


class Result(ABC):
    """A result of a command; its record is what is read back from a folder."""

    kind: ClassVar[Kind]

    @property
    @abstractmethod
    def saved(self) -> Any:
        """The record: what result.json and --json hold."""

    @abstractmethod
    def files(self) -> dict[str, str]:
        """The texts of the other files, by name."""

    def to_dict(self) -> dict[str, Any]:
        """Everything as plain data, for result.json and --json."""
        return plain(self.saved)

    def write(self, folder: Path) -> None:
        """Write its files, and result.json last."""
        write_result(folder, self.files(), self)

    def save(self, folder: Path | str, force: bool = False) -> None:
        """Keep it in a folder, in place of an older one; `force`: of whatever is there."""
        save_whole(self.write, folder, self.kind, force)


def write_result(folder: Path, files: dict[str, str], result: Result) -> None:
    """Write these files of a result, and result.json last."""
    text = json.dumps(result.to_dict(), indent=1) + "\n"
    for name, content in (files | {"result.json": text}).items():
        write_atomically(folder / name, content.encode())
