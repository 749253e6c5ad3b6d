"""The scheduler: reads saved outcomes from a folder; packs, trains and saves the missing parts."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Callable, Iterable, Iterator
from contextlib import suppress
from dataclasses import replace
from pathlib import Path
from typing import Any, TypeVar

from anc.support.diagnostics import AncError
from anc.support.files import check_folder, read_json, write_atomically
from anc.training.checkpoint import Checkpoint
from anc.training.distributed.chunk import FORMAT, Chunk, packed
from anc.training.distributed.executor import ChunkProgress, Executor, Tell
from anc.training.result import TrainingOutcome

MOST = 2_000_000  # trainings at once: each occupies memory until all are done
_NAME = "anc-chunk"
T = TypeVar("T")


class OutcomeStore:
    """A folder of outcomes.

    KEY.json                the outcome of a finished chunk
    KEY.safetensors         its checkpoint, if it was to stop before the end
    KEY.begun.safetensors   the checkpoint of an interrupted chunk

    A file that is damaged or not written by anc is ignored with a warning, and its chunk is trained again. Several
    processes may share a folder: files are written atomically, and all processes would write the same.
    """

    def __init__(self, folder: Path, warn: Callable[[str], None] = lambda text: None) -> None:
        self.folder, self.warn = folder, warn

    @staticmethod
    def at(folder: Path, warn: Callable[[str], None]) -> OutcomeStore:
        """The store in a folder; refuse a folder that is not writable before any work."""
        if folder.exists() and not folder.is_dir():
            raise AncError(f"cannot save trainings in {folder}: it is not a folder")
        check_folder(folder)
        return OutcomeStore(folder, warn)

    def get(self, chunk: Chunk) -> TrainingOutcome | None:
        """The saved outcome of a chunk, or None."""
        path = self._file(chunk, ".json")
        return self._tried(lambda: self._read(chunk, path)) if path.exists() else None

    def put(self, chunk: Chunk, outcome: TrainingOutcome) -> None:
        """Save the outcome of a chunk or, if it was interrupted, its checkpoint."""
        if not outcome.is_done:
            assert outcome.checkpoint is not None
            write_atomically(self._begun(chunk), outcome.checkpoint.to_bytes())
            return
        if outcome.checkpoint is not None:
            write_atomically(self._file(chunk, ".safetensors"), outcome.checkpoint.to_bytes())
        data = outcome.to_dict()
        about = {"format": _NAME, "version": FORMAT, "key": chunk.key, "sum": _sum(data)}
        text = json.dumps(about | {"outcome": data}, allow_nan=False)
        write_atomically(self._file(chunk, ".json"), text.encode())
        with suppress(OSError):
            self._begun(chunk).unlink(missing_ok=True)

    def begun(self, chunk: Chunk) -> Chunk:
        """The chunk, resumed from where it was interrupted, if it was."""
        path = self._begun(chunk)
        if not path.exists():
            return chunk
        checkpoint = self._tried(lambda: Checkpoint.read(path, chunk.member_keys))
        if checkpoint is None or not chunk.first < checkpoint.iteration <= chunk.end:
            return chunk
        return replace(chunk, begin=checkpoint)

    def _read(self, chunk: Chunk, path: Path) -> TrainingOutcome:
        data = read_json(path)
        if not isinstance(data, dict) or data.get("format") != _NAME:
            raise AncError(f"{path} is not a part that anc saved")
        if data.get("version") != FORMAT or data.get("key") != chunk.key:
            raise AncError(f"{path} is of another part than its name says")
        if data.get("sum") != _sum(data.get("outcome")):
            raise AncError(f"{path} is damaged")
        checkpoint = None
        if chunk.until is not None:
            checkpoint = Checkpoint.read(self._file(chunk, ".safetensors"), chunk.member_keys)
        return TrainingOutcome.from_dict(data["outcome"], chunk.S, str(path), checkpoint)

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
    """A checksum of everything except the time."""
    if isinstance(data, dict):
        data = {name: value for name, value in data.items() if name != "seconds"}
    return hashlib.sha256(json.dumps(data, sort_keys=True).encode()).hexdigest()


def check_trainings(count: int) -> None:
    """Refuse more trainings than can be scheduled at once."""
    if count > MOST:
        raise AncError(
            f"these are {count:,} trainings; at most {MOST:,} are possible at once",
            help="lower --seeds, or split the work",
        )


def outcomes(
    parts: Iterable[Chunk],
    executor: Executor,
    store: OutcomeStore | None = None,
    asked_to_stop: Callable[[], bool] = lambda: False,
    tell: Tell = lambda standing: None,
) -> Iterator[tuple[Chunk, TrainingOutcome]]:
    """The outcome of every part: first the saved ones, then the others as they arrive."""
    wanted = list(parts)
    found = kept(wanted, store)
    yield from ((part, found[part.key]) for part in wanted if part.key in found)
    missing = [part for part in wanted if part.key not in found]
    yield from trained(missing, executor, store, asked_to_stop, tell)


def kept(parts: Iterable[Chunk], store: OutcomeStore | None) -> dict[str, TrainingOutcome]:
    """The outcomes saved in a store, by the keys of their parts."""
    found = {} if store is None else {part.key: store.get(part) for part in parts}
    return {key: outcome for key, outcome in found.items() if outcome is not None}


def trained(
    parts: Iterable[Chunk],
    executor: Executor,
    store: OutcomeStore | None = None,
    asked_to_stop: Callable[[], bool] = lambda: False,
    tell: Tell = lambda standing: None,
) -> Iterator[tuple[Chunk, TrainingOutcome]]:
    """Train parts that are not saved; yield their outcomes as they arrive.

    Each outcome, or the checkpoint of an interrupted part, is saved at once. An error in writing is raised after all
    outcomes have arrived. Duplicate parts are trained once. If a stop is requested, the last outcomes may not be done
    (see `Outcome.is_done`), and others are missing.
    """
    wanted = {part.key: part for part in parts}
    begun = wanted.values() if store is None else map(store.begun, wanted.values())
    chunks = packed(begun, executor.workers, executor.cores, executor.is_here)
    lost: list[AncError] = []
    for chunk, outcome in executor.run(chunks, lambda: asked_to_stop() or bool(lost), tell):
        tell(ChunkProgress.after(chunk, outcome))
        some = chunk.parts()
        for part, found in zip(some, outcome.cut([each.S for each in some]), strict=True):
            if store is not None and not lost:
                _keep(store, part, found, lost)
            yield wanted[part.key], found
    if lost:
        raise lost[0]


def _keep(store: OutcomeStore, part: Chunk, outcome: TrainingOutcome, lost: list[AncError]) -> None:
    try:
        store.put(part, outcome)
    except AncError as problem:
        lost.append(problem)
