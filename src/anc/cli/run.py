"""`anc run`: a program on a tape."""

from __future__ import annotations

import json
import sys

import click

from anc.cli import inputs, talk
from anc.diagnostics import counted
from anc.machine.exact import Run, Stop


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
    from anc.python.differences import difference

    loaded = inputs.load_argument(program, memory)
    inputs.check_machine(loaded)
    cells = inputs.cells_of(loaded, tape, call)
    result = api.run(loaded.thing, cells, memory, machine, sharpness, max_steps)
    function, note = loaded.function, ""
    if function is not None and call is not None and result.stop is Stop.STOPPED:
        note = difference(function, function.arguments(call), result.tape)
    if as_json:
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
        talk.note(describe(result))
    if note:
        talk.note(f"note: {note}")
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
