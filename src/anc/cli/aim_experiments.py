"""`anc experiment paths` and `anc experiment eviction`: learning without answers."""

from __future__ import annotations

import json
from dataclasses import asdict

import click

from anc import limits
from anc.cli import inputs
from anc.cli.interrupt import ctrl_c
from anc.cli.progress import ProgressLine
from anc.provenance import command_line, provenance
from anc.remaining import TimeLeft


@click.command("paths")
@inputs.seeds_option(5)
@inputs.number_option("--steps", 2000, limits.ITERATIONS, "Steps of training.")
@inputs.json_option
def paths(seeds: int, steps: int, as_json: bool) -> None:
    """A network learns paths in graphs through a program.

    The program judges the paths that the network puts out.
    """
    from statistics import mean

    from anc.experiments.intervals import mean_interval
    from anc.experiments.paths import METHODS, WORDS, Paths, Row, Training, chance

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


@click.command("eviction")
@inputs.seeds_option(5)
@inputs.number_option("--proposals", 20_000, limits.PROPOSALS, "Programs that each search tries.")
@inputs.json_option
def eviction(seeds: int, proposals: int, as_json: bool) -> None:
    """A cache program is adapted until it loads less.

    It is adapted to its requests, and compared with the true optimum.
    """
    from anc.compiler import to_text
    from anc.experiments.eviction import adapt
    from anc.experiments.intervals import mean_interval

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
    from statistics import mean

    return f"{100 * mean(shares):.1f} %"
