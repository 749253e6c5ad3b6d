"""Scores: a number for a final tape and the input that led to it.

Every score is exact (a number for each pair of tapes); some are soft as well (a differentiable number
for a tape of distributions), which gradient descent needs.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from anc.support.diagnostics import AncError

PythonScore = Callable[[tuple[int, ...], tuple[int, ...]], Any]  # (input, final) -> a number
_REMEMBERED = 200_000  # results of a Python function that are kept


class Score(ABC):
    """A number for a final tape and its input; `argument` is what the user gave it as."""

    name: str
    argument: str

    @abstractmethod
    def exact(self, inputs: np.ndarray, finals: np.ndarray) -> np.ndarray:
        """(n,) float64 for tapes (n, M) each; NaN where the score cannot be computed."""

    def soft(self, before: Any, memory: Any) -> Any:
        """The score of an input (M,) and a tape of distributions (M, M), in JAX, if `check_soft` passes."""
        raise NotImplementedError

    def soft_violation(self, before: Any, memory: Any) -> Any:
        """The probability that the score is 0, which for a constraint means violated; likewise."""
        raise NotImplementedError

    @abstractmethod
    def check(self, inputs: np.ndarray, finals: np.ndarray) -> None:
        """Raise if the score cannot be computed for tapes that it has to know."""

    @abstractmethod
    def check_soft(self, M: int) -> None:
        """Raise if there is no gradient to follow."""


@dataclass(frozen=True)
class FunctionScore(Score):
    """A Python function of two exact tapes; it has no gradient."""

    function: PythonScore
    name: str
    argument: str
    _known: dict[tuple[bytes, bytes], float] = field(default_factory=dict, repr=False)

    def exact(self, inputs: np.ndarray, finals: np.ndarray) -> np.ndarray:
        return np.array([self._of(*pair) for pair in zip(inputs, finals, strict=True)], np.float64)

    def _of(self, before: np.ndarray, final: np.ndarray) -> float:
        key = before.tobytes(), final.tobytes()
        if key not in self._known:
            if len(self._known) >= _REMEMBERED:
                self._known.clear()
            try:
                self._known[key] = self._called(before, final)
            except Exception:  # on tapes that only a search meets; see `check`
                self._known[key] = np.nan
        return self._known[key]

    def _called(self, before: np.ndarray, final: np.ndarray) -> float:
        return float(self.function(tuple(before.tolist()), tuple(final.tolist())))

    def check(self, inputs: np.ndarray, finals: np.ndarray) -> None:
        for before, final in zip(inputs, finals, strict=True):
            try:
                number = self._called(before, final)
            except Exception as problem:
                raise AncError(
                    f"'{self.argument}': {self.name} failed: {type(problem).__name__}: {problem}",
                    help="it is called as (input, final), two tuples of numbers, and returns a number",
                ) from problem
            if not np.isfinite(number):
                raise AncError(
                    f"'{self.argument}': {self.name} gives {number} for the final tape"
                    f" {shown(final)}, expected a finite number"
                )

    def check_soft(self, M: int) -> None:
        raise AncError(
            f"'{self.argument}': {self.name} is a Python function on exact tapes, which has no gradient",
            help="use method='search'; or give a program, or a function of JAX on soft tapes:"
            " anc.score(function, soft=True)",
        )


def shown(tape: np.ndarray) -> str:
    """A tape for a message."""
    return " ".join(map(str, tape.tolist()))
