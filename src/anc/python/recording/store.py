"""The file with the sample: one list of arguments in a line, and beside it how many calls there were.

Journals of processes that have ended are merged into it. A crash at any moment neither loses nor
counts a journal twice: what is written first says, for the file as it was and for the file as it will
be, how many calls it stands for and which journals are in it.
"""

from __future__ import annotations

import json
import os
from hashlib import sha256
from pathlib import Path
from random import Random
from typing import Any

from anc.python.recording.journal import journals_of, read_journal
from anc.python.recording.reservoir import MOST, Sample, merged
from anc.support.diagnostics import AncError
from anc.support.files import write_atomically
from anc.support.locks import lock_of, try_lock

SIZE = 10_000


def read_calls(path: Path | str, size: int = SIZE, random: Random | None = None) -> Sample:
    """The sample of all calls that were recorded to a file, also by processes that still run."""
    path = Path(path)
    if not os.path.isdir(path.parent):
        raise AncError(f"no calls were recorded to {path}")
    with lock_of(path.parent, shared=True):
        whole, known = _read(path)
        journals = [part for part in journals_of(path) if part.name not in known]
        if whole is None and not journals:
            raise AncError(f"no calls were recorded to {path}")
        samples = [whole or Sample(), *map(read_journal, journals)]
    return merged(samples, size, random or Random())


def was_recorded(path: Path) -> bool:
    """Whether a file is one that `record` writes, or will be one when a process ends."""
    return os.path.exists(_beside(path)) or bool(journals_of(path))


def save_calls(path: Path, size: int, random: Random) -> None:
    """Merge the journals of processes that have ended into the file."""
    with lock_of(path.parent):
        whole, known = _read(path)
        ended = [part for part in journals_of(path) if _has_ended(part)]
        new = [part for part in ended if part.name not in known]
        if new:
            samples = [whole or Sample(), *map(read_journal, new)]
            _write(path, merged(samples, size, random), [part.name for part in ended])
        for part in ended:
            part.unlink()


def _has_ended(part: Path) -> bool:
    try:
        handle = os.open(part, os.O_RDONLY)
    except OSError:
        return False  # another user's
    try:
        return try_lock(handle)
    finally:
        os.close(handle)


def _read(path: Path) -> tuple[Sample | None, list[str]]:
    """The sample in the file (None: there is no file), and the journals that are in it already."""
    try:
        data = path.read_bytes()
    except FileNotFoundError:
        return None, []
    try:
        calls = tuple(json.loads(line) for line in data.splitlines() if line.strip())
    except (ValueError, RecursionError):
        raise AncError(f"{path} is not JSON lines") from None
    about = _about(path).get(_digest(data), {"seen": len(calls), "merged": []})
    return Sample(calls, max(about["seen"], len(calls))), about["merged"]


def _write(path: Path, sample: Sample, journals: list[str]) -> None:
    lines = (json.dumps(call, separators=(",", ":")) for call in sample.calls)
    data = "".join(f"{line}\n" for line in lines).encode()
    before = _digest(path.read_bytes()) if path.exists() else ""
    about = {key: value for key, value in _about(path).items() if key == before}
    about[_digest(data)] = {"seen": sample.seen, "merged": journals}
    write_atomically(_beside(path), (json.dumps(about) + "\n").encode())
    write_atomically(path, data)


def _about(path: Path) -> dict[str, Any]:
    """What is known of the file, by its content; what `_write` did not write is left out."""
    try:
        found = json.loads(_beside(path).read_bytes())
    except (FileNotFoundError, ValueError, RecursionError):
        return {}
    known = found.items() if isinstance(found, dict) else ()
    return {digest: about for digest, about in known if _is_ours(about)}


def _is_ours(about: Any) -> bool:
    return (
        isinstance(about, dict)
        and type(about.get("seen")) is int
        and 0 <= about["seen"] < MOST
        and isinstance(about.get("merged"), list)
    )


def _beside(path: Path) -> Path:
    return path.parent / f"{path.name}.count"  # a path without a name is refused when it is read


def _digest(data: bytes) -> str:
    return sha256(data).hexdigest()
