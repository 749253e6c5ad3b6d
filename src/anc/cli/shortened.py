"""Long outputs are cut where a file of the result has the rest, and name that file."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from pathlib import Path

MOST = 40  # lines that are shown one after the other
_SUFFIXES = (".py", ".anc", ".json")  # what people read first


def shortened(text: str, folder: Path) -> str:
    """The text with long rows of lines cut off that stand in a file of the folder, word for word."""
    lines = text.split("\n")
    if len(lines) <= MOST:
        return text
    files = sorted(folder.iterdir(), key=lambda file: (file.suffix, file.name))
    known = {
        file: file.read_text(encoding="utf-8")
        for suffix in _SUFFIXES
        for file in files
        if file.suffix == suffix
    }
    return "\n".join(line for part in _parts(lines) for line in _cut(part, known))


def _parts(lines: Sequence[str]) -> Iterator[list[str]]:
    """The lines between blank ones, each blank one by itself."""
    part: list[str] = []
    for line in lines:
        if line.strip():
            part.append(line)
            continue
        yield part
        yield [line]
        part = []
    yield part


def _cut(part: list[str], known: dict[Path, str]) -> list[str]:
    """The lines of a part, less those that a file has."""
    for file, text in known.items():
        there = [line.strip() in text for line in part]
        for first in range(len(part)):
            length = next((n for n, has in enumerate(there[first:]) if not has), len(part) - first)
            if length > MOST // 2:
                shown = first + MOST // 4
                more = f"... {length - MOST // 4} more lines, in {file}"
                return [*part[:shown], more, *_cut(part[first + length :], known)]
    return part
