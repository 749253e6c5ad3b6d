"""`anc trace`: every step of a run, in the terminal or as a page to step through."""

from __future__ import annotations

import sys
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING

import click

from anc.cli.inputs import (
    compile_argument,
    is_weights,
    load_weights_argument,
    machine_option,
    max_steps_option,
    memory_option,
    program_argument,
    soft_sharpness_option,
    tape_option,
)
from anc.cli.run import describe
from anc.diagnostics import AncError
from anc.machine import exact
from anc.machine.exact import Stop
from anc.machine.tapes import fill, parse_tape
from anc.program import Program

if TYPE_CHECKING:
    from anc.machine.weights import Weights
    from anc.report.recording import Recording


@click.command("trace")
@program_argument
@tape_option
@memory_option
@machine_option
@soft_sharpness_option
@max_steps_option(1_000)
@click.option(
    "--html", type=click.Path(path_type=Path), metavar="FILE", help="Write a page to step through."
)
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
    if is_weights(program):
        weights = load_weights_argument(program, memory)
        stop = _trace_soft(weights, fill(cells, weights.M), max_steps)
    else:
        compiled = compile_argument(program, memory).program
        cells = fill(cells, memory or compiled.memory)
        if machine == "exact":
            stop = _trace_exact(compiled, cells, max_steps)
        else:
            from anc.machine.softrun import SHARP
            from anc.machine.weights import soften

            sharp = SHARP if sharpness is None else sharpness
            stop = _trace_soft(soften(compiled, len(cells), sharp), cells, max_steps)
    if stop is not Stop.STOPPED:
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
    from anc.report.stepper import stepper_page

    recordings: list[Recording] = []
    for where in programs:
        recording = _record(where, cells, memory, machine, sharpness, max_steps)
        recordings.append(recording)
        cells, memory = recording.tape, recording.M  # the second run has the first one's tape
    write_atomically(file, stepper_page(recordings).encode())
    runs = ", ".join(f"{r.title} {r.stop} after {r.steps} steps" for r in recordings)
    click.echo(f"wrote {file} ({runs})")
    if any(recording.stop != Stop.STOPPED.value for recording in recordings):
        sys.exit(1)


def _record(
    where: str,
    cells: tuple[int, ...],
    memory: int | None,
    machine: str,
    sharpness: float | None,
    max_steps: int,
) -> Recording:
    from anc.report.recording import record_exact, record_soft

    title = "standard input" if where == "-" else Path(where).name
    if is_weights(where):
        weights = load_weights_argument(where, memory)
        return record_soft(weights, fill(cells, weights.M), max_steps, title)
    compiled = compile_argument(where, memory)
    program, source = compiled.program, compiled.source
    cells = fill(cells, memory or program.memory)
    if machine == "exact":
        return record_exact(program, cells, max_steps, title, source)
    from anc.machine.softrun import SHARP
    from anc.machine.weights import soften

    weights = soften(program, len(cells), SHARP if sharpness is None else sharpness)
    return record_soft(weights, cells, max_steps, title, program, source)


def _trace_exact(program: Program, tape: tuple[int, ...], max_steps: int) -> Stop:
    result = exact.run(program, tape, max_steps, trace=True)
    rows = [("step", "line", "command", "register", "cell")]
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
    _print_columns(rows)
    click.echo("tape  " + " ".join(map(str, result.tape)))
    click.echo(describe(result))
    return result.stop


def _trace_soft(weights: Weights, tape: tuple[int, ...], max_steps: int) -> Stop:
    import numpy as np

    from anc import isa
    from anc.decompiler.figure import cut_off
    from anc.machine.softrun import trace_soft

    def most(choice, names) -> str:
        best = int(np.argmax(choice))
        return f"{names[best]} ({cut_off(float(choice[best]))})"

    registers = weights.names or tuple(f"R{i + 1}" for i in range(weights.R))
    values = [str(value) for value in range(weights.M)]
    result = trace_soft(weights, tape, max_steps)
    before = result.initial_memory
    rows = [("step", "line", "command", "register", "cell", "stopped")]
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
    _print_columns(rows)
    final = before.argmax(-1)
    click.echo("tape  " + " ".join(str(int(value)) for value in final))
    run = exact.Run(
        tuple(int(v) for v in final),
        len(result.steps),
        result.stop,
        confidence=float(before.max(-1).min()),
    )
    click.echo(describe(run))
    return result.stop


def _print_columns(rows: Sequence[tuple[str, ...]]) -> None:
    widths = [max(map(len, column)) for column in zip(*rows, strict=True)]
    for row in rows:
        click.echo("  ".join(f"{text:<{w}}" for text, w in zip(row, widths, strict=True)).rstrip())
