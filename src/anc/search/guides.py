"""Guides: what a search is told beside the generic program.

Other methods, gradient descent above all, find programs that are nearly right and learn where to
look: programs become starting points, learnt distributions become the proposals of the moves.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from anc.machine.weights import Weights, softmax
from anc.program import Program


@dataclass(frozen=True)
class Guides:
    """More programs to start from, and weights whose distributions the moves draw from.

    Both may be missing.
    """

    programs: tuple[Program, ...] = ()
    proposals: Weights | None = None

    def cumulative(self) -> tuple[np.ndarray, ...]:
        """Cumulative probabilities of op, first, second, out and the registers' first values.

        Without proposals, empty tables.
        """
        if self.proposals is None:
            return tuple(np.empty((0, 1)) for _ in range(5))
        w = self.proposals
        parts = (w.op, w.first, w.second, w.out, w.registers)
        return tuple(np.cumsum(softmax(np.asarray(part, np.float64)), axis=1) for part in parts)


NO_GUIDES = Guides()
