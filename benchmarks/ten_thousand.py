"""Ten thousand seeds: how often each task succeeds, and how that depends on sharpness, rate and clipping.

    python benchmarks/ten_thousand.py -o ten                                 # everything, with the best engine here
    python benchmarks/ten_thousand.py -o few --seeds 16 --grid-seeds 8 --tasks access --iterations 300 --engine fused

Trainings are kept in the folder as they come: the same command goes on where it was interrupted, and trains only what a
change of options changes. Written are rates.md, rates.json, and the picture grid.png: one square for each task and
clipping, sharpness to the right, rate upwards, and the share of seeds that succeeded; a frame marks the settings that
were begun with, where they are in the grid.
"""

from __future__ import annotations

import argparse
import itertools
import json
import signal
import sys
import time
from collections.abc import Iterable
from dataclasses import asdict, dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from anc.data import tasks
from anc.pages.figures import ORANGE, PROBABILITY, drawn, panels
from anc.support.diagnostics import AncError
from anc.support.files import write_atomically
from anc.support.job import provenance
from anc.training.distributed.chunk import Chunk, chunks_of
from anc.training.distributed.executor import ChunkProgress, executor
from anc.training.distributed.scheduler import OutcomeStore, outcomes
from anc.training.engines import CHOICES, chosen_engine, device_of
from anc.training.members import Members
from anc.training.problem import Problem, from_task
from anc.training.result import wilson
from anc.training.settings import TrainingSettings, changed, load_settings

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

SIX = ("access", "increment", "swap", "listk", "addition", "sort")
SHARPNESS = (
    1.0,
    2.0,
    3.0,
    4.0,
    5.0,
    6.0,
    8.0,
)  # the published ones are among these, as of the next two
RATES = (0.003, 0.01, 0.03, 0.1, 0.3, 1.0, 3.0)
CLIPS = (0.0, 0.1, 1.0, 10.0)


@dataclass
class Rate:
    """How many seeds of one setting succeeded."""

    task: str
    sharpness: float
    rate: float
    clip: float
    successes: int = 0
    seeds: int = 0
    steps: list[float] = field(default_factory=list)  # of those that succeeded

    @property
    def share(self) -> float:
        return self.successes / self.seeds if self.seeds else float("nan")

    @property
    def interval(self) -> tuple[float, float]:
        return wilson(self.successes, self.seeds) if self.seeds else (0.0, 1.0)


@dataclass
class Asked:
    """Settings of tasks, a number of seeds for each, and what has come of them."""

    seeds: int
    engine: str
    parts: dict[str, tuple[Chunk, Rate]] = field(default_factory=dict)
    rates: list[Rate] = field(default_factory=list)

    def ask(self, problem: Problem, settings: TrainingSettings) -> None:
        rate = Rate(problem.name, settings.sharpness, settings.rate, settings.clip)
        self.rates.append(rate)
        for part in chunks_of(problem, Members.alike(settings, self.seeds), self.engine):
            self.parts[part.key] = part, rate

    def train(self, store: OutcomeStore, stop: list[int]) -> None:
        """Train what is missing, until somebody interrupts it."""
        chunks, begin = [part for part, _ in self.parts.values()], time.perf_counter()

        def tell(standing: ChunkProgress) -> None:
            done = sum(rate.seeds for rate in self.rates)
            print(
                f"\r{done} of {len(self.rates) * self.seeds} trainings,"
                f" {time.perf_counter() - begin:.0f} s; {standing.name}: {standing.members} members,"
                f" {standing.share:.0%}   ",
                end="", file=sys.stderr, flush=True,
            )  # fmt: skip

        for part, outcome in outcomes(chunks, executor(), store, lambda: bool(stop), tell):
            if outcome.is_done:
                rate = self.parts[part.key][1]
                rate.seeds += outcome.S
                rate.successes += int(outcome.succeeded.sum())
                rate.steps += outcome.steps[outcome.succeeded].tolist()
        print(file=sys.stderr)


def markdown(rates: Iterable[Rate]) -> str:
    """The rates for people; iterations are steps + 1, as in the paper."""
    lines = [
        "| task | seeds | succeeded | 95 % interval | iterations: best | median |",
        "|---|---|---|---|---|---|",
    ]
    for rate in rates:
        low, high = rate.interval
        steps = [f"{fold(rate.steps) + 1:.2f}" if rate.steps else "-" for fold in (min, np.median)]
        cells = (rate.task, f"{rate.seeds:,}", f"{rate.share:.2%}", f"{low:.2%} to {high:.2%}")
        lines.append("| " + " | ".join((*cells, *steps)) + " |")
    return "\n".join(lines) + "\n"


