"""Guides: what a search is told beside the generic program.

Other methods, gradient descent above all, find programs that are nearly right and learn where to
look: programs become starting points, learnt distributions become the proposals of the moves.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import NamedTuple

import numpy as np

from anc.isa import InstructionSet
from anc.machine.weights import Weights, softmax
from anc.program import Program


class Proposals(NamedTuple):
    """What moves draw from: the instructions, and probabilities where something is known."""

    # Cumulative, of op, first, second, out and the registers' first values; or empty tables.
    tables: tuple[np.ndarray, ...]
    operands: np.ndarray  # (N,) how many each instruction takes
    jump: int  # the number of JEZ


@dataclass(frozen=True)
class Guides:
    """More programs to start from, and weights whose distributions the moves draw from.

    Both may be missing.
    """

    programs: tuple[Program, ...] = ()
    proposals: Weights | None = None

    def of(self, instructions: InstructionSet) -> Proposals:
        """For programs of a set of instructions."""
        tables = tuple(np.empty((0, 1)) for _ in range(5))
        if (w := self.proposals) is not None:
            parts = (
                np.asarray(p, np.float64) for p in (w.op, w.first, w.second, w.out, w.registers)
            )
            tables = tuple(np.cumsum(softmax(part), axis=1) for part in parts)
        operands = np.array([row.operands for row in instructions], np.int64)
        return Proposals(tables, operands, instructions.JUMP)


NO_GUIDES = Guides()
