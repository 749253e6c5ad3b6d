"""`anc table1`: the paper's experiments with one command."""

from __future__ import annotations

import shlex
import sys
from pathlib import Path

import click

from anc import tasks
from anc.cli import inputs, talk
from anc.cli.interrupt import ctrl_c
from anc.cli.progress import ProgressLine
from anc.cli.results import check_folder
from anc.cli.train import trained

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
    "--settings", type=click.Choice(["published", "ours"]), default="ours", show_default=True
)
@inputs.engine_option
@inputs.output_option(help="Folder for table1.md, .json and .png  [default: table1-SETTINGS]")
@inputs.json_option
def command(
    seeds: int, chosen: str, settings: str, engine: str, output: Path | None, as_json: bool
) -> None:
    """Run the experiments of the paper's Table 1 and compare.

    Tasks that an earlier run finished in the same folder are not run again. Ctrl-C ends with the
    table so far.
    """
    from anc.experiments.table1 import markdown, read_rows, row_of, save_table
    from anc.learning import problem as problems
    from anc.learning.engines import check_memory
    from anc.learning.members import Members
    from anc.learning.settings import load_settings
    from anc.report.figures import save_figures
    from anc.report.figures.table1 import table1_figures
    from anc.report.table1_page import read_table1

    names = [task.name for task in tasks.all_tasks() if task.name not in SIX]
    names = names if chosen == "others" else [name.strip() for name in chosen.split(",")]
    plans = [(tasks.get(name), load_settings(name, settings)) for name in names]
    folder = output or Path(f"table1-{settings}")
    check_folder(folder)
    done = read_rows(folder, settings, seeds, engine)
    words = ["anc", "table1", "--seeds", str(seeds), "--settings", settings]
    words += ["--tasks", chosen] if chosen != ",".join(SIX) else []
    words += ["--engine", engine] if engine != "fused" else []
    line = ProgressLine(quiet=as_json)
    with ctrl_c() as interrupt:
        for task, plan in plans:
            if task.name in done:
                talk.note(f"{task.name}: finished before, in {folder}")
                continue
            problem = problems.from_task(task)
            members = Members.alike(plan, seeds)
            check_memory(problem, members, engine)
            result = trained(problem, members, engine, task.name, line, interrupt)
            line.end()
            done[task.name] = row_of(result)
            rows = [done[name] for name in names if name in done]
            save_table(rows, settings, engine, shlex.join(words), folder)
            save_figures(table1_figures(read_table1(folder)), ["table1"], folder, ["png"])
            if interrupt.asked:
                break
    rows = [done[name] for name in names if name in done]
    if as_json:
        click.echo((folder / "table1.json").read_text().rstrip("\n"))
    else:
        click.echo(markdown(rows, settings, shlex.join(words)).rstrip("\n"))
        talk.say(f"\nsaved as table1.md, table1.json and table1.png in {folder}")
    if any(row.stop != "done" for row in rows):
        sys.exit(1)