def picture(rates: list[Rate], names: list[str], begun: dict[str, TrainingSettings]) -> Figure:
    """A square for each task and clipping; the settings that the grid began with are framed."""
    figure, axes = panels(len(CLIPS), len(names), 2.1, 2.0)
    grid = np.array(list(axes), dtype=object).reshape(len(CLIPS), len(names))
    found = {(rate.task, rate.sharpness, rate.rate, rate.clip): rate.share for rate in rates}
    for (row, clip), (column, name) in itertools.product(enumerate(CLIPS), enumerate(names)):
        axis = grid[row, column]
        shares = [[found[name, s, rate, clip] for s in SHARPNESS] for rate in RATES]
        image = axis.imshow(shares, origin="lower", vmin=0, vmax=1, cmap=PROBABILITY)
        axis.grid(False)
        _frame(axis, begun[name], clip)
        axis.set_xticks(range(len(SHARPNESS)), [f"{s:g}" for s in SHARPNESS], fontsize=6)
        axis.set_yticks(range(len(RATES)), [f"{rate:g}" for rate in RATES], fontsize=6)
        axis.set_title(
            f"{name}, " + (f"clipped at {clip:g}" if clip else "not clipped"), fontsize=7
        )
        if row == len(CLIPS) - 1:
            axis.set_xlabel("sharpness", fontsize=7)
        if column == 0:
            axis.set_ylabel("rate", fontsize=7)
    figure.colorbar(
        image, ax=grid.ravel().tolist(), shrink=0.4, label="share of seeds that succeed"
    )
    return figure


def _frame(axis: Axes, settings: TrainingSettings, clip: float) -> None:
    """Mark where these settings are, if they are in this square."""
    if settings.sharpness in SHARPNESS and settings.rate in RATES and settings.clip == clip:
        from matplotlib.patches import Rectangle

        corner = SHARPNESS.index(settings.sharpness) - 0.5, RATES.index(settings.rate) - 0.5
        axis.add_patch(Rectangle(corner, 1, 1, fill=False, edgecolor=ORANGE, linewidth=1.6))


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("-o", "--output", type=Path, required=True, help="a folder")
    parser.add_argument("--seeds", type=int, default=10_000)
    parser.add_argument(
        "--grid-seeds", type=int, default=1_000, help="of each of its settings; 0: none"
    )
    parser.add_argument("--tasks", default=",".join(SIX))
    parser.add_argument("--settings", choices=("published", "ours"), default="published")
    parser.add_argument("--iterations", type=int, help="fewer than the settings say, to try it")
    parser.add_argument("--engine", choices=CHOICES, default="auto")
    options = parser.parse_args()
    engine = chosen_engine(options.engine)
    names = options.tasks.split(",")
    less: dict[str, Any] = {} if options.iterations is None else {"iterations": options.iterations}
    rates, grid = Asked(options.seeds, engine), Asked(options.grid_seeds, engine)
    begun = {name: changed(load_settings(name, options.settings), less) for name in names}
    for name, settings in begun.items():
        problem = from_task(tasks.get(name))
        rates.ask(problem, settings)
        for sharpness, rate, clip in itertools.product(SHARPNESS, RATES, CLIPS):
            varied = {"sharpness": sharpness, "rate": rate, "clip": clip}
            if options.grid_seeds:
                grid.ask(problem, changed(settings, varied))
    options.output.mkdir(parents=True, exist_ok=True)
    store = OutcomeStore.at(options.output / "chunks", lambda text: print(text, file=sys.stderr))
    begin = time.perf_counter()
    stop: list[int] = []  # Ctrl-C: what is under way ends at its next validation, and is kept
    signal.signal(signal.SIGINT, lambda number, frame: stop.append(number))
    for asked in (rates, grid):
        asked.train(store, stop)
    text = markdown(rates.rates)
    made = provenance(None, seed=0, seeds=options.seeds, budget=None, **device_of(engine))
    results = {
        "engine": engine,
        "settings": options.settings,
        "provenance": made,
        "seconds": time.perf_counter() - begin,
        "rates": [asdict(rate) | {"interval": rate.interval} for rate in rates.rates],
        "grid": [
            {name: value for name, value in asdict(rate).items() if name != "steps"}
            for rate in grid.rates
        ],
    }
    write_atomically(options.output / "rates.md", text.encode())
    write_atomically(options.output / "rates.json", (json.dumps(results, indent=1) + "\n").encode())
    if grid.rates:
        for name, data in drawn(lambda: picture(grid.rates, names, begun), "grid", ["png"]):
            write_atomically(options.output / name, data)
    print(text, end="")
    if stop:
        sys.exit("interrupted: the same command goes on")


if __name__ == "__main__":
    try:
        main()
    except AncError as problem:
        sys.exit(str(problem))
