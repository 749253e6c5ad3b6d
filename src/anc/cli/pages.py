"""`anc report` and `anc figure`: pages and pictures of what anc left in a folder."""

from __future__ import annotations

from pathlib import Path

import click

from anc.cli.inputs import (
    compile_argument,
    is_weights,
    load_weights_argument,
    memory_option,
    sharpness_option,
)
from anc.diagnostics import AncError

FORMATS = ("svg", "png", "pdf")


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
@memory_option
@sharpness_option("Sharpness when a program is given.")
def figure_command(
    what: str,
    names: tuple[str, ...],
    output: Path,
    formats: str,
    memory: int | None,
    sharpness: float,
) -> None:
    """Save the figures of a folder, or of a program's weights, for papers and slides.

    FOLDER is one of anc train, anc adapt or anc table1; without --name all its figures are saved. Of
    a PROGRAM, or of weights (.safetensors), there is one figure: weights.
    """
    from anc.report.figures import folder_figures, save_figures, weights_figures

    wanted = tuple(dict.fromkeys(part.strip() for part in formats.split(",") if part.strip()))
    unknown = [one for one in wanted if one not in FORMATS]
    if unknown or not wanted:
        raise AncError(f"there is no figure format '{formats}'", help="use svg, png or pdf")
    if Path(what).is_dir():
        figures = folder_figures(Path(what))
    elif is_weights(what):
        figures = weights_figures(load_weights_argument(what, memory), Path(what).stem)
    else:
        from anc.machine.weights import soften

        program = compile_argument(what, memory).program
        figures = weights_figures(soften(program, memory, sharpness), Path(what).stem)
    for file in save_figures(figures, names, output, wanted):
        click.echo(f"wrote {file}")
