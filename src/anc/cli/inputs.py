"""What the commands take: programs, weights, tapes, cases, and how warnings are shown."""

from __future__ import annotations

import errno
import os
import re
from pathlib import Path
from typing import Any

import click

from anc import limits, programs, resources
from anc.cli import completion, talk
from anc.cli.streams import remark
from anc.diagnostics import AncError, quoted
from anc.loading import Loaded, load
from anc.machine.tapes import parse_tape


class Limited(click.ParamType):
    """A number of one of the kinds in `anc.limits`."""

    def __init__(self, kind: limits.Whole | limits.Real | limits.Size) -> None:
        self.kind = kind
        names = {limits.Whole: "integer", limits.Real: "number", limits.Size: "size"}
        self.name = names[type(kind)]

    def convert(self, value, param, ctx) -> float:
        if not isinstance(value, str):
            return value  # a default
        try:
            read = {"integer": int, "number": float, "size": str}[self.name]
            return self.kind.check(read(value))
        except (AncError, ValueError):
            self.fail(f"{quoted(value)} is not {self.kind}.", param, ctx)


program_argument = click.argument("program", metavar="PROGRAM", shell_complete=completion.programs)
target_argument = click.argument(
    "target", metavar="TASK or PROGRAM", shell_complete=completion.programs
)
memory_option = click.option(
    "--memory",
    "-m",
    type=Limited(limits.MEMORY),
    metavar="M",
    help="Cells of memory, whatever the program says.",
)


def _bound(context: click.Context, option: click.Parameter, most: int | None) -> None:
    """What this command may take, from now to its end."""
    context.with_resource(resources.bounded(most))


memory_limit_option = click.option(
    "--memory-limit",
    type=Limited(limits.MEMORY_LIMIT),
    metavar="SIZE",
    expose_value=False,
    callback=_bound,
    help="Memory that all of it may take, such as 4GB  [default: half of what is free]",
)
json_option = click.option("--json", "as_json", is_flag=True, help="Print JSON for other programs.")
tape_option = click.option(
    "--tape", "-t", help='The tape, such as "3 2 2 9 15"; zeros fill it up to M cells.'
)
call_option = click.option(
    "--call",
    metavar="ARGUMENTS",
    help='Of a Python function: its arguments instead of a tape, such as "[3, 9, 1], 2".',
)
machine_option = click.option(
    "--machine",
    type=click.Choice(["exact", "soft"]),
    default="exact",
    show_default=True,
    help="Run on numbers, or on distributions.",
)
soft_sharpness_option = click.option(
    "--sharpness",
    "-s",
    type=Limited(limits.SHARPNESS),
    help="Sharpness of the soft machine's weights  [default: 20, as good as exact]",
)
force_option = click.option(
    "--force", is_flag=True, help="Replace whatever result is in the folder; other files stay."
)
engine_option = click.option(
    "--engine",
    type=click.Choice(["auto", "fused", "gpu", "jax"]),
    default="fused",
    show_default=True,
    callback=lambda context, option, name: _chosen_engine(name),
    help="What trains: fused on the CPU, gpu on a graphics card, jax to compare; auto is the fastest here.",
)


def _chosen_engine(name: str) -> str:
    if name != "auto":
        return name  # nothing is loaded to find that out
    from anc.learning.engines import chosen_engine

    return chosen_engine(name)


class FilePath(click.Path):
    """The path of a file or a folder that could exist."""

    def convert(self, value, param, ctx) -> Path:
        if not str(value):
            self.fail("a file has a name, this is empty.", param, ctx)
        try:
            os.stat(value)
        except (OSError, ValueError) as problem:
            if getattr(problem, "errno", None) in (errno.ENAMETOOLONG, errno.ELOOP, None):
                self.fail(f"{quoted(str(value))} cannot be the name of a file.", param, ctx)
        return super().convert(value, param, ctx)  # type: ignore[return-value]


class LineNumbers(click.ParamType):
    """Program lines such as 3-7,12."""

    name = "lines"

    def convert(self, value, param, ctx) -> tuple[int, ...]:
        if isinstance(value, tuple):
            return value
        found: set[int] = set()
        for part in value.split(","):
            match = re.fullmatch(r"\s*([0-9]{1,6})\s*(?:-\s*([0-9]{1,6})\s*)?", part)
            first, last = (int(match[1]), int(match[2] or match[1])) if match else (1, 0)
            if last < first:
                self.fail(
                    f"{quoted(part.strip())} is no line or range of lines; write 3-7,12", param, ctx
                )
            if last >= limits.MAX_MEMORY:
                self.fail(
                    f"line {last} is not possible: a program has at most {limits.MAX_MEMORY} lines",
                    param,
                    ctx,
                )
            found.update(range(first, last + 1))
        return tuple(sorted(found))


