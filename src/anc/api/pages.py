"""Pages and figures of what anc left in a folder, or of a program."""

from __future__ import annotations

import os
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

from anc import limits
from anc.api.arguments import checked
from anc.api.given import checked_cells, checked_path, checked_texts, load_given
from anc.diagnostics import AncError, counted, quoted

if TYPE_CHECKING:
    from anc.api.given import What
    from anc.loading import Loaded
    from anc.report.figures import Figures

FORMATS = ("svg", "png", "pdf")
_LIMIT = 1_000  # steps of a run in a figure

Load = Callable[[Any, int | None], "Loaded"]


@dataclass(frozen=True)
class Page:
    """A page that was written, and what it is about."""

    file: Path
    about: str


@checked()
def report(what: What, output: str | Path | None = None, memory: int | None = None) -> Path:
    """Write a page about a folder of `anc train`, `anc adapt` or `anc table1`, or about a program.

    Of a program the page steps through its first example. It is one file that needs no network; its
    path comes back: `output`, else FOLDER/report.html or NAME.html.

    >>> import anc, tempfile
    >>> page = anc.report("access", tempfile.mkdtemp() + "/access.html")
    >>> page.read_text().startswith("<!doctype html>")
    True
    """
    file = None if output is None else checked_path(output)
    return write_report(what, file, memory, load_given).file


def write_report(what: Any, output: Path | None, memory: int | None, load: Load) -> Page:
    """The same, with what it is about; `load` loads a program."""
    from anc.files import check_writable, write_atomically
    from anc.report.folders import kind_of, report_page

    check_writable(output)
    if not isinstance(what, str | Path) or _is_program(str(what)):
        return _report_example(what, output, memory, load)
    folder = Path(what)
    kind = kind_of(folder)
    _refuse_beside_folder(folder, memory=memory)
    file = output or folder / "report.html"
    check_writable(file)
    write_atomically(file, report_page(folder).encode())
    return Page(file, f"about {kind.words}")


def _is_program(what: str) -> bool:
    """Whether a name is that of a shipped program, or looks like that of a program's file."""
    from anc import programs

    names_file = bool(Path(what.rsplit(":", 1)[0]).suffix)
    return what in programs.names() or (names_file and not os.path.isdir(what))


def _report_example(what: Any, output: Path | None, memory: int | None, load: Load) -> Page:
    """Write a page that steps through the first example of a program."""
    from anc.files import write_atomically
    from anc.report.recording import record
    from anc.report.stepper import stepper_page

    loaded = load(what, memory)
    if not loaded.examples:
        raise AncError(
            f"{loaded.name} has no example to step through",
            help="write one, or give a tape: anc trace PROGRAM --tape ... --html FILE",
        )
    title = loaded.function.name if loaded.function else Path(loaded.name).stem
    run = record(loaded, loaded.filled(loaded.examples[0].input), title, "exact", None, _LIMIT)
    file = output or Path(f"{title}.html")
    write_atomically(file, stepper_page([run]).encode())
    return Page(
        file, f"{title} on its first example, {run.stop} after {counted(run.steps, 'step')}"
    )


@checked()
def figure(
    what: What,
    output: str | Path = ".",
    names: Sequence[str] = (),
    formats: Sequence[str] = ("svg", "png"),
    tape: Sequence[int] | None = None,
    memory: int | None = None,
    sharpness: float = limits.SOFT,
) -> list[Path]:
    """Save the figures of a folder, or of a program's weights, for papers and slides.

    All of them, or those with these names, in each of these formats (svg, png, pdf), into the folder
    `output`; the files come back. Of a program there are: weights and, with a tape, run; it is
    softened with this sharpness, 5 as in `soften`, so that there is something to see.

    >>> import anc, tempfile
    >>> [file.name for file in anc.figure("access", tempfile.mkdtemp(), formats=["svg"])]
    ['weights.svg']
    """
    folder = checked_path(output)
    chosen = checked_texts("names", names), checked_texts("formats", formats)
    cells = None if tape is None else checked_cells("tape", tape)
    return write_figures(what, folder, *chosen, cells, memory, sharpness, load_given)


def write_figures(
    what: Any,
    output: Path,
    names: Sequence[str],
    formats: Sequence[str],
    tape: Sequence[int] | None,
    memory: int | None,
    sharpness: float,
    load: Load,
) -> list[Path]:
    """The same; `load` loads a program."""
    from anc.files import check_folder
    from anc.loading import is_folder
    from anc.report.figures import save_figures
    from anc.report.folders import folder_figures

    wanted = tuple(dict.fromkeys(formats))
    unknown = [one for one in wanted if one not in FORMATS]
    if unknown or not wanted:
        shown = ",".join(map(str, formats))
        raise AncError(f"there is no figure format {quoted(shown)}", help="use svg, png or pdf")
    check_folder(output)
    if is_folder(what):
        _refuse_beside_folder(what, tape=tape, memory=memory)
        figures = folder_figures(Path(what))
    else:
        figures = _program_figures(load(what, memory), tape, memory, sharpness)
    return save_figures(figures, names, output, wanted)


def _refuse_beside_folder(folder: Any, **given: object) -> None:
    """Refuse what is about a program's run: what a folder holds was run already."""
    for name, value in given.items():
        if value is not None:
            raise AncError(f"'{name}' is about a program, and {folder} is a folder of results")


def _program_figures(
    loaded: Loaded, tape: Sequence[int] | None, memory: int | None, sharpness: float
) -> Figures:
    from anc.machine.softrun import trace_soft
    from anc.machine.tapes import fill
    from anc.report.figures.run import run_figure
    from anc.report.figures.weights import weights_figure

    weights = loaded.softened(memory, sharpness)
    title = loaded.function.name if loaded.function else Path(loaded.name).stem
    figures: Figures = {"weights": lambda: weights_figure([(title, weights)])}
    if tape is not None:
        trace = trace_soft(weights, fill(tape, weights.M), _LIMIT)
        figures["run"] = lambda: run_figure(trace, title)
    return figures
