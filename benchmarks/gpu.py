"""The engine `gpu` on the card of this machine: the same numbers as the fused engine, and how fast.

    python benchmarks/gpu.py             # agreement, then speed at 100 and 10,000 seeds, then large memories
    python benchmarks/gpu.py --agreement

Microseconds are per member × sample × iteration, with sending and fetching; the first call, which compiles, is reported
on its own. The fused engine beside it uses --threads cores.
"""

from __future__ import annotations

import argparse
import time

import numpy as np

from anc import tasks
from anc.learning import fused, gpu
from anc.learning import problem as problems
from anc.learning.interface import Objective, Schedule, TrainingState, Work
from anc.learning.members import Members, starting_population
from anc.learning.settings import TrainingSettings, changed, load_settings
from anc.machine.cases import ALL_BITS, Cases
from anc.machine.weights import Weights, parameter_count

SHAPES = ((7, 3, 12), (10, 5, 30), (20, 7, 40), (33, 4, 20), (100, 18, 12), (256, 6, 6))


def agreement(M: int, R: int, steps: int) -> None:
    """Gradients in float64 and fifty iterations in float32, both engines."""
    S, C, K = 3, 6, 50
    rng = np.random.default_rng(0)
    weights = Weights.of_flat(rng.normal(size=(S, parameter_count(M, R))) * 1.5, M, R)
    inputs, outputs = (rng.integers(0, M, (C, M)).astype(np.uint16) for _ in range(2))
    masks = (rng.random((C, M)) < 0.6).astype(np.uint16) * ALL_BITS
    cases = Cases(inputs, outputs, masks, np.ones(C))
    objective = Objective(steps, 10.0, 5.0, 2.0, 0.1, rate=0.01, clip=1.0)
    _, wanted = fused.gradient(weights, cases, objective, dtype="float64")
    _, found = gpu.gradient(weights, cases, objective, dtype="float64")
    size = max(np.abs(part).max() for part in wanted)
    apart = max(np.abs(a - b).max() for a, b in zip(found, wanted, strict=True)) / size
    schedule = Schedule(1.0, 0.05, 0.01, 0.1, 0.5)
    ends = []
    for engine in (fused, gpu):
        state = TrainingState.fresh(weights)
        indices = np.random.default_rng(1).integers(0, C, (K, S, 2))
        keys = np.arange(S, dtype=np.uint64)
        work = Work.checked(state, cases, indices, objective, schedule, keys, weights)
        engine.train(state, work, objective)
        ends.append(state.weights)
    moved = np.abs(ends[0] - weights.flat()).max()
    judged = fused.evaluate(weights, cases, steps), gpu.evaluate(weights, cases, steps)
    same = (judged[0].steps == judged[1].steps).mean()
    print(
        f"M = {M:<4} R = {R:<3} gradient in float64 apart by {apart:.1e} of the largest; 50 iterations in"
        f" float32 apart by {np.abs(ends[0] - ends[1]).max():.1e} (moved {moved:.2f}); same steps {same:.0%}",
        flush=True,
    )


def speed(name: str, settings: TrainingSettings, seeds: int, engine, iterations: int, **more):
    """Microseconds, mean steps, and seconds of the first call."""
    problem = problems.from_task(tasks.get(name), pool=256, test=10)
    members = Members((settings,) * seeds, tuple(range(seeds)))
    pool = Cases.of(problem.pool)
    start = starting_population(problem, members, [0] * seeds)
    objective = members.objective()

    def call() -> tuple[float, float]:
        state = TrainingState.fresh(start)
        random = np.random.default_rng(0)
        indices = random.integers(0, 256, (iterations, seeds, settings.batch)).astype(np.int32)
        work = Work.checked(state, pool, indices, objective)
        begin = time.perf_counter()
        report = engine.train(state, work, objective, **more)
        return time.perf_counter() - begin, float(report.steps.mean())

    first, _ = call()
    (best, steps), *_ = sorted(call() for _ in range(3))
    return 1e6 * best / (iterations * seeds * settings.batch), steps, max(0.0, first - best)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("--agreement", action="store_true", help="only that")
    parser.add_argument("--threads", type=int, default=2)
    options = parser.parse_args()
    for M, R, steps in SHAPES:
        agreement(M, R, steps)
    if options.agreement:
        return
    for seeds in (100, 10_000):
        print(f"\n{seeds} seeds, published settings")
        for name in ("access", "swap", "increment", "addition", "listk", "sort"):
            settings = load_settings(name, "published")
            us, steps, compiled = speed(name, settings, seeds, gpu, 50)
            beside = ""
            if seeds == 100:
                cpu = speed(name, settings, seeds, fused, 10, threads=options.threads)[0]
                beside = f", fused on {options.threads} cores {cpu:.3f}: {cpu / us:.0f} times"
            print(f"{name:<10} {steps:5.1f} steps {us:8.4f} µs, compiling {compiled:.1f} s{beside}", flush=True)
    print("\nlarge memories")
    for name, registers, limit, seeds in (("dijkstra", 18, 330, 8), ("dijkstra", 18, 330, 264)):
        settings = changed(
            load_settings(name, "ours"), {"max_steps": limit, "registers": registers}
        )
        us, steps, _ = speed(name, settings, seeds, gpu, 2)
        cpu = speed(name, settings, 8, fused, 1, threads=options.threads)[0] if seeds == 8 else 0.0
        print(f"{name} M = 100, {seeds} seeds, {steps:.0f} steps: {us:.0f} µs, fused {cpu:.0f}", flush=True)


if __name__ == "__main__":
    main()
