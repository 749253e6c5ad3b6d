"""The formatter of listings."""

from __future__ import annotations

import json
import os
import sys
from pathlib import Path
from typing import TYPE_CHECKING

import click

from anc.commands import fields, verbosity
from anc.commands.function import function
from anc.commands.line import command
from anc.commands.request import Request, required, typed
from anc.data import programs
from anc.data.loading import listing_source
from anc.support.diagnostics import AncError, plain, quoted
from anc.support.files import write_atomically
from anc.support.job import Job

if TYPE_CHECKING:
    from anc.language import Source


class Format(Request[str], name="fmt"):
    """Format a listing in canonical form; comments are kept, and it stays the same program.

    The listing is a text, a file, or the name of a shipped program.

    >>> import anc
    >>> print(anc.fmt("var k=0 ; k = READ( k )  # the first cell\\nWRITE(1,k);STOP()"), end="")
    var k = 0
    k = READ(k)  # the first cell
    WRITE(1, k)
    STOP()
    """

    listing: str | Path = required(fields.PROGRAM, in_command=False)
    listings: tuple[str, ...] = typed(
        fields.PROGRAM, metavar="LISTING...", repeated=True, completes="sketches"
    )
    check_only: bool = typed(
        False,
        "Only list files that would change; the exit status is 1 if there are any.",
        words="--check",
        section="Output",
        excludes="write",
    )
    write: bool = typed(
        False, "Write into the files instead of printing.", words="-w --write", section="Output"
    )

    def run(self, job: Job) -> str:
        if not isinstance(self.listing, str | Path):
            raise AncError(
                f"expected a listing, found something of type {type(self.listing).__name__}"
            )
        return formatted(listing_source(self.listing))


fmt = function(Format)


def formatted(source: Source) -> str:
    """The canonical form of a text, which must be a listing."""
    from anc.language.formatting import format_listing

    if source.name.endswith((".json", ".py")) or source.text.lstrip().startswith("{"):
        raise AncError(
            f"{source.name} is no listing", help="only listings (.anc files) can be formatted"
        )
    return format_listing(source)


@command(Format)
def show(request: Format) -> None:
    """Print listings in canonical form, with their comments kept.

    LISTING is a file, the name of a shipped program, or - for standard input. If one of them has an error,
    none is written.

    Examples:
      anc fmt double.anc
      anc fmt --check double.anc triple.anc
    """
    listings, write = request.listings, request.write
    if write:
        for where in listings:
            if where in programs.names() or not os.path.isfile(where):
                raise AncError(f"there is no file {quoted(where)} to write to")
    sources = {where: listing_source(where) for where in listings}
    texts = {where: (source.text, formatted(source)) for where, source in sources.items()}
    changed = [where for where, (before, after) in texts.items() if before != after]
    if write:
        for where in changed:
            _write(Path(where).resolve(), texts[where][1])
    if request.as_json:
        files = [
            {"file": where, "changed": where in changed, "text": after}
            for where, (_, after) in texts.items()
        ]
        click.echo(json.dumps({"files": files}))
    elif request.check_only:
        for where in changed:
            click.echo(f"would change {plain(where)}")
    elif write:
        for where in changed:
            verbosity.say(f"wrote {where}")
    else:
        for _, after in texts.values():
            click.echo(after, nl=False)
    if request.check_only and changed:
        sys.exit(1)


def _write(file: Path, text: str) -> None:
    """Overwrite a file, keeping its permissions."""
    mode = file.stat().st_mode
    write_atomically(file, text.encode())
    os.chmod(file, mode)
