"""A folder with the outcomes of chunks: a file for each, named by what it depends on."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterable
from pathlib import Path

from anc.diagnostics import AncError
from anc.files import read_json, write_atomically
from anc.spread.chunk import FORMAT, Chunk
from anc.spread.moment import Moment
from anc.spread.outcome import Outcome

_NAME = "anc-chunk"


class Store:
    """Outcomes of chunks in a folder; KEY.json each, and KEY.safetensors where one can go on from.

    A file that is damaged or not ours is as good as none: `warn` is told, and the chunk is done again.
    """

    def __init__(self, folder: Path, warn: Callable[[str], None] = lambda text: None) -> None:
        self.folder, self.warn = folder, warn

    def get(self, chunk: Chunk) -> Outcome | None:
        """What is kept of a chunk; None: it is missing."""
        path = self._path(chunk)
        if not path.exists():
            return None
        try:
            return self._read(chunk, path)
        except AncError as problem:
            self.warn(f"{problem.message}; this part is done again")
            return None

    def put(self, chunk: Chunk, outcome: Outcome) -> None:
        """Keep the outcome of a chunk that is done, in one atomic step."""
        if not outcome.is_done:
            raise ValueError("an outcome is kept when its chunk is done")
        if outcome.moment is not None:
            write_atomically(self._moment(chunk), outcome.moment.to_bytes())
        about = {"format": _NAME, "version": FORMAT, "key": chunk.key}
        text = json.dumps(about | {"outcome": outcome.to_dict()}, allow_nan=False)
        write_atomically(self._path(chunk), text.encode())

    def missing(self, chunks: Iterable[Chunk]) -> list[Chunk]:
        """The chunks of which nothing is kept."""
        return [chunk for chunk in chunks if self.get(chunk) is None]

    def _read(self, chunk: Chunk, path: Path) -> Outcome:
        data = read_json(path)
        if not isinstance(data, dict) or data.get("format") != _NAME:
            raise AncError(f"{path} is not a part that anc kept")
        if data.get("version") != FORMAT or data.get("key") != chunk.key:
            raise AncError(f"{path} is of another part than its name says")
        moment = None
        if chunk.until is not None:
            moment = Moment.read(self._moment(chunk))
            if moment.members != chunk.member_keys or moment.iteration != chunk.until:
                raise AncError(f"{self._moment(chunk)} is of another part than its name says")
        return Outcome.from_dict(data.get("outcome"), chunk.S, str(path), moment)

    def _path(self, chunk: Chunk) -> Path:
        return self.folder / f"{chunk.key}.json"

    def _moment(self, chunk: Chunk) -> Path:
        return self.folder / f"{chunk.key}.safetensors"
