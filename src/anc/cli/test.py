"""`anc test`: a program's own `# run:` examples, on every machine."""

from __future__ import annotations

import sys
from collections.abc import Callable, Sequence

import click

from anc.cli.inputs import compile_argument
from anc.compiler import Compilation
from anc.diagnostics import AncError
from anc.language.tree import Example
from anc.machine import exact
from anc.machine.exact import Run, Stop
from anc.machine.tapes import fill

MAX_STEPS = 10_000


@click.command("test")
@click.argument("programs", metavar="PROGRAM...", nargs=-1, required=True)
@click.option(
    "--machines",
    default="exact,soft,hardened",
    show_default=True,
    help="The machines to run them on.",
)
def command(programs: tuple[str, ...], machines: str) -> None:
    """Run the examples in programs on every machine.

    An example is a line such as `# run: 6 9 1 -> 1 9 1`: the tape before and after.
    """
    chosen = [name.strip() for name in machines.split(",")]
    for name in chosen:
        if name not in _MACHINES:
            raise AncError(f"there is no '{name}' machine", help="use exact, soft or hardened")
    failures = examples = 0
    for where in programs:
        compilation = compile_argument(where)
        if not compilation.examples:
            click.echo(f"{where}: no examples (write one as: # run: 6 9 1 -> 1 9 1)")
        for machine in chosen:
            wrong = list(_wrong_examples(compilation, machine))
            examples += len(compilation.examples)
            failures += len(wrong)
            right = len(compilation.examples) - len(wrong)
            if compilation.examples:
                click.echo(f"{where}: {machine}: {right} of {len(compilation.examples)} right")
            for message in wrong:
                click.echo(f"  {compilation.source.name}:{message}")
    click.echo(f"{examples - failures} passed, {failures} failed")
    if failures:
        sys.exit(1)


def _wrong_examples(compilation: Compilation, machine: str):
    """A message for each example that this machine gets wrong."""
    cases = [(e, *_tapes(e, compilation)) for e in compilation.examples]
    by_size: dict[int, list[tuple[Example, tuple[int, ...], tuple[int, ...]]]] = {}
    for case in cases:
        by_size.setdefault(len(case[1]), []).append(case)
    for group in by_size.values():
        runs = _MACHINES[machine](compilation, [before for _, before, _ in group])
        for (example, _, after), result in zip(group, runs, strict=True):
            message = _difference(result, after)
            if message:
                yield f"{example.span.line}: {message}"


def _tapes(example: Example, compilation: Compilation) -> tuple[tuple[int, ...], tuple[int, ...]]:
    M = compilation.program.memory or max(len(example.input), len(example.output))
    try:
        return fill(example.input, M), fill(example.output, M)
    except AncError as problem:
        raise AncError(
            f"{compilation.source.name}:{example.span.line}: {problem.message}", problem.help
        ) from None


def _difference(result: Run, wanted: tuple[int, ...]) -> str | None:
    if result.stop is not Stop.STOPPED:
        return f"did not stop: {result.stop.value} after {result.steps} steps"
    wrong = [
        f"cell {cell} is {found}, expected {value}"
        for cell, (found, value) in enumerate(zip(result.tape, wanted, strict=True))
        if found != value
    ]
    more = f" (and {len(wrong) - 3} more)" if len(wrong) > 3 else ""
    return ", ".join(wrong[:3]) + more if wrong else None


Tapes = Sequence[tuple[int, ...]]


def _exact(compilation: Compilation, tapes: Tapes) -> list[Run]:
    return [exact.run(compilation.program, tape, MAX_STEPS) for tape in tapes]


def _soft(compilation: Compilation, tapes: Tapes) -> list[Run]:
    from anc.machine.softrun import SHARP, run_soft
    from anc.machine.weights import soften

    return run_soft(soften(compilation.program, len(tapes[0]), SHARP), tapes, MAX_STEPS)


def _hardened(compilation: Compilation, tapes: Tapes) -> list[Run]:
    from anc.machine.weights import harden, soften

    program = harden(soften(compilation.program, len(tapes[0])))
    return [exact.run(program, tape, MAX_STEPS) for tape in tapes]


_MACHINES: dict[str, Callable[[Compilation, Tapes], list[Run]]] = {
    "exact": _exact,
    "soft": _soft,
    "hardened": _hardened,
}
