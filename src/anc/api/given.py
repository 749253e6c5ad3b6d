"""What a person gives: a program in one of its many forms, and samples."""

from __future__ import annotations

import errno
import os
import sys
import warnings
from collections.abc import Callable, Iterable, Mapping, Sequence
from pathlib import Path
from random import Random
from typing import TYPE_CHECKING, Any, TypeAlias

from anc.diagnostics import AncError, CompilerWarning, quoted
from anc.limits import CELL, as_whole, has_length, is_listed
from anc.program import Program

if TYPE_CHECKING:
    from anc.learning.problem import Problem
    from anc.loading import Loaded
    from anc.machine.weights import Weights
    from anc.python.function import Function
    from anc.recording.recorder import Recorded

    # a program, a Python function or weights, or what names them
    What: TypeAlias = Program | Function[..., Any] | Recorded[..., Any] | Weights | str | Path

_A_SAMPLE = "give tapes, such as [[3, 1, 2], [4, 1, 2]]"
Samples: TypeAlias = Sequence[Any] | Callable[[Random], Any] | Path


def problem_of(
    program: What, samples: Samples | None, seed: int, freeze: Sequence[int] = ()
) -> Problem:
    """A task by name, or a program with samples."""
    from anc.problems import given_problem, is_task

    if samples is None and not is_task(program):
        raise AncError("a program of your own needs samples to adapt to")
    if not (samples is None or isinstance(samples, str | Path) or callable(samples)):
        checked_samples(samples)
    return given_problem(program, samples, seed, freeze=freeze, load=load_given).problem


def checked_samples(samples: Any, name: str = "samples") -> Sequence[Any]:
    """Samples that a caller lists, at least one."""
    if not has_length(samples) or isinstance(samples, Mapping):
        raise AncError(
            f"{name} is {quoted(samples)}, expected a list of them, a function or a file",
        )
    if not len(samples):
        raise AncError(f"{name} is empty: there are no cases to adapt to", help=_A_SAMPLE)
    return samples


def checked_path(path: object) -> Path:
    """The place of a file that a caller names."""
    if not isinstance(path, str | Path):
        raise AncError(f"expected the name of a file, found {quoted(path)}")
    try:
        os.lstat(path)
    except ValueError:  # a zero byte, or half a character
        raise AncError(f"{quoted(str(path))} cannot be the name of a file") from None
    except OSError as problem:
        if problem.errno == errno.ENAMETOOLONG:
            raise AncError(f"{quoted(str(path))} is too long for the name of a file") from None
    return Path(path)


def checked_texts(
    name: str, value: object, expected: str = "a list of texts", help: str | None = None
) -> tuple[str, ...]:
    """Texts that a caller lists; one alone is meant as such, and not letter by letter.

    >>> checked_texts("machines", "exact")
    ('exact',)
    """
    texts = (value,) if isinstance(value, str) else value
    if not isinstance(texts, Sequence) or not all(isinstance(text, str) for text in texts):
        raise AncError(f"{name} is {quoted(value)}, expected {expected}", help=help)
    return tuple(texts)


def checked_words(name: str, value: object, known: Iterable[str]) -> tuple[str, ...]:
    """Words that a caller lists, at least one: to do nothing is asked by nobody who means it."""
    words = checked_texts(name, value)
    if not words:
        raise AncError(f"{name} is empty", help=f"there are: {', '.join(known)}")
    return words


def checked_facts(assume: object) -> tuple[str, ...]:
    """The facts that a caller states: one text, or several."""
    return checked_texts("assume", assume, "facts as texts", help='write ["tape[0] == 3"]')


def checked_cells(name: str, values: object) -> tuple[int, ...]:
    """Numbers of cells, or of what cells hold, that a caller lists.

    >>> checked_cells("counts", range(3))
    (0, 1, 2)
    """
    numbers = checked_each(name, values, "a list of whole numbers")
    return tuple(CELL.check(value, f"a number of {name}") for value in numbers)


def checked_each(name: str, values: Any, expected: str = "a list") -> Iterable[Any]:
    """What a caller lists."""
    if not is_listed(values):
        raise AncError(f"{name} is {quoted(values)}, expected {expected}")
    return values


def checked_lines(freeze: object) -> tuple[int, ...]:
    """The program lines that a caller names."""
    expected = "a list of line numbers"
    found = [as_whole(line) for line in checked_each("freeze", freeze, expected)]
    if None in found:
        raise AncError(f"freeze is {quoted(freeze)}, expected {expected}")
    return tuple(line for line in found if line is not None)


def checked_weights(weights: object) -> Mapping[str, float]:
    """What a caller weighs instructions with, by name."""
    if not isinstance(weights, Mapping) or not all(isinstance(name, str) for name in weights):
        raise AncError(
            f"weights is {quoted(weights)}, expected numbers by name",
            help='write {"READ": 3, "lines": 0.1}',
        )
    return weights


def checked_call(name: str, function: object) -> None:
    """Refuse what cannot be called where a caller may give a function."""
    if function is not None and not callable(function):
        raise AncError(f"{name} is {quoted(function)}, expected a function")


def load_given(what: What, memory: int | None = None) -> Loaded:
    """What a caller names, or is; the compiler's warnings become Python's."""
    from anc.loading import load

    return warned(load(what, memory))


def warned(loaded: Loaded) -> Loaded:
    if loaded.warnings:
        warnings.warn(loaded.warnings, CompilerWarning, stacklevel=of_the_caller())
    return loaded


def of_the_caller() -> int:
    """The level at which a warning of who calls this points at the first line that is not of anc."""
    frame, level = sys._getframe(1), 1
    while frame.f_back is not None and frame.f_globals["__name__"].split(".")[0] == "anc":
        frame, level = frame.f_back, level + 1
    return level


def checked_start(start: Any) -> Any:
    """An earlier result, or the folder of one."""
    return checked_path(start) if isinstance(start, str | Path) else start
