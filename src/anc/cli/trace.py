"""`anc trace`: every step of a run, in the terminal or as a page to step through."""

from __future__ import annotations

import sys
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING

import click

from anc.cli import inputs
from anc.cli.run import describe
from anc.diagnostics import AncError
from anc.machine import exact
from anc.machine.exact import Run, Stop
from anc.machine.tapes import parse_tape
from anc.program import Program

if TYPE_CHECKING:
    from anc.machine.weights import Weights
    from anc.report.recording import Recording

Rows = list[tuple[str, ...]]


@click.command("trace")
@inputs.program_argument
@inputs.tape_option
@inputs.memory_option
@inputs.machine_option
@inputs.soft_sharpness_option
@inputs.max_steps_option(1_000)
@inputs.file_option("--html", metavar="FILE", help="Write a page to step through.")
@click.option(
    "--compare",
    metavar="PROGRAM",
    help="With --html: a second run on the same tape, beside the first.",
)
def command(
    program: str,
    tape: str,
    memory: int | None,
    machine: str,
    sharpness: float | None,
    max_steps: int,
    html: Path | None,
    compare: str | None,
) -> None:
    """Show each step of a run: line, command, changed register, changed cell.

    With --html it writes one file that needs no network: open it in a browser and move through the
    run with the slider or the arrow keys. PROGRAM may be saved weights (.safetensors) too.
    """
    cells = parse_tape(tape)
    if html is not None:
        programs = (program,) if compare is None else (program, compare)
        _write_page(programs, cells, memory, machine, sharpness, max_steps, html)
        return
    if compare is not None:
        raise AncError("--compare needs a page to show both runs on", help="add --html FILE")
    loaded = inputs.load_argument(program, memory)
    cells = loaded.filled(cells)
    if machine == "exact" and loaded.weights is None:
        rows, result = _trace_exact(loaded.program, cells, max_steps)
    else:
        weights = loaded.softened(len(cells), sharpness)
        rows, result = _trace_soft(weights, cells, max_steps)
    widths = [max(map(len, column)) for column in zip(*rows, strict=True)]
    for row in rows:
        click.echo("  ".join(f"{text:<{w}}" for text, w in zip(row, widths, strict=True)).rstrip())
    click.echo("tape  " + " ".join(map(str, result.tape)))
    click.echo(describe(result))
    if result.stop is not Stop.STOPPED:
        sys.exit(1)


def _write_page(
    programs: Sequence[str],
    cells: tuple[int, ...],
    memory: int | None,
    machine: str,
    sharpness: float | None,
    max_steps: int,
    file: Path,
) -> None:
    from anc.files import write_atomically
    from anc.report.recording import record
    from anc.report.stepper import stepper_page

    recordings: list[Recording] = []
    for where in programs:
        title = "standard input" if where == "-" else Path(where).name
        loaded = inputs.load_argument(where, memory)
        recording = record(loaded, cells, title, machine, sharpness, max_steps)
        recordings.append(recording)
        cells, memory = recording.tape, recording.M  # the second run has the first one's tape
    write_atomically(file, stepper_page(recordings).encode())
    runs = ", ".join(f"{r.title} {r.stop} after {r.steps} steps" for r in recordings)
    click.echo(f"wrote {file} ({runs})")
    if any(recording.stop != Stop.STOPPED.value for recording in recordings):
        sys.exit(1)


def _trace_exact(program: Program, tape: tuple[int, ...], max_steps: int) -> tuple[Rows, Run]:
    result = exact.run(program, tape, max_steps, trace=True)
    rows: Rows = [("step", "line", "command", "register", "cell")]
    for number, step in enumerate(result.trace, start=1):
        line = program.lines[step.line]
        names = [program.name_of(operand) for operand in line.operands]
        command = f"{program.name_of(step.out)} = {step.op}({', '.join(names)})"
        read = [f"{value}" for value in (step.first, step.second) if value is not None]
        command += f"   # {step.op}({', '.join(read)})" if read else ""
        wrote = f"{program.name_of(step.out)} <- {step.value}"
        if step.jumped:
            cell = f"jump to line {step.second}"
        else:
            cell = "" if step.cell is None else f"tape[{step.cell}] <- {step.second}"
        rows.append((str(number), str(step.line), command, wrote, cell))
    return rows, result


def _trace_soft(weights: Weights, tape: tuple[int, ...], max_steps: int) -> tuple[Rows, Run]:
    import numpy as np

    from anc import isa
    from anc.decompiler.figure import cut_off
    from anc.machine.softrun import trace_soft

    def most(choice, names) -> str:
        best = int(np.argmax(choice))
        return f"{names[best]} ({cut_off(float(choice[best]))})"

    registers = weights.register_names
    values = [str(value) for value in range(weights.M)]
    result = trace_soft(weights, tape, max_steps)
    before = result.initial_memory
    rows: Rows = [("step", "line", "command", "register", "cell", "stopped")]
    for number, step in enumerate(result.steps, start=1):
        row = isa.INSTRUCTIONS[int(step.op.argmax())]
        operands = [most(c, registers) for c in (step.first, step.second)][: row.operands]
        command = f"{most(step.op, isa.NAMES)} [{', '.join(operands)}]"
        out = int(step.out.argmax())
        wrote = f"{most(step.out, registers)} <- {most(step.registers[out], values)}"
        change = np.abs(step.memory - before).sum(-1)
        cell = int(change.argmax())
        shown = f"tape[{cell}] <- {most(step.memory[cell], values)}" if change[cell] > 0.01 else ""
        line = most(step.line, values)
        rows.append((str(number), line, command, wrote, shown, f"{step.stop:.3f}"))
        before = step.memory
    final, confidence = before.argmax(-1).tolist(), float(before.max(-1).min())
    return rows, Run(tuple(final), len(result.steps), result.stop, confidence=confidence)
