"""A source text and where it came from."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

from anc.diagnostics import AncError

MAX_BYTES = 1_000_000


@dataclass(frozen=True)
class Source:
    text: str
    name: str = "<program>"


def read_source(path: Path) -> Source:
    """The text of a program file; whatever keeps it from being one is said plainly."""
    if path.is_file() and path.stat().st_size > MAX_BYTES:
        raise AncError(
            f"{path} has {path.stat().st_size:,} bytes; a program file has at most {MAX_BYTES:,}",
            help="is this really a program?",
        )
    return decode(read_bytes(path, "a program file"), str(path))


def read_bytes(path: Path, what: str) -> bytes:
    """The bytes of a file, which should be `what`."""
    if path.is_dir():
        raise AncError(f"{path} is a directory, not {what}")
    try:
        return path.read_bytes()
    except (OSError, ValueError) as problem:
        reason = getattr(problem, "strerror", None) or problem
        raise AncError(f"cannot read {path}: {reason}") from None


def decode(data: bytes, name: str, limit: int = MAX_BYTES) -> Source:
    """Bytes as a source text; the place of a byte that is not UTF-8 is named."""
    if len(data) > limit:
        raise AncError(f"{name} has {len(data):,} bytes; a program has at most {limit:,}")
    try:
        return Source(data.decode("utf-8-sig"), name)
    except UnicodeDecodeError as problem:
        line = data[: problem.start].count(b"\n") + 1
        raise AncError(
            f"{name} is not UTF-8 text: line {line} has the byte 0x{data[problem.start]:02x}",
            help="save the file as UTF-8",
        ) from None
