"""`anc sweep`: the paper's grid search over settings."""

from __future__ import annotations

import json
import shlex
import sys
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING

import click

from anc import limits
from anc.cli import inputs, talk
from anc.cli.interrupt import ctrl_c
from anc.cli.problems import given_problem
from anc.cli.progress import ProgressLine
from anc.cli.settings import SETS, chosen_settings
from anc.cli.train import Part, trained
from anc.diagnostics import AncError
from anc.files import check_writable, write_atomically
from anc.remaining import TimeLeft, duration

if TYPE_CHECKING:
    from anc.experiments.sweep import RankedSettings, Swept

_SHOWN = 20  # of the ranked settings


@click.command("sweep")
@inputs.target_argument
@inputs.file_option(
    "--grid",
    required=True,
    help="TOML: lists are tried in all combinations, ranges are drawn at random.",
)
@inputs.data_option
@click.option("--settings", metavar="published|ours|FILE", help="What the grid changes.")
@inputs.seeds_option(20)
@inputs.number_option("--samples", 20, limits.COUNT, "Draws of the ranges.")
@inputs.seed_option("Of the draws.")
@inputs.engine_option
@inputs.output_option(
    default=Path("best.toml"), show_default=True, help="Where to write the best settings."
)
@inputs.memory_option
@inputs.json_option
def command(
    target: str,
    grid: Path,
    data: Path | None,
    settings: str | None,
    seeds: int,
    samples: int,
    seed: int,
    engine: str,
    output: Path,
    memory: int | None,
    as_json: bool,
) -> None:
    """Train many settings side by side and rank them.

    The grid is a TOML file: `rate = [0.03, 0.1]` tries each value, `{ low = 0.01, high = 1, scale = "log" }`
    draws values, anything else is fixed. Ctrl-C ends the sweep; what was trained until then is
    ranked and the best of it is written.
    """
    from anc.experiments.sweep import Swept, grid_settings, populations, ranked, varied_in
    from anc.learning.engines import check_memory
    from anc.learning.settings import read_toml

    check_writable(output)
    problem = given_problem(target, data, False, memory, 0).problem
    base = chosen_settings(problem.name, settings, {})
    table = read_toml(grid)
    plans = grid_settings(base, table, samples, seed, str(grid))
    groups = list(populations(plans, seeds))
    talk.note(f"{len(plans)} settings × {seeds} seeds in {_count(len(groups), 'population')}")
    for _, members in groups:
        check_memory(problem, members, engine)
    line, results, seconds, left = ProgressLine(as_json), [], 0.0, TimeLeft()
    with ctrl_c() as interrupt:
        for number, (numbers, members) in enumerate(groups):
            head = f"population {number + 1} of {len(groups)}"
            result = trained(
                problem, members, engine, head, line, interrupt, Part(number, len(groups), left)
            )
            results.append((numbers, result))
            seconds += result.seconds
            if interrupt.asked:
                break
    line.end()
    rows = ranked(plans, results, seeds)
    swept = Swept(tuple(rows), varied_in(table), seeds, seconds)
    if as_json:
        _as_json(swept, output)
        return
    _show(rows, swept.varied, seeds)
    if interrupt.asked:
        unbegun = len(plans) - len(rows)
        missing = f"; {_count(unbegun, 'setting')} not begun" if unbegun else ""
        talk.say(f"interrupted in population {len(results)} of {len(groups)}{missing}")
    best = rows[0]
    if not best.successes:
        click.echo(
            f"{duration(seconds)}; no setting succeeded: no program was found that is right on all"
            f" test cases and faster. {output} was not written"
        )
        sys.exit(1)
    text = best.settings.to_toml()
    try:
        write_atomically(output, text.encode())
    except AncError:
        click.echo(f"the best settings:\n{text}")
        raise
    ties = sum(row.merit == best.merit for row in rows)
    first = f"the first of {ties} settings that are equally good" if ties > 1 else "the best"
    words = _train_command(target, data, memory, engine, output)
    talk.say(f"{duration(seconds)}; {first} is in {output}:")
    talk.say(f"  {shlex.join(words)}")


def _as_json(swept: Swept, output: Path) -> None:
    """Print everything, with where the best settings are, if there are any."""
    wrote, problem = None, None
    try:
        if swept.best is not None:
            write_atomically(output, swept.best.to_toml().encode())
            wrote = str(output)
    except AncError as found:
        problem = found
    click.echo(json.dumps(swept.to_dict() | {"wrote": wrote}))
    if problem is not None:
        raise problem
    if swept.best is None:
        sys.exit(1)


def _show(rows: list[RankedSettings], varied: Sequence[str], seeds: int) -> None:
    """The ranked settings as a table, with what differs between them."""
    click.echo(f"{'success':>8}  {'95 % interval':<15} {'best':>7} {'median':>7}  settings")
    for row in rows[:_SHOWN]:
        low, high = row.interval
        values = " ".join(f"{name}={_short(getattr(row.settings, name))}" for name in varied)
        best, median = (_steps(x) for x in (row.steps_best, row.steps_median))
        click.echo(
            f"{row.successes / seeds:>8.0%}  {low:>4.0%} to {high:<6.0%}  {best:>7} {median:>7}  {values}"
        )
    if len(rows) > _SHOWN:
        click.echo(f"... and {len(rows) - _SHOWN} more")


def _train_command(
    target: str, data: Path | None, memory: int | None, engine: str, settings: Path
) -> list[str]:
    """The words that train with the settings found; a file is never taken for a set of ours."""
    words = ["anc", "train", target]
    words += ["--data", str(data)] if data is not None else []
    words += ["--memory", str(memory)] if memory is not None else []
    words += ["--engine", engine] if not inputs.is_default("engine") else []
    file = str(settings)
    return [*words, "--settings", f"./{file}" if file in SETS else file]


def _count(number: int, what: str) -> str:
    return f"{number} {what}{'' if number == 1 else 's'}"


def _short(value: object) -> str:
    return f"{value:.4g}" if isinstance(value, float) else str(value)


def _steps(value: float | None) -> str:
    return "-" if value is None else f"{value:.2f}"
