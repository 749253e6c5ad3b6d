"""`anc sweep`: the paper's grid search over settings."""

from __future__ import annotations

from pathlib import Path

import click

from anc import limits
from anc.cli import inputs
from anc.cli.interrupt import ctrl_c
from anc.cli.problems import given_problem
from anc.cli.progress import ProgressLine, duration
from anc.cli.settings import chosen_settings
from anc.cli.train import trained


@click.command("sweep")
@click.argument("target", metavar="TASK or PROGRAM")
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
) -> None:
    """Train many settings side by side and rank them.

    Ctrl-C ends the sweep; what was finished is ranked and the best of it is written.
    """
    from anc.experiments.sweep import grid_settings, populations, ranked
    from anc.files import write_atomically
    from anc.learning.engines import check_memory
    from anc.learning.settings import read_toml

    problem = given_problem(target, data, False, memory, 0).problem
    base = chosen_settings(problem.name, settings, {})
    table = read_toml(grid)
    plans = grid_settings(base, table, samples, seed, str(grid))
    groups = list(populations(plans, seeds))
    click.echo(f"{len(plans)} settings × {seeds} seeds in {len(groups)} populations", err=True)
    for _, members in groups:
        check_memory(problem, members, engine)
    line, results, seconds = ProgressLine(), [], 0.0
    with ctrl_c() as interrupt:
        for number, (numbers, members) in enumerate(groups):
            head = f"population {number + 1} of {len(groups)}"
            result = trained(problem, members, engine, head, line, interrupt)
            results.append((numbers, result))
            seconds += result.seconds
            if interrupt.asked:
                break
    line.end()
    rows = ranked(plans, results, seeds)
    varied = [name for name, value in table.items() if isinstance(value, list | dict)]
    click.echo(f"{'success':>8}  {'95 % interval':<15} {'best':>7} {'median':>7}  settings")
    for row in rows[:20]:
        low, high = row.interval
        values = " ".join(f"{name}={_short(getattr(row.settings, name))}" for name in varied)
        best, median = (_steps(x) for x in (row.steps_best, row.steps_median))
        click.echo(
            f"{row.successes / seeds:>8.0%}  {low:>4.0%} to {high:<6.0%}  {best:>7} {median:>7}  {values}"
        )
    if len(rows) > 20:
        click.echo(f"... and {len(rows) - 20} more")
    write_atomically(output, rows[0].settings.to_toml().encode())
    click.echo(
        f"{duration(seconds)}; the best is in {output}: anc train {target} --settings {output}"
    )


def _short(value: object) -> str:
    return f"{value:.4g}" if isinstance(value, float) else str(value)


def _steps(value: float | None) -> str:
    return "-" if value is None else f"{value:.2f}"
