"""`anc experiment`: experiments beyond the paper's, each with one command."""

from __future__ import annotations

import json
import shlex
import sys
from dataclasses import asdict, replace
from pathlib import Path
from statistics import mean

import click

from anc import limits
from anc.cli import inputs, talk
from anc.cli.interrupt import ctrl_c
from anc.cli.progress import ProgressLine
from anc.cli.results import claim_folder, kept
from anc.folders import DIGITS
from anc.provenance import command_line, provenance
from anc.remaining import TimeLeft
from anc_experiments.intervals import mean_interval

QUICK = 1e10  # operations up to which training through the soft machine is quick


@click.group("experiment")
def command() -> None:
    """Experiments beyond the paper's."""


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
    from anc.report.figures import save_figures
    from anc_experiments.digits.data import load_pictures
    from anc_experiments.digits.figure import digits_figures
    from anc_experiments.digits.methods import METHODS, Experiment, untrained_gap
    from anc_experiments.digits.network import Training
    from anc_experiments.digits.table import Table
    from anc_experiments.digits.tasks import TASKS, DigitTask, get_task

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


@command.command("paths")
@inputs.seeds_option(5)
@inputs.number_option("--steps", 2000, limits.ITERATIONS, "Steps of training.")
@inputs.json_option
def paths(seeds: int, steps: int, as_json: bool) -> None:
    """A network learns paths in graphs through a program.

    The program judges the paths that the network puts out.
    """
    from anc_experiments.paths import METHODS, WORDS, Paths, Row, Training, chance

    experiment = Paths(Training(steps=steps))
    rows: list[Row] = []
    line, left = ProgressLine(quiet=as_json), TimeLeft()
    with ctrl_c() as interrupt:
        for method in METHODS:
            for seed in range(seeds):
                if not interrupt.asked:
                    words = left.words(len(rows) / (seeds * len(METHODS)))
                    line.show(f"{WORDS[method]}: seed {seed} {words}".rstrip())
                    rows.append(experiment.learn(method, seed))
    line.end()
    if not rows:
        interrupt.end()
    by_chance = [chance(seed, experiment.training.tested) for seed in range(seeds)]
    if as_json:
        data = {
            "provenance": provenance(command_line(), seed=0, seeds=seeds, budget=None, steps=steps),
            "rows": [asdict(row) for row in rows],
            "chance": by_chance,
        }
        click.echo(json.dumps(data))
        return
    click.echo("| network | a way | a shortest way | longer than the shortest by | seconds |")
    click.echo("|---|---:|---:|---:|---:|")
    for method in METHODS:
        some = [row for row in rows if row.method == method]
        if some:
            shares = [_percent([getattr(row, x) for row in some]) for x in ("valid", "shortest")]
            excess, seconds = mean(row.excess for row in some), mean(row.seconds for row in some)
            low, high = mean_interval([row.shortest for row in some])
            interval = f" ({100 * low:.1f} to {100 * high:.1f})" if len(some) > 1 else ""
            click.echo(
                f"| {WORDS[method]} | {shares[0]} | {shares[1]}{interval} | {excess:.2f}"
                f" | {seconds:.1f} |"
            )
    shortest, excess = _percent([c[0] for c in by_chance]), mean(c[1] for c in by_chance)
    click.echo(f"| a random way that exists | 100.0 % | {shortest} | {excess:.2f} | |")


@command.command("eviction")
@inputs.seeds_option(5)
@inputs.number_option("--proposals", 20_000, limits.PROPOSALS, "Programs that each search tries.")
@inputs.json_option
def eviction(seeds: int, proposals: int, as_json: bool) -> None:
    """A cache program is adapted until it loads less.

    It is adapted to its requests, and compared with the true optimum.
    """
    from anc.compiler import to_text
    from anc_experiments.eviction import adapt

    found = []
    line, left = ProgressLine(quiet=as_json), TimeLeft()
    with ctrl_c() as interrupt:
        for seed in range(seeds):
            if not interrupt.asked:
                line.show(f"seed {seed} {left.words(seed / seeds)}".rstrip())
                found.append(adapt(seed, proposals, lambda: interrupt.asked))
    line.end()
    if not found:
        interrupt.end()
    rows = [row for row, _ in found]
    if as_json:
        made = provenance(command_line(), seed=0, seeds=seeds, budget=None, proposals=proposals)
        data = [asdict(row) | {"program": to_text(result.program)} for row, result in found]
        click.echo(json.dumps({"provenance": made, "rows": data}))
        return
    click.echo(
        "| seed | first in, first out | adapted | optimum | difference, 95 % | violations | seconds |"
    )
    click.echo("|---:|---:|---:|---:|---:|---:|---:|")
    for row in rows:
        click.echo(
            f"| {row.seed} | {row.generic:.3f} | {row.adapted:.3f} | {row.optimum:.3f}"
            f" | {row.low:+.3f} to {row.high:+.3f} | {row.violations} | {row.seconds:.1f} |"
        )
    closed = [row.closed for row in rows]
    low, high = mean_interval(closed)
    click.echo(
        f"\nof the way from first in, first out to the optimum: {_percent(closed)} on average over"
        f" {len(rows)} seeds"
        + (f" (95 % interval {100 * low:.0f} to {100 * high:.0f} %)" if len(rows) > 1 else "")
    )


def _percent(shares: list[float]) -> str:
    return f"{100 * mean(shares):.1f} %"
