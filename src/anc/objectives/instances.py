"""Inputs without answers: to search with, to choose with, and fresh ones to report on."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from random import Random

import numpy as np

from anc.diagnostics import AncError, counted
from anc.machine.cases import Cases

SEARCHED, CHOSEN, FRESH = 200, 400, 1000  # of a function or a task that draws them
FEWEST_TO_SPLIT = 30


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

    @staticmethod
    def of(tapes: Sequence[Sequence[int]], seed: int = 0) -> Instances:
        """A user's tapes: three fifths to search with, a fifth to choose with, a fifth to report on."""
        if not len(tapes):
            raise AncError("'inputs' is empty: there is nothing to adapt to")
        rows = list(tapes)
        Random(seed).shuffle(rows)
        everything = np.array(rows, np.uint16)
        if len(rows) < FEWEST_TO_SPLIT:
            note = f"only {counted(len(rows), 'input')}: the numbers are about inputs that were searched with"
            return Instances(everything, everything, everything, note)
        fifth = len(rows) // 5
        fresh, chosen, searched = np.split(everything, [fifth, 2 * fifth])
        return Instances(searched, chosen, fresh, _repeated(everything[fifth:], fresh))

    @staticmethod
    def drawn(draw: Callable[[int, int], Sequence[Sequence[int]]], seed: int = 0) -> Instances:
        """Tapes from a distribution: `draw(n, seed)` gives n of them."""
        sizes = SEARCHED, CHOSEN, FRESH
        searched, chosen, fresh = (
            np.array(draw(n, 3 * seed + i), np.uint16) for i, n in enumerate(sizes)
        )
        note = _repeated(np.concatenate([searched, chosen]), fresh)
        return Instances(searched, chosen, fresh, note)


def _repeated(seen: np.ndarray, fresh: np.ndarray) -> str:
    """What is to be said about fresh instances that equal others."""
    known = {row.tobytes() for row in seen}
    count = sum(row.tobytes() in known for row in fresh)
    return (
        f"{count} of the {len(fresh)} fresh instances equal one that was seen before"
        if count
        else ""
    )


def unanswered(inputs: np.ndarray) -> Cases:
    """Inputs as cases in which no cell counts."""
    tapes = np.ascontiguousarray(inputs, np.uint16)
    return Cases(tapes, tapes, np.zeros_like(tapes), np.ones(len(tapes)))
