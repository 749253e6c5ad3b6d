"""`anc decompile`: weights read back as the paper's figures, and as exact programs."""

from __future__ import annotations

from pathlib import Path

import click

from anc.cli import inputs
from anc.machine.tapes import fill, parse_tape


@click.command("decompile")
@click.argument("weights", metavar="WEIGHTS")
@click.option(
    "--tape", "-t", multiple=True, help="A tape to follow through the weights; may be repeated."
)
@inputs.file_option("--data", help='Cases to follow, as JSON lines: {"input": [...]}.')
@inputs.memory_option
@inputs.sharpness_option("Sharpness when a program is given.")
@inputs.seed_option("Seed of the rows after the program.")
@inputs.max_steps_option(1_000)
def command(
    weights: str,
    tape: tuple[str, ...],
    data: Path | None,
    memory: int | None,
    sharpness: float,
    seed: int,
    max_steps: int,
) -> None:
    """Print weights the way the paper does.

    WEIGHTS is a .safetensors file, or a program to be softened first.

    With tapes or a data file it also says which lines they visit, which of the paper's three types of
    interpretability the weights are on them, and prints the exact program if there is one.
    """
    from anc.decompiler.figure import figure

    found = inputs.load_argument(weights, memory).softened(memory, sharpness, seed)
    tapes = [fill(parse_tape(text), found.M) for text in tape]
    if data is not None:
        from anc.tasks.data import read_inputs

        tapes += read_inputs(data, found.M)
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
