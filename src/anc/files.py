"""Writing files so that no half file is ever seen."""

from __future__ import annotations

import os
import tempfile
from pathlib import Path

from anc.diagnostics import AncError


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
