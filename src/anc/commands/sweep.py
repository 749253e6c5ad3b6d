"""Sweeps: the paper's grid search over settings."""

from __future__ import annotations

import shlex
import sys
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import KW_ONLY
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from anc.commands import fields, verbosity
from anc.commands.arguments import Samples, What, given_problem
from anc.commands.function import function
from anc.commands.kinds import File, FileOr, FunctionKind
from anc.commands.line import command
from anc.commands.progress import Interrupt, come, ctrl_c, job_of
from anc.commands.request import option, required, typed
from anc.commands.results import answer
from anc.commands.settings import BASE, SETS, Settings, base_settings
from anc.support import limits
from anc.support.clock import duration
from anc.support.diagnostics import AncError, counted, plain, quoted
from anc.support.files import check_writable, write_atomically
from anc.support.job import Job

if TYPE_CHECKING:
    from anc.training.distributed.chunk import Chunk
    from anc.training.distributed.executor import Executor
    from anc.training.distributed.sweep import Sweep, Swept
    from anc.training.result import TrainingOutcome

    Outcomes = Iterator[tuple[Chunk, TrainingOutcome]]

_SHOWN, _LIVE = 20, 10  # ranked settings that are printed, at the end and during training


def _is_grid(value: object) -> bool:
    return isinstance(value, Mapping)


class SweepSettings(Settings["Swept"], name="sweep"):
    """Train many settings side by side, and rank them.

    In the grid, a dictionary or a TOML file, each value of a list is tried, a range
    `{"low": 0.01, "high": 1, "scale": "log"}` is sampled (`draws` times, from this seed), and anything
    else is fixed. The grid changes the base `settings`; `samples` are as in `anc.adapt`.

    Trained parts are saved in the folder `keep`, if one is named: a later call with the same folder trains
    only what is missing. `on` and `jobs` are as for the command; `tell` is called with each new state.

    With `halving`, settings that look bad after an eighth, a quarter or a half of the iterations are dropped,
    which takes 0.27 of the work. Each row says for how many `iterations` it was trained.

    >>> import anc
    >>> found = anc.sweep("access", {"rate": [0.01, 0.1], "iterations": 20}, seeds=2)
    >>> len(found.rows), found.varied, found.rows[0].successes <= 2
    (2, ('rate',), True)
    """

    program: What = required(fields.TARGET)
    grid: Mapping[str, Any] | str | Path = required(
        None,
        "Read the grid from this TOML file: lists are combined, ranges are drawn at random.",
        FileOr(_is_grid, "a dictionary of settings, or the name of a TOML file"),
        is_needed=True,
        section="Input",
    )
    samples: Samples | str | None = option(fields.DATA, kind=FileOr())
    seeds: int = option(fields.SEEDS, default=20)
    draws: int = option(
        20,
        "Draw this many settings from the ranges.",
        limits.COUNT,
        words="--samples",
        section="Search",
    )
    seed: int = option(fields.SEED, help="Use this seed for the draws.")
    engine: str = fields.ENGINE
    keep: str | Path | None = option(
        None,
        "Keep trained parts in this folder, where the same command continues.  [default: best.chunks]",
        File(),
        section="Output",
    )
    on: str = fields.ON
    jobs: int | None = fields.JOBS
    tell: Callable[[Swept], None] | None = option(None, kind=FunctionKind(), in_command=False)
    halving: bool = option(
        False, "Drop bad settings early, for about 0.3 of the work.", section="Search"
    )
    _: KW_ONLY
    settings: str | Path | None = option(
        BASE, help="Take settings that are not in the grid from here."
    )
    memory: int | None = fields.MEMORY
    output: Path = typed(
        fields.OUTPUT, "Write the best settings to this file.", default=Path("best.toml")
    )

    def load(self, job: Job) -> tuple[Sweep, Executor]:
        """Load the sweep, and the executor that trains it."""
        from anc.training.distributed.executor import executor
        from anc.training.distributed.sweep import Sweep, grid_settings, varied_in
        from anc.training.engines import chosen_engine
        from anc.training.settings import changed, read_toml

        grid, where = self.grid, "grid"
        chosen, workers = chosen_engine(self.engine), executor(self.on, self.jobs)
        problem = given_problem(job, self.program, self.samples, memory=self.memory).problem
        if isinstance(grid, str | Path):
            table, where = read_toml(Path(grid)), str(grid)
        else:
            table = _grid(grid)
        base = changed(base_settings(problem.name, self.settings), self.given_settings())
        plans = grid_settings(base, table, self.draws, self.seed, where)
        if where != "grid" and not any(isinstance(each, dict) for each in table.values()):
            because = f"is about drawing from ranges, and {where} has none"
            self.refuse("draws", "seed", because=because)
        return Sweep(problem, plans, varied_in(table), self.seeds, chosen), workers

    def run(self, job: Job) -> Swept:
        from anc.training.distributed.scheduler import OutcomeStore, outcomes

        made, workers = self.load(job)
        store = None if self.keep is None else OutcomeStore.at(Path(self.keep), job.warn)
        self.train(made, job, lambda parts: outcomes(parts, workers, store))
        return made.swept()

    def train(self, made: Sweep, job: Job, come: Callable[[Sequence[Chunk]], Outcomes]) -> None:
        """Train all settings, or by successive halving the good ones; `come` trains some parts."""
        from anc.training.distributed.halving import SHARES, Halving, sizes

        def some(parts: Sequence[Chunk]) -> Outcomes:
            if self.halving:
                number = max(made.rungs.values())
                count = counted(sizes(len(made.settings))[number], "setting")
                up_to = "the end" if SHARES[number] == 1 else f"{SHARES[number]} of the iterations"
                job.note(f"rung {number + 1} of {len(SHARES)}: {count} up to {up_to}")
            for part, outcome in come(parts):
                made.add(part, outcome)
                if self.tell is not None:
                    self.tell(made.swept())
                yield part, outcome

        halving = Halving(made.by_setting, some, made.rungs)
        for _ in halving.climb() if self.halving else some(made.parts):
            pass


