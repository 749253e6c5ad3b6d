"""`anc trace`: every step of a run, in the terminal or as a page to step through."""

from __future__ import annotations

import json
import sys
from pathlib import Path
from typing import TYPE_CHECKING

import click

from anc import limits
from anc.cli import inputs, talk
from anc.cli.run import describe
from anc.diagnostics import AncError
from anc.files import check_writable, write_atomically
from anc.machine.exact import Stop

if TYPE_CHECKING:
    from anc.loading import Loaded
    from anc.report.recording import Recording


@click.command("trace")
@inputs.program_argument
@inputs.tape_option
@inputs.call_option
@inputs.memory_option
@inputs.machine_option
@inputs.soft_sharpness_option
@inputs.max_steps_option(1_000, limits.TRACED_STEPS)
@inputs.file_option("--html", metavar="FILE", help="Write a page to step through.")
@click.option(
    "--compare",
    metavar="PROGRAM",
    help="With --html: a second run on the same tape, beside the first.",
)
@inputs.json_option
def command(
    program: str,
    tape: str | None,
    call: str | None,
    memory: int | None,
    machine: str,
    sharpness: float | None,
    max_steps: int,
    html: Path | None,
    compare: str | None,
    as_json: bool,
) -> None:
    """Show each step of a run, in the terminal or on a page.

    A step is a line, its command, the register and the cell that it changes.

    With --html it writes one file that needs no network: open it in a browser and move through the
    run with the slider or the arrow keys. PROGRAM may be saved weights (.safetensors) too.
    """
    from anc import api

    check_writable(html)
    loaded = inputs.load_argument(program, memory)
    inputs.check_machine(loaded)
    cells = inputs.cells_of(loaded, tape, call)
    if html is not None:
        _write_page(program, loaded, compare, cells, machine, sharpness, max_steps, html, as_json)
        return
    if compare is not None:
        raise AncError("--compare needs a page to show both runs on", help="add --html FILE")
    trace = api.trace(loaded.thing, cells, memory, machine, sharpness, max_steps)
    if as_json:
        click.echo(json.dumps(trace.to_dict()))
    else:
        click.echo(str(trace))
        click.echo("tape  " + " ".join(map(str, trace.run.tape)))
        talk.say(describe(trace.run))
    if trace.run.stop is not Stop.STOPPED:
        sys.exit(1)


def _write_page(
    program: str,
    loaded: Loaded,
    compare: str | None,
    cells: tuple[int, ...],
    machine: str,
    sharpness: float | None,
    max_steps: int,
    file: Path,
    as_json: bool,
) -> None:
    from anc.report.recording import record
    from anc.report.stepper import stepper_page

    first = record(loaded, cells, _title(program), machine, sharpness, max_steps)
    recordings: list[Recording] = [first]
    if compare is not None:  # the second run has the first one's tape
        other = inputs.load_argument(compare, first.M)
        recordings.append(record(other, first.tape, _title(compare), machine, sharpness, max_steps))
    write_atomically(file, stepper_page(recordings).encode())
    if as_json:
        shown = [{"title": r.title, "steps": r.steps, "stop": r.stop} for r in recordings]
        click.echo(json.dumps({"wrote": str(file), "runs": shown}))
    else:
        runs = ", ".join(recording.ending for recording in recordings)
        talk.say(f"wrote {file} ({runs})")
    if any(recording.stop != Stop.STOPPED.value for recording in recordings):
        sys.exit(1)


def _title(where: str) -> str:
    return "standard input" if where == "-" else Path(where).name
