"""The training engines by name, and whether a population fits into memory."""

from __future__ import annotations

import os
from importlib import import_module
from typing import cast

from anc.machine.weights import parameter_count
from anc.support import limits, resources
from anc.support.diagnostics import AncError
from anc.training.interface import Engine
from anc.training.members import Members, registers_of
from anc.training.problem import Problem
from anc.training.settings import TrainingSettings

MODULES = {
    "fused": "anc.training.fused",
    "gpu": "anc.training.gpu",
    "jax": "anc.training.jax_engine",
}
CHOICES = ("auto", *MODULES)  # what users may say
_LOOKS = 20  # at the clock, at least, in the time that there is


def engine(name: str) -> Engine:
    """The engine of that name; loading one takes a second, so it happens only here."""
    if name not in MODULES:
        *first, last = MODULES
        raise AncError(f"there is no engine '{name}'", help=f"use {', '.join(first)} or {last}")
    if name == "gpu":
        from anc.training.gpu.card import the_card

        the_card()  # says what is missing, if there is none
    return cast(Engine, import_module(MODULES[name]))


def chosen_engine(word: object) -> str:
    """The engine that a user's word means: `auto` is the card where there is one that can be used, else the CPU."""
    limits.check_word("engine", word, CHOICES)
    if word != "auto":
        return str(word)
    from anc.training.gpu.card import is_there_a_card

    return "gpu" if is_there_a_card() else "fused"


def prepare(problem: Problem, members: Members, engine_name: str) -> None:
    """Begin to compile what a training will need, where that can be done while others are trained."""
    if engine_name == "gpu":
        from anc.training import gpu

        size = len(members.seeds), members.shared.batch
        gpu.prepare(problem.M, registers_of(problem, members.shared), *size)


def seconds_of_iteration(M: int, settings: TrainingSettings) -> float:
    """The seconds that one iteration of a member takes, about."""
    step = 1e-6 * (0.2 + 0.008 * M**2)  # measured: seconds of one soft step, both ways
    return step * settings.max_steps * settings.batch


def iterations_between_looks(
    seconds: float, iteration: float, settings: TrainingSettings, least: int = 1
) -> int:
    """Iterations that take a small part of so many seconds, for looks at the clock between them; or 0."""
    every = int(min(settings.validate_every, seconds / _LOOKS / iteration))
    return every if every >= least else 0


def device_of(name: str) -> dict[str, str]:
    """What a result says of the device that an engine used, beside its cores; nothing if that is elsewhere."""
    if name != "gpu":
        return {}
    from anc.training.gpu.card import the_card

    try:
        return {"device": the_card().name}
    except AncError:
        return {}


def bytes_needed(M: int, R: int, S: int, settings: TrainingSettings, engine_name: str) -> int:
    """About how much memory training S members takes."""
    n = parameter_count(M, R)
    kept = S * n * 4 * 8  # weights, moments, best checkpoints, copies
    kept += (
        S * settings.batch * min(settings.validate_every, settings.iterations) * 12
    )  # which cases
    state = 4 * (M * M + R * M + M + 1)
    if engine_name == "gpu":
        return kept  # what lies on the card is looked at beside
    if engine_name == "jax":
        return kept + 3 * S * settings.batch * (settings.max_steps + 1) * state
    from anc.training.fused import scratch_bytes

    return kept + (os.cpu_count() or 1) * scratch_bytes(M, R, settings.max_steps)


def has_room(
    M: int, R: int, S: int, settings: TrainingSettings, engine_name: str, is_here: bool = True
) -> bool:
    """Whether S members can be trained at all."""
    try:
        check_room(M, R, S, settings, engine_name, is_here)
    except AncError:
        return False
    return True


def check_room(
    M: int, R: int, S: int, settings: TrainingSettings, engine_name: str, is_here: bool = True
) -> None:
    """Refuse a population that is too big, saying which options to lower.

    Of machines elsewhere as much memory as here is expected, but a card is not: they look at theirs.
    """
    limits.LEARNT.check(M)
    what = f"training {S} members with {settings.batch} cases each for a memory of {M} cells"
    lower = "--seeds, --batch, --registers, --max-steps or --memory"
    resources.require(bytes_needed(M, R, S, settings, engine_name), what, lower)
    if engine_name == "gpu" and is_here:
        from anc.training import gpu

        gpu.check_room(M, R, S, settings)


def check_memory(
    problem: Problem, members: Members, engine_name: str, is_here: bool = True
) -> None:
    """Refuse a population that is too big for a problem."""
    R = registers_of(problem, members.shared)
    check_room(problem.M, R, len(members.seeds), members.shared, engine_name, is_here)
