"""What the commands take: programs, weights, tapes, and how warnings are shown."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import TYPE_CHECKING

import click

from anc import programs
from anc.compiler import Compilation, compile_source
from anc.diagnostics import AncError, close_match
from anc.language import Source, read_source
from anc.language.source import decode

if TYPE_CHECKING:
    from anc.machine.weights import Weights

program_argument = click.argument("program", metavar="PROGRAM")
memory_option = click.option(
    "--memory", "-m", type=int, metavar="M", help="Cells of memory, whatever the program says."
)
json_option = click.option("--json", "as_json", is_flag=True, help="Print JSON for other programs.")
tape_option = click.option(
    "--tape",
    "-t",
    required=True,
    help='The tape, such as "3 2 2 9 15"; zeros fill it up to M cells.',
)
machine_option = click.option(
    "--machine",
    type=click.Choice(["exact", "soft"]),
    default="exact",
    show_default=True,
    help="Run on numbers, or on distributions.",
)
soft_sharpness_option = click.option(
    "--sharpness", "-s", type=float, help="Sharpness of the soft machine's weights [default: 20]."
)
seed_option = click.option(
    "--seed",
    type=click.IntRange(0),
    default=0,
    show_default=True,
    help="Seed of the rows after the program.",
)


def sharpness_option(purpose: str):
    return click.option(
        "--sharpness", "-s", type=float, default=5.0, show_default=True, help=purpose
    )


def max_steps_option(default: int):
    return click.option(
        "--max-steps",
        type=click.IntRange(1),
        default=default,
        show_default=True,
        metavar="N",
        help="Give up after so many steps.",
    )


def find_source(where: str) -> Source:
    """The text behind a program argument."""
    if where == "-":
        return decode(sys.stdin.buffer.read(), "<stdin>")
    path = Path(where)
    if not path.exists() and where in programs.names():
        return programs.source(where)
    if not path.exists():
        match = close_match(where, programs.names())
        hint = f"did you mean the shipped program '{match}'?" if match else "see: anc programs"
        raise AncError(f"'{where}' is neither a file nor a shipped program", help=hint)
    return read_source(path)


def compile_argument(where: str, memory: int | None = None, spare: int = 0) -> Compilation:
    """Compile a program argument and show its warnings."""
    source = find_source(where)
    if source.name.endswith(".json"):
        from anc.program import Program

        program = Program.from_json(source.text)
        if memory is not None:
            program.check_fits(memory)
        return Compilation(program, (), (), source)
    compilation = compile_source(source, memory, spare)
    if compilation.warnings:
        click.echo(compilation.rendered_warnings(), err=True)
    return compilation


def is_weights(where: str) -> bool:
    return where.endswith(".safetensors")


def load_weights_argument(where: str, memory: int | None = None) -> Weights:
    from anc.machine.files import load_weights

    weights = load_weights(where)
    if memory not in (None, weights.M):
        raise AncError(f"{where} is for a memory of {weights.M} cells, not {memory}")
    return weights
