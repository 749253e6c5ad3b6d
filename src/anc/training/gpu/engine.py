"""The engine's functions on a GPU: kernel arguments, memory for runs, launches, results."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from threading import Condition
from typing import Any

import numpy as np

from anc.machine.encoded import Cases
from anc.machine.weights import Weights, parameter_count
from anc.training.gpu.device import Device, no_room, the_device
from anc.training.gpu.sizes import Sizes
from anc.training.interface import (
    Report,
    SoftResults,
    TrainingObjective,
    TrainingState,
    Work,
    check_limits,
    checked_cases,
)
from anc.training.settings import TrainingSettings

GRADIENT_ONLY, SGD, ADAM = 0, 1, 2  # as in kernels.h
_EVALUATED_AT_ONCE = 8  # cases of a member in one team
SHARE = 0.8  # of the free memory, for runs

_changed = Condition()
_takers = 0  # launches that hold memory for runs


def train(
    state: TrainingState, work: Work, objective: TrainingObjective, device: Device | None = None
) -> Report:
    """Train all members for K iterations; ``state`` is updated in place."""
    mode = {"sgd": SGD, "adam": ADAM}[objective.optimiser]
    report, _ = _run_training(device or the_device(), state, work, objective, mode)
    state.iteration += len(work.indices)
    return report


def gradient(
    weights: Weights,
    cases: Cases,
    objective: TrainingObjective,
    indices: np.ndarray | None = None,
    *,
    dtype: str = "float32",
    device: Device | None = None,
) -> tuple[Report, Weights]:
    """Mean losses and the gradient (summed over the batch) without an update, in float32 or float64."""
    state, work = Work.once(weights, cases, objective, indices, dtype)
    report, found = _run_training(device or the_device(), state, work, objective, GRADIENT_ONLY)
    return report, state.weights_of(found)


class _Record:
    """Builds the argument record of a kernel: numbers, and the addresses of arrays on the GPU."""

    def __init__(self, device: Device) -> None:
        self.device, self.there = device, dict[str, Any]()
        self._fields: list[tuple[str, str, Any]] = []

    def add(self, **values: Any) -> None:
        """Add numbers, and arrays, which are copied to the GPU."""
        for name, value in values.items():
            if isinstance(value, np.ndarray):
                self._lies(name, self.device.put(np.ascontiguousarray(value)))
            else:
                self._fields.append((name, "f8" if isinstance(value, float) else "i4", value))

    def room(self, **arrays: np.ndarray) -> None:
        """Allocate arrays that are only copied back."""
        for name, array in arrays.items():
            self._lies(name, self.device.empty(array.nbytes))

    def _lies(self, name: str, there: Any) -> None:
        self.there[name] = there
        self.place(**{name: self.device.address(there)})

    def place(self, **addresses: int) -> None:
        self._fields += [(name, "u8", at) for name, at in addresses.items()]

    def fetch(self, **arrays: np.ndarray) -> None:
        """Copy arrays back from the GPU."""
        for name, array in arrays.items():
            self.device.get(self.there[name], array)

    def made(self) -> np.ndarray:
        kinds = [(name, kind) for name, kind, _ in self._fields]
        record = np.zeros(1, np.dtype(kinds, align=True))
        record[0] = tuple(value for *_, value in self._fields)
        return record


def _run_training(
    device: Device, state: TrainingState, work: Work, objective: TrainingObjective, mode: int
) -> tuple[Report, np.ndarray]:
    """One launch for all members and iterations; returns the report and, without an update, the gradient."""
    K, S, batch = work.indices.shape
    sizes = Sizes.chosen(
        state.M, state.R, state.weights.dtype.name, device.room, state.instructions
    )
    sizes = sizes.shared_by(S, batch, device.processors)
    kernels, groups = device.kernels(sizes), sizes.groups(batch)
    slots = groups * (objective.max_steps + 1) * kernels.slot
    large = groups * kernels.large
    pulls = bool(np.any(work.schedule[2:4] != 0))
    record, sums = _Record(device), np.zeros((S, 6))
    found = np.zeros_like(state.weights if mode == GRADIENT_ONLY else state.weights[:1])
    changed = ["weights", "applied", "skipped"] + (["moment1", "moment2"] if mode == ADAM else [])
    for name in ("weights", "moment1", "moment2"):
        array = getattr(state, name)
        record.add(**{name: array if name in changed else array[:0]})
    record.add(reference=work.reference if pulls else work.reference[:0])
    record.room(gradient=found)
    record.add(applied=state.applied, skipped=state.skipped, settings=objective.per_member(S))
    record.add(keys=work.keys, indices=work.indices, schedule=work.schedule)
    record.add(trainable=work.trainable.astype(np.uint8), places=sizes.places, rows=sizes.rows)
    record.add(**_tapes(work.cases), sums=sums, **_tables(sizes))
    record.add(S=S, K=K, batch=batch, first_iteration=state.iteration)
    record.add(max_steps=objective.max_steps, mode=mode, full=objective.stop_gradient == "full")
    record.add(
        **{name: float(getattr(objective, name)) for name in ("threshold", "b1", "b2", "eps")}
    )
    most = min(S, kernels.teams("train_members", groups))
    with room_for_teams(device, most, (large, slots)) as (teams, places):
        record.place(large=places[0], slots=places[1])
        kernels.launch("train_members", record.made(), teams, groups)
        record.fetch(sums=sums)
    if mode == GRADIENT_ONLY:
        record.fetch(gradient=found)
    else:
        record.fetch(**{name: getattr(state, name) for name in changed})
    return Report(*(sums / max(K * batch, 1)).T), found


@contextmanager
def room_for_teams(
    device: Device, most: int, bytes_each: tuple[int, ...]
) -> Iterator[tuple[int, tuple[int, ...]]]:
    """Allocate arrays for as many teams as fit, up to `most`; yields that number and the arrays' addresses.

    A launch that finds no memory while others hold some waits for them.
    """
    global _takers
    with _changed:
        while (count := _that_fit(device, sum(bytes_each))) == 0:
            if _takers == 0:
                raise no_room("training one member", sum(bytes_each), device.free_bytes())
            _changed.wait()
        teams = min(most, count)
        taken = [device.empty(teams * each) for each in bytes_each]
        _takers += 1
    try:
        yield teams, tuple(map(device.address, taken))
    finally:
        with _changed:
            taken.clear()
            _takers -= 1
            _changed.notify_all()


def _that_fit(device: Device, bytes_each: int) -> int:
    return int(SHARE * device.free_bytes()) // max(1, bytes_each)


def _tapes(cases: Cases) -> dict[str, np.ndarray]:
    return {"inputs": cases.inputs, "outputs": cases.outputs, "masks": cases.masks}


def _tables(sizes: Sizes) -> dict[str, np.ndarray]:
    """The outputs of instructions without a fast path; never empty."""
    meanings = {"derived": sizes.meanings.derived, "table": sizes.meanings.outputs}
    return {name: np.append(array, 0).astype(np.int32) for name, array in meanings.items()}


def prepare(M: int, R: int, S: int, batch: int, device: Device | None = None) -> None:
    """Start compiling the kernels for S members with M cells and R registers in the background."""
    where = device or the_device()
    for teams, runs in ((S, batch), (1, _EVALUATED_AT_ONCE)):
        where.prepare(
            Sizes.chosen(M, R, "float32", where.room).shared_by(teams, runs, where.processors)
        )


def bytes_on_device(sizes: Sizes, S: int, settings: TrainingSettings) -> int:
    """An approximate lower bound of the GPU memory to train S members: one of them runs, all are loaded."""
    n = parameter_count(sizes.M, sizes.R, sizes.N)
    K = min(settings.validate_every, settings.iterations)
    runs = sizes.groups(settings.batch) * (settings.max_steps + 1) * sizes.slot_floats
    return 4 * (S * (5 * n + K * settings.batch) + runs)


def check_room(
    M: int, R: int, S: int, settings: TrainingSettings, device: Device | None = None
) -> None:
    """Refuse a population that does not fit into the GPU's memory."""
    where = device or the_device()
    sizes = Sizes.chosen(M, R, "float32", where.room)
    needed, free = bytes_on_device(sizes, S, settings), where.free_bytes()
    if needed > SHARE * free:
        raise no_room(f"training {S} members for a memory of {M} cells", needed, free)


