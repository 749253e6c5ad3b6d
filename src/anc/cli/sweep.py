"""`anc sweep`: the paper's grid search over settings."""

from __future__ import annotations

import json
import shlex
import sys
import time
from collections.abc import Callable, Iterator, Sequence
from itertools import chain
from pathlib import Path
from typing import TYPE_CHECKING

import click

from anc import limits
from anc.cli import inputs, talk
from anc.cli.chunks import Trainings, kept_in, spread_options
from anc.cli.interrupt import Interrupt, ctrl_c
from anc.cli.problems import given_problem
from anc.cli.sections import Sectioned
from anc.cli.settings import SETS, chosen_settings
from anc.diagnostics import AncError, counted, plain
from anc.files import check_writable, write_atomically
from anc.remaining import duration

if TYPE_CHECKING:
    from anc.spread.chunk import Chunk
    from anc.spread.outcome import Outcome
    from anc.spread.sweep import Sweep, Swept

    Train = Callable[[Sequence[Chunk]], Iterator[tuple[Chunk, Outcome]]]

_SHOWN, _LIVE = 20, 10  # of the ranked settings, at the end and while they are trained


EXAMPLES = """\
  anc sweep listk --grid grid.toml --seeds 20 -o best.toml
  anc train listk --settings best.toml"""


@click.command("sweep", cls=Sectioned, examples=EXAMPLES)
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
@inputs.file_option(
    "--keep",
    help="Folder of what is trained, with which the same command goes on  [default: best.chunks]",
)
@spread_options
@click.option(
    "--halving",
    is_flag=True,
    help="Drop settings that look bad early: about 0.3 of the work.",
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
    keep: Path | None,
    on: str,
    jobs: int | None,
    halving: bool,
    memory: int | None,
    as_json: bool,
) -> None:
    """Train many settings side by side and rank them.

    The grid is a TOML file: `rate = [0.03, 0.1]` tries each value, `{ low = 0.01, high = 1, scale = "log" }`
    draws values, anything else is fixed. Ctrl-C ends the sweep; what was trained until then is
    ranked and the best of it is written. The same command again goes on with what is missing, and a
    changed grid trains only what is new in it.

    With `--halving` the better half of the settings goes on after an eighth of the iterations, a third of
    those after a quarter, and a half of those after a half. The others are ranked by what they had found.
    """
    from anc.learning.settings import read_toml
    from anc.spread.on import executor
    from anc.spread.sweep import Sweep, grid_settings, varied_in

    began = time.monotonic()
    check_writable(output)
    folder = kept_in(keep, output)
    workers = executor(on, jobs)
    problem = given_problem(target, data, False, memory, 0).problem
    base = chosen_settings(problem.name, settings, {})
    table = read_toml(grid)
    plans = grid_settings(base, table, samples, seed, str(grid))
    if not any(isinstance(value, dict) for value in table.values()):
        inputs.refuse_unused(
            "samples", "seed", because=f"is about drawing from ranges, and {grid} has none"
        )
    sweep = Sweep(problem, plans, varied_in(table), seeds, engine)
    talk.note(f"{counted(len(plans), 'setting')} × {counted(seeds, 'seed')}")
    lost: list[AncError] = []  # what could not be written, which ends the sweep
    with ctrl_c() as interrupt:

        def train(parts: Sequence[Chunk]) -> Iterator[tuple[Chunk, Outcome]]:
            live = lambda: _lines(sweep.swept(), _LIVE)  # noqa: E731
            work = Trainings(parts, workers, folder, live, quiet=as_json)
            before = [(part, work.kept[part.key]) for part in parts if part.key in work.kept]
            if before:
                count = sum(part.S for part, _ in before)
                talk.note(f"{count} of them were trained before, in {folder}")
            for part, outcome in chain(before, work.come(interrupt)):
                sweep.add(part, outcome)
                yield part, outcome
            lost.extend(filter(None, [work.problem]))

        for _ in _climbed(sweep, train) if halving else train(sweep.parts):
            if lost:
                break
    swept = sweep.swept()
    if not swept.rows:
        if lost:
            raise lost[0]
        interrupt.end()
    if as_json:
        _as_json(swept, output, lost[0] if lost else None)
        return
    click.echo("\n".join(_lines(swept, _SHOWN)))
    _tell_missing(swept, len(plans), interrupt)
    if halving and not interrupt.asked:
        talk.say(
            f"{swept.trained} of {swept.trainings} trainings went to the end: {swept.work:.2f} of the work"
        )
    words = _train_command(target, data, memory, engine, output)
    is_written = _keep_best(swept, output, time.monotonic() - began, words)
    if lost:
        raise lost[0]
    if not is_written:
        sys.exit(1)


