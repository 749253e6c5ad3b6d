"""Guides: what a search is told beside the generic program.

Other methods, gradient descent above all, find programs that are nearly right and learn where to
look: programs become starting points, learnt distributions become the proposals of the moves.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from anc import isa
from anc.diagnostics import AncError
from anc.program import Program


@dataclass(frozen=True)
class Proposals:
    """Probabilities to draw from: per line the operation (L, N) and the registers (L, R) of first,
    second and out; per register its initial value (R, M)."""

    op: np.ndarray
    first: np.ndarray
    second: np.ndarray
    out: np.ndarray
    values: np.ndarray

    def __post_init__(self) -> None:
        for name in ("op", "first", "second", "out", "values"):
            table = np.asarray(getattr(self, name))
            if table.ndim != 2 or not np.isfinite(table).all() or (table < 0).any():
                raise AncError(f"the proposals '{name}' are not rows of probabilities")
            if (table.sum(axis=1) <= 0).any():
                raise AncError(f"a row of the proposals '{name}' has no probability at all")
        if self.op.shape[1] != isa.N:
            raise AncError(f"the proposals 'op' have {self.op.shape[1]} columns, not {isa.N}")

    def cumulative(self) -> tuple[np.ndarray, ...]:
        """The tables as the moves want them."""
        tables = (self.op, self.first, self.second, self.out, self.values)
        return tuple(np.cumsum(np.asarray(table, np.float64), axis=1) for table in tables)


@dataclass(frozen=True)
class Guides:
    """More programs to start from, and proposals; both may be missing."""

    programs: tuple[Program, ...] = ()
    proposals: Proposals | None = None

    def cumulative(self) -> tuple[np.ndarray, ...]:
        """The proposals' cumulative tables; without proposals, empty ones."""
        if self.proposals is not None:
            return self.proposals.cumulative()
        return tuple(np.empty((0, 1)) for _ in range(5))


NO_GUIDES = Guides()
