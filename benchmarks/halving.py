"""Does `anc sweep --halving` find the best setting in a third of the work? The six tasks of Table 1, a grid each.

    python benchmarks/halving.py                 # about ten minutes on two cores, nothing else running
    python benchmarks/halving.py --tasks access,swap --seeds 10

A grid of 36 settings (sharpness × rate × clip × efficiency) around the published settings of each task; of listk around
ours, with a quarter of their iterations, for the published ones never succeed. Both sweeps train the same seeds, in
this process. Work is counted in three ways: iterations × members, soft steps × samples of training, and seconds of all
cores (not of the clock, so that other programs do not matter), which include validations and tests.

What counts as the same best, said before anything was measured. Halving's first setting is
  same       if it is the full sweep's first, or has as many successes and the same median of steps there;
  tied       if, with 100 seeds that neither sweep has seen, its successes do not differ from those of the full sweep's
             first (Fisher's exact test, two-sided, p >= 0.05) and its median steps are at most 2 % more;
  better     if with these seeds it has more successes, and that by the same test is no chance;
  different  otherwise.
The fresh seeds are needed because the first of many settings is also the luckiest of them. With 100 seeds each, a
difference of about 14 points (near 50 %) or 6 points (near 100 %) is found significant; less is called a tie.
"""

from __future__ import annotations

import argparse
import json
import math
import time
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np

from anc.data import tasks
from anc.support.job import cores
from anc.training.distributed.chunk import Chunk, chunks_of, portable
from anc.training.distributed.halving import Halving
from anc.training.distributed.scheduler import outcomes
from anc.training.distributed.sweep import grid_settings
from anc.training.members import Members
from anc.training.problem import Problem, from_task
from anc.training.result import TrainingOutcome
from anc.training.settings import TrainingSettings, changed, load_settings
from anc.training.training import Progress

TASKS = ("access", "increment", "swap", "listk", "addition", "sort")
FIRST = 10_000  # the first seed of both sweeps: no choice in halving was made with these
FRESH = 1_000_000  # the first of the seeds that no sweep has seen
LISTK = {"iterations": 2400}


def base_of(task: str) -> TrainingSettings:
    """What a task's grid is around."""
    if task == "listk":
        return changed(load_settings(task, "ours"), LISTK)
    return load_settings(task, "published")


def grid_of(task: str, base: TrainingSettings) -> list[TrainingSettings]:
    """The 36 settings of a task."""
    table = {
        "sharpness": [round(base.sharpness * factor, 4) for factor in (0.8, 1.0, 1.25)],
        "rate": [round(base.rate * factor, 4) for factor in (1 / 3, 1.0, 3.0)],
        "clip": [1.0, 10.0] if task == "listk" else [0.0, 1.0],
        "efficiency": [0.3, 0.9] if task == "listk" else [0.0, 0.1],
    }
    return grid_settings(base, table, 1, 0, "grid")


class Counted:
    """Trains chunks in this process, with all cores, and counts the work."""

    workers, cores, is_here = 1, cores(), True

    def __init__(self) -> None:
        self.iterations = self.steps = 0.0

    def run(
        self,
        chunks: Sequence[Chunk],
        asked_to_stop: Callable[[], bool] = lambda: False,
        tell: Callable[..., None] = lambda standing: None,
    ) -> Iterator[tuple[Chunk, TrainingOutcome]]:
        for chunk in chunks:
            last = chunk.first

            def note(progress: Progress, batch: int = chunk.members.shared.batch) -> None:
                nonlocal last
                done, last = progress.iteration - last, progress.iteration
                self.iterations += done * len(progress.report.steps)
                self.steps += done * batch * float(progress.report.steps.sum())

            yield chunk, chunk.run(asked_to_stop, note)


@dataclass
class Work:
    """How much a sweep was."""

    iterations: float
    steps: float
    seconds: float


def merit(outcome: TrainingOutcome) -> tuple[int, float]:
    """What `anc sweep` ranks by: less is better."""
    won = outcome.succeeded
    return -int(won.sum()), float(np.median(outcome.steps[won])) if won.any() else math.inf


def measured(
    executor: Counted, train: Callable[[], dict[int, TrainingOutcome]]
) -> tuple[dict, Work]:
    begin = time.process_time()
    found = train()
    seconds = time.process_time() - begin
    return found, Work(executor.iterations, executor.steps, seconds)


def whole(parts: list[tuple[Chunk, ...]]) -> tuple[dict[int, TrainingOutcome], Work]:
    """All settings, trained to the end."""
    executor = Counted()

    def train() -> dict[int, TrainingOutcome]:
        came = {c.key: o for c, o in outcomes([c for some in parts for c in some], executor)}
        return {
            n: TrainingOutcome.joined([came[c.key] for c in some]) for n, some in enumerate(parts)
        }

    return measured(executor, train)


