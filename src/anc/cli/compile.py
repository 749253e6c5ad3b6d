"""`anc compile`: a program as registers and lines, as text, as JSON, or as weights."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path

import click

from anc import limits
from anc.cli import inputs, talk
from anc.compiler import to_text
from anc.diagnostics import AncError
from anc.files import check_writable, write_atomically
from anc.program import Program

LANGUAGES = {".py": "python", ".h": "c"}
WRITTEN = LANGUAGES | {
    ".anc": "listing",
    ".json": "json",
    ".safetensors": "weights",
}  # what files hold


def emitted(language: str) -> Callable[[Program, str], str]:
    """What writes a program as a function of a language."""

    def text(program: Program, name: str) -> str:
        from anc import emit

        write = emit.to_python if language == "python" else emit.to_c
        return write(program, name=name)

    return text


def name_of(argument: str) -> str:
    """What to call the function of a program that an argument names."""
    file, _, function = Path(argument).name.partition(".py:")
    return "program" if argument == "-" else function or file.split(".")[0]


FORMS: dict[str, Callable[[Program, str], str]] = {
    "ir": lambda program, name: str(program),
    "listing": lambda program, name: to_text(program),
    "json": lambda program, name: program.to_json(),
    "python": emitted("python"),
    "c": emitted("c"),
}


@click.command("compile")
@inputs.program_argument
@inputs.memory_option
@click.option(
    "--registers",
    type=inputs.Limited(limits.REGISTERS),
    default=0,
    metavar="N",
    help="Add N spare registers.",
)
@click.option(
    "--to",
    "form",
    type=click.Choice(list(FORMS)),
    default="ir",
    show_default=True,
    help="Registers and lines as in the paper, canonical text, JSON, or a function of Python or C.",
)
@inputs.output_option(help="Write a .safetensors (weights), .anc, .json, .py or .h file instead.")
@inputs.sharpness_option("the weights")
@inputs.seed_option("Seed of the rows after the program.")
@inputs.json_option
def command(
    program: str,
    memory: int | None,
    registers: int,
    form: str,
    output: Path | None,
    sharpness: float,
    seed: int,
    as_json: bool,
) -> None:
    """Compile a program and show it, or save it as weights.

    PROGRAM is a file, the name of a shipped program, - for standard input, or saved weights.
    """
    check_writable(output)
    _check_form(form, output)
    compiled = inputs.load_argument(program, memory).program.with_spare(registers)
    if output is None:
        text = FORMS[form](compiled, name_of(program))
        if as_json and form in ("ir", "json"):
            text = compiled.to_json()
        elif as_json:
            text = json.dumps({"form": form, "text": text})
        click.echo(text.rstrip("\n"))
        return
    from anc import api

    if output.suffix == ".safetensors":
        api.save(api.soften(compiled, memory, sharpness, seed), output)
    elif output.suffix in (".anc", ".json"):
        api.save(compiled, output)
    elif output.suffix in LANGUAGES:
        text = FORMS[LANGUAGES[output.suffix]](compiled, output.stem)
        write_atomically(output, text.encode())
    else:
        raise AncError(
            f"cannot tell what to write to {output.name!r}",
            help="name a .safetensors (weights), .anc (listing), .json, .py or .h file",
        )
    if as_json:
        click.echo(json.dumps({"wrote": str(output)}))
    else:
        talk.say(f"wrote {output}")


def _check_form(form: str, output: Path | None) -> None:
    """Refuse what says nothing about this form, or contradicts the file's name."""
    if output is None or output.suffix != ".safetensors":
        inputs.refuse_unused(
            "sharpness",
            "seed",
            because="is about weights, and none are written",
            help="write them with -o FILE.safetensors",
        )
    if output is not None and WRITTEN.get(output.suffix, form) != form:
        inputs.refuse_unused(
            "form",
            because=f"{form} does not go with {output.name}, whose name says what is written",
            help="leave --to out, or name a file of another kind",
        )
