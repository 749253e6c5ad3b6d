"""What commands do with a result: keep it in a folder, and show it."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterable
from pathlib import Path
from typing import Any, Protocol

import click

from anc.cli import inputs, talk
from anc.cli.shortened import shortened
from anc.compiler import to_text
from anc.diagnostics import AncError
from anc.folders import Claim, Kind, claimed
from anc.program import Program


class Result(Protocol):
    @property
    def program(self) -> Program: ...
    def write(self, folder: Path) -> Any: ...
    def to_dict(self) -> dict[str, Any]: ...


def claim_folder(
    output: Path | None, kind: Kind, force: bool, resumes: bool = False
) -> Claim | None:
    """Take the folder of -o for this command, before any work is done for it: see `claimed`."""
    if output is None:
        inputs.refuse_unused(
            "force",
            because="replaces the result in a folder, and none is named",
            help="add -o FOLDER",
        )
        return None
    return click.get_current_context().with_resource(claimed(output, kind, force, resumes))


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
    result: Result,
    text: str,
    place: Claim | None,
    as_json: bool,
    write: Callable[[Path], Any] | None = None,
) -> None:
    """Keep a result where that was asked for, and print it as JSON or as this text.

    `write` writes it in another way than usual. A long text is cut where the folder has the rest,
    unless -v asks for all. Quietly, only the program is printed, so that it can be kept in a file.
    """
    problem = kept(place, write or result.write)
    if place is not None and problem is None and not talk.is_verbose():
        text = shortened(text, place.path)
    shown = to_text(result.program).rstrip("\n") if talk.is_quiet() else text
    click.echo(json.dumps(result.to_dict()) if as_json else shown)
    if problem is not None:
        raise problem
    if place is not None and not as_json:
        talk.say(f"\nkept in {place.path}")
