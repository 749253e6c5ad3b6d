"""`anc table1`: the paper's experiments with one command."""

from __future__ import annotations

import json
import shlex
import sys
from pathlib import Path
from typing import TYPE_CHECKING

import click

from anc.cli import inputs, talk
from anc.cli.chunks import Trainings, spread_options
from anc.cli.interrupt import ctrl_c
from anc.cli.results import claim_folder, kept
from anc.folders import TABLE1

if TYPE_CHECKING:
    from anc.spread.table1 import Table

SIX = ("access", "increment", "swap", "listk", "addition", "sort")


@click.command("table1")
@inputs.seeds_option(100)
@click.option(
    "--tasks",
    "chosen",
    default=",".join(SIX),
    show_default=True,
    help="Names with commas; 'others' means the seven that are not in the paper's table.",
)
@click.option(
    "--settings",
    type=click.Choice(["published", "ours"]),
    default="ours",
    show_default=True,
    help="The settings that were published with the paper, or ours.",
)
@inputs.engine_option
@inputs.output_option(
    metavar="FOLDER", help="Folder for table1.md, .json and .png  [default: table1-SETTINGS]"
)
@inputs.force_option
@spread_options
@inputs.json_option
def command(
    seeds: int,
    chosen: str,
    settings: str,
    engine: str,
    output: Path | None,
    force: bool,
    on: str,
    jobs: int | None,
    as_json: bool,
) -> None:
    """Run the experiments of the paper's Table 1 and compare.

    What is trained is kept in the folder, part by part: the same command goes on with what is missing,
    and with more seeds only those are trained. Ctrl-C ends with the table so far.
    """
    folder = output or Path(f"table1-{settings}")
    place = claim_folder(folder, TABLE1, force)
    from anc import tasks
    from anc.learning import problem as problems
    from anc.learning.settings import load_settings
    from anc.report.figures import save_figures
    from anc.report.figures.table1 import table1_figures
    from anc.spread.on import executor
    from anc.spread.table1 import (
        PARTS,
        Table,
        check_older,
        markdown,
        table_data,
        write_table,
    )

    workers = executor(on, jobs)
    if not force:
        check_older(folder)
    names = [task.name for task in tasks.all_tasks() if task.name not in SIX]
    names = names if chosen == "others" else [name.strip() for name in chosen.split(",")]
    known = {name: (tasks.get(name), load_settings(name, settings)) for name in names}
    words = ["anc", "table1", "--seeds", str(seeds), "--settings", settings]
    words += ["--tasks", chosen] if chosen != ",".join(SIX) else []
    words += ["--engine", engine] if engine != "fused" else []
    about = settings, engine, shlex.join(words)
    plans = {name: (problems.from_task(task), plan) for name, (task, plan) in known.items()}
    table = Table(plans, seeds, engine)

    def write(to: Path) -> None:
        write_table(table.rows(), *about, to)
        save_figures(table1_figures(table_data(table.rows(), *about)), ["table1"], to, ["png"])

    work = Trainings(
        table.parts, workers, folder / PARTS, lambda: _lines(table, seeds), quiet=as_json
    )
    for part in table.parts:
        if part.key in work.kept:
            table.add(part, work.kept[part.key])
    for row in table.rows():
        what = "finished" if row.stop == "done" else f"{row.seeds} of {seeds} seeds were trained"
        talk.note(f"{row.task}: {what} before, in {folder}")
    problem, written = None, table.done
    with ctrl_c() as interrupt:
        for part, outcome in work.come(interrupt):
            table.add(part, outcome)
            if table.done != written:
                written = table.done
                problem = kept(place, write)
                if problem is not None:
                    break
    rows = table.rows()
    if not rows:
        if work.problem is not None:
            raise work.problem
        interrupt.end()
    problem = problem or kept(place, write) or work.problem
    if as_json:
        click.echo(json.dumps(table_data(rows, *about), indent=1))
    else:
        click.echo(markdown(rows, settings, shlex.join(words)).rstrip("\n"))
    if problem is not None:
        raise problem
    if not as_json:
        talk.say(f"\nsaved as table1.md, table1.json and table1.png in {folder}")
    if len(table.done) < len(table.names):
        sys.exit(1)


def _lines(table: Table, seeds: int) -> list[str]:
    """The table while it is trained: how far each task is, and how it does until now."""
    lines = [
        f"{'task':<12} {'seeds':>13} {'success':>8}  {'95 % interval':<14} {'best':>7} {'median':>7}"
    ]
    for name in table.names:
        row = table.row(name)
        if row is None:
            lines.append(f"{name:<12} {f'0 of {seeds}':>13}")
            continue
        low, high = row.interval
        best, median = (
            "-" if x is None else f"{x:.2f}" for x in (row.learned_best, row.learned_median)
        )
        lines.append(
            f"{name:<12} {f'{row.seeds} of {seeds}':>13} {row.success_rate:>8.0%}"
            f"  {low:>4.0%} to {high:<5.0%}  {best:>7} {median:>7}"
        )
    return lines
