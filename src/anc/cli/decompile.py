"""`anc decompile`: weights read back as the paper's figures, and as exact programs."""

from __future__ import annotations

import json
from pathlib import Path

import click

from anc import limits
from anc.cli import completion, inputs, talk
from anc.cli.compile import FORMS, name_of
from anc.machine.tapes import fill, parse_tape


@click.command("decompile")
@click.argument("weights", metavar="WEIGHTS", shell_complete=completion.programs)
@click.option(
    "--tape", "-t", multiple=True, help="A tape to follow through the weights; may be repeated."
)
@inputs.file_option("--data", help='Cases to follow, as JSON lines: {"input": [...]}.')
@click.option(
    "--to",
    "form",
    type=click.Choice(["figure", "listing", "python", "c"]),
    default="figure",
    show_default=True,
    help="The paper's figure, or the exact program as text or as a function of Python or C.",
)
@inputs.memory_option
@inputs.sharpness_option("a program's weights")
@inputs.seed_option("Seed of the rows after the program.")
@inputs.max_steps_option(1_000, limits.TRACED_STEPS)
@inputs.json_option
def command(
    weights: str,
    tape: tuple[str, ...],
    data: Path | None,
    form: str,
    memory: int | None,
    sharpness: float,
    seed: int,
    max_steps: int,
    as_json: bool,
) -> None:
    """Print weights the way the paper does.

    WEIGHTS is a .safetensors file, or a program to be softened first.

    With tapes or a data file it also says which lines they visit, which of the paper's three types of
    interpretability the weights are on them, and prints the exact program if there is one. The other
    forms show that program alone; without tapes, the most likely one.
    """
    from anc.api.decompiling import decompiled

    loaded = inputs.load_argument(weights, memory)
    inputs.refuse_sharpness_of_weights(loaded, *(["seed"] if data is None else []))
    if not tape and data is None:
        inputs.refuse_unused(
            "max_steps", because="is about runs, and there are none", help="add --tape or --data"
        )
    found = loaded.softened(memory, sharpness, seed)
    tapes = [fill(parse_tape(text), found.M) for text in tape]
    if data is not None:
        from anc.tasks.recorded import read_tapes

        read, note = read_tapes(data, found.M, loaded.call, loaded.real_call, seed)
        tapes += read
        if note:
            talk.note(note)
    result = decompiled(found, tapes, max_steps)
    text = None if form == "figure" else FORMS[form](result.program, name_of(weights))
    if as_json:
        shown = {} if text is None else {"form": form, "text": text}
        click.echo(json.dumps(result.to_dict() | shown))
    else:
        click.echo(str(result) if text is None else text.rstrip("\n"))
