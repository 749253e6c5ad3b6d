"""The engine's functions: threads, and calls of the compiled kernels.

Members are independent, so threads take groups of them one by one. The kernels release the interpreter lock, and a
member's result depends neither on the number of threads nor on the other members.

A process of its own can compile the kernels for a machine size while this process does other work. All machine code is
cached on disk, where this process finds it. Compiling takes about ten seconds, once for each size.
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
from anc.machine.compiled import code_folder, default_threads
from anc.machine.encoded import Cases
from anc.machine.weights import Weights, parameter_count
from anc.support.processes import Boss, Process
from anc.training.fused.kernels import (
    PopulationArrays,
    SharedOptions,
    TrainingOutput,
    evaluate_members,
    train_members,
)
from anc.training.fused.layout import Scratch, layout_for
from anc.training.fused.update import ADAM, GRADIENT_ONLY, SGD
from anc.training.fused.vectors import LANES
from anc.training.interface import (
    Report,
    SoftResults,
    TrainingObjective,
    TrainingState,
    Work,
    check_limits,
    checked_cases,
)

_PIECES = 4  # per thread: few enough to hide the cost of a call, enough for threads to end together


def scratch_bytes(M: int, R: int, max_steps: int, dtype: str = "float32") -> int:
    """Bytes of working memory that each training thread needs."""
    layout = layout_for(M, R, dtype)
    return layout.scratch_floats(max_steps) * layout.dtype.itemsize


def train(
    state: TrainingState, work: Work, objective: TrainingObjective, threads: int | None = None
) -> Report:
    """Train all members for K iterations; ``state`` is updated in place."""
    mode = {"sgd": SGD, "adam": ADAM}[objective.optimiser]
    report, _ = _run_training(state, work, objective, mode, threads)
    state.iteration += len(work.indices)
    return report


def gradient(
    weights: Weights,
    cases: Cases,
    objective: TrainingObjective,
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
    """Run every member softly on every case, without gradients."""
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
    state: TrainingState, work: Work, objective: TrainingObjective, mode: int, threads: int | None
) -> tuple[Report, np.ndarray]:
    """Call the training kernel for all groups of members; return the report and, without an update, the gradient."""
    layout = layout_for(state.M, state.R, state.weights.dtype.name, state.instructions)
    S, settings = len(state.weights), objective.per_member(len(state.weights))
    arrays = state.weights, state.moment1, state.moment2, state.applied, state.skipped
    population, rows = PopulationArrays(*arrays, settings), layout.rows
    plan = SharedOptions(
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
    found = TrainingOutput(np.zeros((S, 6)), np.zeros_like(state.weights))

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
    """Run all members. Each thread has its own scratch memory and takes the next few groups in turn."""
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
    """The marker file of a size's machine code; None if nothing can be cached."""
    folder = code_folder()
    return None if folder is None else folder / f"fused-{M}-{R}-float32"


@contextmanager
def compiling(M: int, R: int) -> Iterator[subprocess.Popen[bytes] | None]:
    """A process that compiles the kernels; None if they are compiled already or cannot be cached.

    It is killed at the end of the context if it has not finished.
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
    """Compile the training kernels for a size."""
    M, R = size
    weights = Weights.of_flat(np.zeros((1, parameter_count(M, R)), np.float32), M, R)
    one = Cases.of([Case((0,) * M, (0,) * M, (True,) * M)])
    gradient(weights, one, TrainingObjective(2), dtype="float32")
    evaluate(weights, one, 2, dtype="float32")
    mark = _mark(M, R)
    if mark is not None:
        mark.touch()