def _climbed(sweep: Sweep, train: Train) -> Iterator[object]:
    """Train the settings rung by rung, and say of each how many are on it."""
    from anc.spread.halving import SHARES, Halving, sizes

    def told(parts: list[Chunk]) -> Iterator[tuple[Chunk, Outcome]]:
        number = max(sweep.rungs.values())
        some = counted(sizes(len(sweep.settings))[number], "setting")
        up_to = "the end" if SHARES[number] == 1 else f"{SHARES[number]} of the iterations"
        talk.note(f"rung {number + 1} of {len(SHARES)}: {some} up to {up_to}")
        return train(parts)

    return Halving(sweep.by_setting, told, sweep.rungs).climb()


def _tell_missing(swept: Swept, settings: int, interrupt: Interrupt) -> None:
    """Say what is not there, if it was interrupted."""
    if interrupt.asked:
        unbegun = settings - len(swept.rows)
        missing = f", {counted(unbegun, 'setting')} not begun" if unbegun else ""
        talk.say(
            f"interrupted: {swept.trained} of {swept.trainings} trainings are done{missing};"
            " the same command goes on"
        )


def _keep_best(swept: Swept, output: Path, seconds: float, train: list[str]) -> bool:
    """Write the best settings, if any succeeded, and say how to train with them."""
    best = swept.rows[0]
    if not best.successes:
        click.echo(
            f"{duration(seconds)}; no setting succeeded: no program was found that is right on all"
            f" test cases and faster. {plain(output)} was not written"
        )
        return False
    text = best.settings.to_toml()
    try:
        write_atomically(output, text.encode())
    except AncError:
        click.echo(f"the best settings:\n{text}")
        raise
    ties = sum(row.merit == best.merit and row.is_whole == best.is_whole for row in swept.rows)
    first = f"the first of {ties} settings that are equally good" if ties > 1 else "the best"
    talk.say(f"{duration(seconds)}; {first} is in {output}:")
    talk.say(f"  {shlex.join(train)}")
    return True


def _as_json(swept: Swept, output: Path, problem: AncError | None) -> None:
    """Print everything, with where the best settings are, if there are any."""
    wrote = None
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


def _lines(swept: Swept, most: int) -> list[str]:
    """The ranked settings as a table, with what differs between them."""
    lines = [f"{'success':>8}  {'95 % interval':<15} {'best':>7} {'median':>7}  settings"]
    for row in swept.rows[:most]:
        low, high = row.interval
        values = " ".join(f"{name}={_short(getattr(row.settings, name))}" for name in swept.varied)
        values += f" ({row.seeds} of {swept.seeds} seeds)" if row.seeds < swept.seeds else ""
        values += "" if row.is_whole else f" (up to iteration {row.iterations})"
        best, median = (_steps(x) for x in (row.steps_best, row.steps_median))
        lines.append(
            f"{row.successes / row.seeds:>8.0%}  {low:>4.0%} to {high:<6.0%}  {best:>7} {median:>7}  {values}"
        )
    if len(swept.rows) > most:
        lines.append(f"... and {len(swept.rows) - most} more")
    return lines


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


def _short(value: object) -> str:
    return f"{value:.4g}" if isinstance(value, float) else str(value)


def _steps(value: float | None) -> str:
    return "-" if value is None else f"{value:.2f}"
