"""`anc table1`: the paper's experiments with one command."""

from __future__ import annotations

import json
import shlex
import sys
from pathlib import Path
from typing import TYPE_CHECKING

import click

from anc.cli import inputs, talk
from anc.cli.interrupt import ctrl_c
from anc.cli.progress import ProgressLine
from anc.cli.results import claim_folder, kept
from anc.cli.train import Part, trained
from anc.folders import TABLE1
from anc.remaining import TimeLeft

if TYPE_CHECKING:
    from anc.experiments.table1 import Row

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
@inputs.output_option(help="Folder for table1.md, .json and .png  [default: table1-SETTINGS]")
@inputs.force_option
@inputs.json_option
def command(
    seeds: int,
    chosen: str,
    settings: str,
    engine: str,
    output: Path | None,
    force: bool,
    as_json: bool,
) -> None:
    """Run the experiments of the paper's Table 1 and compare.

    Tasks that an earlier run finished in the same folder are not run again. Ctrl-C ends with the
    table so far.
    """
    folder = output or Path(f"table1-{settings}")
    place = claim_folder(folder, TABLE1, force)
    from anc import tasks
    from anc.experiments.table1 import markdown, read_rows, row_of, table_data, write_table
    from anc.learning import problem as problems
    from anc.learning.engines import check_memory
    from anc.learning.members import Members
    from anc.learning.settings import load_settings
    from anc.report.figures import save_figures
    from anc.report.figures.table1 import table1_figures

    names = [task.name for task in tasks.all_tasks() if task.name not in SIX]
    names = names if chosen == "others" else [name.strip() for name in chosen.split(",")]
    plans = [(tasks.get(name), load_settings(name, settings)) for name in names]
    done = read_rows(folder, settings, seeds, engine)
    words = ["anc", "table1", "--seeds", str(seeds), "--settings", settings]
    words += ["--tasks", chosen] if chosen != ",".join(SIX) else []
    words += ["--engine", engine] if engine != "fused" else []

    about = settings, engine, shlex.join(words)

    def rows() -> list[Row]:
        return [done[name] for name in names if name in done]

    def write(to: Path) -> None:
        write_table(rows(), *about, to)
        save_figures(table1_figures(table_data(rows(), *about)), ["table1"], to, ["png"])

    problem = None
    line = ProgressLine(quiet=as_json)
    for name in filter(done.__contains__, names):
        talk.note(f"{name}: finished before, in {folder}")
    missing = [(task, plan) for task, plan in plans if task.name not in done]
    left = TimeLeft()
    with ctrl_c() as interrupt:
        for number, (task, plan) in enumerate(missing):
            given = problems.from_task(task)
            members = Members.alike(plan, seeds)
            check_memory(given, members, engine)
            part = Part(number, len(missing), left)
            result = trained(given, members, engine, task.name, line, interrupt, part)
            line.end()
            done[task.name] = row_of(result)
            problem = kept(place, write)
            if interrupt.asked or problem is not None:
                break
    if as_json:
        click.echo(json.dumps(table_data(rows(), *about), indent=1))
    else:
        click.echo(markdown(rows(), settings, shlex.join(words)).rstrip("\n"))
    if problem is not None:
        raise problem
    if not as_json:
        talk.say(f"\nsaved as table1.md, table1.json and table1.png in {folder}")
    if any(row.stop != "done" for row in rows()):
        sys.exit(1)
