"""The sample file and its journals: one list of arguments per line, with a count file alongside.

Each process appends to its own journal: ``[place, calls so far, arguments]`` for each sampled call, or
``[null, calls so far]``; the last line for a place is valid. Every line is one write, so that a journal
is readable after any crash: at worst the last line is torn, and is ignored. Of a million calls, about
56,000 are written for a sample of 10,000.

Journals of processes that have ended are merged into the file. A crash at any moment neither loses nor
double counts a journal: the count file is written first, with the number of calls and the merged
journals of both the old and the new file.
"""

from __future__ import annotations

import errno
import json
import math
import os
import secrets
from collections.abc import Sequence
from dataclasses import dataclass
from hashlib import sha256
from pathlib import Path
from random import Random
from typing import Any

from anc.support.diagnostics import AncError
from anc.support.files import write_atomically
from anc.support.locks import lock_of, try_lock


class Reservoir:
    """Decides which calls are sampled, and their place in the sample.

    The first `size` calls are all sampled. After them, the gap to the next sampled call is drawn at
    once (Li's algorithm L), so that the calls in between cost nothing: of n calls, about
    size * (1 + ln(n / size)) are sampled.
    """

    def __init__(self, size: int, random: Random) -> None:
        self.size, self.random = size, random
        self.filled = 0
        self._weight = 1.0

    @property
    def is_full(self) -> bool:
        return self.filled == self.size

    def keep(self, call: int) -> tuple[int, int]:
        """The place of this call, counted from 0, and the number of the next call to sample."""
        if self.filled < self.size:
            place = self.filled
            self.filled += 1
            if self.filled < self.size:
                return place, call + 1
        else:
            place = self.random.randrange(self.size)
        self._weight *= math.exp(self._log() / self.size)
        return place, call + 1 + math.floor(self._log() / math.log1p(-self._weight))

    def _log(self) -> float:
        """The logarithm of a random number in the open interval (0, 1)."""
        return math.log(1.0 - self.random.random()) or -math.ulp(1.0)


MOST = 2**63  # more calls than any program makes


@dataclass(frozen=True)
class Sample:
    """A sample of calls, as lists of arguments, drawn from `seen` calls."""

    calls: tuple[list, ...] = ()
    seen: int = 0


def merged(samples: Sequence[Sample], size: int, random: Random) -> Sample:
    """One uniform sample of all calls that these samples were drawn from.

    Each call is taken from a sample with a probability proportional to the calls left in it.
    """
    seen = [sample.seen for sample in samples]
    total = sum(seen)
    if total <= size:
        return Sample(tuple(call for sample in samples for call in sample.calls), total)
    shuffled = [random.sample(sample.calls, len(sample.calls)) for sample in samples]
    found: list[list] = []
    left = list(seen)
    while len(found) < size and any(left):
        chosen = random.choices(range(len(left)), left)[0]
        left[chosen] -= 1
        if shuffled[chosen]:
            found.append(shuffled[chosen].pop())
        else:  # an exhausted sample
            left[chosen] = 0
    return Sample(tuple(found), total)


SIZE = 10_000
SUFFIX = ".part"


def read_calls(path: Path | str, size: int = SIZE, random: Random | None = None) -> Sample:
    """The sample of all calls recorded to a file, including those of running processes."""
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
    """Whether calls were recorded to a file, even if it is not written yet."""
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
    """The sample in the file (None: no file), and the journals already merged into it."""
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
    """The valid entries of the count file, by the digest of the sample file."""
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
    return path.parent / f"{path.name}.count"  # a path without a name is refused by the read


def _digest(data: bytes) -> str:
    return sha256(data).hexdigest()


# -- journals ----------------------------------------------------------------------


class Journal:
    """The open journal of this process; its lock says that the process is alive."""

    def __init__(self, path: Path) -> None:
        path.parent.mkdir(parents=True, exist_ok=True)
        self.path = path.parent / f"{path.name}.{os.getpid()}-{secrets.token_hex(4)}{SUFFIX}"
        with lock_of(path.parent):  # or another process may take it for a dead one
            flags = os.O_CREAT | os.O_EXCL | os.O_WRONLY | os.O_APPEND
            self.file = os.open(self.path, flags, 0o644)
            try_lock(self.file)

    def add(self, place: int | None, seen: int, arguments: str) -> None:
        """Append a line with a single write."""
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
    """The sample in the lines of a journal, up to a torn line."""
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
    """Whether a parsed line has the form that `Journal.add` writes."""
    if not isinstance(found, list) or len(found) < 2 or type(found[1]) is not int:
        return False
    if not 0 <= found[1] < MOST:
        return False
    return found[0] is None if len(found) == 2 else len(found) == 3 and type(found[0]) is int
