"""What a user gives as an objective or a constraint, as a score."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from anc.adaptation.objectives.programs import NAMING, ProgramScore
from anc.adaptation.objectives.scores import FunctionScore, Score
from anc.data.loading import function_in, load
from anc.support import limits
from anc.support.diagnostics import AncError


@dataclass(frozen=True)
class Described:
    """A score before it is known which tapes it judges; `anc.score` makes one."""

    what: Any
    cell: int | None = None
    soft: bool = False
    naming: str = NAMING  # how its user says which cell

    def __post_init__(self) -> None:
        if self.cell is not None:
            limits.CELL.check(self.cell)
        if self.is_function and self.cell is not None:
            raise AncError("'cell' is for programs; a Python function returns the score")
        if self.soft and not self.is_function:
            raise AncError("'soft' is for functions of JAX; a program is soft by itself")

    @property
    def is_function(self) -> bool:
        """Whether it is a plain function, not one that is a program.

        What wraps a program is a function of its own: it may do more.
        """
        return callable(self.what) and function_in(self.what) is None


def make_score(what: Any, M: int, argument: str) -> Score:
    """The score for tapes of M cells that `argument` describes."""
    described = what if isinstance(what, Described) else Described(what)
    thing = described.what
    if described.is_function:
        name = getattr(thing, "__name__", "the function")
        name = "the function" if name == "<lambda>" else f"'{name}'"
        return (
            _soft(thing, name, argument) if described.soft else FunctionScore(thing, name, argument)
        )
    if not (isinstance(thing, str | Path) or hasattr(thing, "registers") or callable(thing)):
        raise AncError(
            f"'{argument}' is of type {type(thing).__name__}, expected a program, what names one, or a"
            " function (input, final) -> number"
        )
    try:
        loaded = load(thing)
        if loaded.function is None and loaded.program.memory is None:
            loaded = load(thing, max(M, loaded.program.smallest_memory))
    except AncError as problem:
        raise AncError(f"'{argument}': {problem.message}", problem.help) from None
    return ProgramScore.of(loaded, M, described.cell, argument, described.naming)


def _soft(function: Callable[..., Any], name: str, argument: str) -> Score:
    from anc.adaptation.objectives.softscores import SoftScore

    return SoftScore(function, name, argument)
