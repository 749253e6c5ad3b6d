"""Everything about the engine `gpu` that needs a GPU, part by part: same numbers as `fused`? how fast? what bounds it?

    python benchmarks/gpu.py --json gpu.json                 # all parts; meant to take less than 9 minutes on an H200
    python benchmarks/gpu.py --json gpu.json --only table,speed
    python benchmarks/gpu.py --json gpu.json --only compiling # needs no GPU, but nvidia-cuda-nvrtc-cu12
    python benchmarks/gpu.py --json gpu.json --show           # the tables of docs/gpu.md from what was measured

Each part is written to the file as soon as it is done, and parts that are in it are not measured again. No part begins
after --seconds. Microseconds are per member × sample × iteration, sending and fetching included. `fused` uses
--threads cores of the same machine.
"""

from __future__ import annotations

import argparse
import json
import os
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable
from dataclasses import asdict
from pathlib import Path
from typing import Any

import numpy as np

from anc import isa
from anc.data import tasks
from anc.machine.encoded import ALL_BITS, Cases
from anc.machine.weights import Weights, parameter_count
from anc.training import fused, gpu
from anc.training import problem as problems
from anc.training.gpu.device import the_device
from anc.training.gpu.sizes import Sizes
from anc.training.interface import Schedule, TrainingObjective, TrainingState, Work
from anc.training.members import Members, starting_population
from anc.training.settings import TrainingSettings, changed, load_settings

SHAPES = ((7, 3, 12), (10, 5, 30), (20, 7, 40), (33, 4, 20), (100, 18, 12), (256, 6, 6))
COMPILED = ((7, 3), (10, 5), (20, 7), (33, 4), (50, 8), (100, 18), (256, 6))
ROOM, PROCESSORS = 232_448, 132  # of an H200: bytes of shared memory for a block, multiprocessors
SIX = ("access", "increment", "swap", "listk", "addition", "sort")
PEAK_FLOPS, PEAK_BYTES = 67e12, 4.8e12  # of an H200, as its data sheet says, in float32


def population(M: int, R: int, S: int, C: int, seed: int = 0) -> tuple[Weights, Cases]:
    """Random members and cases."""
    rng = np.random.default_rng(seed)
    weights = Weights.of_flat(rng.normal(size=(S, parameter_count(M, R))) * 1.5, M, R)
    inputs, outputs = (rng.integers(0, M, (C, M)).astype(np.uint16) for _ in range(2))
    masks = (rng.random((C, M)) < 0.6).astype(np.uint16) * ALL_BITS
    return weights, Cases(inputs, outputs, masks, np.ones(C))


def agreement(M: int, R: int, steps: int) -> dict[str, Any]:
    """Gradients in float64 and fifty iterations in float32, both engines."""
    S, C, K = 3, 6, 50
    weights, cases = population(M, R, S, C)
    objective = TrainingObjective(steps, 10.0, 5.0, 2.0, 0.1, rate=0.01, clip=1.0)
    _, wanted = fused.gradient(weights, cases, objective, dtype="float64")
    _, found = gpu.gradient(weights, cases, objective, dtype="float64")
    size = max(np.abs(part).max() for part in wanted)
    apart = max(np.abs(a - b).max() for a, b in zip(found, wanted, strict=True)) / size
    ends = []
    for engine in (fused, gpu):
        state = TrainingState.fresh(weights)
        indices = np.random.default_rng(1).integers(0, C, (K, S, 2))
        keys, schedule = np.arange(S, dtype=np.uint64), Schedule(1.0, 0.05, 0.01, 0.1, 0.5)
        work = Work.checked(state, cases, indices, objective, schedule, keys, weights)
        engine.train(state, work, objective)
        ends.append(state.weights)
    judged = fused.evaluate(weights, cases, steps), gpu.evaluate(weights, cases, steps)
    return {
        "gradient_float64": float(apart),
        "moved": float(np.abs(ends[0] - weights.flat()).max()),
        "trajectory_float32": float(np.abs(ends[0] - ends[1]).max()),
        "same_steps": float((judged[0].steps == judged[1].steps).mean()),
    }


