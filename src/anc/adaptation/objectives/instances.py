"""Inputs without answers: to search with, to choose with, and fresh ones to report on."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass

import numpy as np

from anc.machine.cases import Cases
from anc.support.diagnostics import AncError, counted
from anc.training.problem import FEWEST_TO_SPLIT, in_fifths

SEARCHED, CHOSEN, FRESH = 200, 400, 1000  # of a function or a task that draws them


@dataclass(frozen=True)
class Instances:
    """Three sets of tapes (n, M); `fresh` ones are looked at once, at the end."""

    searched: np.ndarray
    chosen: np.ndarray
    fresh: np.ndarray
    note: str = ""

    @property
    def M(self) -> int:
        return self.searched.shape[1]

    @property
    def are_fresh(self) -> bool:
        """Whether the instances of the report are others than those of the search."""
        return self.fresh is not self.searched

    @property
    def everything(self) -> np.ndarray:
        """All of them, each once."""
        if not self.are_fresh:
            return self.searched
        return np.concatenate([self.searched, self.chosen, self.fresh])

    @staticmethod
    def of(tapes: Sequence[Sequence[int]], seed: int = 0) -> Instances:
        """A user's tapes: three fifths to search with, a fifth to choose with, a fifth to report on."""
        if not len(tapes):
            raise AncError("'inputs' is empty: there is nothing to adapt to")
        sets = in_fifths(tapes, seed)
        if len(tapes) >= FEWEST_TO_SPLIT:
            return _apart(sets)
        everything = np.array(sets[0], np.uint16)
        note = f"only {counted(len(tapes), 'input')}: the numbers are about inputs that were searched with"
        return Instances(everything, everything, everything, note)

    @staticmethod
    def drawn(draw: Callable[[int, int], Sequence[Sequence[int]]], seed: int = 0) -> Instances:
        """Tapes from a distribution: `draw(n, seed)` gives n of them."""
        sizes = enumerate((SEARCHED, CHOSEN, FRESH))
        return _apart(draw(n, 3 * seed + number) for number, n in sizes)


def _apart(sets: Iterable[Sequence[Sequence[int]]]) -> Instances:
    """Three sets, with a note of how many held-out instances equal others."""
    searched, chosen, fresh = (np.array(part, np.uint16) for part in sets)
    known = {row.tobytes() for row in np.concatenate([searched, chosen])}
    count = sum(row.tobytes() in known for row in fresh)
    note = f"{count} of the {len(fresh)} fresh instances equal one that was seen before"
    return Instances(searched, chosen, fresh, note if count else "")


def unanswered(inputs: np.ndarray) -> Cases:
    """Inputs as cases in which no cell counts."""
    tapes = np.ascontiguousarray(inputs, np.uint16)
    return Cases(tapes, tapes, np.zeros_like(tapes), np.ones(len(tapes)))
