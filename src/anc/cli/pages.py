"""`anc report` and `anc figure`: pages and pictures of what anc left in a folder."""

from __future__ import annotations

import os
from pathlib import Path
from typing import TYPE_CHECKING

import click

from anc import programs
from anc.cli import inputs
from anc.diagnostics import AncError, quoted
from anc.machine.tapes import fill, parse_tape

if TYPE_CHECKING:
    from anc.report.figures import Figures

FORMATS = ("svg", "png", "pdf")
_LIMIT = 1_000  # steps of a run in a figure


@click.command("report")
@click.argument("what", metavar="FOLDER|PROGRAM")
@inputs.output_option(
    metavar="FILE", help="Where to write the page  [default: FOLDER/report.html, or NAME.html]"
)
@inputs.memory_option
def report_command(what: str, output: Path | None, memory: int | None) -> None:
    """Write a page about a folder of anc train, anc adapt or anc table1, or about a program.

    Of a PROGRAM the page steps through its first example. It is one file that needs no network; open
    it in a browser.
    """
    from anc.files import write_atomically
    from anc.report.folders import kind_of, report_page

    folder = Path(what)
    if not os.path.isdir(folder) and _names_program(what):
        _report_example(what, output, memory)
        return
    kind = kind_of(folder)
    file = output or folder / "report.html"
    write_atomically(file, report_page(folder).encode())
    click.echo(f"wrote {file} (about {kind.words})")


def _names_program(what: str) -> bool:
    """Whether a name looks like a program's: that of a shipped one, or of a file."""
    return what in programs.names() or bool(Path(what.rsplit(":", 1)[0]).suffix)


def _report_example(what: str, output: Path | None, memory: int | None) -> None:
    """Write a page that steps through the first example of a program."""
    from anc.files import write_atomically
    from anc.report.recording import record
    from anc.report.stepper import stepper_page

    loaded = inputs.load_argument(what, memory)
    if not loaded.examples:
        raise AncError(
            f"{what} has no example to step through",
            help="write one, or give a tape: anc trace PROGRAM --tape ... --html FILE",
        )
    title = loaded.function.name if loaded.function else Path(what).stem
    run = record(loaded, loaded.filled(loaded.examples[0].input), title, "exact", None, _LIMIT)
    file = output or Path(f"{title}.html")
    write_atomically(file, stepper_page([run]).encode())
    click.echo(f"wrote {file} ({title} on its first example, {run.stop} after {run.steps} steps)")


@click.command("figure")
@click.argument("what", metavar="FOLDER|PROGRAM")
@click.option("--name", "names", multiple=True, help="Only this figure; may be repeated.")
@inputs.output_option(
    default=Path("."), metavar="DIR", help="Folder to write the figures to  [default: here]"
)
@click.option(
    "--format", "formats", default="svg,png", show_default=True, help="Any of svg, png, pdf."
)
@click.option("--tape", "-t", help="Of a program: a tape for the figure of a run.")
@inputs.memory_option
@inputs.sharpness_option("Sharpness when a program is given.")
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
    from anc.report.figures import save_figures

    wanted = tuple(dict.fromkeys(part.strip() for part in formats.split(",") if part.strip()))
    unknown = [one for one in wanted if one not in FORMATS]
    if unknown or not wanted:
        raise AncError(f"there is no figure format {quoted(formats)}", help="use svg, png or pdf")
    if os.path.isdir(what):
        from anc.report.folders import folder_figures

        figures = folder_figures(Path(what))
    else:
        figures = _program_figures(what, tape, memory, sharpness)
    for file in save_figures(figures, names, output, wanted):
        click.echo(f"wrote {file}")


def _program_figures(what: str, tape: str | None, memory: int | None, sharpness: float) -> Figures:
    from anc.machine.softrun import trace_soft
    from anc.report.figures.run import run_figure
    from anc.report.figures.weights import weights_figure

    weights = inputs.load_argument(what, memory).softened(memory, sharpness)
    title = Path(what).stem
    figures: Figures = {"weights": lambda: weights_figure([(title, weights)])}
    if tape is not None:
        trace = trace_soft(weights, fill(parse_tape(tape), weights.M), _LIMIT)
        figures["run"] = lambda: run_figure(trace, title)
    return figures
