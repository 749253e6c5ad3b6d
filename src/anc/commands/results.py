"""What commands do with a result: keep it in a folder, and show it."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterable, Iterator, Sequence
from pathlib import Path
from typing import Any, Protocol

import click

from anc.commands import verbosity
from anc.commands.request import Request
from anc.compiler import to_text
from anc.program import Program
from anc.support.diagnostics import AncError
from anc.support.folders import Claim, Kind, claimed


class Result(Protocol):
    @property
    def program(self) -> Program: ...
    def write(self, folder: Path) -> Any: ...
    def to_dict(self) -> dict[str, Any]: ...


def claim_folder(
    request: Any, kind: Kind, resumes: bool = False, output: Path | None = None
) -> Claim | None:
    """Take the folder of -o for this command, before any work is done for it: see `claimed`."""
    folder = output or request.output
    if folder is None:
        return None
    claim = claimed(folder, kind, request.force, resumes)
    return click.get_current_context().with_resource(claim)


def kept(
    place: Claim | None, write: Callable[[Path], Any], files: Iterable[str] | None = None
) -> AncError | None:
    """Keep a result where that was asked for; what went wrong is told after it was shown."""
    if place is None:
        return None
    try:
        place.keep(write, files)
    except AncError as problem:
        return AncError(problem.message, problem.help or "what was found is printed above")
    return None


def keep_and_show(
    request: Request[Any],
    result: Result,
    text: str,
    place: Claim | None,
    write: Callable[[Path], Any] | None = None,
) -> None:
    """Keep a result where that was asked for, and print it as JSON or as this text.

    `write` writes it in another way than usual. A long text is cut where the folder has the rest,
    unless -v asks for all. Quietly, only the program is printed, so that it can be kept in a file.
    """
    problem = kept(place, write or result.write)
    if place is not None and problem is None and not verbosity.is_verbose():
        text = shortened(text, place.path)
    if verbosity.is_quiet():
        text = to_text(result.program).rstrip("\n")
    answer(request, result, text)
    if problem is not None:
        raise problem
    if place is not None and not request.as_json:
        verbosity.say(f"\nkept in {place.path}")


def answer(request: Request[Any], data: Any, text: str) -> None:
    """Print the answer: data, or what makes it, as JSON, or else a text."""
    as_data = getattr(data, "to_dict", lambda: data)
    click.echo(json.dumps(as_data()) if request.as_json else text)


def wrote(request: Request[Any], file: Path, words: str = "", /, **more: Any) -> None:
    """Say which file was written, and what it is about."""
    if request.as_json:
        click.echo(json.dumps({"wrote": str(file)} | more))
    else:
        verbosity.say(f"wrote {file} ({words})" if words else f"wrote {file}")


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
