"""A table of cases, for the batched machine, the search and the training engines."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

if TYPE_CHECKING:
    from anc.data.tasks.cases import Case


ALL_BITS = np.uint16(0xFFFF)


class Cases(NamedTuple):
    """C cases: input tapes, expected tapes, masks of the cells that count, and multiplicities."""

    inputs: np.ndarray  # (C, M) uint16
    outputs: np.ndarray  # (C, M) uint16
    masks: np.ndarray  # (C, M) uint16: 0xFFFF where a cell counts, else 0
    counts: np.ndarray  # (C,) float64

    @classmethod
    def of(cls, cases: Iterable[Case]) -> Cases:
        """A table with one row per case."""
        return cls._made(list(cases))

    @classmethod
    def distinct(cls, cases: Iterable[Case]) -> Cases:
        """A table with one row per distinct case, in order of first appearance, with its count."""
        counts: dict[Case, int] = {}
        for case in cases:
            counts[case] = counts.get(case, 0) + 1
        return cls._made(list(counts))._replace(counts=np.array(list(counts.values()), np.float64))

    @classmethod
    def _made(cls, cases: Sequence[Case]) -> Cases:
        columns = ("input", "output", "mask")
        tables = [np.array([getattr(c, name) for c in cases], np.uint16) for name in columns]
        return cls(tables[0], tables[1], tables[2] * ALL_BITS, np.ones(len(cases)))

    @property
    def C(self) -> int:
        return int(self.inputs.shape[0])

    @property
    def M(self) -> int:
        return int(self.inputs.shape[1])

    @property
    def change(self) -> np.ndarray:
        """The cells (C, M) that count and differ between input and output."""
        return (self.masks != 0) & (self.inputs != self.outputs)

    def choose(self, which: Sequence[int] | np.ndarray) -> Cases:
        """These cases, in this order."""
        chosen = np.asarray(which, np.int64)
        return Cases(*(part[chosen] for part in self))
