"""How time, memory and pages grow with M: soft runs, training, search, proofs, the stepper page.

    python benchmarks/memories.py                            # all of it, as the tables of docs/memories.md
    python benchmarks/memories.py --sizes 20,256 --only soft,page

Each number comes from a process of its own, one after the other. Time is what the cores worked (user
and system), compilation excluded where it says so, because other people's work on a machine does not
change that much; the exponents are fitted to the logarithms, over all sizes and over those from 50 on.
"""

from __future__ import annotations

import argparse
import json
import math
import resource
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Sequence
from functools import partial
from random import Random
from typing import Any

SIZES = (10, 20, 50, 100, 256)
LARGE = 50  # from here on, what does not depend on M no longer hides what does
MEMBERS, LIMIT, ITERATIONS = 8, 30, 4
EVALUATIONS = 100_000
STEPS = 2_000
ROUNDS = (
    "var p = 0; var x = 0; var one = 1; l_loop: x = READ(p); x = INC(x); WRITE(p, x); p = INC(p)"
    "; JEZ(one, l_end); JEZ(0, l_loop); l_end: STOP()"
)
SUM = (
    "var p = 1; var v = 0; var s = 0; l_loop: v = READ(p); JEZ(v, l_end); {}; JEZ(0, l_loop)"
    "; l_end: WRITE(0, s); STOP()"
)
WHO = (resource.RUSAGE_SELF, resource.RUSAGE_CHILDREN)
Numbers = dict[str, float]


def best(work: Callable[[], Any], times: int = 3) -> float:
    """The least time that the cores of this process worked, after a first call that may compile."""
    work()
    taken = []
    for _ in range(times):
        began = time.process_time()
        work()
        taken.append(time.process_time() - began)
    return min(taken)


