"""`anc test`: runs the examples in programs."""

from __future__ import annotations

import json
import sys
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import click

from anc.commands import fields, verbosity
from anc.commands.arguments import What, load
from anc.commands.function import function
from anc.commands.kinds import Names
from anc.commands.line import command
from anc.commands.progress import job_of
from anc.commands.request import OfProgram, option, required, typed
from anc.support.diagnostics import AncError, counted, plain, quoted
from anc.support.job import Job

if TYPE_CHECKING:
    from anc.data.loading import Loaded
    from anc.language.tree import Example
    from anc.machine.exact import Run
    from anc.python.function import Function

MACHINES = ("exact", "soft", "hardened")
MAX_STEPS = 10_000
SOFT_CELLS = 512  # above, the soft machine is skipped: a step takes M² numbers

Cells = tuple[int, ...]


@dataclass(frozen=True)
class Wrong:
    """A failed example: its line, and what is wrong."""

    line: int
    message: str


@dataclass(frozen=True)
class Tested:
    """Test results of a program: failed examples on each machine, and failed asserts."""

    name: str
    examples: int
    machines: dict[str, tuple[Wrong, ...]]
    asserts: tuple[Wrong, ...] = ()
    left_out: tuple[str, ...] = ()  # machines that were skipped because they take too long

    @property
    def failed(self) -> int:
        return len(self.asserts) + sum(map(len, self.machines.values()))

    @property
    def passed(self) -> int:
        return max(0, self.examples * len(self.machines) - self.failed)

    def to_dict(self) -> dict[str, Any]:
        """Everything as plain data, for --json."""
        return {
            "program": self.name,
            "examples": self.examples,
            "passed": self.passed,
            "failed": self.failed,
            "left_out": list(self.left_out),
            "asserts": [vars(wrong) for wrong in self.asserts],
            "machines": {
                name: {"right": self.examples - len(wrong), "wrong": [vars(each) for each in wrong]}
                for name, wrong in self.machines.items()
            },
        }


class TestProgram(OfProgram[Tested], name="test"):
    """Run a program's own examples on every machine: exact, soft, and hardened from weights.

    With more than 512 cells of memory, the soft machine is skipped unless `machines` names it. An
    example is a line such as `# run: 6 9 1 -> 1 9 1` or, for a Python function, also a call in its
    docstring.

    >>> import anc
    >>> found = anc.test("access")
    >>> found.examples, found.passed, found.failed
    (5, 15, 0)
    >>> anc.test("memory 3; WRITE(0, 1); STOP()\\n# run: 0 -> 2", ["exact"]).machines
    {'exact': (Wrong(line=2, message='cell 0 is 1, expected 2'),)}
    """

    program: What = required(fields.PROGRAM, in_command=False)
    programs: tuple[str, ...] = typed(fields.PROGRAM, metavar="PROGRAM...", repeated=True)
    machines: Sequence[str] | None = option(
        None,
        "Run the examples on these machines: any of exact, soft and hardened.  [default: all, without"
        " soft above 512 cells]",
        Names(lambda: MACHINES),
        section="Machine",
    )

    def run(self, job: Job) -> Tested:
        return self.on(load(job, self.program))

    def on(self, loaded: Loaded) -> Tested:
        """Test the loaded program."""
        machines = self.machines
        left_out: tuple[str, ...] = ()
        if machines is None:
            cells = max((len(_tapes(example, loaded)[0]) for example in loaded.examples), default=0)
            left_out = ("soft",) if cells > SOFT_CELLS else ()
            machines = [name for name in MACHINES if name not in left_out]
        for name in machines:
            if name not in MACHINES:
                raise AncError(
                    f"there is no {quoted(name)} machine", help="use exact, soft or hardened"
                )
        broken = tuple(_broken_asserts(loaded))
        wrong = {machine: tuple(_wrong_examples(loaded, machine)) for machine in machines}
        return Tested(loaded.name, len(loaded.examples), wrong, broken, left_out)


test = function(TestProgram)


