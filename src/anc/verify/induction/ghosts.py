"""What a pointer has just passed: cells of the input that are treated like registers.

That a program may stop early since a list is in order is known from the last element that it looked at,
which no register need hold any more: the cell of the input before a pointer does.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from anc.isa import Effect
from anc.program import Program
from anc.verify.induction.passed import List
from anc.verify.induction.tape import INPUT, Contents
from anc.verify.induction.words import Word


@dataclass(frozen=True)
class Ghost:
    """The cell of the input before the one that a register points to; its number is among those of registers."""

    number: int
    pointer: int

    def column(self, states: np.ndarray, inputs: np.ndarray) -> np.ndarray:
        """Its value in states (n, R) of runs on some inputs (n, M)."""
        n, M = inputs.shape
        return inputs[np.arange(n), (states[:, self.pointer] - 1) % M]

    def word(self, registers: Mapping[int, Word], contents: Contents) -> Word:
        return contents.read(INPUT, contents.words.difference(registers[self.pointer], 1))


def ghosts(programs: Sequence[Program], lists: Iterable[List]) -> list[Ghost]:
    """Those of all pointers that are moved, if two elements of some list have to do with each other."""
    if not any(each.kinds for each in lists):
        return []
    pointers, base = [], 0
    for program in programs:
        moved = {line.out for line in program.lines if program.row(line).effect is Effect.NONE}
        read = {line.first for line in program.lines if program.row(line).effect is Effect.READ}
        pointers += [base + register for register in sorted(moved) if register in read]
        base += program.R
    return [Ghost(base + number, pointer) for number, pointer in enumerate(pointers)]
