"""Reads JSON with clear errors; writes files atomically."""

from __future__ import annotations

import errno
import json
import math
import os
import tempfile
from pathlib import Path
from typing import Any

from anc.support.diagnostics import AncError, shortened
from anc.support.signals import tidied

JSON_BYTES = 256 * 2**20  # of a file that anc itself wrote


def cache_folder() -> Path:
    """Where what was measured or downloaded is kept: ANC_CACHE_DIR, or anc's folder in the user's cache."""
    return Path(os.environ.get("ANC_CACHE_DIR") or Path.home() / ".cache" / "anc")


def read_limited(path: Path, what: str, limit: int) -> bytes:
    """The bytes of a file, which should be `what`; refuses more than the limit, also from an endless stream."""
    if os.path.isdir(path):
        raise AncError(f"{path} is a directory, not {what}")
    try:
        with open(path, "rb") as stream:
            size = os.fstat(stream.fileno()).st_size  # 0 for an endless stream
            data = stream.read(limit + 1) if size <= limit else b""
    except (OSError, ValueError) as problem:
        reason = getattr(problem, "strerror", None) or problem
        raise AncError(f"cannot read {shortened(str(path), 120)}: {reason}") from None
    if max(size, len(data)) > limit:
        found = f"{size:,}" if size > limit else f"more than {limit:,}"
        raise AncError(
            f"{path} has {found} bytes; {what} has at most {limit:,}",
            help=f"is this really {what}?",
        )
    return data


def read_json(path: Path) -> Any:
    """The contents of a JSON file; errors say what is wrong with it."""
    data = read_limited(path, "a file of JSON", JSON_BYTES)
    try:
        return json.loads(data, parse_constant=_no_number, parse_float=_finite)
    except UnicodeDecodeError as problem:
        raise AncError(f"cannot read {path}: {problem}") from None
    except (ValueError, RecursionError):
        raise AncError(f"{path} is not JSON") from None


def _no_number(word: str) -> float:
    raise ValueError(f"{word} is not JSON")


def _finite(word: str) -> float:
    number = float(word)
    return number if math.isfinite(number) else _no_number(word)


def cannot_write(path: Path, problem: OSError) -> AncError:
    """The error for something that cannot be written."""
    return AncError(f"cannot write {path}: {problem.strerror or problem}")


def check_writable(path: Path | None) -> None:
    """Refuse an unwritable file before any work is done for it."""
    if path is None:
        return
    try:
        if path.is_dir():
            raise AncError(f"cannot write {path}: it is a folder", help="name a file")
        if not _is_special(path):
            tempfile.TemporaryFile(dir=_nearest_folder(path)).close()
        elif not os.access(path, os.W_OK):
            raise PermissionError(errno.EACCES, os.strerror(errno.EACCES))
    except OSError as problem:
        raise cannot_write(path, problem) from None


def check_folder(path: Path) -> None:
    """Refuse an unwritable folder before any work is done for it."""
    try:
        if path.exists() and not path.is_dir():
            raise AncError(f"cannot write into {path}: it is not a folder", help="name a folder")
        tempfile.TemporaryFile(dir=_nearest_folder(path / "file")).close()
    except OSError as problem:
        reason = problem.strerror or problem
        raise AncError(f"cannot write into {path}: {reason}", help="name another folder") from None


def write_atomically(path: Path, data: bytes) -> None:
    """Write a temporary file and rename it: a reader sees the old file or the new one.

    A link stays a link; its target is replaced. A special file (/dev/stdout, a pipe) is written to
    directly.
    """
    try:
        if _is_special(path):
            path.write_bytes(data)
            return
        place = Path(os.path.realpath(path))
        place.parent.mkdir(parents=True, exist_ok=True)
        handle, name = tempfile.mkstemp(dir=place.parent, prefix=f".{place.name[:100]}.")
    except OSError as problem:
        raise cannot_write(path, problem) from None
    temporary = Path(name)
    with tidied(lambda: temporary.unlink(missing_ok=True)):
        try:
            with os.fdopen(handle, "wb") as stream:
                stream.write(data)
                stream.flush()
                os.fsync(stream.fileno())
            temporary.chmod(0o644)
            temporary.replace(place)
        except OSError as problem:
            temporary.unlink(missing_ok=True)
            raise cannot_write(path, problem) from None
        except BaseException:
            temporary.unlink(missing_ok=True)
            raise


def _is_special(path: Path) -> bool:
    """Whether the path exists and is neither a file nor a folder."""
    return path.exists() and not path.is_file() and not path.is_dir()


def _nearest_folder(path: Path) -> Path:
    """The nearest existing folder above a file that is to be written."""
    place = Path(os.path.realpath(path)).parent
    while not os.path.lexists(place):
        place = place.parent
    return place
