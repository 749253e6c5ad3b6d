"""`anc adapt` and `anc guard`: the best exact program for your inputs, with evidence."""

from __future__ import annotations

import re
import sys
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from anc import limits
from anc.cli import aims, inputs
from anc.cli.interrupt import ctrl_c
from anc.cli.problems import given_problem
from anc.cli.progress import ProgressLine, duration
from anc.cli.results import check_folder, keep_and_show
from anc.compiler import to_text
from anc.diagnostics import AncError, quoted
from anc.files import write_atomically

if TYPE_CHECKING:
    from anc.adaptation.result import Adapted
    from anc.python.function import Function
    from anc.search import Cost

_FEW_ZEROS = 4

assume_option = click.option(
    "--assume",
    multiple=True,
    metavar="FACT",
    help='A fact such as "tape[0] == 3"; may be repeated.',
)


class Seconds(click.ParamType):
    """A time such as 90, 60s or 2m."""

    name = "time"

    def convert(self, value, param, ctx) -> float:
        if isinstance(value, int | float):
            return float(value)
        match = re.fullmatch(r"([0-9]+(?:\.[0-9]+)?)\s*(s|sec|m|min|h)?", value.strip())
        if not match or float(match[1]) <= 0:
            self.fail(f"{quoted(value)} is not a time; write 60s or 2m", param, ctx)
        seconds = float(match[1]) * {"m": 60, "min": 60, "h": 3600}.get(match[2] or "s", 1)
        try:
            return limits.BUDGET.check(seconds)
        except AncError:
            self.fail(f"{quoted(value)} is not {limits.BUDGET}.", param, ctx)


@click.command("adapt")
@click.argument("target", metavar="TASK or PROGRAM")
@inputs.data_option
@click.option("--generic", is_flag=True, help="Adapt a task to its generic distribution.")
@click.option("--budget", type=Seconds(), default="60s", show_default=True, help="Time to spend.")
@click.option(
    "--method",
    type=click.Choice(["all", "gradient", "search", "specialise"]),
    default="all",
    show_default=True,
)
@inputs.seed_option()
@assume_option
@click.option(
    "--weight",
    multiple=True,
    metavar="NAME=COST",
    help="Cost of an instruction, of `lines` or of `registers`, e.g. READ=3; default: 1 per step.",
)
@click.option(
    "--trust",
    type=click.Choice(["proof", "samples"]),
    default="proof",
    show_default=True,
    help="Which answer is adapted.anc: the fastest proved one, or one right on all samples.",
)
@aims.objective_options
@click.option("--trade-off", is_flag=True, help="Also the curve between steps and lines.")
@inputs.freeze_option
@inputs.output_option(help="Write the result here.")
@inputs.memory_option
@inputs.json_option
def command(
    target: str,
    data: Path | None,
    generic: bool,
    budget: float,
    method: str,
    seed: int,
    assume: tuple[str, ...],
    weight: tuple[str, ...],
    trust: str,
    trade_off: bool,
    freeze: tuple[int, ...],
    output: Path | None,
    memory: int | None,
    as_json: bool,
    **options: Any,
) -> None:
    """Find the best exact program for the inputs you have, and prove where it is right.

    TASK is one of `anc tasks`; any other program needs --data. Ctrl-C ends with the best so far. With an
    --objective there are no right answers and there is no proof: --data are inputs alone, and what
    is found is compared with the generic program on fresh ones.
    """
    aim = aims.taken_out(options)
    if aim is not None:
        others = assume or weight or trade_off or generic or not inputs.is_default("trust")
        if method == "specialise" or others:
            raise AncError(
                "--objective goes with --method all, search or gradient and no other option"
            )
        aims.adapt_to_objective(
            target, data, memory, aim, output, as_json, freeze, budget=budget, method=method, seed=seed
        )  # fmt: skip
        return
    from anc.adaptation.adapt import adapt
    from anc.verify import parse_fact

    given = given_problem(target, data, generic, memory, seed, freeze)
    problem = given.problem
    assumed = [parse_fact(text, problem.M) for text in (*given.facts, *assume)]
    cost = _cost(weight)
    check_folder(output)
    line = ProgressLine(quiet=as_json)
    with ctrl_c() as interrupt:
        result = adapt(
            problem,
            budget,
            method,
            seed,
            assumed,
            cost,
            trade_off,
            trust,
            lambda doing, steps: line.show(_progress(doing, steps)),
            lambda: interrupt.asked,
        )
    line.end()
    keep_and_show(result, report(result), output, as_json)
    if output is not None and not as_json and result.improved and result.verdict.proved:
        from anc.adaptation.deployed import verdict_on_guard

        click.echo(verdict_on_guard(result) or "adapted.py and adapted.h can be pasted")
    if not result.improved and result.unproved is None:
        sys.exit(1)


