"""`anc test`: a program's own `# run:` examples, on every machine."""

from __future__ import annotations

import sys
from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING

import click

from anc.cli import inputs
from anc.diagnostics import AncError, quoted
from anc.language.tree import Example
from anc.loading import Loaded
from anc.machine import exact
from anc.machine.exact import Run, Stop
from anc.machine.tapes import fill

if TYPE_CHECKING:
    from anc.python.function import Function

MACHINES = ("exact", "soft", "hardened")
MAX_STEPS = 10_000


@click.command("test")
@click.argument("programs", metavar="PROGRAM...", nargs=-1, required=True)
@click.option(
    "--machines",
    default=",".join(MACHINES),
    show_default=True,
    help="The machines to run them on.",
)
def command(programs: tuple[str, ...], machines: str) -> None:
    """Run the examples in programs on every machine.

    An example is a line such as `# run: 6 9 1 -> 1 9 1`: the tape before and after; in a Python
    function also a call in its documentation, and its asserts must hold in all of them. Of a Python
    file (file.py) all functions with the decorator are tested.
    """
    from anc.python.files import marked_functions

    chosen = [name.strip() for name in machines.split(",")]
    for name in chosen:
        if name not in MACHINES:
            raise AncError(
                f"there is no {quoted(name)} machine", help="use exact, soft or hardened"
            )
    failures = examples = 0
    for where in (each for program in programs for each in marked_functions(program)):
        loaded = inputs.load_argument(where)
        if not loaded.examples:
            click.echo(f"{where}: no examples (write one as: {_how(loaded)})")
        broken = list(_broken_asserts(loaded))
        failures += len(broken)
        for message in broken:
            click.echo(f"{where}: {message}")
        for machine in chosen:
            wrong = list(_wrong_examples(loaded, machine))
            examples += len(loaded.examples)
            failures += len(wrong)
            right = len(loaded.examples) - len(wrong)
            if loaded.examples:
                click.echo(f"{where}: {machine}: {right} of {len(loaded.examples)} right")
            for message in wrong:
                click.echo(f"  {loaded.name}:{message}")
    click.echo(f"{max(0, examples - failures)} passed, {failures} failed")
    if failures:
        sys.exit(1)


def _how(loaded: Loaded) -> str:
    if loaded.function is None or loaded.function.layout.tape is not None:
        return "# run: 6 9 1 -> 1 9 1"
    return f">>> {loaded.function.name}(...) in its documentation"


def _broken_asserts(loaded: Loaded) -> Iterator[str]:
    """A message for each assert of a Python function that does not hold in an example."""
    if loaded.function is None:
        return
    for example in loaded.examples:
        before, _ = _tapes(example, loaded)
        for line in loaded.function.broken_asserts(before):
            yield f"line {line}: this assert does not hold in the example of line {example.span.line}"


def _wrong_examples(loaded: Loaded, machine: str) -> Iterator[str]:
    """A message for each example that this machine gets wrong."""
    by_size: dict[int, list[tuple[Example, tuple[int, ...], tuple[int, ...]]]] = {}
    for case in [(e, *_tapes(e, loaded)) for e in loaded.examples]:
        by_size.setdefault(len(case[1]), []).append(case)
    for group in by_size.values():
        runs = _run_all(machine, loaded, [before for _, before, _ in group])
        for (example, _, after), result in zip(group, runs, strict=True):
            message = _difference(result, after, loaded.function)
            if message:
                yield f"{example.span.line}: {message}"


def _tapes(example: Example, loaded: Loaded) -> tuple[tuple[int, ...], tuple[int, ...]]:
    M = loaded.program.memory or max(len(example.input), len(example.output))
    try:
        return fill(example.input, M), fill(example.output, M)
    except AncError as problem:
        raise AncError(
            f"{loaded.name}:{example.span.line}: {problem.message}", problem.help
        ) from None


def _difference(
    result: Run, wanted: tuple[int, ...], function: Function | None = None
) -> str | None:
    if result.stop is not Stop.STOPPED:
        return f"did not stop: {result.stop.value} after {result.steps} steps"
    wrong = [
        f"{_cell(cell, function)} is {found}, expected {value}"
        for cell, (found, value) in enumerate(zip(result.tape, wanted, strict=True))
        if found != value
    ]
    more = f" (and {len(wrong) - 3} more)" if len(wrong) > 3 else ""
    return ", ".join(wrong[:3]) + more if wrong else None


def _cell(cell: int, function: Function | None) -> str:
    """What a person calls a cell."""
    if function is None or function.layout.tape is not None:
        return f"cell {cell}"
    return "the result" if cell == function.layout.result else function.in_words(f"tape[{cell}]")


def _run_all(machine: str, loaded: Loaded, tapes: Sequence[tuple[int, ...]]) -> list[Run]:
    """The runs of a program on tapes of one size."""
    program, M = loaded.program, len(tapes[0])
    if machine == "soft":
        from anc.machine.softrun import SHARP, run_soft

        return run_soft(loaded.softened(M, SHARP), tapes, MAX_STEPS)
    if machine == "hardened":
        from anc.machine.weights import harden, soften

        program = harden(soften(program, M))
    return [exact.run(program, tape, MAX_STEPS) for tape in tapes]
