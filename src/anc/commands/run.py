"""Runs of programs on tapes, and traces of every step, in the terminal or on a page."""

from __future__ import annotations

import sys
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from anc.commands import fields, verbosity
from anc.commands.arguments import What, load
from anc.commands.function import function
from anc.commands.kinds import File
from anc.commands.line import command
from anc.commands.progress import job_of
from anc.commands.request import OfProgram, R, Request, option, required, typed
from anc.commands.results import answer, wrote
from anc.machine.exact import Run, Stop
from anc.support import limits
from anc.support.diagnostics import AncError, counted
from anc.support.files import check_writable, write_atomically
from anc.support.job import Job

if TYPE_CHECKING:
    from anc.data.loading import Loaded
    from anc.machine.text import Trace
    from anc.pages.recording import Recording


class OnTape(OfProgram[R]):
    """A request to run a program on a tape, on one of the machines."""

    program: What = required(fields.PROGRAM)
    tape: Sequence[int] = required(fields.TAPE)
    call: str | None = typed(fields.CALL)
    memory: int | None = fields.MEMORY
    machine: str = fields.MACHINE
    sharpness: float | None = fields.RUN_SHARPNESS
    max_steps: int = fields.MAX_STEPS

    def load(self, job: Job) -> Loaded:
        """Load the program; options for a machine that it does not run on are rejected."""
        loaded = load(job, self.program, self.memory)
        if loaded.weights is not None and self.machine == "exact":
            self.refuse(
                "machine",
                because="exact is for programs: weights always run softly",
                help=f"read a program back from them: anc decompile {loaded.name} --to listing",
            )
        refuse_softening(self, loaded)
        if loaded.weights is None and self.machine == "exact":
            self.refuse(
                "sharpness",
                because="is for the soft machine, where programs are softened, and this run is exact",
                help=f"add {self.shown('machine', 'soft')}, or leave it out",
            )
        return loaded

    def cells(self, loaded: Loaded) -> tuple[int, ...]:
        """The tape, given directly or as the arguments of a call."""
        if self.call is None:
            if self.tape is None and self.is_typed:
                raise click.UsageError("Missing option '--tape' (of a Python function: '--call').")
            return loaded.filled(self.tape)
        if loaded.function is None:
            raise AncError("--call is for Python functions", help="give the tape with --tape")
        return loaded.filled(loaded.function.tape(*loaded.function.arguments(self.call)))

    def is_exact(self, loaded: Loaded) -> bool:
        return self.machine == "exact" and loaded.weights is None


def refuse_softening(request: Request[Any], loaded: Loaded, *names: str) -> None:
    """Reject a sharpness and related options if nothing is softened."""
    if loaded.weights is not None:
        what = "these are" if loaded.name == "program" else f"{loaded.name} holds"
        request.refuse(
            "sharpness",
            *names,
            because=f"is for programs that are softened first, and {what} weights already",
            help="leave it out",
        )


class RunProgram(OnTape["Run"], name="run"):
    """Run a program on a tape, on the exact or the soft machine; weights always run softly.

    The program is a Program, a Function, weights, or a name of one: a file, a shipped program, a
    listing.
    The tape is filled up with zeros to M cells: `memory`, else the program's own memory, else the
    tape's length. A soft run of a program has sharpness 20, as good as exact, unless another is given.

    >>> import anc
    >>> anc.run("swap", [1, 3, 7, 6, 7, 5, 2]).tape
    (1, 3, 7, 5, 7, 6, 2, 0, 0, 0)
    >>> anc.run("swap", [1, 3, 7, 6, 7, 5, 2], machine="soft").steps
    9
    """

    max_steps: int = option(fields.MAX_STEPS, default=10_000)
    trace: bool = option(False, in_command=False)

    def check_together(self) -> None:
        if self.trace:
            limits.TRACED_STEPS.check(self.max_steps)

    def run(self, job: Job) -> Run:
        return self.on(self.load(job))

    def on(self, loaded: Loaded) -> Run:
        """Run the loaded program."""
        from anc.machine import exact

        cells = self.cells(loaded)
        if self.is_exact(loaded):
            return exact.run(loaded.program, cells, self.max_steps, self.trace)
        if self.trace:
            raise AncError(
                "'trace' is for exact runs", help="anc.trace shows every step of a soft one"
            )
        from anc.machine.softrun import run_soft

        return run_soft(loaded.softened(len(cells), self.sharpness), [cells], self.max_steps)[0]


run = function(RunProgram)


