"""`anc run`: a program on a tape."""

from __future__ import annotations

import json
import sys

import click

from anc import api
from anc.cli import inputs
from anc.machine.exact import Run, Stop
from anc.machine.tapes import parse_tape


@click.command("run")
@inputs.program_argument
@inputs.tape_option
@inputs.memory_option
@inputs.machine_option
@inputs.soft_sharpness_option
@inputs.max_steps_option(10_000)
@inputs.json_option
def command(
    program: str,
    tape: str,
    memory: int | None,
    machine: str,
    sharpness: float | None,
    max_steps: int,
    as_json: bool,
) -> None:
    """Run a program on a tape.

    PROGRAM is a file, the name of a shipped program, - for standard input, or saved weights
    (.safetensors), which always run softly.
    """
    cells = parse_tape(tape)
    loaded = inputs.load_argument(program, memory)
    result = api.run(loaded.thing, cells, memory, machine, sharpness, max_steps)
    if as_json:
        click.echo(
            json.dumps(
                {
                    "tape": list(result.tape),
                    "steps": result.steps,
                    "stop": result.stop.value,
                    "confidence": result.confidence,
                }
            )
        )
    else:
        click.echo(" ".join(map(str, result.tape)))
        click.echo(describe(result), err=True)
    if result.stop is not Stop.STOPPED:
        sys.exit(1)


def describe(result: Run) -> str:
    """How a run ended, in words."""
    steps = f"{result.steps} step{'' if result.steps == 1 else 's'}"
    words = {
        Stop.STOPPED: f"stopped after {steps}",
        Stop.STEP_LIMIT: f"step-limit: it did not stop within {steps} (see --max-steps)",
        Stop.PAST_END: f"past-end: it ran past its last line after {steps}",
    }[result.stop]
    return words if result.confidence == 1 else f"{words}, confidence {result.confidence:.4f}"