@command(TestProgram)
def show(request: TestProgram) -> None:
    """Run the examples in programs on every machine.

    An example is a line such as `# run: 6 9 1 -> 1 9 1`: the tape before and after the run. For a Python
    function, calls in its docstring are examples too, and its asserts must hold in all of them. For a
    Python file (file.py), all decorated functions are tested.

    Examples:
      anc test double.anc
      anc test fares.py --machines exact
    """
    from anc.python.files import marked_functions

    found: list[tuple[str, Tested]] = []
    for where in (each for program in request.programs for each in marked_functions(program)):
        loaded = load(job_of(request), where)
        found.append((where, request.on(loaded)))
        if not request.as_json:
            _show(where, loaded, found[-1][1])
    passed, failed = (sum(getattr(one, name) for _, one in found) for name in ("passed", "failed"))
    if request.as_json:
        each = [one.to_dict() | {"program": where} for where, one in found]
        click.echo(json.dumps({"passed": passed, "failed": failed, "programs": each}))
    else:
        click.echo(f"{passed} passed, {failed} failed")
    if failed:
        sys.exit(1)


def _show(where: str, loaded: Loaded, found: Tested) -> None:
    if not found.examples:
        verbosity.say(f"{where}: no examples (write one as: {_how(loaded)})")
    for broken in found.asserts:
        click.echo(f"{plain(where)}: line {broken.line}: {broken.message}")
    for machine, wrong in found.machines.items():
        if found.examples:
            verbosity.say(
                f"{where}: {machine}: {found.examples - len(wrong)} of {found.examples} right"
            )
        for each in wrong:
            click.echo(f"  {plain(loaded.name)}:{each.line}: {each.message}")
    for machine in found.left_out:
        verbosity.say(
            f"{where}: {machine}: skipped, because it is slow in more than {SOFT_CELLS} cells"
            f" (run it with --machines {machine})"
        )


def _how(loaded: Loaded) -> str:
    if loaded.function is None or loaded.function.layout.tape is not None:
        return "# run: 6 9 1 -> 1 9 1"
    return f">>> {loaded.function.name}(...) in its documentation"


def _broken_asserts(loaded: Loaded) -> Iterator[Wrong]:
    """The asserts of a Python function that fail in an example."""
    if loaded.function is None:
        return
    for example in loaded.examples:
        before, _ = _tapes(example, loaded)
        for line in loaded.function.broken_asserts(before):
            place = f"the example of line {example.span.line}"
            yield Wrong(line, f"this assert does not hold in {place}")


def _wrong_examples(loaded: Loaded, machine: str) -> Iterator[Wrong]:
    """The examples that fail on this machine."""
    by_size: dict[int, list[tuple[Example, Cells, Cells]]] = {}
    for case in [(e, *_tapes(e, loaded)) for e in loaded.examples]:
        by_size.setdefault(len(case[1]), []).append(case)
    for group in by_size.values():
        runs = _run_all(machine, loaded, [before for _, before, _ in group])
        for (example, _, after), result in zip(group, runs, strict=True):
            message = _difference(result, after, loaded.function)
            if message:
                yield Wrong(example.span.line, message)


def _tapes(example: Example, loaded: Loaded) -> tuple[Cells, Cells]:
    from anc.machine.tapes import fill

    M = loaded.program.memory or max(len(example.input), len(example.output))
    try:
        return fill(example.input, M), fill(example.output, M)
    except AncError as problem:
        raise AncError(
            f"{loaded.name}:{example.span.line}: {problem.message}", problem.help
        ) from None


def _difference(result: Run, wanted: Cells, function: Function | None = None) -> str | None:
    from anc.machine.exact import Stop

    if result.stop is not Stop.STOPPED:
        return f"did not stop: {result.stop.value} after {counted(result.steps, 'step')}"
    wrong = [
        f"{f'cell {cell}' if function is None else function.cell_in_words(cell)} is {found},"
        f" expected {value}"
        for cell, (found, value) in enumerate(zip(result.tape, wanted, strict=True))
        if found != value
    ]
    more = f" (and {len(wrong) - 3} more)" if len(wrong) > 3 else ""
    return ", ".join(wrong[:3]) + more if wrong else None


def _run_all(machine: str, loaded: Loaded, tapes: Sequence[Cells]) -> list[Run]:
    """Run a program on tapes of one size."""
    from anc.machine import exact

    program, M = loaded.program, len(tapes[0])
    if machine == "soft":
        from anc.machine.softrun import run_soft

        return run_soft(loaded.softened(M), tapes, MAX_STEPS)
    if machine == "hardened":
        from anc.machine.weights import harden, soften

        program = harden(soften(program, M))
    return [exact.run(program, tape, MAX_STEPS) for tape in tapes]
