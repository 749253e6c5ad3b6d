"""`anc fmt`: listings in canonical form."""

from __future__ import annotations

import json
import os
import sys
from pathlib import Path

import click

from anc import programs
from anc.cli import completion, inputs, talk
from anc.diagnostics import AncError, plain, quoted
from anc.files import write_atomically
from anc.loading import listing_source


@click.command("fmt")
@click.argument(
    "listings",
    metavar="LISTING...",
    nargs=-1,
    required=True,
    shell_complete=completion.sketches,
)
@click.option("--check", is_flag=True, help="Only say which would change; exit status 1 if any.")
@click.option("-w", "--write", is_flag=True, help="Write into the files instead of printing.")
@inputs.json_option
def command(listings: tuple[str, ...], check: bool, write: bool, as_json: bool) -> None:
    """Print listings in canonical form, with their comments kept.

    LISTING is a file, the name of a shipped program, or - for standard input. If one of them is wrong,
    none is written.
    """
    from anc.api.listings import formatted

    if check and write:
        raise click.UsageError("Give either '--check' or '--write'.")
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
    if as_json:
        files = [
            {"file": where, "changed": where in changed, "text": after}
            for where, (_, after) in texts.items()
        ]
        click.echo(json.dumps({"files": files}))
    elif check:
        for where in changed:
            click.echo(f"would change {plain(where)}")
    elif write:
        for where in changed:
            talk.say(f"wrote {where}")
    else:
        for _, after in texts.values():
            click.echo(after, nl=False)
    if check and changed:
        sys.exit(1)


def _write(file: Path, text: str) -> None:
    """Write into the file that is there, which keeps its permissions."""
    mode = file.stat().st_mode
    write_atomically(file, text.encode())
    os.chmod(file, mode)
