"""Goals of straight-line code: which cells to write, and what value each must get.

Where the cells that change are the same in every case, the addresses are constants. Where they move
with the input, an address is itself a value that takes an instruction or two.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np

from anc.machine.batch import ADD, READ

MAX_WRITES = 12
Instruction = tuple[int, int, int]  # operation and operands; a constant c is written -1 - c


@dataclass(frozen=True)
class Examples:
    """Some cases as arrays (K, M): what is there, what is wanted, which cells count."""

    inputs: np.ndarray
    outputs: np.ndarray
    counted: np.ndarray
    counts: np.ndarray

    @property
    def K(self) -> int:
        return len(self.inputs)

    @property
    def M(self) -> int:
        return int(self.inputs.shape[1])

    @property
    def change(self) -> np.ndarray:
        """Which cells count and differ."""
        return self.counted & (self.inputs != self.outputs)


@dataclass(frozen=True)
class Goal:
    """WRITE addresses (numbers of `code` instructions, or -1 - cell) and the values they must get.

    `targets` and `care` (t, K): the value of each WRITE in each case, and whether it matters.
    """

    code: tuple[Instruction, ...]
    addresses: tuple[int, ...]
    targets: np.ndarray
    care: np.ndarray

    @property
    def steps(self) -> int:
        """Steps that any solution takes: address code, WRITEs and STOP."""
        return len(self.code) + len(self.addresses) + 1


def goals(examples: Examples) -> list[Goal]:
    """All goals that were thought of, those with the fewest steps first."""
    cells = np.flatnonzero(examples.change.any(axis=0))
    most = int(examples.change.sum(axis=1).max(initial=0))
    found = []
    if len(cells) <= MAX_WRITES:
        found.append(_fixed(examples, cells))
    if len(cells) > most and most <= MAX_WRITES:
        found += list(_moving(examples))
    return sorted(found, key=lambda goal: goal.steps)[:8]


def _fixed(examples: Examples, cells: np.ndarray) -> Goal:
    targets, care = examples.outputs[:, cells].T, examples.counted[:, cells].T
    return Goal((), tuple(-1 - int(cell) for cell in cells), targets.copy(), care.copy())


def _moving(examples: Examples) -> Iterator[Goal]:
    """Goals whose addresses are READ from a cell, plus a constant."""
    K, M = examples.K, examples.M
    rows = np.arange(K)
    for cell in range(M):
        base = examples.inputs[:, cell]
        if (base == base[0]).all():
            continue
        code: list[Instruction] = [(READ, -1 - cell, 0)]
        vectors, addresses = [], []
        for shift in range(M):
            vector = (base + shift) % M
            if not examples.change[rows, vector].any():
                continue
            if shift:
                code.append((ADD, 0, -1 - shift))
            vectors.append(vector)
            addresses.append(len(code) - 1 if shift else 0)
        covered = np.zeros((K, M), bool)
        for vector in vectors:
            covered[rows, vector] = True
        if len(vectors) <= MAX_WRITES and not (examples.change & ~covered).any():
            targets = np.array([examples.outputs[rows, vector] for vector in vectors])
            care = np.array([examples.counted[rows, vector] for vector in vectors])
            yield Goal(tuple(code), tuple(addresses), targets, care)