def case(M: int, random: Random) -> dict[str, list[int]]:
    """A list of up to four nodes that lie in order, of which one element is asked for."""
    nodes = min(4, (M - 3) // 2)
    cells = [3, random.randint(1, nodes), 2]
    for node in range(nodes):
        cells += [5 + 2 * node if node < nodes - 1 else 0, random.randrange(1, M)]
    return {"input": cells, "mask": [0, 0, 1] + [0] * (M - 3)}


def listk(M: int) -> Any:
    import anc
    from anc.data.programs import source

    return anc.compile(source("listk").text, memory=M)


def soft_run(M: int) -> Numbers:
    """Milliseconds of one soft step."""
    import anc
    from anc.machine.softrun import run_soft

    weights = anc.soften(anc.compile(ROUNDS, memory=M), sharpness=20)
    taken = best(lambda: run_soft(weights, [[0] * M], 500))
    return {"time": 1e3 * taken / 500}


def training(M: int, name: str) -> Numbers:
    """Microseconds for each member × sample × iteration, of up to thirty steps."""
    import numpy as np

    import anc
    from anc.data.tasks.data import Given
    from anc.machine.encoded import Cases
    from anc.machine.weights import stack
    from anc.training.engines import engine
    from anc.training.interface import TrainingObjective, TrainingState, Work

    program = listk(M)
    pool = Cases.of(Given.drawn(partial(case, M), 32, "cases/0").cases(program, M))
    start = stack([anc.soften(program, M, 5.0, seed=seed) for seed in range(MEMBERS)])
    objective = TrainingObjective(LIMIT, halting=1.0, confidence=1.0, efficiency=0.01)
    indices = np.random.default_rng(0).integers(0, 32, (ITERATIONS, MEMBERS, 1)).astype(np.int32)

    def work() -> None:
        state = TrainingState.fresh(start)
        engine(name).train(state, Work.checked(state, pool, indices, objective), objective)

    return {"time": 1e6 * best(work) / (ITERATIONS * MEMBERS)}


def search(M: int) -> Numbers:
    """Seconds of a whole adaptation with a fixed budget of work, and the steps that it came to."""
    import anc

    began = _worked()
    random = Random(0)
    samples = [case(M, random) for _ in range(200)]
    found = anc.adapt(listk(M), samples, evaluations=EVALUATIONS, method="search")
    return {"time": _worked() - began, "found": found.steps_adapted}


def proof(M: int) -> Numbers:
    """Seconds until two sums along a list of any length are proved equal."""
    import anc

    generic, other = (
        SUM.format(body) for body in ("s = ADD(s, v); p = INC(p)", "p = INC(p); s = ADD(v, s)")
    )
    began = _worked()
    found = anc.verify(generic, other, assume=[f"tape[{M - 1}] == 0"], memory=M)
    if not found.proved:
        sys.exit(f"not proved: {found}")
    return {"time": _worked() - began}


def page(M: int) -> Numbers:
    """Seconds to run softly for 2,000 steps and to write the page about it, and its size."""
    import anc
    from anc.pages.page import stepper_page
    from anc.pages.recording import record_soft

    program = anc.compile(ROUNDS, memory=M)
    weights = anc.soften(program, sharpness=20)
    record_soft(weights, [0] * M, 2)
    began = time.process_time()
    text = stepper_page([record_soft(weights, [0] * M, STEPS, "rounds", program)])
    return {"time": time.process_time() - began, "kB": len(text.encode()) / 1e3}


PARTS: dict[str, tuple[str, Callable[[int], Numbers]]] = {
    "soft": ("soft run, ms a step", soft_run),
    "fused": ("training, fused, µs", lambda M: training(M, "fused")),
    "jax": ("training, jax, µs", lambda M: training(M, "jax")),
    "search": (f"search, s for {EVALUATIONS:,} evaluations", search),
    "proof": ("proof about a loop, s", proof),
    "page": (f"page of {STEPS:,} soft steps, s", page),
}


def _worked() -> float:
    """What the cores worked for this process and for those that it started and that have ended."""
    return sum(use.ru_utime + use.ru_stime for use in map(resource.getrusage, WHO))


def measured(part: str, M: int) -> Numbers:
    """One part at one size, in a process of its own."""
    command = [sys.executable, __file__, "--one", part, "--sizes", str(M)]
    with tempfile.TemporaryDirectory() as folder:
        done = subprocess.run(command, capture_output=True, text=True, cwd=folder, check=False)
    if done.returncode:
        sys.exit(f"{part} at M = {M}:\n{done.stderr[-2000:]}")
    return json.loads(done.stdout.splitlines()[-1])


def exponent(sizes: Sequence[int], values: Sequence[float]) -> str:
    """The slope of a straight line through the logarithms."""
    if len(sizes) < 2:
        return "-"
    xs, ys = [math.log(size) for size in sizes], [math.log(value) for value in values]
    x, y = sum(xs) / len(xs), sum(ys) / len(ys)
    slope = sum((a - x) * (b - y) for a, b in zip(xs, ys, strict=True))
    return f"{slope / sum((a - x) ** 2 for a in xs):.2f}"


def row(name: str, sizes: Sequence[int], values: Sequence[float]) -> str:
    large = [(size, value) for size, value in zip(sizes, values, strict=True) if size >= LARGE]
    cells = [f"{value:,.0f}" if value >= 100 else f"{value:.3g}" for value in values]
    fitted = exponent(sizes, values), exponent(*zip(*large, strict=True)) if large else "-"
    return f"| {name} | {' | '.join([*cells, *fitted])} |"


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("--sizes", default=",".join(map(str, SIZES)))
    parser.add_argument("--only", default=",".join(PARTS))
    parser.add_argument("--one", choices=PARTS, help=argparse.SUPPRESS)
    options = parser.parse_args()
    sizes = [int(size) for size in options.sizes.split(",")]
    if options.one:
        found = PARTS[options.one][1](sizes[0])
        peak = max(resource.getrusage(who).ru_maxrss for who in WHO)
        print(json.dumps(found | {"MB": peak * (1 if sys.platform == "darwin" else 1024) / 1e6}))
        return
    heads = [f"M = {size}" for size in sizes] + ["exponent", f"from {LARGE} on"]
    print(f"| | {' | '.join(heads)} |\n|{'---|' * (len(heads) + 1)}")
    for part in options.only.split(","):
        name = PARTS[part][0]
        rows = [measured(part, M) for M in sizes]
        for key, words in (
            ("time", name),
            ("found", "... steps found"),
            ("kB", "... file, kB"),
            ("MB", "... peak memory, MB"),
        ):
            if key in rows[0]:
                print(row(words, sizes, [each[key] for each in rows]), flush=True)


if __name__ == "__main__":
    main()
