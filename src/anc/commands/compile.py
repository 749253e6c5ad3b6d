"""Programs and weights: compiled, softened, hardened, loaded and saved."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, overload

import click

from anc.commands import fields
from anc.commands.arguments import What
from anc.commands.arguments import load as load_named
from anc.commands.function import function
from anc.commands.kinds import File, OneOf
from anc.commands.line import command
from anc.commands.progress import job_of
from anc.commands.request import OfProgram, option, required, typed
from anc.commands.results import answer, wrote
from anc.compiler import to_text
from anc.program import Program
from anc.support import limits
from anc.support.diagnostics import AncError, quoted
from anc.support.files import check_writable, write_atomically
from anc.support.job import Job

if TYPE_CHECKING:
    from anc.machine.weights import Weights

WRITTEN = {  # the form that a file's suffix stands for
    ".py": "python",
    ".h": "c",
    ".anc": "listing",
    ".json": "json",
    ".safetensors": "weights",
}


def _emitted(language: str, program: Program, name: str) -> str:
    """A program as a function in a programming language."""
    from anc import codegen

    return getattr(codegen, f"to_{language}")(program, name=name)


def name_of(argument: str) -> str:
    """The name of the emitted function for a program argument."""
    file, _, function = Path(argument).name.partition(".py:")
    return "program" if argument == "-" else function or file.split(".")[0]


FORMS: dict[str, Callable[[Program, str], str]] = {
    "ir": lambda program, name: str(program),
    "listing": lambda program, name: to_text(program),
    "json": lambda program, name: program.to_json(),
    "python": partial(_emitted, "python"),
    "c": partial(_emitted, "c"),
}


WEIGHTS_SEED = option(
    fields.SEED, help="Use this seed for the rows after the program.", section="Weights"
)


class Compile(OfProgram[Program], name="compile"):
    """Compile a listing to a Program; `spare` adds registers for learning.

    >>> import anc
    >>> program = anc.compile("var k = 0; k = READ(0); k = INC(k); k = READ(k); WRITE(0, k); STOP()")
    >>> program.L, program.R
    (5, 3)
    """

    text: str = required(fields.PROGRAM)  # the command takes any program
    memory: int | None = fields.MEMORY
    spare: int = option(
        0,
        "Add N spare registers.",
        limits.REGISTERS,
        words="--registers",
        shown=False,
        section="Output",
    )
    form: str | None = typed(
        None,
        "Print registers and lines as in the paper, canonical text, JSON, or a function of Python or C."
        "  [default: ir; listing of a Python function]",
        OneOf(tuple(FORMS)),
        words="--to",
        section="Output",
    )
    output: Path | None = typed(
        fields.OUTPUT,
        "Write a .safetensors (weights), .anc, .json, .py or .h file instead of printing.",
    )
    sharpness: float = typed(fields.sharpness_of("the program"))
    seed: int = typed(WEIGHTS_SEED)

    def check_together(self) -> None:
        """Reject options that have no effect on this form, or contradict the file's suffix."""
        if self.output is None or self.output.suffix != ".safetensors":
            self.refuse(
                "sharpness",
                "seed",
                because="is about weights, and none are written",
                help="write them with -o FILE.safetensors",
            )
        if self.output is not None and WRITTEN.get(self.output.suffix, self.form) != self.form:
            self.refuse(
                "form",
                because=f"{self.form} does not go with {self.output.name}, whose name says what is written",
                help="leave --to out, or name a file of another kind",
            )

    def run(self, job: Job) -> Program:
        from anc.language import Source

        if not isinstance(self.text, str):
            raise AncError(f"expected the text of a listing, found {quoted(self.text)}")
        what = self.text if self.is_typed else Source(self.text)
        return load_named(job, what, self.memory).program.with_spare(self.spare)


class Soften(OfProgram["Weights"], name="soften"):
    """Compile a program exactly into weights: 0/1 choices times the sharpness.

    Sharpness 5 leaves gradient descent room to move; 20, the sharpness of soft runs, is as good as exact.

    >>> import anc
    >>> anc.soften("listk", sharpness=5).op.shape
    (20, 11)
    """

    program: What = required(fields.PROGRAM)
    M: int | None = fields.MEMORY
    sharpness: float = fields.sharpness_of("the program")
    seed: int = fields.SEED

    def run(self, job: Job) -> Weights:
        from anc.machine.weights import soften

        return soften(load_named(job, self.program).program, self.M, self.sharpness, self.seed)


compile = function(Compile)
soften = function(Soften)


def harden(weights: Weights) -> Program:
    """Read the most likely program from weights.

    >>> import anc
    >>> listk = anc.load("listk")
    >>> anc.harden(anc.soften(listk)) == listk
    True
    """
    from anc.machine.weights import Weights, harden

    if not isinstance(weights, Weights):
        raise AncError(f"expected weights, found {quoted(weights)}")
    return harden(weights)


def load(where: str | Path) -> Program | Weights:
    """Load a program or weights: a shipped program's name, or a .anc, .json or .safetensors file.

    >>> import anc
    >>> anc.load("access").L
    5
    """
    return load_named(Job(), where).thing


@overload
def save(thing: Program, path: str | Path) -> None: ...
@overload
def save(thing: Weights, path: str | Path) -> None: ...
def save(thing, path):
    """Write a program (.anc or .json) or weights (.safetensors) to a file.

    >>> import anc, tempfile, pathlib
    >>> path = pathlib.Path(tempfile.mkdtemp()) / "listk.safetensors"
    >>> anc.save(anc.soften(anc.load("listk")), path)
    >>> anc.harden(anc.load(path)) == anc.load("listk")
    True
    """
    path = File().check(path, "path")
    if not isinstance(thing, Program):
        from anc.machine.files import save_weights
        from anc.machine.weights import Weights

        if not isinstance(thing, Weights):
            raise AncError(f"expected a program or weights to save, found {quoted(thing)}")
        if path.suffix != ".safetensors":
            raise AncError(f"weights are saved as .safetensors files, not as {path.name!r}")
        save_weights(thing, path)
    elif path.suffix in (".anc", ".json"):
        write_atomically(path, FORMS[WRITTEN[path.suffix]](thing, path.stem).encode())
    else:
        raise AncError(f"programs are saved as .anc or .json files, not as {path.name!r}")


@command(Compile)
def show(request: Compile) -> None:
    """Compile a program and show it, or save it as weights.

    PROGRAM is a file, the name of a shipped program, - for standard input, or saved weights.

    Examples:
      anc compile listk
      anc compile double.anc --sharpness 5 -o double.safetensors
      anc compile listk --to python
    """
    from anc.data.loading import is_function

    output, form = request.output, request.form
    if form is None:
        form = "listing" if is_function(request.text) else "ir"
    check_writable(output)
    compiled = request.run(job_of(request))
    if output is None:
        text = FORMS[form](compiled, name_of(request.text))
        if request.as_json and form in ("ir", "json"):
            click.echo(compiled.to_json().rstrip("\n"))
        else:
            answer(request, {"form": form, "text": text}, text.rstrip("\n"))
        return
    written = WRITTEN.get(output.suffix)
    if written == "weights":
        save(soften(compiled, request.memory, request.sharpness, request.seed), output)
    elif written is not None:
        write_atomically(output, FORMS[written](compiled, output.stem).encode())
    else:
        raise AncError(
            f"cannot tell what to write to {output.name!r}",
            help="name a .safetensors (weights), .anc (listing), .json, .py or .h file",
        )
    wrote(request, output)
