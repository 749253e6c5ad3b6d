"""A folder with the outcomes of chunks: a file for each, named by what it depends on."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Callable
from contextlib import suppress
from dataclasses import replace
from pathlib import Path
from typing import Any, TypeVar

from anc.support.diagnostics import AncError
from anc.support.files import check_folder, read_json, write_atomically
from anc.training.checkpoint import Checkpoint
from anc.training.distributed.chunk import FORMAT, Chunk
from anc.training.distributed.result import Outcome

_NAME = "anc-chunk"
T = TypeVar("T")


class Store:
    """What came of chunks, in a folder.

    KEY.json                a chunk that is done
    KEY.safetensors         where it stands, if it was to stop on its way
    KEY.begun.safetensors   where it stood when somebody interrupted it

    A file that is damaged or not ours is as good as none: `warn` is told, and the work is done again.
    Several processes may use a folder: files are written in one step, and all would write the same.
    """

    def __init__(self, folder: Path, warn: Callable[[str], None] = lambda text: None) -> None:
        self.folder, self.warn = folder, warn

    @staticmethod
    def at(folder: Path, warn: Callable[[str], None]) -> Store:
        """The store in a folder; refused before any work if nothing can be written there."""
        if folder.exists() and not folder.is_dir():
            raise AncError(f"cannot keep what is trained in {folder}: it is not a folder")
        check_folder(folder)
        return Store(folder, warn)

    def get(self, chunk: Chunk) -> Outcome | None:
        """What is kept of a chunk; None: it is missing."""
        path = self._file(chunk, ".json")
        return self._tried(lambda: self._read(chunk, path)) if path.exists() else None

    def put(self, chunk: Chunk, outcome: Outcome) -> None:
        """Keep the outcome of a chunk; of one that was interrupted, where it stands."""
        if not outcome.is_done:
            assert outcome.moment is not None
            write_atomically(self._begun(chunk), outcome.moment.to_bytes())
            return
        if outcome.moment is not None:
            write_atomically(self._file(chunk, ".safetensors"), outcome.moment.to_bytes())
        data = outcome.to_dict()
        about = {"format": _NAME, "version": FORMAT, "key": chunk.key, "sum": _sum(data)}
        text = json.dumps(about | {"outcome": data}, allow_nan=False)
        write_atomically(self._file(chunk, ".json"), text.encode())
        with suppress(OSError):
            self._begun(chunk).unlink(missing_ok=True)

    def begun(self, chunk: Chunk) -> Chunk:
        """The chunk that begins where it was interrupted, if it was."""
        path = self._begun(chunk)
        if not path.exists():
            return chunk
        moment = self._tried(lambda: Checkpoint.read(path, chunk.member_keys))
        if moment is None or not chunk.first < moment.iteration <= chunk.end:
            return chunk
        return replace(chunk, begin=moment)

    def _read(self, chunk: Chunk, path: Path) -> Outcome:
        data = read_json(path)
        if not isinstance(data, dict) or data.get("format") != _NAME:
            raise AncError(f"{path} is not a part that anc kept")
        if data.get("version") != FORMAT or data.get("key") != chunk.key:
            raise AncError(f"{path} is of another part than its name says")
        if data.get("sum") != _sum(data.get("outcome")):
            raise AncError(f"{path} is damaged")
        moment = None
        if chunk.until is not None:
            moment = Checkpoint.read(self._file(chunk, ".safetensors"), chunk.member_keys)
        return Outcome.from_dict(data["outcome"], chunk.S, str(path), moment)

    def _tried(self, read: Callable[[], T]) -> T | None:
        try:
            return read()
        except AncError as problem:
            self.warn(f"{problem.message}; this part is trained again")
            return None

    def _begun(self, chunk: Chunk) -> Path:
        return self._file(chunk, ".begun.safetensors")

    def _file(self, chunk: Chunk, ending: str) -> Path:
        return self.folder / f"{chunk.key}{ending}"


def _sum(data: Any) -> str:
    """What tells whether anything but the time was changed since it was written."""
    if isinstance(data, dict):
        data = {name: value for name, value in data.items() if name != "seconds"}
    return hashlib.sha256(json.dumps(data, sort_keys=True).encode()).hexdigest()