sweep = function(SweepSettings)


def _grid(given: Mapping[Any, Any]) -> dict[str, Any]:
    """A grid as in a file: tuples, arrays and other sequences become lists."""
    for name in given:
        if not isinstance(name, str):
            raise AncError(f"grid: there is no setting {quoted(name)}")
    return {
        name: list(value) if limits.is_listed(value) and not isinstance(value, Mapping) else value
        for name, value in given.items()
    }


@command(SweepSettings)
def show(request: SweepSettings) -> None:
    """Train many settings side by side and rank them.

    The grid is a TOML file: `rate = [0.03, 0.1]` tries each value, `{ low = 0.01, high = 1, scale = "log" }`
    draws values, anything else is fixed. Ctrl-C ends the sweep; whatever was trained by then is
    ranked, and the best settings are written. The same command continues with what is missing, and a
    changed grid trains only its new settings.

    With `--halving` the better half of the settings continues after an eighth of the iterations, a third of
    those after a quarter, and a half of those after a half. The others are ranked by their results so far.

    Examples:
      anc sweep listk --grid grid.toml --seeds 20 -o best.toml
      anc train listk --settings best.toml
    """
    began, output = time.monotonic(), request.output
    check_writable(output)
    folder = Path(request.keep or output.with_name(f"{output.stem}.chunks"))
    is_kept = request.keep is not None or output.is_file() or not output.exists()
    job = job_of(request)
    sweep, workers = request.load(job)
    plans = len(sweep.settings)
    verbosity.note(f"{counted(plans, 'setting')} × {counted(request.seeds, 'seed')}")

    def told(before: list[Chunk]) -> None:
        if before:
            count = sum(part.S for part in before)
            verbosity.note(f"{count} of them were trained before, in {folder}")

    def some(parts: Sequence[Chunk]) -> Outcomes:
        live = lambda: _lines(sweep.swept(), _LIVE)  # noqa: E731
        keep = folder if is_kept else None
        return come(parts, workers, keep, interrupt, live, request.as_json, told)

    lost = None  # a write error, which ends the sweep
    with ctrl_c() as interrupt:
        try:
            request.train(sweep, job, some)
        except AncError as problem:
            lost = problem
    swept = sweep.swept()
    if not swept.rows:
        if lost is not None:
            raise lost
        interrupt.end()
    unwritten, wrote, best = None, None, swept.best
    if best is not None:
        try:
            write_atomically(output, best.to_toml().encode())
            wrote = str(output)
        except AncError as problem:
            unwritten = problem
    lines = _lines(swept, _SHOWN)
    answer(request, swept.to_dict() | {"wrote": wrote}, "\n".join(lines))
    if not request.as_json:
        _tell_missing(swept, plans, interrupt)
        if request.halving and not interrupt.asked:
            verbosity.say(
                f"{swept.trained} of {swept.trainings} trainings went to the end:"
                f" {swept.work:.2f} of the work"
            )
        _tell_best(swept, request, duration(time.monotonic() - began), wrote is not None)
    if unwritten or lost:
        raise unwritten or lost  # type: ignore[misc]
    if best is None:
        sys.exit(1)


def _tell_missing(swept: Swept, settings: int, interrupt: Interrupt) -> None:
    """If the sweep was interrupted, report what is missing."""
    if interrupt.asked:
        unbegun = settings - len(swept.rows)
        missing = f", {counted(unbegun, 'setting')} not begun" if unbegun else ""
        verbosity.say(
            f"interrupted: {swept.trained} of {swept.trainings} trainings are done{missing};"
            " the same command continues"
        )


def _tell_best(swept: Swept, request: SweepSettings, time: str, is_written: bool) -> None:
    """Report where the best settings are, if any succeeded, and the command that uses them."""
    best, output = swept.rows[0], request.output
    if not best.successes:
        click.echo(
            f"{time}; no setting succeeded: no program was found that is right on all"
            f" test cases and faster. {plain(output)} was not written"
        )
    elif not is_written:
        click.echo(f"the best settings:\n{best.settings.to_toml()}")
    else:
        equal = sum(row.merit == best.merit and row.is_whole == best.is_whole for row in swept.rows)
        first = f"the first of {equal} settings that are equally good" if equal > 1 else "the best"
        verbosity.say(f"{time}; {first} is in {output}:")
        verbosity.say(f"  {shlex.join(_train_command(request))}")


def _lines(swept: Swept, most: int) -> list[str]:
    """The ranked settings as a table, with the settings that vary."""
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


def _train_command(request: SweepSettings) -> list[str]:
    """The command that trains with the best settings; its file never passes for a shipped set."""
    words = ["anc", "train", str(request.program)]
    words += ["--data", str(request.samples)] if request.samples is not None else []
    words += ["--memory", str(request.memory)] if request.memory is not None else []
    words += ["--engine", request.engine] if request.is_given("engine") else []
    file = str(request.output)
    return [*words, "--settings", f"./{file}" if file in SETS else file]


def _short(value: object) -> str:
    return f"{value:.4g}" if isinstance(value, float) else str(value)


def _steps(value: float | None) -> str:
    return "-" if value is None else f"{value:.2f}"
