"""Microseconds per member × sample × iteration of both engines, and how they grow.

    python benchmarks/training.py            # the six tasks of Table 1, then growth with S, M and T
    python benchmarks/training.py --quick    # the six tasks only

One core unless --threads says otherwise; sampling and update included, compilation excluded and
reported on its own. Machines are noisy: compare the engines by their ratio in one run.
"""

from __future__ import annotations

import argparse
import os
import time


def arguments() -> argparse.Namespace:
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("--threads", type=int, default=1)
    parser.add_argument("--seeds", type=int, default=100)
    parser.add_argument("--quick", action="store_true")
    parser.add_argument("--engines", default="fused,jax")
    return parser.parse_args()


options = arguments()
if options.threads == 1 and hasattr(os, "sched_setaffinity"):
    os.sched_setaffinity(0, {sorted(os.sched_getaffinity(0))[0]})
os.environ["NUMBA_NUM_THREADS"] = str(options.threads)
os.environ.setdefault(
    "XLA_FLAGS", f"--xla_cpu_multi_thread_eigen={str(options.threads > 1).lower()}"
)

import jax  # noqa: E402
import numpy as np  # noqa: E402

from anc.data import tasks  # noqa: E402
from anc.machine.encoded import Cases  # noqa: E402
from anc.training import problem as problems  # noqa: E402
from anc.training.engines import engine  # noqa: E402
from anc.training.interface import TrainingObjective, TrainingState, Work  # noqa: E402
from anc.training.members import Members, starting_population  # noqa: E402
from anc.training.settings import TrainingSettings, changed, load_settings  # noqa: E402

AUTHORS = {
    "access": 11e3,
    "swap": 14e3,
    "increment": 14e3,
    "addition": 80e3,
    "listk": 150e3,
    "sort": 96e3,
}
TARGETS = {"access": 5, "swap": 6, "increment": 5, "addition": 20, "listk": 40, "sort": 30}


def measure(
    name: str, which: str, settings: TrainingSettings, seeds: int
) -> tuple[float, float, float]:
    """Microseconds, mean steps and seconds of the first call (which compiles)."""
    module = engine(which)
    problem = problems.from_task(tasks.get(name), pool=256, test=10)
    members = Members((settings,) * seeds, tuple(range(seeds)))
    pool = Cases.of(problem.pool)
    start = starting_population(problem, members, [0] * seeds)
    objective: TrainingObjective = members.objective()

    def call(iterations: int) -> tuple[float, float]:
        state = TrainingState.fresh(start)
        begin = time.perf_counter()
        random = np.random.default_rng(0)
        indices = random.integers(0, 256, (iterations, seeds, settings.batch)).astype(np.int32)
        report = module.train(state, Work.checked(state, pool, indices, objective), objective)
        return time.perf_counter() - begin, float(report.steps.mean())

    first, _ = call(20)
    once, steps = call(20)
    best = min([once, *(call(20)[0] for _ in range(3 if once < 5 else 0))])
    return 1e6 * best / (20 * seeds * settings.batch), steps, max(first - once, 0.0)


def main() -> None:
    which = options.engines.split(",")
    device = jax.devices()[0]
    print(
        f"{options.threads} thread(s) of {os.cpu_count()}, {options.seeds} seeds, jax on {device.platform}"
    )
    head = "".join(f"{name:>10} {'compile':>9}" for name in which)
    print(f"{'task':<10} {'steps':>6}{head}   ratio  target  authors' code")
    for name in TARGETS:
        settings = load_settings(name, "published")
        rows = [measure(name, engine_name, settings, options.seeds) for engine_name in which]
        cells = "".join(f"{us:>7.2f} µs {compiled:>7.1f} s" for us, _, compiled in rows)
        ratio = f"{rows[-1][0] / rows[0][0]:>6.1f}×" if len(rows) > 1 else ""
        print(
            f"{name:<10} {rows[0][1]:>6.1f}{cells}  {ratio}  {TARGETS[name]:>5}  {AUTHORS[name]:>8.0f}"
        )
    if options.quick:
        return
    print("\ngrowth with S (listk):")
    for seeds in (1, 10, 100, 1000):
        cells = [
            measure("listk", name, load_settings("listk", "published"), seeds)[0] for name in which
        ]
        print(f"  S = {seeds:<5}" + "".join(f"{us:>10.2f} µs" for us in cells))
    print("growth with M, R and T:")
    for name, limit, registers in (
        ("access", 10, 3),
        ("listk", 75, 7),
        ("merge", 75, 13),
        ("dijkstra", 100, 23),
        ("dijkstra", 500, 23),
    ):
        settings = changed(
            TrainingSettings(),
            {"max_steps": limit, "registers": registers, "batch": 1, "sharpness": 12.0},
        )
        seeds = 100 if tasks.get(name).M < 50 else 8
        rows = [measure(name, engine_name, settings, seeds) for engine_name in which]
        cells = "".join(f"{us:>12.1f} µs" for us, _, _ in rows)
        M = tasks.get(name).M
        print(
            f"  {name:<9} M = {M:<4} R = {registers:<3} {rows[0][1]:>6.1f} steps of {limit:<4}{cells}"
        )


if __name__ == "__main__":
    main()