def halved(parts: list[tuple[Chunk, ...]]) -> tuple[dict[int, TrainingOutcome], Work]:
    """The settings that halving trains to the end."""
    executor = Counted()

    def train() -> dict[int, TrainingOutcome]:
        halving = Halving(parts, lambda chunks: outcomes(chunks, executor))
        *_, last = halving.climb()
        return {n: TrainingOutcome.joined(halving.outcomes[n]) for n in last.settings}

    return measured(executor, train)


def first_of(found: dict[int, TrainingOutcome]) -> int:
    return min(found, key=lambda number: (merit(found[number]), number))


def fisher(a: int, b: int, n: int) -> float:
    """Two-sided p of a and b successes in n trials each, by Fisher's exact test."""
    total = math.comb(2 * n, a + b)

    def chance(x: int) -> float:
        return math.comb(n, x) * math.comb(n, a + b - x) / total

    given = chance(a) * (1 + 1e-9)
    return sum(chance(x) for x in range(max(0, a + b - n), min(n, a + b) + 1) if chance(x) <= given)


def verdict(
    problem: Problem,
    plans: list[TrainingSettings],
    full: dict[int, TrainingOutcome],
    first: int,
    ours: int,
) -> tuple[str, str]:
    """Whether halving's first is the same as the full sweep's, and the numbers of fresh seeds."""
    if merit(full[first]) == merit(full[ours]):
        return "same", ""
    fresh = []
    for number in (first, ours):
        members = Members.alike(plans[number], 100, FRESH)
        fresh.append(merit(Chunk(problem, members).run()))
    (won1, steps1), (won2, steps2) = fresh
    p = fisher(-won1, -won2, 100)
    told = f"{-won1} %, {steps1:.2f} and {-won2} %, {steps2:.2f}; p = {p:.2g}"
    if p < 0.05:
        return ("better" if won2 < won1 else "different"), told
    return ("tied" if steps2 <= 1.02 * steps1 else "different"), told


def shown(outcome: TrainingOutcome) -> str:
    won, steps = merit(outcome)
    return f"{-won} of {outcome.S}, {steps:.2f}"


def compare(task: str, seeds: int) -> dict[str, object]:
    """Both sweeps of a task."""
    problem = portable(from_task(tasks.get(task)))
    plans = grid_of(task, base_of(task))
    Chunk(problem, Members.alike(changed(plans[0], {"iterations": 1}), 1)).run()  # compiles
    parts = [chunks_of(problem, Members.alike(plan, seeds, FIRST)) for plan in plans]
    few, less = halved(parts)
    full, all_of_it = whole(parts)
    for number, outcome in few.items():
        assert merit(outcome) == merit(full[number])  # the same to the last bit, however trained
    first, ours = first_of(full), first_of(few)
    same, fresh = verdict(problem, plans, full, first, ours)
    order = sorted(full, key=lambda number: (merit(full[number]), number))
    row: dict[str, object] = {"task": task, "settings": len(plans), "seeds": seeds}
    row |= {"iterations": less.iterations / all_of_it.iterations}
    row |= {"steps": less.steps / all_of_it.steps, "seconds": less.seconds / all_of_it.seconds}
    row |= {"seconds_full": all_of_it.seconds, "seconds_halving": less.seconds}
    row |= {"best": shown(full[first]), "found": shown(full[ours]), "place": order.index(ours) + 1}
    row |= {"succeed": sum(bool(o.succeeded.any()) for o in full.values())}
    return row | {"verdict": same, "fresh": fresh}


HEAD = (
    "task | settings that ever succeed | best of all: successes, median steps | halving's best | its place"
    " | verdict | fresh seeds: best of all and halving's | iterations × members | steps × samples"
    " | core seconds (full) "
)


def line(row: dict) -> str:
    cells = [row["task"], f"{row['succeed']} of {row['settings']}", row["best"], row["found"]]
    cells += [str(row["place"]), row["verdict"], row["fresh"] or "-"]
    cells += [f"{row['iterations']:.3f}", f"{row['steps']:.3f}"]
    return " | ".join([*cells, f"{row['seconds']:.3f} ({row['seconds_full']:.0f} s)"])


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("--tasks", default=",".join(TASKS))
    parser.add_argument("--seeds", type=int, default=20)
    parser.add_argument("--json", type=Path, help="where to write all numbers")
    options = parser.parse_args()
    print(
        f"{cores()} cores, {options.seeds} seeds\n\n| {HEAD}|\n|" + "---|" * (HEAD.count("|") + 1)
    )
    rows = []
    for task in options.tasks.split(","):
        rows.append(compare(task, options.seeds))
        print(f"| {line(rows[-1])} |", flush=True)
        if options.json is not None:
            options.json.write_text(json.dumps(rows, indent=1) + "\n")


if __name__ == "__main__":
    main()
