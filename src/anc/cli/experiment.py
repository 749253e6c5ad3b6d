"""`anc experiment`: experiments beyond the paper's, each with one command."""

from __future__ import annotations

import json
import shlex
import sys
from dataclasses import replace
from pathlib import Path

import click

from anc import limits
from anc.cli import aim_experiments, inputs, talk
from anc.cli.interrupt import ctrl_c
from anc.cli.progress import ProgressLine
from anc.cli.results import claim_folder, kept
from anc.folders import DIGITS
from anc.remaining import TimeLeft

QUICK = 1e10  # operations up to which training through the soft machine is quick


@click.group("experiment")
def command() -> None:
    """Experiments beyond the paper's."""


command.add_command(aim_experiments.paths)
command.add_command(aim_experiments.eviction)


@command.command("digits")
@inputs.seeds_option(5)
@click.option("--tasks", "chosen", help="Names with commas  [default: all]")
@click.option(
    "--steps",
    type=inputs.Limited(replace(limits.ITERATIONS, least=2)),
    help="Steps of training  [default: 500]",
)
@click.option(
    "--soft",
    type=click.Choice(["none", "quick", "all"]),
    default="quick",
    show_default=True,
    help="Which tasks are trained through the soft machine as well.",
)
@inputs.output_option(
    help="Folder for digits.md, .json and .png", default="digits", show_default=True
)
@inputs.force_option
@inputs.json_option
def digits(
    seeds: int,
    chosen: str | None,
    steps: int | None,
    soft: str,
    output: Path,
    force: bool,
    as_json: bool,
) -> None:
    """Networks that learn to read digits through programs.

    They see handwritten digits, and are trained on the programs' results. What an earlier run
    finished in the same folder is not run again. Ctrl-C ends with the table so far.
    """
    place = claim_folder(output, DIGITS, force)
    from anc.experiments.digits.data import load_pictures
    from anc.experiments.digits.methods import METHODS, Experiment, untrained_gap
    from anc.experiments.digits.network import Training
    from anc.experiments.digits.table import Table
    from anc.experiments.digits.tasks import TASKS, DigitTask, get_task
    from anc.report.figures import save_figures
    from anc.report.figures.digits import digits_figures

    names = list(TASKS) if chosen is None else [name.strip() for name in chosen.split(",")]
    tasks = [get_task(name) for name in names]
    training = Training(steps=steps) if steps else Training()
    experiment = Experiment(load_pictures(), seeds, training)
    words = ["anc", "experiment", "digits", "--seeds", str(seeds)]
    words += [] if chosen is None else ["--tasks", chosen]
    words += ["--steps", str(steps)] if steps else []
    words += ["--soft", soft] if soft != "quick" else []
    table = Table(seeds, training, shlex.join(words))
    table.read(output)

    def write(to: Path) -> None:
        table.write(to)
        save_figures(digits_figures(table.data()), ["digits"], to, ["png"])

    def methods_of(task: DigitTask) -> list[str]:
        is_quick = soft == "all" or experiment.soft_work(task) <= QUICK
        skipped = () if soft != "none" and is_quick else ("soft",)
        known = [method for method in METHODS if (task.name, method) in table.rows]
        return [method for method in METHODS if method not in (*skipped, *known)]

    before, missing = len(table.rows), sum(len(methods_of(task)) for task in tasks)
    problem = None
    line, left = ProgressLine(quiet=as_json), TimeLeft()
    with ctrl_c() as interrupt:
        for task in tasks:
            for method in methods_of(task):
                if interrupt.asked:
                    break
                done = len(table.rows) - before
                line.show(
                    f"{task.name}: {method} ({done} of {missing} trainings done)"
                    f" {left.words(done / missing)}".rstrip()
                )
                table.add(experiment.learn(task, method))
            if task.name not in table.gaps and not interrupt.asked:
                table.gaps[task.name] = untrained_gap(task)
            if table.rows:
                problem = kept(place, write)
            if interrupt.asked or problem is not None:
                break
    line.end()
    if interrupt.asked and not table.rows:
        interrupt.end()
    if as_json:
        click.echo(json.dumps(table.data(), indent=1))
    else:
        click.echo(table.markdown().rstrip("\n"))
    if problem is not None:
        raise problem
    if not as_json:
        talk.say(f"\nsaved as digits.md, digits.json and digits.png in {output}")
    if interrupt.asked:
        sys.exit(1)
