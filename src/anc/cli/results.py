"""What commands do with a result: keep it in a folder, and show it."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any, Protocol

import click

from anc.cli import talk
from anc.compiler import to_text
from anc.diagnostics import AncError
from anc.program import Program


class Result(Protocol):
    @property
    def program(self) -> Program: ...
    def save(self, folder: Path) -> Any: ...
    def to_dict(self) -> dict[str, Any]: ...


def check_folder(output: Path | None) -> None:
    """Refuse what cannot be a folder, before any work is done for it."""
    if output is not None and output.exists() and not output.is_dir():
        raise AncError(f"{output} is not a folder")


def keep_and_show(result: Result, text: str, output: Path | None, as_json: bool) -> None:
    """Keep a result where that was asked for, and print it as JSON or as this text.

    Quietly, only the program is printed, so that it can be kept in a file.
    """
    if output is not None:
        result.save(output)
    if as_json:
        click.echo(json.dumps(result.to_dict()))
        return
    click.echo(to_text(result.program).rstrip("\n") if talk.is_quiet() else text)
    if output is not None:
        talk.say(f"\nkept in {output}")