def evaluate(
    weights: Weights,
    cases: Cases,
    max_steps: int,
    threshold: float = 0.9,
    *,
    dtype: str = "float32",
    device: Device | None = None,
) -> SoftResults:
    """Run every member softly on every case, without gradients."""
    check_limits(max_steps, threshold)
    where = device or the_device()
    pool = checked_cases(cases, weights.M)
    flat = weights.flat(dtype)
    S, C = len(flat), pool.C
    sizes = Sizes.chosen(weights.M, weights.R, dtype, where.room, weights.instructions)
    sizes = sizes.shared_by(1, min(C, _EVALUATED_AT_ONCE), where.processors)
    kernels, groups = where.kernels(sizes), sizes.groups(min(C, _EVALUATED_AT_ONCE))
    large = groups * kernels.large
    pieces = -(-C // groups)
    most = min(S * pieces, kernels.teams("evaluate_members", groups))
    pieces = max(
        1, min(pieces, -(-4 * most // S))
    )  # several jobs per team, so that teams end together
    found = SoftResults.zeros(S, C, dtype)
    columns = {name: getattr(found, name) for name in ("steps", "stop", "certainty", "right")}
    record = _Record(where)
    record.add(weights=flat, places=sizes.places, **_tapes(pool))
    record.room(**columns)
    record.add(**_tables(sizes), S=S, C=C, pieces=pieces, max_steps=max_steps)
    record.add(threshold=float(threshold))
    with room_for_teams(where, most, (large,)) as (teams, (place,)):
        record.place(large=place)
        kernels.launch("evaluate_members", record.made(), teams, groups)
        record.fetch(**columns)
    return found._replace(halted=found.stop > threshold)
