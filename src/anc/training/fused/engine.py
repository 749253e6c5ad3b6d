"""Train, evaluate and differentiate a population: threads, and the calls of the compiled kernels.

Members are independent, so groups of them are handed to threads one by one; the kernels release the
interpreter lock and a member's result depends neither on the number of threads nor on the other members.

The kernels of a size of machine can be compiled by a process of its own while this one does other work. They
are kept on disk as all machine code is, so that this process finds them there. That takes about ten seconds,
once for each size.
"""

from __future__ import annotations

import subprocess
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from pathlib import Path
from threading import Lock

import numpy as np

from anc.data.tasks.cases import Case
from anc.machine.cases import Cases
from anc.machine.compiled import code_folder, default_threads
from anc.machine.weights import Weights, parameter_count
from anc.support.processes import Boss, Process
from anc.training.fused.kernels import Found, Plan, Population, evaluate_members, train_members
from anc.training.fused.layout import Scratch, layout_for
from anc.training.fused.update import ADAM, GRADIENT_ONLY, SGD
from anc.training.fused.vectors import LANES
from anc.training.interface import (
    Objective,
    Report,
    SoftResults,
    TrainingState,
    Work,
    check_limits,
    checked_cases,
)

_PIECES = 4  # per thread: few enough to hide the price of a call, enough to end together


def scratch_bytes(M: int, R: int, max_steps: int, dtype: str = "float32") -> int:
    """Bytes of working memory that each training thread needs."""
    layout = layout_for(M, R, dtype)
    return layout.scratch_floats(max_steps) * layout.dtype.itemsize


def train(
    state: TrainingState, work: Work, objective: Objective, threads: int | None = None
) -> Report:
    """Train all members for K iterations; ``state`` is updated in place."""
    mode = {"sgd": SGD, "adam": ADAM}[objective.optimiser]
    report, _ = _run_training(state, work, objective, mode, threads)
    state.iteration += len(work.indices)
    return report


def gradient(
    weights: Weights,
    cases: Cases,
    objective: Objective,
    indices: np.ndarray | None = None,
    *,
    dtype: str = "float32",
    threads: int | None = None,
) -> tuple[Report, Weights]:
    """Mean losses and the gradient (summed over the batch) without an update, in float32 or float64.

    ``indices`` are those of `Work.once`.
    """
    state, work = Work.once(weights, cases, objective, indices, dtype)
    report, found = _run_training(state, work, objective, GRADIENT_ONLY, threads)
    return report, state.weights_of(found)


def evaluate(
    weights: Weights,
    cases: Cases,
    max_steps: int,
    threshold: float = 0.9,
    *,
    dtype: str = "float32",
    threads: int | None = None,
) -> SoftResults:
    """Run every member softly on every case."""
    check_limits(max_steps, threshold)
    pool = checked_cases(cases, weights.M)
    layout = layout_for(weights.M, weights.R, dtype, weights.instructions)
    flat = weights.flat(dtype)
    found, rows = SoftResults.zeros(len(flat), pool.C, dtype), layout.rows
    limits = max_steps, threshold

    def run(first: int, end: int, scratch: Scratch) -> None:
        evaluate_members(
            layout, layout.meanings, rows, scratch, flat, pool, *limits, found, first, end
        )

    _on_threads(run, len(flat), threads, lambda: layout.new_scratch(1))
    return found._replace(halted=found.stop > threshold)


def _run_training(
    state: TrainingState, work: Work, objective: Objective, mode: int, threads: int | None
) -> tuple[Report, np.ndarray]:
    """Call the training kernel for every group of members; the report, and the gradient without update."""
    layout = layout_for(state.M, state.R, state.weights.dtype.name, state.instructions)
    S, settings = len(state.weights), objective.per_member(len(state.weights))
    arrays = state.weights, state.moment1, state.moment2, state.applied, state.skipped
    population, rows = Population(*arrays, settings), layout.rows
    plan = Plan(
        work.is_partial,
        state.iteration,
        objective.max_steps,
        float(objective.threshold),
        objective.stop_gradient == "full",
        bool(np.any(work.schedule[2:4] != 0)),
        bool(np.any(settings[5] > 0)),
        mode,
        float(objective.b1),
        float(objective.b2),
        float(objective.eps),
    )
    found = Found(np.zeros((S, 6)), np.zeros_like(state.weights))

    def run(first: int, end: int, scratch: Scratch) -> None:
        train_members(
            layout, layout.meanings, rows, scratch, population, work, plan, found, first, end
        )

    _on_threads(run, S, threads, lambda: layout.new_scratch(objective.max_steps))
    K, _, B = work.indices.shape
    return Report(*(found.sums / max(K * B, 1)).T), found.gradient


def _on_threads(
    run: Callable[[int, int, Scratch], None],
    S: int,
    threads: int | None,
    new_scratch: Callable[[], Scratch],
) -> None:
    """Run all members, each thread with its own scratch memory taking the next few groups in turn."""
    groups = -(-S // LANES)
    count = max(1, min(threads or default_threads(), groups))
    size = LANES * (groups if count == 1 else -(-groups // (count * _PIECES)))
    pieces: Iterator[int] = iter(range(0, S, size))
    lock = Lock()

    def worker() -> None:
        scratch = new_scratch()
        while True:
            with lock:
                first = next(pieces, None)
            if first is None:
                return
            run(first, min(first + size, S), scratch)

    if count == 1:
        worker()
        return
    with ThreadPoolExecutor(count) as executor:
        for future in [executor.submit(worker) for _ in range(count)]:
            future.result()


def _mark(M: int, R: int) -> Path | None:
    """The file that says that there is machine code for a size; None where none is kept."""
    folder = code_folder()
    return None if folder is None else folder / f"fused-{M}-{R}-float32"


@contextmanager
def compiling(M: int, R: int) -> Iterator[subprocess.Popen[bytes] | None]:
    """A process that compiles the kernels; None if they are there, or could not be kept.

    It ends when this does, whether or not it is done.
    """
    mark = _mark(M, R)
    if mark is None or mark.exists():
        yield None
        return
    process = Process(compile_size, lambda message: None)
    process.send((M, R))
    process.leave()
    try:
        yield process.popen
    finally:
        process.end()


def compile_size(size: tuple[int, int], boss: Boss) -> None:
    """Compile what is trained with for a size."""
    M, R = size
    weights = Weights.of_flat(np.zeros((1, parameter_count(M, R)), np.float32), M, R)
    one = Cases.of([Case((0,) * M, (0,) * M, (True,) * M)])
    gradient(weights, one, Objective(2), dtype="float32")
    evaluate(weights, one, 2, dtype="float32")
    mark = _mark(M, R)
    if mark is not None:
        mark.touch()
