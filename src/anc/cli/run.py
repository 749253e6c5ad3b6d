"""`anc run`: a program on a tape."""

from __future__ import annotations

import json
import sys
from collections.abc import Sequence
from typing import TYPE_CHECKING

import click

from anc.cli import inputs, talk
from anc.diagnostics import counted
from anc.machine.exact import Run, Stop

if TYPE_CHECKING:
    from anc.python.function import Function


@click.command("run")
@inputs.program_argument
@inputs.tape_option
@inputs.call_option
@inputs.memory_option
@inputs.machine_option
@inputs.soft_sharpness_option
@inputs.max_steps_option(10_000)
@inputs.json_option
def command(
    program: str,
    tape: str | None,
    call: str | None,
    memory: int | None,
    machine: str,
    sharpness: float | None,
    max_steps: int,
    as_json: bool,
) -> None:
    """Run a program on a tape, or a Python function on arguments.

    PROGRAM is a file, a function in a Python file (file.py:name), the name of a shipped program, -
    for standard input, or saved weights (.safetensors), which always run softly.
    """
    from anc import api

    loaded = inputs.load_argument(program, memory)
    inputs.check_machine(loaded)
    cells = inputs.cells_of(loaded, tape, call)
    result = api.run(loaded.thing, cells, memory, machine, sharpness, max_steps)
    function = loaded.function
    if as_json:
        found = {
            "tape": list(result.tape),
            "steps": result.steps,
            "stop": result.stop.value,
            "confidence": result.confidence,
        }
        if function is not None and result.stop is Stop.STOPPED:
            found["result"] = function.result(result.tape)
        click.echo(json.dumps(found))
    else:
        returned = None if function is None or call is None else function.result(result.tape)
        cells_after = " ".join(map(str, result.tape))
        click.echo(cells_after if returned is None else str(returned))
        talk.note(describe(result))
    if function is not None and call is not None and result.stop is Stop.STOPPED:
        difference = from_python(function, call, result.tape)
        if difference:
            talk.note(difference)
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


def from_python(function: Function, call: str, tape: Sequence[int]) -> str:
    """How the machine's answer differs from what Python computes with numbers of any size."""
    outcome = function.in_python(*function.arguments(call))
    if outcome.error is not None:
        return f"note: Python itself ends with {outcome.error}"
    because = f"the machine counts modulo {function.M} and fills lists up with zeros"
    if outcome.result != function.result(tape):
        return f"note: Python's own result is {outcome.result}; {because}"
    for name, cells, wanted in zip(*function.layout.changed(tape), outcome.lists, strict=True):
        if tuple(cells[: len(wanted)]) != wanted:
            return f"note: Python itself leaves {list(wanted)} in '{name}'; {because}"
    return ""
