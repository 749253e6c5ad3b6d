"""Train, evaluate and differentiate a population on a card: what is sent there, and what comes back."""

from __future__ import annotations

from typing import Any

import numpy as np

from anc.machine.cases import Cases
from anc.machine.weights import Weights, parameter_count
from anc.training.gpu.card import Card, no_room, the_card
from anc.training.gpu.room import SHARE, room_for_teams
from anc.training.gpu.sizes import Sizes
from anc.training.interface import (
    Objective,
    Report,
    SoftResults,
    TrainingState,
    Work,
    check_limits,
    checked_cases,
)
from anc.training.settings import TrainingSettings

GRADIENT_ONLY, SGD, ADAM = 0, 1, 2  # as in kernels.h
_EVALUATED_AT_ONCE = 8  # cases of a member in one team


def train(
    state: TrainingState, work: Work, objective: Objective, card: Card | None = None
) -> Report:
    """Train all members for K iterations; ``state`` is updated in place."""
    mode = {"sgd": SGD, "adam": ADAM}[objective.optimiser]
    report, _ = _run_training(card or the_card(), state, work, objective, mode)
    state.iteration += len(work.indices)
    return report


def gradient(
    weights: Weights,
    cases: Cases,
    objective: Objective,
    indices: np.ndarray | None = None,
    *,
    dtype: str = "float32",
    card: Card | None = None,
) -> tuple[Report, Weights]:
    """Mean losses and the gradient (summed over the batch) without an update, in float32 or float64."""
    state, work = Work.once(weights, cases, objective, indices, dtype)
    report, found = _run_training(card or the_card(), state, work, objective, GRADIENT_ONLY)
    return report, state.weights_of(found)


class _Record:
    """A record of the kernels' source under construction: numbers, and arrays that are sent to the card."""

    def __init__(self, card: Card) -> None:
        self.card = card
        self.fields: list[tuple[str, str]] = []
        self.values: list[Any] = []
        self.there: dict[str, Any] = {}

    def array(self, name: str, array: np.ndarray) -> None:
        self.memory(name, self.card.put(np.ascontiguousarray(array)))

    def room(self, name: str, array: np.ndarray) -> None:
        """For an array that only comes back."""
        self.memory(name, self.card.empty(array.nbytes))

    def memory(self, name: str, there: Any) -> None:
        self.there[name] = there
        self._add(name, "u8", self.card.address(there))

    def number(self, name: str, value: float, kind: str = "i4") -> None:
        self._add(name, kind, value)

    def _add(self, name: str, kind: str, value: Any) -> None:
        self.fields.append((name, kind))
        self.values.append(value)

    def made(self) -> np.ndarray:
        record = np.zeros(1, np.dtype(self.fields, align=True))
        record[0] = tuple(self.values)
        return record


def _run_training(
    card: Card, state: TrainingState, work: Work, objective: Objective, mode: int
) -> tuple[Report, np.ndarray]:
    """One launch for all members and iterations; the report, and the gradient without update."""
    K, S, batch = work.indices.shape
    sizes = Sizes.chosen(state.M, state.R, state.weights.dtype.name, card.room, state.instructions)
    sizes = sizes.shared_by(S, batch, card.processors)
    kernels, groups = card.kernels(sizes), sizes.groups(batch)
    slots = groups * (objective.max_steps + 1) * kernels.slot
    large = groups * kernels.large
    settings = objective.per_member(S)
    pulls = bool(np.any(work.schedule[2:4] != 0))
    record, sums = _Record(card), np.zeros((S, 6))
    found = np.zeros_like(state.weights if mode == GRADIENT_ONLY else state.weights[:1])
    changed = ["weights", "applied", "skipped"] + (["moment1", "moment2"] if mode == ADAM else [])
    for name in ("weights", "moment1", "moment2"):
        array = getattr(state, name)
        record.array(name, array if name in changed else array[:0])
    record.array("reference", work.reference if pulls else work.reference[:0])
    record.room("gradient", found)
    record.array("applied", state.applied)
    record.array("skipped", state.skipped)
    record.array("settings", settings)
    record.array("keys", work.keys)
    record.array("indices", work.indices)
    record.array("schedule", work.schedule)
    record.array("trainable", work.trainable.astype(np.uint8))
    record.array("places", sizes.places)
    record.array("rows", sizes.rows)
    for name, cases in zip(("inputs", "outputs", "masks"), work.cases, strict=False):
        record.array(name, cases)
    record.array("sums", sums)
    _add_tables(record, sizes)
    for name, number in (
        ("S", S), ("K", K), ("batch", batch), ("first_iteration", state.iteration),
        ("max_steps", objective.max_steps), ("mode", mode),
        ("full", objective.stop_gradient == "full"),
    ):  # fmt: skip
        record.number(name, number)
    for name in ("threshold", "b1", "b2", "eps"):
        record.number(name, float(getattr(objective, name)), "f8")
    most = min(S, kernels.teams("train_members", groups))
    with room_for_teams(card, most, (large, slots)) as (teams, places):
        for name, place in zip(("large", "slots"), places, strict=True):
            record.number(name, place, "u8")
        kernels.launch("train_members", record.made(), teams, groups)
        card.get(record.there["sums"], sums)
    if mode == GRADIENT_ONLY:
        card.get(record.there["gradient"], found)
    else:
        for name in changed:
            card.get(record.there[name], getattr(state, name))
    return Report(*(sums / max(K * batch, 1)).T), found


