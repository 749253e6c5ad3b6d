"""Pages and figures about a result folder, or about a program."""

from __future__ import annotations

import json
import os
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from anc.commands import fields
from anc.commands.arguments import What, load, name_of
from anc.commands.function import function
from anc.commands.kinds import CheckedTape, Names, Texts
from anc.commands.line import command
from anc.commands.progress import job_of
from anc.commands.request import OfProgram, Request, option, required
from anc.commands.results import wrote
from anc.commands.run import refuse_softening
from anc.support.diagnostics import AncError, counted, quoted
from anc.support.files import check_folder, check_writable, write_atomically
from anc.support.job import Job

if TYPE_CHECKING:
    from anc.data.loading import Loaded
    from anc.pages.figures import Figures

FORMATS = ("svg", "png", "pdf")
_LIMIT = 1_000  # steps of a run in a figure or on a page

WHAT: Any = option(fields.PROGRAM, metavar="FOLDER|PROGRAM", completes="results")


class ReportPage(OfProgram[Path], name="report"):
    """Write a page about a folder of `anc train`, `anc adapt` or `anc table1`, or about a program.

    For a program, the page steps through its first example. The page is one file that needs no network.
    Its path is returned: `output`, else FOLDER/report.html or NAME.html.

    >>> import anc, tempfile
    >>> page = anc.report("access", tempfile.mkdtemp() + "/access.html")
    >>> page.read_text().startswith("<!doctype html>")
    True
    """

    what: What = required(WHAT)
    output: str | Path | None = option(
        fields.OUTPUT,
        metavar="FILE",
        help="Write the page to this file.  [default: FOLDER/report.html, or NAME.html]",
    )
    memory: int | None = fields.MEMORY

    def run(self, job: Job) -> Path:
        return self.page(job)[0]

    def page(self, job: Job) -> tuple[Path, str]:
        """Write the page; returns its file, and what it is about."""
        from anc.pages.page import kind_of, report_page

        what, output = self.what, None if self.output is None else Path(self.output)
        check_writable(output)
        if not isinstance(what, str | Path) or _is_program(str(what)):
            return _report_example(load(job, what, self.memory), output)
        folder = Path(what)
        kind = kind_of(folder)
        refuse_beside_folder(self, folder, "memory")
        file = output or folder / "report.html"
        check_writable(file)
        write_atomically(file, report_page(folder).encode())
        return file, f"about {kind.words}"


def _is_program(what: str) -> bool:
    """Whether a name is a shipped program's, or looks like a program's file."""
    from anc.data import programs

    names_file = bool(Path(what.rsplit(":", 1)[0]).suffix)
    return what in programs.names() or (names_file and not os.path.isdir(what))


def _report_example(loaded: Loaded, output: Path | None) -> tuple[Path, str]:
    """Write a page that steps through a program's first example."""
    from anc.pages.page import stepper_page
    from anc.pages.recording import record

    if not loaded.examples:
        raise AncError(
            f"{loaded.name} has no example to step through",
            help="write one, or give a tape: anc trace PROGRAM --tape ... --html FILE",
        )
    title = name_of(loaded)
    run = record(loaded, loaded.filled(loaded.examples[0].input), title, "exact", None, _LIMIT)
    file = output or Path(f"{title}.html")
    write_atomically(file, stepper_page([run]).encode())
    return file, f"{title} on its first example, {run.stop} after {counted(run.steps, 'step')}"


class Figure(OfProgram["list[Path]"], name="figure"):
    """Save the figures of a folder, or of a program's weights, for papers and slides.

    Saves all figures, or those with these names, in each of these formats (svg, png, pdf), into the folder
    `output`, and returns the files. A program has the figures weights and, with a tape, run; it is
    softened with this sharpness (by default 5, as in `soften`, so that the figures show something).

    >>> import anc, tempfile
    >>> [file.name for file in anc.figure("access", tempfile.mkdtemp(), formats=["svg"])]
    ['weights.svg']
    """

    what: What = required(WHAT)
    output: str | Path = option(
        fields.OUTPUT,
        default=Path("."),
        metavar="DIR",
        help="Write the figures to this folder.  [default: here]",
    )
    names: Sequence[str] = option(
        (),
        "Save only this figure; may be repeated.",
        Texts(),
        words="--name",
        repeated=True,
        section="Output",
    )
    formats: Sequence[str] = option(
        ("svg", "png"),
        "Save in these formats: any of svg, png and pdf.",
        Names(),
        words="--format",
        shown="svg,png",
        section="Output",
    )
    tape: Sequence[int] | None = option(
        fields.TAPE, kind=CheckedTape(), help="Draw the run of a program on this tape."
    )
    memory: int | None = fields.MEMORY
    sharpness: float = fields.sharpness_of("a program")

    def run(self, job: Job) -> list[Path]:
        from anc.data.loading import is_folder
        from anc.pages.figures import save_figures
        from anc.pages.page import folder_figures

        wanted, output = tuple(dict.fromkeys(filter(None, self.formats))), Path(self.output)
        if not wanted or not set(wanted) <= set(FORMATS):
            shown = ",".join(map(str, self.formats))
            raise AncError(f"there is no figure format {quoted(shown)}", help="use svg, png or pdf")
        check_folder(output)
        if isinstance(self.what, str | Path) and is_folder(self.what):
            refuse_beside_folder(self, self.what, "sharpness", "tape", "memory")
            figures = folder_figures(Path(self.what))
        else:
            loaded = load(job, self.what, self.memory)
            refuse_softening(self, loaded)
            figures = _program_figures(loaded, self.tape, self.memory, self.sharpness)
        return save_figures(figures, self.names, output, wanted)


def refuse_beside_folder(request: Request[Any], folder: str | Path, *names: str) -> None:
    """Reject options about a program's run: a folder's results exist already."""
    request.refuse(*names, because=f"is about a program, and {folder} is a folder of results")


def _program_figures(
    loaded: Loaded, tape: Sequence[int] | None, memory: int | None, sharpness: float
) -> Figures:
    from anc.machine.softrun import trace_soft
    from anc.machine.tapes import fill
    from anc.pages.figures.machine import run_figure, weights_figure

    weights = loaded.softened(memory, sharpness)
    title = name_of(loaded)
    figures: Figures = {"weights": lambda: weights_figure([(title, weights)])}
    if tape is not None:
        trace = trace_soft(weights, fill(tape, weights.M), _LIMIT)
        figures["run"] = lambda: run_figure(trace, title)
    return figures


report = function(ReportPage)
figure = function(Figure)


@command(ReportPage)
def show_report(request: ReportPage) -> None:
    """Write a page about a folder of results, or about a program.

    FOLDER is one of anc train, adapt, fill or table1. For a PROGRAM, the page steps through its first
    example. It is one file that needs no network; open it in a browser.

    Examples:
      anc report result
      anc report listk -o listk.html
    """
    file, about = request.page(job_of(request))
    wrote(request, file, about, about=about)


@command(Figure)
def show_figures(request: Figure) -> None:
    """Save the figures of a folder, or of a program's weights.

    They are for papers and slides. FOLDER is one of anc train, adapt, fill or table1; without
    --name all its figures are saved. A PROGRAM, or weights (.safetensors), has the figures weights
    and, with --tape, run.

    Examples:
      anc figure run --format pdf -o figures
      anc figure listk --name weights
    """
    files = request.run(job_of(request))
    if request.as_json:
        click.echo(json.dumps({"wrote": [str(file) for file in files]}))
        return
    for file in files:
        wrote(request, file)
