"""`anc report` and `anc figure`: pages and pictures of what anc left in a folder."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import click

from anc.cli.inputs import (
    compile_argument,
    is_weights,
    load_weights_argument,
    memory_option,
    sharpness_option,
)
from anc.diagnostics import AncError
from anc.machine.tapes import fill, parse_tape

FORMATS = ("svg", "png", "pdf")
_LIMIT = 1_000  # steps of a run in a figure


@click.command("report")
@click.argument("folder", type=click.Path(path_type=Path))
@click.option(
    "-o",
    "--output",
    type=click.Path(path_type=Path),
    metavar="FILE",
    help="Where to write the page  [default: FOLDER/report.html]",
)
def report_command(folder: Path, output: Path | None) -> None:
    """Write a page about a folder of anc train, anc adapt or anc table1.

    The page is one file that needs no network; open it in a browser.
    """
    from anc.files import write_atomically
    from anc.report.folders import kind_of, report_page

    kind = kind_of(folder)
    file = output or folder / "report.html"
    write_atomically(file, report_page(folder).encode())
    click.echo(f"wrote {file} (about {kind.value})")


@click.command("figure")
@click.argument("what", metavar="FOLDER|PROGRAM")
@click.option("--name", "names", multiple=True, help="Only this figure; may be repeated.")
@click.option(
    "-o",
    "--output",
    type=click.Path(path_type=Path),
    default=Path("."),
    metavar="DIR",
    help="Folder to write the figures to  [default: here]",
)
@click.option(
    "--format", "formats", default="svg,png", show_default=True, help="Any of svg, png, pdf."
)
@click.option("--tape", "-t", help="Of a program: a tape for the figure of a run.")
@memory_option
@sharpness_option("Sharpness when a program is given.")
def figure_command(
    what: str,
    names: tuple[str, ...],
    output: Path,
    formats: str,
    tape: str | None,
    memory: int | None,
    sharpness: float,
) -> None:
    """Save the figures of a folder, or of a program's weights, for papers and slides.

    FOLDER is one of anc train, anc adapt or anc table1; without --name all its figures are saved. Of
    a PROGRAM, or of weights (.safetensors), there are: weights and, with --tape, run.
    """
    from anc.report.figures import folder_figures, save_figures

    wanted = tuple(dict.fromkeys(part.strip() for part in formats.split(",") if part.strip()))
    unknown = [one for one in wanted if one not in FORMATS]
    if unknown or not wanted:
        raise AncError(f"there is no figure format '{formats}'", help="use svg, png or pdf")
    if Path(what).is_dir():
        figures = folder_figures(Path(what))
    else:
        figures = _program_figures(what, tape, memory, sharpness)
    for file in save_figures(figures, names, output, wanted):
        click.echo(f"wrote {file}")


def _program_figures(
    what: str, tape: str | None, memory: int | None, sharpness: float
) -> dict[str, Any]:
    from anc.machine.softrun import trace_soft
    from anc.machine.weights import soften
    from anc.report.figures import run_figures, weights_figures

    if is_weights(what):
        weights = load_weights_argument(what, memory)
    else:
        weights = soften(compile_argument(what, memory).program, memory, sharpness)
    title = Path(what).stem
    figures = weights_figures(weights, title)
    if tape is not None:
        trace = trace_soft(weights, fill(parse_tape(tape), weights.M), _LIMIT)
        figures |= run_figures(trace, title)
    return figures