def _cost(words: tuple[str, ...]) -> Cost:
    from anc.search import Cost

    values: dict[str, float] = {}
    for word in words:
        name, _, number = word.partition("=")
        try:
            values[name.strip()] = float(number)
        except ValueError:
            raise AncError(f"--weight {quoted(word)}: expected NAME=COST, such as READ=3") from None
    lines, registers = values.pop("lines", 0.0), values.pop("registers", 0.0)
    return Cost.of_instructions(values, lines, registers)


def _progress(doing: str, steps: float | None) -> str:
    return doing if steps is None else f"{doing}: best {steps:.2f} steps"


def report(result: Adapted) -> str:
    """What adaptation found, for people."""
    rows = []
    if result.improved:
        rows.append(
            f"{result.problem.name}: {result.steps_adapted:.2f} steps instead of"
            f" {result.steps_generic:.2f} (found by {result.method})"
        )
        rows.append(result.answer.tested)
    elif result.unproved is None:
        rows.append(f"{result.problem.name}: nothing faster was found; this is the generic program")
    else:
        rows.append(
            f"{result.problem.name}: nothing faster was proved; this is the generic program"
        )
    rows.append(str(result.verdict))
    rows += _right_whenever(result)
    rows += ["", to_text(result.program).rstrip("\n"), ""]
    if result.improved and result.verdict.proved:
        rows.append(f"guard: {result.guarded}")
    rows += _other_answer(result)
    if result.trade_off:
        rows.append("steps and lines: none of these beats another in both")
        rows += [f"  {f.steps:8.2f} steps, {f.program.L:3} lines" for f in result.trade_off]
    if result.soft is not None:
        rows.append(
            f"a soft program takes {result.soft.steps:.2f} steps, with confidence"
            f" {result.soft.confidence:.3f}"
        )
    rows += list(result.notes)
    rows.append(f"{duration(result.seconds)}, {result.stop}")
    return "\n".join(rows)


def _right_whenever(result: Adapted) -> list[str]:
    """The precondition in words, with a tape that it accepts and one that it rejects."""
    answer = result.answer
    if not answer.facts:
        return []
    function = result.problem.function
    rows = ["right whenever"]
    if function is None:
        rows += [f"  {text}" for text in answer.precondition]
    else:
        unused = function.unused()  # no caller can break what is said of these
        facts = [f for f in answer.facts if f.judge(unused, function.M) is not True]
        rows += [f"  {function.in_words(fact.text)}" for fact in facts] or ["  it is called"]
    rows.append(answer.support)
    if result.accepted is not None:
        rows.append(f"  accepts {_input(function, result.accepted)}")
    if answer.rejected is not None:
        rows.append(f"  rejects {_input(function, answer.rejected)}")
    return rows


def _input(function: Function | None, cells: Sequence[int]) -> str:
    """A call of a function; else the tape, without the zeros at its end where they are many."""
    if function is not None:
        return function.call_text(cells)
    last = max((i for i, value in enumerate(cells) if value), default=0)
    rest = len(cells) - last - 1
    words = map(str, cells[: last + 1] if rest > _FEW_ZEROS else cells)
    return " ".join(words) + (f" ({rest} times 0)" if rest > _FEW_ZEROS else "")


def _other_answer(result: Adapted) -> list[str]:
    """The answer that is not the first: the unproved one, or the proved one where samples are trusted."""
    if result.unproved is None:
        return []
    if result.answer is result.unproved:
        other = result.proved
        what = "the generic program" if other.method == "none" else "proved, in proved.anc"
        return [f"with a proof: {other.steps:.2f} steps ({what})"]
    other = result.unproved
    return [
        f"faster, but not proved: {other.steps:.2f} steps (found by {other.method}), {other.tested}",
        *(f"  {row}" for row in str(other.verdict).splitlines()),
        *(f"  {row}" for row in to_text(other.program).splitlines()),
    ]


@click.command("guard")
@click.argument("generic")
@click.argument("adapted")
@assume_option
@inputs.memory_option
@inputs.output_option(help="Write the listing here.")
def guard_command(
    generic: str, adapted: str, assume: tuple[str, ...], memory: int | None, output: Path | None
) -> None:
    """One program that checks the facts of --assume and falls back to GENERIC when one fails."""
    from anc.guards import guard
    from anc.machine.weights import memory_for
    from anc.verify import parse_fact

    programs = [inputs.load_argument(where, memory).program for where in (generic, adapted)]
    M = memory_for(programs[0], memory or programs[0].memory or programs[1].memory)
    facts = [parse_fact(text, M) for text in assume]
    found = guard(programs[0], programs[1], facts, M)
    click.echo(str(found), err=True)
    if found.program is None:
        sys.exit(1)
    text = to_text(found.program)
    if output is not None:
        write_atomically(output, text.encode())
        click.echo(f"wrote {output}")
    else:
        click.echo(text.rstrip("\n"))