@command(RunProgram)
def show(request: RunProgram) -> None:
    """Run a program on a tape, or a Python function on arguments.

    PROGRAM is a file, a function in a Python file (file.py:name), the name of a shipped program, -
    for standard input, or saved weights (.safetensors), which always run softly.

    Examples:
      anc run listk --tape "3 2 2 9 15"
      anc run fares.py:fare --call "[3, 9, 1], 2"
      anc run listk --tape "3 2 2 9 15" --machine soft --sharpness 9
    """
    loaded = request.load(job_of(request))
    result = request.on(loaded)
    function, call, note = loaded.function, request.call, ""
    if function is not None and call is not None and result.stop is Stop.STOPPED:
        from anc.python.differences import difference

        note = difference(function, function.arguments(call), result.tape)
    returned = None if function is None else function.layout.result_of(result.tape)
    found = {
        "tape": list(result.tape),
        "steps": result.steps,
        "stop": result.stop.value,
        "confidence": result.confidence,
    }
    if function is not None and result.stop is Stop.STOPPED:
        found["result"] = returned
    if note:
        found["note"] = note
    cells = " ".join(map(str, result.tape))
    answer(request, found, cells if returned is None or call is None else str(returned))
    if not request.as_json:
        verbosity.note(describe(result))
    if note:
        verbosity.note(f"note: {note}")
    if result.stop is not Stop.STOPPED:
        sys.exit(1)


def describe(result: Run) -> str:
    """Describe how a run ended."""
    steps = counted(result.steps, "step")
    words = {
        Stop.STOPPED: f"stopped after {steps}",
        Stop.STEP_LIMIT: f"step-limit: it did not stop within {steps} (see --max-steps)",
        Stop.PAST_END: f"past-end: it ran past its last line after {steps}",
    }[result.stop]
    return words if result.confidence == 1 else f"{words}, confidence {result.confidence:.4f}"


class TraceProgram(OnTape["Trace"], name="trace"):
    """Trace every step of a run, with the arguments of `run`; the result prints as a table.

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
        None,
        "Write a page that steps through the run.",
        File(),
        metavar="FILE",
        section="Output",
    )
    compare: str | None = typed(
        None,
        "Show a second program on the same tape beside the first; needs --html.",
        metavar="PROGRAM",
        section="Output",
        needs="html",
    )

    def run(self, job: Job) -> Trace:
        return self.on(self.load(job))

    def on(self, loaded: Loaded) -> Trace:
        """Trace the loaded program."""
        from anc.machine.text import trace_exact, trace_weights

        cells = self.cells(loaded)
        if self.is_exact(loaded):
            return trace_exact(loaded.program, cells, self.max_steps)
        weights = loaded.softened(len(cells), self.sharpness)
        return trace_weights(weights, cells, self.max_steps)


trace = function(TraceProgram)


@command(TraceProgram)
def show_trace(request: TraceProgram) -> None:
    """Show each step of a run, in the terminal or on a page.

    A step is a program line, its command, and the register and the cell that it changes.

    With --html it writes one file that needs no network: open it in a browser and step through the
    run with the slider or the arrow keys. PROGRAM may be saved weights (.safetensors) too.

    Examples:
      anc trace listk --tape "3 1 2 5 4 7 5"
      anc trace listk --tape "3 1 2 5 4 7 5" --compare swap --html both.html
    """
    check_writable(request.html)
    loaded = request.load(job_of(request))
    if request.html is not None:
        _write_page(request, loaded, request.html)
        return
    trace = request.on(loaded)
    answer(request, trace, f"{trace}\ntape  {' '.join(map(str, trace.run.tape))}")
    if not request.as_json:
        verbosity.say(describe(trace.run))
    if trace.run.stop is not Stop.STOPPED:
        sys.exit(1)


def _write_page(request: TraceProgram, loaded: Loaded, file: Path) -> None:
    from anc.pages.page import stepper_page
    from anc.pages.recording import record

    how = request.machine, request.sharpness, request.max_steps
    first = record(loaded, request.cells(loaded), _title(str(request.program)), *how)
    recordings: list[Recording] = [first]
    if request.compare is not None:  # the second run uses the first one's tape
        other = load(job_of(request), request.compare, first.M)
        recordings.append(record(other, first.tape, _title(request.compare), *how))
    write_atomically(file, stepper_page(recordings).encode())
    shown = [{"title": r.title, "steps": r.steps, "stop": r.stop} for r in recordings]
    wrote(request, file, ", ".join(r.ending for r in recordings), runs=shown)
    if any(recording.stop != Stop.STOPPED.value for recording in recordings):
        sys.exit(1)


def _title(where: str) -> str:
    return "standard input" if where == "-" else Path(where).name
