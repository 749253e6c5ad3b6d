"""The paper's Table 1: its experiments with one command."""

from __future__ import annotations

import json
import shlex
import sys
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import TYPE_CHECKING

import click

from anc.commands import fields, verbosity
from anc.commands.function import function
from anc.commands.kinds import File, FunctionKind, Names, OneOf
from anc.commands.line import command
from anc.commands.progress import come, ctrl_c
from anc.commands.request import Request, option, typed
from anc.commands.results import claim_folder, saved
from anc.data import programs
from anc.support.diagnostics import AncError
from anc.support.folders import TABLE1
from anc.support.job import Job

if TYPE_CHECKING:
    from anc.training.distributed.chunk import Chunk
    from anc.training.distributed.executor import Executor
    from anc.training.distributed.table1 import Row, TableInProgress

SIX = ("access", "increment", "swap", "listk", "addition", "sort")


class Table1(Request["list[Row]"], name="table1"):
    """The experiments of the paper's Table 1: a row for each task, in iterations (steps + 1).

    `settings` are the "published" ones or "ours". Trained parts are saved in the folder `keep`, if one is
    named (the command uses `table1-ours/chunks`): a later call trains only what is missing.
    `on` and `jobs` are as for the command; `tell` is called with the rows whenever one changes.

    >>> import anc
    >>> row, = anc.table1(["access"], seeds=2)
    >>> row.task, row.seeds, row.generic
    ('access', 2, 6.0)
    """

    tasks: Sequence[str] = option(
        SIX,
        "Train these tasks; 'others' means the seven that are not in the paper's table.",
        Names(programs.names),
        shown=",".join(SIX),
        section="Input",
    )
    seeds: int = fields.SEEDS
    settings: str = option(
        "ours",
        "Train with the settings published with the paper, or with ours.",
        OneOf(("published", "ours")),
        section="Training",
    )
    engine: str = fields.ENGINE
    keep: str | Path | None = option(None, kind=File(), in_command=False)
    on: str = fields.ON
    jobs: int | None = fields.JOBS
    tell: Callable[[list[Row]], None] | None = option(None, kind=FunctionKind(), in_command=False)
    output: Path | None = typed(
        fields.OUTPUT,
        "Write table1.md, .json and .png into this folder.  [default: table1-SETTINGS]",
        metavar="FOLDER",
    )
    force: bool = typed(fields.FORCE, idle=())

    def load(self) -> tuple[TableInProgress, Executor]:
        """Load the table's trainings, and the executor that runs them."""
        from anc.data.tasks import all_tasks, get
        from anc.training.distributed.executor import executor
        from anc.training.distributed.table1 import TableInProgress
        from anc.training.engines import chosen_engine
        from anc.training.problem import from_task
        from anc.training.settings import load_settings

        workers, engine = executor(self.on, self.jobs), chosen_engine(self.engine)
        names = self.tasks
        if tuple(names) == ("others",):
            names = [task.name for task in all_tasks() if task.name not in SIX]
        known = {name: (get(name), load_settings(name, self.settings)) for name in names}
        plans = {name: (from_task(task), plan) for name, (task, plan) in known.items()}
        return TableInProgress(plans, self.seeds, engine), workers

    def run(self, job: Job) -> list[Row]:
        from anc.training.distributed.scheduler import OutcomeStore, outcomes

        table, workers = self.load()
        store = None if self.keep is None else OutcomeStore.at(Path(self.keep), job.warn)
        for part, outcome in outcomes(table.parts, workers, store):
            table.add(part, outcome)
            if self.tell is not None:
                self.tell(table.rows())
        return table.rows()

    def words(self) -> list[str]:
        """The command line that reproduces this table."""
        words = ["anc", "table1", "--seeds", str(self.seeds), "--settings", self.settings]
        words += ["--tasks", ",".join(self.tasks)] if self.tasks != SIX else []
        return words + (["--engine", self.engine] if self.engine != "fused" else [])


table1 = function(Table1)


@command(Table1)
def show(request: Table1) -> None:
    """Run the experiments of the paper's Table 1 and compare.

    Trained parts are saved in the folder: the same command continues with what is missing, and with
    more seeds only the new ones are trained. Ctrl-C ends with the table so far.

    Examples:
      anc table1 --seeds 100 --settings published
      anc table1 --tasks others -o table1-others
    """
    settings, seeds = request.settings, request.seeds
    folder = request.output or Path(f"table1-{settings}")
    place = claim_folder(request, TABLE1, output=folder)
    from anc.pages.figures import save_figures
    from anc.pages.table1 import table1_figures
    from anc.training.distributed.table1 import (
        PARTS,
        check_older,
        markdown,
        table_data,
        write_table,
    )

    if not request.force:
        check_older(folder)
    table, workers = request.load()
    words = shlex.join(request.words())
    about = settings, request.engine, words

    def write(to: Path) -> None:
        write_table(table.rows(), *about, to)
        save_figures(table1_figures(table_data(table.rows(), *about)), ["table1"], to, ["png"])

    written: set[str] | None = None  # finished tasks on disk; None while loading saved parts

    def told(before: list[Chunk]) -> None:
        nonlocal written
        for row in table.rows():
            are = "finished" if row.stop == "done" else f"{row.seeds} of {seeds} seeds were trained"
            verbosity.note(f"{row.task}: {are} before, in {folder}")
        written = table.done

    live, problem, lost = lambda: _lines(table, seeds), None, None
    with ctrl_c() as interrupt:
        try:
            about_parts = table.parts, workers, folder / PARTS, interrupt
            for part, outcome in come(*about_parts, live, request.as_json, told):
                table.add(part, outcome)
                if written is not None and table.done != written:
                    written = table.done
                    problem = saved(place, write)
                    if problem is not None:
                        break
        except AncError as found:
            lost = found
    rows = table.rows()
    if not rows:
        if lost is not None:
            raise lost
        interrupt.end()
    problem = problem or saved(place, write) or lost
    if request.as_json:
        click.echo(json.dumps(table_data(rows, *about), indent=1))
    else:
        click.echo(markdown(rows, settings, words).rstrip("\n"))
    if problem is not None:
        raise problem
    if not request.as_json:
        verbosity.say(f"\nsaved as table1.md, table1.json and table1.png in {folder}")
    if len(table.done) < len(table.names):
        sys.exit(1)


def _lines(table: TableInProgress, seeds: int) -> list[str]:
    """The table during training: the progress and the results so far of each task."""
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
