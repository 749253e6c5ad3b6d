"""What one process writes while it runs: a line for each call that is kept.

A line is ``[place, calls so far, arguments]``, or ``[null, calls so far]``; the last line for a place
holds. Lines are only ever added, each with one write, so that whatever ends the process leaves a file
that can be read: at worst the last line is torn, and is left out. There are few lines: of a million
calls, about 56,000 with 10,000 places.
"""

from __future__ import annotations

import errno
import json
import os
import secrets
from collections.abc import Sequence
from pathlib import Path

from anc.python.recording.reservoir import MOST, Sample
from anc.support.locks import lock_of, try_lock

SUFFIX = ".part"


class Journal:
    """The open journal of this process; its lock says that the process is alive."""

    def __init__(self, path: Path) -> None:
        path.parent.mkdir(parents=True, exist_ok=True)
        self.path = path.parent / f"{path.name}.{os.getpid()}-{secrets.token_hex(4)}{SUFFIX}"
        with lock_of(
            path.parent
        ):  # nobody may find it before it is locked, and take it for a dead one
            flags = os.O_CREAT | os.O_EXCL | os.O_WRONLY | os.O_APPEND
            self.file = os.open(self.path, flags, 0o644)
            try_lock(self.file)

    def add(self, place: int | None, seen: int, arguments: str) -> None:
        """One more line, at once in the hands of the operating system."""
        where = "null" if place is None else place
        rest = f",{arguments}" if arguments else ""
        line = f"[{where},{seen}{rest}]\n".encode()
        if os.write(self.file, line) < len(line):
            raise OSError(errno.ENOSPC, "the disk is full")

    def close(self) -> None:
        os.close(self.file)


def journals_of(path: Path) -> list[Path]:
    """The journals of all processes that record to a file, dead or alive."""
    return sorted(path.parent.glob(f"{path.name}.*{SUFFIX}"))


def read_journal(path: Path) -> Sample:
    """The sample that a journal holds."""
    return sample_of(path.read_bytes().split(b"\n")[:-1])


def sample_of(lines: Sequence[bytes]) -> Sample:
    """The sample that lines make; a torn one ends it."""
    places: dict[int, list] = {}
    seen = 0
    for line in lines:
        try:
            found = json.loads(line)
        except (ValueError, RecursionError):
            break
        if not _is_whole(found):
            break
        place, seen, *arguments = found
        if place is not None:
            (places[place],) = arguments
    return Sample(tuple(places.values()), max(seen, len(places)))


def _is_whole(found: object) -> bool:
    """Whether this is what `Journal.add` writes."""
    if not isinstance(found, list) or len(found) < 2 or type(found[1]) is not int:
        return False
    if not 0 <= found[1] < MOST:
        return False
    return found[0] is None if len(found) == 2 else len(found) == 3 and type(found[0]) is int
