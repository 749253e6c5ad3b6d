"""`anc decompile`: weights read back as the paper's figures, and as exact programs."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

import click

from anc import limits
from anc.cli import inputs
from anc.cli.compile import FORMS, name_of
from anc.diagnostics import AncError
from anc.machine.tapes import fill, parse_tape

if TYPE_CHECKING:
    from anc.machine.weights import Weights


@click.command("decompile")
@click.argument("weights", metavar="WEIGHTS")
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
@inputs.sharpness_option("Sharpness when a program is given.")
@inputs.seed_option("Seed of the rows after the program.")
@inputs.max_steps_option(1_000, limits.TRACED_STEPS)
def command(
    weights: str,
    tape: tuple[str, ...],
    data: Path | None,
    form: str,
    memory: int | None,
    sharpness: float,
    seed: int,
    max_steps: int,
) -> None:
    """Print weights the way the paper does.

    WEIGHTS is a .safetensors file, or a program to be softened first.

    With tapes or a data file it also says which lines they visit, which of the paper's three types of
    interpretability the weights are on them, and prints the exact program if there is one. The other
    forms show that program alone; without tapes, the most likely one.
    """
    from anc.decompiler.figure import figure

    loaded = inputs.load_argument(weights, memory)
    found = loaded.softened(memory, sharpness, seed)
    tapes = [fill(parse_tape(text), found.M) for text in tape]
    if data is not None:
        from anc.tasks.recorded import read_tapes

        read, note = read_tapes(data, found.M, loaded.call, loaded.real_call, seed)
        tapes += read
        if note:
            click.echo(note, err=True)
    if form != "figure":
        click.echo(_exact(found, tapes, max_steps, form, name_of(weights)).rstrip("\n"))
        return
    click.echo(figure(found))
    if not tapes:
        return

    from anc.compiler import to_text
    from anc.decompiler.kinds import read_back

    reading = read_back(found, tapes, max_steps)
    lines = ", ".join(map(str, reading.lines))
    click.echo(f"\non {len(tapes)} case{'s' * (len(tapes) != 1)}: visits lines {lines}")
    click.echo(f"type {reading.kind}: {reading.reason}")
    click.echo(f"confidence of the output: {reading.confidence:.4f}")
    for softness in reading.softness:
        click.echo(f"  soft: {softness}")
    if reading.program is not None:
        click.echo("\n" + to_text(reading.program).rstrip("\n"))


def _exact(
    weights: Weights, tapes: list[tuple[int, ...]], max_steps: int, form: str, name: str
) -> str:
    """The exact program of some weights in another form."""
    from anc.decompiler.kinds import read_back
    from anc.machine.weights import harden

    if not tapes:
        return FORMS[form](harden(weights), name)
    reading = read_back(weights, tapes, max_steps)
    if reading.program is None:
        raise AncError(f"there is no exact program: type {reading.kind}, {reading.reason}")
    return FORMS[form](reading.program, name)
