"""What a person gives: a program in one of its many forms, and samples."""

from __future__ import annotations

import functools
import warnings
from collections.abc import Callable, Sequence
from pathlib import Path
from random import Random
from typing import TYPE_CHECKING, Any, TypeAlias

from anc.diagnostics import AncError, CompilerWarning
from anc.program import Program

if TYPE_CHECKING:
    from anc.learning.problem import Problem
    from anc.loading import Loaded
    from anc.machine.weights import Weights
    from anc.python.function import Function
    from anc.recording.recorder import Recorded

    # a program, a Python function or weights, or what names them
    What: TypeAlias = Program | Function[..., Any] | Recorded[..., Any] | Weights | str | Path

Samples: TypeAlias = Sequence[Any] | Callable[[Random], Any] | Path


def problem_of(program: What, samples: Samples | None, seed: int) -> Problem:
    """A task by name, or a program with samples."""
    from anc import programs, tasks
    from anc.learning.problem import POOL, from_cases, from_task
    from anc.tasks.data import cases_from, more_cases_from
    from anc.tasks.recorded import read_samples

    if samples is None:
        if isinstance(program, str) and program in programs.names():
            return from_task(tasks.get(program), seed=seed)
        raise AncError("a program of your own needs samples to adapt to")
    loaded, note, more = load_given(program), "", None
    if isinstance(samples, str | Path):
        cases, note = read_samples(
            samples, loaded.program, None, loaded.call, loaded.real_call, seed
        )
    elif callable(samples):
        cases = cases_from(samples, POOL, seed, loaded.program, call=loaded.call)
        more = functools.partial(
            more_cases_from, samples, seed, loaded.program, cases[0].M, loaded.call
        )
    else:
        given = iter(samples)
        cases = cases_from(
            lambda random: next(given), len(samples), seed, loaded.program, call=loaded.call
        )
    name = loaded.function.name if loaded.function else "program"
    return from_cases(name, loaded.program, loaded.text, cases, seed, loaded.function, note, more)


def load_given(what: What, memory: int | None = None) -> Loaded:
    """What a caller names, or is; the compiler's warnings become Python's."""
    from anc.loading import load

    return warned(load(what, memory))


def warned(loaded: Loaded) -> Loaded:
    if loaded.warnings:
        warnings.warn(loaded.warnings, CompilerWarning, stacklevel=4)
    return loaded