def compiling() -> dict[str, Any]:
    """Seconds of one core, and what a thread takes, with few members and with many on a multiprocessor."""
    sys.path.insert(0, str(Path(__file__).parent.parent / "tests"))
    from nvrtc import compiled, folder

    found: dict[str, Any] = {}
    if folder() is None:
        print("NVRTC is not installed: pip install nvidia-cuda-nvrtc-cu12", file=sys.stderr)
        return found
    for M, R in COMPILED:
        of_size = found[f"M = {M}, R = {R}"] = {}
        for name, members in (("few", 1), ("many", 10_000)):
            sizes = Sizes.chosen(M, R, "float32", ROOM).shared_by(members, 5, PROCESSORS)
            begin = time.process_time()
            kernel = compiled(sizes.source, 90, sizes.options).kernels["train_members"]
            of_size[name] = {"seconds": time.process_time() - begin} | asdict(kernel)
    return found


def timed(state: Callable[[], TrainingState], work: Callable, objective, engine, **more):
    """Seconds and mean steps of the best of three calls, and what the first took beyond that."""

    def call() -> tuple[float, float]:
        members = state()
        given = work(members)
        begin = time.perf_counter()
        report = engine.train(members, given, objective, **more)
        return time.perf_counter() - begin, float(report.steps.mean())

    first, _ = call()
    (best, steps), *_ = sorted(call() for _ in range(3))
    return best, steps, max(0.0, first - best)


def speed(name: str, settings: TrainingSettings, seeds: int, engine, K: int, **more: Any) -> dict:
    """A task's population at its start."""
    problem = problems.from_task(tasks.get(name), pool=256, test=10)
    members = Members.alike(settings, seeds)
    pool, objective = Cases.of(problem.pool), members.objective()
    start = starting_population(problem, members, [0] * seeds)
    indices = np.random.default_rng(0).integers(0, 256, (K, seeds, settings.batch))
    seconds, steps, compiling = timed(
        lambda: TrainingState.fresh(start),
        lambda state: Work.checked(state, pool, indices, objective),
        objective, engine, **more,
    )  # fmt: skip
    samples = K * seeds * settings.batch
    found = {"microseconds": 1e6 * seconds / samples, "steps": steps, "compiling": compiling}
    return found | roofline(start.M, start.R, samples * steps / seconds)


def roofline(M: int, R: int, steps_per_second: float) -> dict[str, float]:
    """What a step forwards and back computes and moves, counted in the kernels, against the limits of the GPU."""
    flops = 28 * M**2 + 6 * M * (isa.PAPER.N + 3 * R) + 22 * R * M
    slot = Sizes.chosen(M, R, "float32", the_device().room).slot_floats
    moved = 2 * 4 * slot  # it is written once and read once
    return {
        "flops_per_step": flops,
        "bytes_per_step": moved,
        "flops_share": steps_per_second * flops / PEAK_FLOPS,
        "bytes_share": steps_per_second * moved / PEAK_BYTES,
    }


def table(which: str, cache: str) -> dict[str, Any]:
    """`anc table1` from its start to its end, with compiled kernels in `cache` or to be put there."""
    with tempfile.TemporaryDirectory() as folder:
        words = ["table1", "--seeds", "100", "--settings", which, "--engine", "gpu", "--json"]
        begin = time.perf_counter()
        done = subprocess.run(
            [sys.executable, "-m", "anc", *words, "-o", f"{folder}/table"],
            env=os.environ | {"CUPY_CACHE_DIR": cache},
            stdout=subprocess.PIPE,
            text=True,
        )
        seconds = time.perf_counter() - begin
    rows = json.loads(done.stdout)["rows"]
    kept = ("task", "success_rate", "interval", "learned_best", "seconds")
    return {"seconds": seconds, "rows": [{name: row[name] for name in kept} for row in rows]}


def large(threads: int) -> dict[str, Any]:
    """dijkstra (M = 100) beside `fused`, and M = 256 at all."""
    settings = changed(load_settings("dijkstra", "ours"), {"max_steps": 330, "registers": 18})
    found: dict[str, Any] = {
        "dijkstra, 8 seeds": speed("dijkstra", settings, 8, gpu, 2),
        "dijkstra, 264 seeds": speed("dijkstra", settings, 264, gpu, 2),
        "dijkstra, 8 seeds, fused": speed("dijkstra", settings, 8, fused, 1, threads=threads),
    }
    for M, steps in ((50, 60), (100, 60), (256, 60)):
        weights, cases = population(M, 6, 132, 8)
        objective = TrainingObjective(steps, 10.0, 5.0, 2.0, 0.1, rate=0.01, clip=1.0)
        indices = np.random.default_rng(0).integers(0, 8, (2, 132, 2))
        seconds, run, compiling = timed(
            lambda weights=weights: TrainingState.fresh(weights),
            lambda state, c=cases, o=objective, i=indices: Work.checked(state, c, i, o),
            objective, gpu,
        )  # fmt: skip
        samples = 2 * 132 * 2
        about = {"microseconds": 1e6 * seconds / samples, "steps": run, "compiling": compiling}
        found[f"random members, M = {M}"] = about | roofline(M, 6, samples * run / seconds)
    return found


