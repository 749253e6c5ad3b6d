"""What runs of a program read, and what seems to be a pointer there."""

from __future__ import annotations

import numpy as np

from anc.isa import Op
from anc.machine import exact
from anc.program import Program
from anc.verify.facts import Sum, at, cell

_TRACED = 1_000  # steps of a run that are looked at
_DEEPEST = 3  # pointers to pointers


def cells_read(program: Program, tape: np.ndarray) -> set[int]:
    """The cells that the first steps of a run read."""
    return _touched(program, tape)[0]


def pointers_of(program: Program, samples: np.ndarray) -> list[Sum]:
    """What seems to be a pointer in all runs: cells that vary, and what these point to."""
    runs = [_touched(program, tape) for tape in samples]
    pointing = (
        {place for place in read if int(tape[place]) in addresses - {0, place}}
        for tape, (read, addresses) in zip(samples, runs, strict=True)
    )
    varying = set(np.flatnonzero((samples != samples[0]).any(axis=0)).tolist())
    found = [cell(place) for place in sorted(set.intersection(varying, *pointing))]
    for pointer in found:
        further = at(pointer)
        values = further.column(samples).tolist()
        are_addresses = all(v in to for v, (_, to) in zip(values, runs, strict=True))
        if are_addresses and len(further.pointers) < _DEEPEST:
            found.append(further)
    return found


def _touched(program: Program, tape: np.ndarray) -> tuple[set[int], set[int]]:
    """The cells that the first steps of a run read, and those that they read or write."""
    trace = exact.run(program, tuple(map(int, tape)), _TRACED, trace=True).trace
    read = {step.first for step in trace if step.op == Op.READ and step.first is not None}
    written = {step.first for step in trace if step.op == Op.WRITE and step.first is not None}
    return read, read | written
