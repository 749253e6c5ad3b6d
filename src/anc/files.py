"""Reading JSON with plain errors, and writing files so that no half file is ever seen."""

from __future__ import annotations

import json
import os
import tempfile
from pathlib import Path
from typing import Any

from anc.diagnostics import AncError, shortened

JSON_BYTES = 256 * 2**20  # of a file that anc itself wrote


def read_limited(path: Path, what: str, limit: int) -> bytes:
    """The bytes of a file, which should be `what`; of one without an end no more than the limit."""
    if os.path.isdir(path):
        raise AncError(f"{path} is a directory, not {what}")
    try:
        with open(path, "rb") as stream:
            size = os.fstat(stream.fileno()).st_size  # 0 of what has no end
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
    """What a JSON file holds; whatever keeps it from being read is said plainly."""
    data = read_limited(path, "a file of JSON", JSON_BYTES)
    try:
        return json.loads(data)
    except UnicodeDecodeError as problem:
        raise AncError(f"cannot read {path}: {problem}") from None
    except (ValueError, RecursionError):
        raise AncError(f"{path} is not JSON") from None


def write_atomically(path: Path, data: bytes) -> None:
    """Write beside the place and move there: a reader finds the old file or the new one."""
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        handle, temporary = tempfile.mkstemp(dir=path.parent, prefix=f".{path.name}.")
    except OSError as problem:
        raise AncError(f"cannot write {path}: {problem.strerror or problem}") from None
    try:
        with os.fdopen(handle, "wb") as stream:
            stream.write(data)
            stream.flush()
            os.fsync(stream.fileno())
        os.chmod(temporary, 0o644)
        os.replace(temporary, path)
    except OSError as problem:
        Path(temporary).unlink(missing_ok=True)
        raise AncError(f"cannot write {path}: {problem.strerror or problem}") from None
    except BaseException:
        Path(temporary).unlink(missing_ok=True)
        raise
