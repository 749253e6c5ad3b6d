"""`anc compile`: a program as registers and lines, as text, as JSON, or as weights."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import click

from anc.cli import inputs
from anc.compiler import to_text
from anc.diagnostics import AncError
from anc.program import Program

FORMS: dict[str, Callable[[Program], str]] = {
    "ir": str,
    "listing": to_text,
    "json": Program.to_json,
}


@click.command("compile")
@inputs.program_argument
@inputs.memory_option
@click.option(
    "--registers", type=click.IntRange(0), default=0, metavar="N", help="Add N spare registers."
)
@click.option(
    "--to",
    "form",
    type=click.Choice(list(FORMS)),
    default="ir",
    show_default=True,
    help="Registers and lines as in the paper, canonical text, or JSON.",
)
@inputs.output_option(help="Write a .safetensors (weights), .anc or .json file instead.")
@inputs.sharpness_option("Sharpness of the weights.")
@inputs.seed_option("Seed of the rows after the program.")
def command(
    program: str,
    memory: int | None,
    registers: int,
    form: str,
    output: Path | None,
    sharpness: float,
    seed: int,
) -> None:
    """Compile a program and show it, or save it as weights.

    PROGRAM is a file, the name of a shipped program, - for standard input, or saved weights.
    """
    compiled = inputs.load_argument(program, memory).program.with_spare(registers)
    if output is None:
        click.echo(FORMS[form](compiled).rstrip("\n"))
        return
    from anc import api

    if output.suffix == ".safetensors":
        api.save(api.soften(compiled, memory, sharpness, seed), output)
    elif output.suffix in (".anc", ".json"):
        api.save(compiled, output)
    else:
        raise AncError(
            f"cannot tell what to write to {output.name!r}",
            help="name a .safetensors (weights), .anc (listing) or .json file",
        )
    click.echo(f"wrote {output}")