def parts(threads: int, cache: str) -> dict[str, Callable[[], Any]]:
    """All parts, the most wanted first."""

    def tables() -> dict[str, Any]:
        names = ("published, nothing compiled", "published, again", "ours")
        return {name: table(name.split(",")[0], cache) for name in names}

    def speeds(seeds: int, K: int) -> dict[str, Any]:
        return {n: speed(n, load_settings(n, "published"), seeds, gpu, K) for n in SIX}

    def beside() -> dict[str, Any]:
        few = ("access", "listk")
        return {
            n: speed(n, load_settings(n, "published"), 100, fused, 10, threads=threads) for n in few
        }

    return {
        "device": lambda: {
            "device": the_device().name,
            "cores": os.cpu_count(),
            "threads": threads,
        },
        "table": tables,
        "speed, 100 seeds": lambda: speeds(100, 50),
        "speed, 10000 seeds": lambda: speeds(10_000, 50),
        "large": lambda: large(threads),
        "fused, 100 seeds": beside,
        "agreement": lambda: {f"M = {s[0]}": agreement(*s) for s in SHAPES},
        "compiling": compiling,
    }


def show(results: dict[str, Any]) -> None:
    """Tables in Markdown."""
    print(f"{results.get('device', {}).get('device', 'no GPU')}\n")
    if results.get("compiling"):
        columns = ("seconds", "registers", "spilled")
        print(
            "| | seconds | registers | bytes spilled | with many members: seconds | registers | spilled |"
        )
        print("|---|---|---|---|---|---|---|")
        for name, row in results["compiling"].items():
            cells = [f"{row[which][c]:.3g}" for which in ("few", "many") for c in columns]
            print(f"| {name} | {' | '.join(cells)} |")
        print()
    for name, found in results.get("table", {}).items():
        rates = ", ".join(f"{row['task']} {row['success_rate']:.0%}" for row in found["rows"])
        print(f"- table, {name}: {found['seconds']:.1f} s ({rates})")
    columns = ("microseconds", "steps", "compiling", "flops_share", "bytes_share")
    for part in ("speed, 100 seeds", "speed, 10000 seeds", "fused, 100 seeds", "large"):
        if part in results:
            print(f"\n| {part} | µs | steps | compiling, s | of peak flops | of peak bytes |")
            print("|---|---|---|---|---|---|")
            for name, row in results[part].items():
                print(f"| {name} | " + " | ".join(f"{row[c]:.3g}" for c in columns) + " |")
    if "agreement" in results:
        print(
            "\n| | gradient, float64 | 50 iterations, float32 | moved | same steps |\n|---|---|---|---|---|"
        )
        for name, row in results["agreement"].items():
            print(
                f"| {name} | {row['gradient_float64']:.1e} | {row['trajectory_float32']:.1e} |"
                f" {row['moved']:.2f} | {row['same_steps']:.0%} |"
            )


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("--json", type=Path, required=True, help="where results are kept")
    parser.add_argument("--only", help="parts whose names begin so, with commas")
    parser.add_argument("--threads", type=int, default=2, help="of the fused engine")
    parser.add_argument("--seconds", type=float, default=520, help="no part begins after that")
    parser.add_argument("--show", action="store_true", help="only print what was measured")
    options = parser.parse_args()
    begin = time.perf_counter()
    results = json.loads(options.json.read_text()) if options.json.exists() else {}
    wanted = tuple(options.only.split(",")) if options.only else ("",)
    with tempfile.TemporaryDirectory() as cache:
        for name, measure in {} if options.show else parts(options.threads, cache).items():
            spent = time.perf_counter() - begin
            if name in results or not name.startswith(wanted) or spent > options.seconds:
                continue
            print(f"{spent:.0f} s: {name}", file=sys.stderr, flush=True)
            results[name] = measure()
            options.json.write_text(json.dumps(results, indent=1) + "\n")
    show(results)


if __name__ == "__main__":
    main()