def _add_tables(record: _Record, sizes: Sizes) -> None:
    record.array("derived", np.append(sizes.meanings.derived, 0).astype(np.int32))
    record.array("table", np.append(sizes.meanings.outputs, 0).astype(np.int32))


def prepare(M: int, R: int, S: int, batch: int, card: Card | None = None) -> None:
    """Begin to compile what S members with M cells and R registers need; it is waited for when it is needed."""
    where = card or the_card()
    for teams, runs in ((S, batch), (1, _EVALUATED_AT_ONCE)):
        where.prepare(
            Sizes.chosen(M, R, "float32", where.room).shared_by(teams, runs, where.processors)
        )


def bytes_on_card(sizes: Sizes, S: int, settings: TrainingSettings) -> int:
    """About how much of a card's memory training S members takes at least: one of them runs, all are there."""
    n = parameter_count(sizes.M, sizes.R, sizes.N)
    K = min(settings.validate_every, settings.iterations)
    runs = sizes.groups(settings.batch) * (settings.max_steps + 1) * sizes.slot_floats
    return 4 * (S * (5 * n + K * settings.batch) + runs)


def check_room(
    M: int, R: int, S: int, settings: TrainingSettings, card: Card | None = None
) -> None:
    """Refuse a population that is too big for the card."""
    where = card or the_card()
    sizes = Sizes.chosen(M, R, "float32", where.room)
    needed, free = bytes_on_card(sizes, S, settings), where.free_bytes()
    if needed > SHARE * free:
        raise no_room(f"training {S} members for a memory of {M} cells", needed, free)


def evaluate(
    weights: Weights,
    cases: Cases,
    max_steps: int,
    threshold: float = 0.9,
    *,
    dtype: str = "float32",
    card: Card | None = None,
) -> SoftResults:
    """Run every member softly on every case."""
    check_limits(max_steps, threshold)
    where = card or the_card()
    pool = checked_cases(cases, weights.M)
    flat = weights.flat(dtype)
    S, C = len(flat), pool.C
    sizes = Sizes.chosen(weights.M, weights.R, dtype, where.room, weights.instructions)
    sizes = sizes.shared_by(1, min(C, _EVALUATED_AT_ONCE), where.processors)
    kernels, groups = where.kernels(sizes), sizes.groups(min(C, _EVALUATED_AT_ONCE))
    large = groups * kernels.large
    pieces = -(-C // groups)
    most = min(S * pieces, kernels.teams("evaluate_members", groups))
    pieces = max(1, min(pieces, -(-4 * most // S)))  # several jobs for each team end together
    found = SoftResults.zeros(S, C, dtype)
    record = _Record(where)
    record.array("weights", flat)
    record.array("places", sizes.places)
    for name, part in zip(("inputs", "outputs", "masks"), pool, strict=False):
        record.array(name, part)
    for name in ("steps", "stop", "certainty", "right"):
        record.room(name, getattr(found, name))
    _add_tables(record, sizes)
    for name, number in (("S", S), ("C", C), ("pieces", pieces), ("max_steps", max_steps)):
        record.number(name, number)
    record.number("threshold", threshold, "f8")
    with room_for_teams(where, most, (large,)) as (teams, (place,)):
        record.number("large", place, "u8")
        kernels.launch("evaluate_members", record.made(), teams, groups)
        for name in ("steps", "stop", "certainty", "right"):
            where.get(record.there[name], getattr(found, name))
    return found._replace(halted=found.stop > threshold)
