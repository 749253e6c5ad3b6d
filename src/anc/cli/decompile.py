"""`anc decompile`: weights read back as the paper's figures, and as exact programs."""

from __future__ import annotations

import json
from pathlib import Path

import click

from anc.cli.inputs import (
    compile_argument,
    is_weights,
    load_weights_argument,
    max_steps_option,
    memory_option,
    seed_option,
    sharpness_option,
)
from anc.diagnostics import AncError
from anc.machine.tapes import fill, parse_tape


@click.command("decompile")
@click.argument("weights", metavar="WEIGHTS")
@click.option(
    "--tape", "-t", multiple=True, help="A tape to follow through the weights; may be repeated."
)
@click.option(
    "--data",
    type=click.Path(path_type=Path),
    help='Cases to follow, as JSON lines: {"input": [...]}.',
)
@memory_option
@sharpness_option("Sharpness when a program is given.")
@seed_option
@max_steps_option(1_000)
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
    from anc.machine.weights import soften

    if is_weights(weights):
        found = load_weights_argument(weights, memory)
    else:
        found = soften(compile_argument(weights, memory).program, memory, sharpness, seed)
    tapes = [fill(parse_tape(text), found.M) for text in tape]
    if data is not None:
        tapes += _inputs(data, found.M)
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


def _inputs(path: Path, M: int) -> list[tuple[int, ...]]:
    from anc.language import read_source

    tapes = []
    for number, line in enumerate(read_source(path).text.split("\n"), start=1):
        if not line.strip():
            continue
        try:
            cells = json.loads(line)["input"]
            if not all(type(cell) is int for cell in cells):
                raise ValueError("a cell is not a number")
            tapes.append(fill(cells, M))
        except (ValueError, KeyError, TypeError) as problem:
            raise AncError(
                f"{path}:{number}: not a case: {problem}", help='a case is: {"input": [3, 2, 2]}'
            ) from None
        except AncError as problem:
            raise AncError(f"{path}:{number}: {problem.message}", problem.help) from None
    if not tapes:
        raise AncError(f"{path} holds no cases")
    return tapes
