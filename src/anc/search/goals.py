"""Goals of straight-line code: which cells to write, and what value each must get.

Where the cells that change are the same in every case, the addresses are constants. Where they move
with the input, an address is itself a value that takes an instruction or two.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np

from anc.isa import InstructionSet
from anc.machine.cases import Cases
from anc.search.forms import ZERO, Coded

MAX_WRITES = 12


@dataclass(frozen=True)
class Goal:
    """WRITE addresses (numbers of `code` instructions, or -1 - cell) and the values they must get.

    `values` (len(code), K): what the code gives in each case; `targets` and `care` (t, K): the value
    of each WRITE in each case, and whether it matters.
    """

    code: tuple[Coded, ...]
    values: np.ndarray
    addresses: tuple[int, ...]
    targets: np.ndarray
    care: np.ndarray

    @property
    def steps(self) -> int:
        """Steps that any solution takes: address code, WRITEs and STOP."""
        return len(self.code) + len(self.addresses) + 1


def goals(examples: Cases, instructions: InstructionSet) -> list[Goal]:
    """All goals that were thought of, those with the fewest steps first."""
    cells = np.flatnonzero(examples.change.any(axis=0))
    most = int(examples.change.sum(axis=1).max(initial=0))
    found = []
    if len(cells) <= MAX_WRITES:
        nothing = np.empty((0, examples.C), np.int64)
        columns = np.broadcast_to(cells[:, None], (len(cells), examples.C))
        found.append(_goal(examples, (), nothing, tuple((-1 - cells).tolist()), columns))
    if len(cells) > most and most <= MAX_WRITES:
        found += list(_moving(examples, instructions))
    return sorted(found, key=lambda goal: goal.steps)[:8]


def _moving(examples: Cases, instructions: InstructionSet) -> Iterator[Goal]:
    """Goals whose addresses are READ from a cell, plus a constant."""
    M, rows = examples.M, np.arange(examples.C)
    for cell in np.flatnonzero((examples.inputs != examples.inputs[:1]).any(axis=0)).tolist():
        moved = (examples.inputs[:, cell] + np.arange(M)[:, None]) % M  # (shift, case)
        shifts = np.flatnonzero(examples.change[rows, moved].any(axis=1))
        used = [0, *shifts[shifts > 0].tolist()]
        if len(shifts) > MAX_WRITES:
            continue
        covered = np.zeros_like(examples.change)
        covered[rows, moved[shifts]] = True
        if not (examples.change & ~covered).any():
            reads: Coded = (instructions.READ, -1 - cell, ZERO)
            code = (reads, *((instructions.ADD, 0, -1 - shift) for shift in used[1:]))
            addresses = tuple(used.index(shift) for shift in shifts.tolist())
            yield _goal(examples, code, moved[used], addresses, moved[shifts])


def _goal(
    examples: Cases, code: tuple[Coded, ...], values: np.ndarray,
    addresses: tuple[int, ...], cells: np.ndarray,
) -> Goal:  # fmt: skip
    """To WRITE the cells (t, K)."""
    rows = np.arange(examples.C)
    targets, care = examples.outputs[rows, cells], (examples.masks != 0)[rows, cells]
    return Goal(code, values, addresses, targets.astype(np.int16), care)
