"""Output of results: printed as text or JSON, and saved in folders and files."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterable
from itertools import groupby
from pathlib import Path
from typing import Any

import click

from anc.commands import verbosity
from anc.commands.request import Request
from anc.compiler import to_text
from anc.support.diagnostics import AncError
from anc.support.folders import FolderClaim, ResultKind, claimed


def claim_folder(
    request: Any, kind: ResultKind, resumes: bool = False, output: Path | None = None
) -> FolderClaim | None:
    """Claim the folder of -o for this command before it does any work; see `claimed`."""
    folder = output or request.output
    if folder is None:
        return None
    claim = claimed(folder, kind, request.force, resumes)
    return click.get_current_context().with_resource(claim)


def saved(
    place: FolderClaim | None, write: Callable[[Path], Any], files: Iterable[str] | None = None
) -> AncError | None:
    """Save a result in its folder, if any; an error is returned, to be raised once the result is shown."""
    if place is None:
        return None
    try:
        place.keep(write, files)
    except AncError as problem:
        return AncError(problem.message, problem.help or "what was found is printed above")
    return None


def save_and_show(
    request: Request[Any],
    result: Any,
    text: str,
    place: FolderClaim | None,
    write: Callable[[Path], Any] | None = None,
) -> None:
    """Save a result in its folder, if any, and print it as JSON or as this text.

    `write` replaces the result's own way of writing itself. A long text is cut if the folder has the rest,
    unless -v is given. With -q only the program is printed, so that it can be redirected to a file.
    """
    problem = saved(place, write or result.write)
    if place is not None and problem is None and not verbosity.is_verbose():
        text = shortened(text, place.path)
    if verbosity.is_quiet():
        text = to_text(result.program).rstrip("\n")
    answer(request, result, text)
    if problem is not None:
        raise problem
    if place is not None and not request.as_json:
        verbosity.say(f"\nsaved in {place.path}")


def answer(request: Request[Any], data: Any, text: str) -> None:
    """Print the answer: with --json the data, or the object's `to_dict`; otherwise the text."""
    as_data = getattr(data, "to_dict", lambda: data)
    click.echo(json.dumps(as_data()) if request.as_json else text)


def wrote(request: Request[Any], file: Path, words: str = "", /, **more: Any) -> None:
    """Report which file was written."""
    if request.as_json:
        click.echo(json.dumps({"wrote": str(file)} | more))
    else:
        verbosity.say(f"wrote {file} ({words})" if words else f"wrote {file}")


MOST = 40  # consecutive lines that are shown in full
_SUFFIXES = (".py", ".anc", ".json")  # in the order in which people read them


def shortened(text: str, folder: Path) -> str:
    """Cut long runs of lines that a file of the folder contains verbatim."""
    lines = text.split("\n")
    if len(lines) <= MOST:
        return text
    files = [file for file in folder.iterdir() if file.suffix in _SUFFIXES]
    files.sort(key=lambda file: (_SUFFIXES.index(file.suffix), file.name))
    known = {file: file.read_text(encoding="utf-8") for file in files}
    paragraphs = (list(rows) for _, rows in groupby(lines, key=lambda line: bool(line.strip())))
    return "\n".join(line for part in paragraphs for line in _cut(part, known))


def _cut(part: list[str], known: dict[Path, str]) -> list[str]:
    """The lines of a part, without long runs that a file has."""
    for file, text in known.items():
        there = [line.strip() in text for line in part]
        for first in range(len(part)):
            length = next((n for n, has in enumerate(there[first:]) if not has), len(part) - first)
            if length > MOST // 2:
                shown = first + MOST // 4
                more = f"... {length - MOST // 4} more lines, in {file}"
                return [*part[:shown], more, *_cut(part[first + length :], known)]
    return part
