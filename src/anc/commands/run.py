"""Programs on a tape: runs, and what traces have in common with them."""

from __future__ import annotations

import json
import sys
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any, TypeVar

import click

from anc.commands import fields, verbosity
from anc.commands.arguments import load
from anc.commands.function import function
from anc.commands.line import command
from anc.commands.request import OfProgram, Request, option, required, typed
from anc.commands.working import job_of
from anc.machine.exact import Run, Stop
from anc.support import limits
from anc.support.diagnostics import AncError, counted

if TYPE_CHECKING:
    from anc.commands.arguments import What
    from anc.data.loading import Loaded
    from anc.support.job import Job

R = TypeVar("R", covariant=True)


class OnTape(OfProgram[R]):
    """A program on a tape, on one of the machines."""

    program: What = required(fields.PROGRAM)
    tape: Sequence[int] = required(fields.TAPE)
    call: str | None = typed(fields.CALL)
    memory: int | None = fields.MEMORY
    machine: str = fields.MACHINE
    sharpness: float | None = fields.RUN_SHARPNESS
    max_steps: int = fields.MAX_STEPS

    def load(self, job: Job) -> Loaded:
        """The program; what is said about a machine that it does not run on is refused."""
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
        """The tape that is given, as such or as the arguments of a call."""
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
    """Refuse a sharpness, and what goes with it, where nothing is softened."""
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

    The program is a Program, a Function, weights, or what names one: a file, a shipped program, a
    listing.
    The tape is filled up with zeros to M cells: `memory`, else what the program asks for, else the
    tape's own length. A soft run of a program has sharpness 20, as good as exact, unless another is given.

    >>> import anc
    >>> anc.run("swap", [1, 3, 7, 6, 7, 5, 2]).tape
    (1, 3, 7, 5, 7, 6, 2, 0, 0, 0)
    >>> anc.run("swap", [1, 3, 7, 6, 7, 5, 2], machine="soft").steps
    9
    """

    max_steps: int = fields.MAX_STEPS.but(default=10_000)
    trace: bool = option(default=False, in_command=False)

    def check_together(self) -> None:
        if self.trace:
            limits.TRACED_STEPS.check(self.max_steps)

    def run(self, job: Job) -> Run:
        return self.on(self.load(job))

    def on(self, loaded: Loaded) -> Run:
        """The run of what is loaded."""
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
    """
    from anc.python.differences import difference

    loaded = request.load(job_of(request))
    result = request.on(loaded)
    function, call, note = loaded.function, request.call, ""
    if function is not None and call is not None and result.stop is Stop.STOPPED:
        note = difference(function, function.arguments(call), result.tape)
    if request.as_json:
        found = {
            "tape": list(result.tape),
            "steps": result.steps,
            "stop": result.stop.value,
            "confidence": result.confidence,
        }
        if function is not None and result.stop is Stop.STOPPED:
            found["result"] = function.layout.result_of(result.tape)
        if note:
            found["note"] = note
        click.echo(json.dumps(found))
    else:
        returned = (
            None if function is None or call is None else function.layout.result_of(result.tape)
        )
        cells_after = " ".join(map(str, result.tape))
        click.echo(cells_after if returned is None else str(returned))
        verbosity.note(describe(result))
    if note:
        verbosity.note(f"note: {note}")
    if result.stop is not Stop.STOPPED:
        sys.exit(1)


def describe(result: Run) -> str:
    """How a run ended, in words."""
    steps = counted(result.steps, "step")
    words = {
        Stop.STOPPED: f"stopped after {steps}",
        Stop.STEP_LIMIT: f"step-limit: it did not stop within {steps} (see --max-steps)",
        Stop.PAST_END: f"past-end: it ran past its last line after {steps}",
    }[result.stop]
    return words if result.confidence == 1 else f"{words}, confidence {result.confidence:.4f}"
