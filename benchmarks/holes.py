"""Which methods fill sketches of sorting, addition and list search, also from cases that are wrong?

    python benchmarks/holes.py                 # 100 seeds each; some minutes on two cores
    python benchmarks/holes.py --seeds 20

A seed is a draw of 50 cases with 2 and 3 elements, and the start of whatever is random. Every method
gets the same cases; it succeeds if its filling is right on all of 200 other cases with 8 to 10 elements.
CPU seconds are for all seeds together, compilation excluded.
"""

from __future__ import annotations

import argparse
import time
from collections.abc import Callable
from random import Random

import numpy as np
import sketch_cases

from anc.adaptation.holes.descent import SETTINGS
from anc.adaptation.holes.machine import CaseJudge
from anc.adaptation.holes.search import Explorer, FillingAnnealer
from anc.adaptation.holes.sketch import Filling, Sketch
from anc.data.tasks.cases import Case
from anc.machine.encoded import Cases
from anc.training import fused
from anc.training.result import wilson
from anc.training.settings import changed

SHORT, LONG = (2, 3), (8, 9, 10)
TRAINING, TESTING, MAX_STEPS = 50, 200, 1000
WRONG = 0.05
Found = list[Filling | None]


def exactly(grounds: list[CaseJudge], bound: float) -> Found:
    """All fillings looked through: the best, if it has no more wrong cells than the bound."""
    found: Found = []
    for ground in grounds:
        explorer = Explorer(ground, bound)
        explorer.run()
        found.append(explorer.found().filling)
    return found


def annealed(grounds: list[CaseJudge], starts: Found | None = None) -> Found:
    """One chain of annealing for each seed, from a start or from anywhere."""
    found: Found = []
    for seed, ground in enumerate(grounds):
        annealer = FillingAnnealer(ground, seed)
        start = starts[seed] if starts is not None else None
        annealer.run(1, [] if start is None else [start])
        found.append(annealer.best)
    return found


def drawn(grounds: list[CaseJudge], count: int) -> Found:
    """The best of so many random fillings."""
    found: Found = []
    for seed, ground in enumerate(grounds):
        random = np.random.default_rng(seed)
        tries = {
            tuple(int(random.integers(len(hole.choices))) for hole in ground.sketch.holes)
            for _ in range(count)
        }
        found.append(min(tries, key=lambda filling: (ground.judged(filling).rank, filling)))
    return found


def descended(sketch: Sketch, drawn_cases: list[list[Case]], iterations: int) -> Found:
    """One member of gradient descent for each seed, on its own cases."""
    everything = [case for cases in drawn_cases for case in cases]
    chosen = [np.arange(i * TRAINING, (i + 1) * TRAINING) for i in range(len(drawn_cases))]
    settings = changed(SETTINGS, {"iterations": iterations})
    descent = sketch_cases.OnOwnCases(
        sketch, Cases.of(everything), fused, MAX_STEPS, settings, chosen
    )
    while not descent.is_done:
        descent.advance()
    return [None if best is None else best[0] for best in descent.best]


def rows(name: str, share: float, seeds: int, iterations: int):
    """Method, successes and CPU seconds of one sketch."""
    sketch = sketch_cases.sketch(name)
    cases, tests = [], []
    for seed in range(seeds):
        random = Random(f"{name}/{seed}")
        clean = sketch_cases.draw(name, SHORT, TRAINING, random, sketch.M)
        tests.append(sketch_cases.draw(name, LONG, TESTING, random, sketch.M))
        cases.append(sketch_cases.spoiled(clean, share, Random(f"{name}/{seed}/wrong")))
    grounds = [CaseJudge(sketch, Cases.distinct(each), MAX_STEPS) for each in cases]
    judges = [CaseJudge(sketch, Cases.distinct(each), 10 * MAX_STEPS) for each in tests]
    descended(sketch, cases[:1], 1)
    readings = iterations // SETTINGS.validate_every
    gradient: Found = []

    def by_gradient() -> Found:
        gradient[:] = descended(sketch, cases, iterations)
        return gradient

    methods: dict[str, Callable[[], Found]] = {
        "search, all cases right": lambda: exactly(grounds, 0.0),
        "search, fewest wrong cells": lambda: exactly(grounds, np.inf),
        "annealing, one chain": lambda: annealed(grounds),
        f"{readings} random fillings": lambda: drawn(grounds, readings),
        f"gradient, {iterations} iterations": by_gradient,
        "gradient, then one chain": lambda: annealed(grounds, gradient),
    }
    for method, run in methods.items():
        begin = time.process_time()
        found = run()
        seconds = time.process_time() - begin
        good = sum(
            filling is not None and judge.judged(filling).is_right
            for filling, judge in zip(found, judges, strict=True)
        )
        yield method, good, seconds


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("--seeds", type=int, default=100)
    parser.add_argument("--iterations", type=int, default=SETTINGS.iterations)
    parser.add_argument("--sketches", default=",".join(sketch_cases.MAKERS))
    options = parser.parse_args()
    print("| sketch | holes | fillings | wrong cells | method | right | 95 % interval | CPU s |")
    print("|---|---|---|---|---|---|---|---|", flush=True)
    for name in options.sketches.split(","):
        sketch = sketch_cases.sketch(name)
        for share in (0.0, WRONG):
            for method, good, seconds in rows(name, share, options.seeds, options.iterations):
                low, high = wilson(good, options.seeds)
                print(
                    f"| {name} | {len(sketch.holes)} | {sketch.size:,} | {share:.0%} | {method} |"
                    f" {good} of {options.seeds} | {low:.0%} to {high:.0%} | {seconds:.1f} |",
                    flush=True,
                )


if __name__ == "__main__":
    main()
