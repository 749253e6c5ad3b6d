"""Reading JSON with plain errors, and writing files so that no half file is ever seen."""

from __future__ import annotations

import json
import math
import os
import tempfile
from pathlib import Path
from typing import Any

from anc.diagnostics import AncError


def read_json(path: Path) -> Any:
    """What a JSON file holds; whatever keeps it from being read is said plainly."""
    try:
        text = path.read_text()
    except (OSError, UnicodeDecodeError) as problem:
        raise AncError(f"cannot read {path}: {problem}") from None
    try:
        return json.loads(text, parse_constant=_no_number, parse_float=_finite)
    except (ValueError, RecursionError):
        raise AncError(f"{path} is not JSON") from None


def _no_number(word: str) -> float:
    raise ValueError(f"{word} is not JSON")


def _finite(word: str) -> float:
    number = float(word)
    return number if math.isfinite(number) else _no_number(word)


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
