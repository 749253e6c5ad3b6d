"""`anc report` and `anc figure`: pages and pictures of what anc left in a folder."""

from __future__ import annotations

import json
from pathlib import Path
from typing import TYPE_CHECKING

import click

from anc.cli import completion, inputs, talk
from anc.machine.tapes import parse_tape

if TYPE_CHECKING:
    from anc.loading import Loaded


@click.command("report")
@click.argument("what", metavar="FOLDER|PROGRAM", shell_complete=completion.results)
@inputs.output_option(
    metavar="FILE", help="Where to write the page  [default: FOLDER/report.html, or NAME.html]"
)
@inputs.memory_option
@inputs.json_option
def report_command(what: str, output: Path | None, memory: int | None, as_json: bool) -> None:
    """Write a page about a folder of results, or about a program.

    FOLDER is one of anc train, adapt, fill or table1. Of a PROGRAM the page steps through its first
    example. It is one file that needs no network; open it in a browser.
    """
    from anc.api.pages import write_report

    page = write_report(what, output, memory, inputs.load_argument)
    if as_json:
        click.echo(json.dumps({"wrote": str(page.file), "about": page.about}))
    else:
        talk.say(f"wrote {page.file} ({page.about})")


@click.command("figure")
@click.argument("what", metavar="FOLDER|PROGRAM", shell_complete=completion.results)
@click.option("--name", "names", multiple=True, help="Only this figure; may be repeated.")
@inputs.output_option(
    default=Path("."), metavar="DIR", help="Folder to write the figures to  [default: here]"
)
@click.option(
    "--format", "formats", default="svg,png", show_default=True, help="Any of svg, png, pdf."
)
@click.option("--tape", "-t", help="Of a program: a tape for the figure of a run.")
@inputs.memory_option
@inputs.sharpness_option("a program's weights")
@inputs.json_option
def figure_command(
    what: str,
    names: tuple[str, ...],
    output: Path,
    formats: str,
    tape: str | None,
    memory: int | None,
    sharpness: float,
    as_json: bool,
) -> None:
    """Save the figures of a folder, or of a program's weights.

    They are for papers and slides. FOLDER is one of anc train, adapt, fill or table1; without
    --name all its figures are saved. Of a PROGRAM, or of weights (.safetensors), there are: weights
    and, with --tape, run.
    """
    from anc.api.pages import write_figures
    from anc.loading import is_folder

    wanted = [part.strip() for part in formats.split(",") if part.strip()]
    cells = None if tape is None else parse_tape(tape)
    chosen = output, names, wanted, cells, memory, sharpness
    if is_folder(what):
        inputs.refuse_unused(
            "sharpness", because=f"is about a program, and {what} is a folder of results"
        )
    files = write_figures(what, *chosen, _load_for_figures)
    if as_json:
        click.echo(json.dumps({"wrote": [str(file) for file in files]}))
        return
    for file in files:
        talk.say(f"wrote {file}")


def _load_for_figures(what: str, memory: int | None) -> Loaded:
    loaded = inputs.load_argument(what, memory)
    inputs.refuse_sharpness_of_weights(loaded)
    return loaded
