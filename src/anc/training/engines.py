"""The training engines by name, their memory and time, and checks that a population fits into memory."""

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
CHOICES = ("auto", *MODULES)  # for users
_LOOKS = 20  # at the clock, at least, within a budget


def engine(name: str) -> Engine:
    """The engine of that name, loaded on demand because that takes a second."""
    if name not in MODULES:
        *first, last = MODULES
        raise AncError(f"there is no engine '{name}'", help=f"use {', '.join(first)} or {last}")
    if name == "gpu":
        from anc.training.gpu.device import the_device

        the_device()  # raises an error that says what is missing
    return cast(Engine, import_module(MODULES[name]))


def chosen_engine(word: object) -> str:
    """The engine that a user chose; `auto` is the GPU if a usable one is found, else the CPU."""
    limits.check_word("engine", word, CHOICES)
    if word != "auto":
        return str(word)
    from anc.training.gpu.device import has_device

    return "gpu" if has_device() else "fused"


def prepare(problem: Problem, members: Members, engine_name: str) -> None:
    """Start compiling the kernels of a training in the background, if the engine supports it."""
    if engine_name == "gpu":
        from anc.training import gpu

        size = len(members.seeds), members.shared.batch
        gpu.prepare(problem.M, registers_of(problem, members.shared), *size)


def seconds_of_iteration(M: int, settings: TrainingSettings) -> float:
    """The approximate seconds of one iteration of a member."""
    step = 1e-6 * (0.2 + 0.008 * M**2)  # measured: seconds of one soft step, forward and backward
    return step * settings.max_steps * settings.batch


def iterations_between_looks(
    seconds: float, iteration: float, settings: TrainingSettings, least: int = 1
) -> int:
    """Iterations between two looks at the clock, a small part of `seconds`; 0 if fewer than `least`."""
    every = int(min(settings.validate_every, seconds / _LOOKS / iteration))
    return every if every >= least else 0


def device_of(name: str) -> dict[str, str]:
    """The provenance of an engine's device in addition to its cores; nothing for a remote one."""
    if name != "gpu":
        return {}
    from anc.training.gpu.device import the_device

    try:
        return {"device": the_device().name}
    except AncError:
        return {}


def bytes_needed(M: int, R: int, S: int, settings: TrainingSettings, engine_name: str) -> int:
    """The approximate memory that training S members takes."""
    n = parameter_count(M, R)
    kept = S * n * 4 * 8  # weights, moments, best checkpoints, copies
    K = min(settings.validate_every, settings.iterations)
    kept += S * settings.batch * K * 12  # case numbers
    state = 4 * (M * M + R * M + M + 1)
    if engine_name == "gpu":
        return kept  # `gpu.check_room` checks the memory of the GPU
    if engine_name == "jax":
        return kept + 3 * S * settings.batch * (settings.max_steps + 1) * state
    from anc.training.fused import scratch_bytes

    return kept + (os.cpu_count() or 1) * scratch_bytes(M, R, settings.max_steps)


def has_room(
    M: int, R: int, S: int, settings: TrainingSettings, engine_name: str, is_here: bool = True
) -> bool:
    """Whether S members fit into memory."""
    try:
        check_room(M, R, S, settings, engine_name, is_here)
    except AncError:
        return False
    return True


def check_room(
    M: int, R: int, S: int, settings: TrainingSettings, engine_name: str, is_here: bool = True
) -> None:
    """Refuse a population that does not fit into memory, naming the options to lower.

    Remote machines are assumed to have as much memory as this one; they check their own GPUs.
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
    """Refuse a problem's population if it does not fit into memory."""
    R = registers_of(problem, members.shared)
    check_room(problem.M, R, len(members.seeds), members.shared, engine_name, is_here)
