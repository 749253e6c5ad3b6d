"""`anc programs`: the programs that come with anc."""

from __future__ import annotations

import json
from typing import Any

import click

from anc.commands.line import command
from anc.commands.request import Option, Request, typed
from anc.data import programs as shipped
from anc.data.loading import load
from anc.support.diagnostics import AncError, close_match, quoted

NAME: Any = Option(metavar="[NAME]", is_argument=True, completes="shipped_names")


class Programs(Request[None], name="programs"):
    """The shipped programs; `anc.data.programs` has them for Python."""

    which: str | None = typed(NAME)


@command(Programs)
def show(request: Programs) -> None:
    """List the shipped programs, or print the source of one."""
    name = request.which
    if name is not None and name not in shipped.names():
        match = close_match(name, shipped.names())
        raise AncError(
            f"there is no shipped program {quoted(name)}",
            help=f"did you mean '{match}'?" if match else "see: anc programs",
        )
    if request.as_json:
        found = {"programs": [_fields(known) for known in shipped.names()]}
        text = None if name is None else shipped.source(name).text
        click.echo(json.dumps(found if name is None else _fields(name) | {"text": text}))
        return
    if name is not None:
        click.echo(shipped.source(name).text.rstrip("\n"))
        return
    click.echo(f"{'name':<12} {'lines':>5} {'registers':>9} {'memory':>6}  what it does")
    for known in shipped.names():
        one = _fields(known)
        click.echo(
            f"{known:<12} {one['lines']:>5} {one['registers']:>9} {one['memory'] or '-':>6}"
            f"  {one['summary']}"
        )


def _fields(name: str) -> dict[str, Any]:
    program = load(name).program
    return {
        "name": name,
        "lines": program.L,
        "registers": program.R,
        "memory": program.memory,
        "summary": shipped.summary(name),
    }
