"""Traces: every step of a run, in the terminal or as a page to step through."""

from __future__ import annotations

import json
import sys
from pathlib import Path
from typing import TYPE_CHECKING

import click

from anc.commands import fields, verbosity
from anc.commands.arguments import load
from anc.commands.function import function
from anc.commands.kinds import File
from anc.commands.line import command
from anc.commands.request import Option, typed
from anc.commands.run import OnTape, describe
from anc.commands.working import job_of
from anc.machine.exact import Stop
from anc.support.files import check_writable, write_atomically

if TYPE_CHECKING:
    from anc.data.loading import Loaded
    from anc.machine.text import Trace
    from anc.pages.recording import Recording
    from anc.support.job import Job


class TraceProgram(OnTape["Trace"], name="trace"):
    """Every step of a run, with the arguments of `run`: print it, or look at its `run`.

    >>> import anc
    >>> found = anc.trace("access", [3, 1, 2, 3, 4])
    >>> print(found)
    step  line  command                             register   cell
    1     0     k = READ(0)   # READ(0)             k <- 3
    2     1     k = INC(k)   # INC(3)               k <- 4
    3     2     k = READ(k)   # READ(4)             k <- 4
    4     3     sink = WRITE(0, k)   # WRITE(0, 4)  sink <- 0  tape[0] <- 4
    5     4     sink = STOP()                       sink <- 0
    >>> found.run.steps, found.run.trace[3].cell
    (5, 0)
    """

    max_steps: int = fields.TRACED_STEPS
    html: Path | None = typed(
        Option(kind=File(), metavar="FILE", help="Write a page to step through.")
    )
    compare: str | None = typed(
        Option(
            metavar="PROGRAM",
            help="With --html: a second run on the same tape, beside the first.",
            needs="html",
        )
    )

    def run(self, job: Job) -> Trace:
        return self.on(self.load(job))

    def on(self, loaded: Loaded) -> Trace:
        """The trace of what is loaded."""
        from anc.machine.text import trace_exact, trace_weights

        cells = self.cells(loaded)
        if self.is_exact(loaded):
            return trace_exact(loaded.program, cells, self.max_steps)
        weights = loaded.softened(len(cells), self.sharpness)
        return trace_weights(weights, cells, self.max_steps)


trace = function(TraceProgram)


@command(TraceProgram)
def show(request: TraceProgram) -> None:
    """Show each step of a run, in the terminal or on a page.

    A step is a line, its command, the register and the cell that it changes.

    With --html it writes one file that needs no network: open it in a browser and move through the
    run with the slider or the arrow keys. PROGRAM may be saved weights (.safetensors) too.
    """
    check_writable(request.html)
    loaded = request.load(job_of(request))
    if request.html is not None:
        _write_page(request, loaded, request.html)
        return
    trace = request.on(loaded)
    if request.as_json:
        click.echo(json.dumps(trace.to_dict()))
    else:
        click.echo(str(trace))
        click.echo("tape  " + " ".join(map(str, trace.run.tape)))
        verbosity.say(describe(trace.run))
    if trace.run.stop is not Stop.STOPPED:
        sys.exit(1)


def _write_page(request: TraceProgram, loaded: Loaded, file: Path) -> None:
    from anc.pages.page import stepper_page
    from anc.pages.recording import record

    how = request.machine, request.sharpness, request.max_steps
    first = record(loaded, request.cells(loaded), _title(str(request.program)), *how)
    recordings: list[Recording] = [first]
    if request.compare is not None:  # the second run has the first one's tape
        other = load(job_of(request), request.compare, first.M)
        recordings.append(record(other, first.tape, _title(request.compare), *how))
    write_atomically(file, stepper_page(recordings).encode())
    if request.as_json:
        shown = [{"title": r.title, "steps": r.steps, "stop": r.stop} for r in recordings]
        click.echo(json.dumps({"wrote": str(file), "runs": shown}))
    else:
        runs = ", ".join(recording.ending for recording in recordings)
        verbosity.say(f"wrote {file} ({runs})")
    if any(recording.stop != Stop.STOPPED.value for recording in recordings):
        sys.exit(1)


def _title(where: str) -> str:
    return "standard input" if where == "-" else Path(where).name
