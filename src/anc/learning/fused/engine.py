"""Train, evaluate and differentiate a population: checks, threads, and the calls of the compiled kernels.

Members are independent, so groups of them are handed to threads one by one; the kernels release the interpreter lock
and a member's result depends neither on the number of threads nor on the other members.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from threading import Lock

import numpy as np

from anc.learning.fused.compilation import default_threads
from anc.learning.fused.kernels import evaluate_members, train_group
from anc.learning.fused.layout import Layout, layout_for
from anc.learning.fused.update import ADAM, GRADIENT_ONLY, SGD
from anc.learning.interface import (
    Cases,
    Evaluation,
    Objective,
    Population,
    Report,
    Schedule,
    TrainingState,
)

Scratch = tuple[np.ndarray, np.ndarray]


def scratch_bytes(M: int, R: int, max_steps: int, dtype: str = "float32") -> int:
    """Bytes of working memory that each training thread needs."""
    layout = layout_for(M, R, dtype)
    return layout.scratch_floats(max_steps) * layout.dtype.itemsize


def train(
    state: TrainingState,
    cases: Cases,
    indices: np.ndarray,
    objective: Objective,
    schedule: Schedule | None = None,
    *,
    keys: np.ndarray | None = None,
    reference: Population | None = None,
    threads: int | None = None,
    path: str | None = None,
) -> Report:
    """Train all members for K iterations; member s takes the cases ``indices[k, s]`` (K, S, B) in iteration k.

    ``state`` is updated in place. ``keys`` (S,) uint64 seed the gradient noise; ``reference`` is what the pulls of the
    schedule pull towards.
    """
    S = state.weights.shape[0]
    K = np.shape(indices)[0]
    scheduled = (schedule or Schedule()).per_iteration(K)
    if keys is None:
        if np.any(scheduled[1] != 0):
            raise ValueError("gradient noise needs keys (S,)")
        keys = np.zeros(S, np.uint64)
    if reference is None and np.any(scheduled[2:4] != 0):
        raise ValueError("the pulls need reference logits")
    mode = {"sgd": SGD, "adam": ADAM}[objective.optimiser]
    sums = _run_training(
        layout_for(state.M, state.R, state.weights.dtype.name, path),
        state,
        cases,
        indices,
        objective,
        scheduled,
        np.ascontiguousarray(keys, np.uint64),
        state.weights if reference is None else reference.flat(state.weights.dtype),
        mode,
        state.weights,
        threads,
    )
    state.iteration += K
    return _report(sums, indices)


def gradient(
    logits: Population,
    cases: Cases,
    objective: Objective,
    indices: np.ndarray | None = None,
    *,
    dtype: str = "float32",
    path: str | None = None,
    threads: int | None = None,
) -> tuple[Report, Population]:
    """Mean losses and the gradient (summed over the batch) without an update, in float32 or float64.

    ``indices`` (S, B) says which cases each member takes; by default every member takes all of them.
    """
    state = TrainingState.fresh(logits, dtype)
    S, P = state.weights.shape[0], len(cases.inputs)
    if indices is None:
        indices = np.broadcast_to(np.arange(P), (S, P))
    indices = np.asarray(indices)[None]
    result = np.zeros_like(state.weights)
    sums = _run_training(
        layout_for(state.M, state.R, dtype, path),
        state,
        cases,
        indices,
        objective,
        Schedule().per_iteration(1),
        np.zeros(S, np.uint64),
        state.weights,
        GRADIENT_ONLY,
        result,
        threads,
    )
    return _report(sums, indices), Population.from_flat(result, state.M, state.R)


def evaluate(
    logits: Population,
    cases: Cases,
    max_steps: int,
    threshold: float = 0.9,
    *,
    dtype: str = "float32",
    path: str | None = None,
    threads: int | None = None,
) -> Evaluation:
    """Run every member softly on every case."""
    state = TrainingState.fresh(logits, dtype)
    layout = layout_for(state.M, state.R, dtype, path)
    pool = cases.checked(state.M)
    _check_limits(max_steps, threshold)
    S, P = state.weights.shape[0], len(pool[0])
    steps = np.zeros((S, P), np.int32)
    stop = np.zeros((S, P), layout.dtype)
    certainty = np.zeros((S, P), layout.dtype)
    right = np.zeros((S, P), np.bool_)
    table = layout.row_table()
    together = 8  # members per call: enough to hide the price of a call

    def run(first_member: int, scratch: Scratch) -> None:
        evaluate_members(
            layout,
            first_member,
            min(first_member + together, S),
            *scratch,
            table,
            state.weights,
            *pool,
            max_steps,
            threshold,
            steps,
            stop,
            certainty,
            right,
        )

    _on_threads(run, range(0, S, together), threads, lambda: layout.new_scratch(1))
    return Evaluation(steps, stop, stop > threshold, certainty, right)


def _run_training(
    layout: Layout,
    state: TrainingState,
    cases: Cases,
    indices: np.ndarray,
    objective: Objective,
    schedule: np.ndarray,
    keys: np.ndarray,
    reference: np.ndarray,
    mode: int,
    result: np.ndarray,
    threads: int | None,
) -> np.ndarray:
    """Call the training kernel for every group of members; (S, 6) sums of the loss terms and steps."""
    S = state.weights.shape[0]
    pool = cases.checked(state.M)
    indices = np.ascontiguousarray(indices, np.int32)
    if indices.ndim != 3 or indices.shape[1] != S:
        raise ValueError(f"indices: expected (K, {S}, B), found {indices.shape}")
    if indices.size and (indices.min() < 0 or indices.max() >= len(pool[0])):
        raise ValueError(f"indices: expected numbers of cases 0..{len(pool[0]) - 1}")
    if reference.shape != state.weights.shape or keys.shape != (S,):
        raise ValueError("keys or reference do not fit the population")
    _check_limits(objective.max_steps, objective.threshold)
    sums = np.zeros((S, 6))
    table = layout.row_table()
    per_member = objective.per_member(S)

    def run(first_member: int, scratch: Scratch) -> None:
        train_group(
            layout,
            first_member,
            *scratch,
            table,
            state.weights,
            state.moment1,
            state.moment2,
            state.applied,
            state.skipped,
            reference,
            per_member,
            schedule,
            keys,
            state.iteration,
            *pool,
            indices,
            objective.max_steps,
            objective.threshold,
            objective.stop_gradient == "full",
            mode,
            objective.b1,
            objective.b2,
            objective.eps,
            sums,
            result,
        )

    groups = range(0, S, layout.G)
    _on_threads(run, groups, threads, lambda: layout.new_scratch(objective.max_steps))
    return sums


def _report(sums: np.ndarray, indices: np.ndarray) -> Report:
    K, _, B = indices.shape
    return Report(*(sums / max(K * B, 1)).T)


def _check_limits(max_steps: int, threshold: float) -> None:
    if max_steps < 1:
        raise ValueError(f"step limit: expected at least 1, found {max_steps}")
    if not 0.0 < threshold <= 1.0:
        raise ValueError(f"threshold: expected within (0, 1], found {threshold}")


def _on_threads(
    run: Callable[[int, Scratch], None],
    work: range,
    threads: int | None,
    new_scratch: Callable[[], Scratch],
) -> None:
    """Run every piece of work, each thread with its own scratch memory taking the next piece in turn."""
    count = max(1, min(threads or default_threads(), len(work)))
    if count == 1:
        scratch = new_scratch()
        for piece in work:
            run(piece, scratch)
        return
    pieces: Iterator[int] = iter(work)
    lock = Lock()

    def worker() -> None:
        scratch = new_scratch()
        while True:
            with lock:
                piece = next(pieces, None)
            if piece is None:
                return
            run(piece, scratch)

    with ThreadPoolExecutor(count) as executor:
        for future in [executor.submit(worker) for _ in range(count)]:
            future.result()