freeze_option = click.option(
    "--freeze",
    type=LineNumbers(),
    default=(),
    metavar="LINES",
    help="Program lines that stay as they are, such as 3-7,12 (the first is 0).",
)


def number_option(
    name: str, default: int, kind: limits.Whole, help: str | None = None, **more: Any
):
    """A whole number of this kind."""
    return click.option(
        name, type=Limited(kind), default=default, show_default=True, help=help, **more
    )


def seeds_option(default: int, help: str = "How many random starts."):
    return number_option("--seeds", default, limits.SEEDS, help, metavar="S")


def seed_option(help: str = "Where random choices begin."):
    return number_option("--seed", 0, limits.SEED, help)


def is_default(name: str) -> bool:
    """Whether an option of the command that runs was left out."""
    source = click.get_current_context().get_parameter_source(name)
    return source is click.core.ParameterSource.DEFAULT


def given_besides(*names: str) -> str | None:
    """An option of the command that runs, other than these, that was given."""
    for option in click.get_current_context().command.params:
        is_ours = isinstance(option, click.Option) and option.expose_value
        if is_ours and option.name not in names and not is_default(str(option.name)):
            return max(option.opts, key=len)
    return None


def refuse_unused(*names: str, because: str, help: str | None = None) -> None:
    """Refuse options of the command that runs that were given and say nothing here: none is ignored."""
    for option in click.get_current_context().command.params:
        if option.name in names and not is_default(option.name):
            raise AncError(f"{max(option.opts, key=len)} {because}", help)


def max_steps_option(default: int, kind: limits.Whole = limits.MAX_STEPS):
    return number_option("--max-steps", default, kind, "Give up after so many steps.", metavar="N")


def file_option(*names: str, help: str, **more: Any):
    """The path of a file or a folder."""
    return click.option(*names, type=FilePath(path_type=Path), help=help, **more)


def output_option(help: str, **more: Any):
    return file_option("-o", "--output", help=help, **more)


data_option = file_option(
    "--data",
    help='Your cases as JSON lines: {"input": [...], "output": [...], "mask": [...]}; for a Python'
    " function, the arguments of a call in each: [[3, 9, 1], 2].",
)


def sharpness_option(of: str):
    """How sharp weights become that are looked at, or saved to be trained."""
    return click.option(
        "--sharpness",
        "-s",
        type=Limited(limits.SHARPNESS),
        default=limits.SOFT,
        help=f"Sharpness of {of}  [default: 5, room for gradient descent to move; 20 is as good as exact]",
    )


def cells_of(loaded: Loaded, tape: str | None, call: str | None) -> tuple[int, ...]:
    """The tape that a command is given, as such or as the arguments of a call."""
    if tape is not None and call is not None:
        raise click.UsageError("Give either '--tape' or '--call'.")
    if tape is not None:
        return parse_tape(tape)
    if call is None:
        raise click.UsageError("Missing option '--tape' (of a Python function: '--call').")
    if loaded.function is None:
        raise AncError("--call is for Python functions", help="give the tape with --tape")
    return loaded.function.tape(*loaded.function.arguments(call))


def check_machine(loaded: Loaded) -> None:
    """Refuse what is said about the machine where weights or an exact run leave no choice."""
    if loaded.weights is not None:
        if click.get_current_context().params["machine"] == "exact":
            refuse_unused(
                "machine",
                because="exact is for programs: weights always run softly",
                help=f"read a program back from them: anc decompile {loaded.name} --to listing",
            )
        refuse_sharpness_of_weights(loaded)
    elif click.get_current_context().params["machine"] == "exact":
        refuse_unused(
            "sharpness",
            because="is for the soft machine, and this run is exact",
            help="add --machine soft, or leave it out",
        )


def refuse_sharpness_of_weights(loaded: Loaded, *more: str) -> None:
    """Refuse --sharpness, and options like it, where nothing is softened."""
    if loaded.weights is not None:
        refuse_unused(
            "sharpness",
            *more,
            because=f"is for programs that are softened first, and {loaded.name} holds weights already",
            help="leave it out",
        )


def load_argument(where: str, memory: int | None = None) -> Loaded:
    """Load what an argument names, and show the compiler's warnings."""
    if where in programs.names() and Path(where).exists():
        talk.note(f"note: '{where}' is the shipped program; what lies here is ./{where}")
    loaded = load(where, memory)
    if loaded.warnings:
        remark(loaded.warnings)
    return loaded
