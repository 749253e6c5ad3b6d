"""Frozen lines in weights: sharp, never trained, and with the numbers that they read kept from others."""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from anc.machine.weights import Weights, soften
from anc.program import Program

SHARPNESS = 30.0  # what is frozen cannot become sharper by learning: it is as good as exact


def with_frozen_lines(weights: Weights, program: Program) -> Weights:
    """The weights with the program's frozen lines in them, and no other line writing their numbers."""
    if not program.frozen:
        return weights
    exact = soften(program, weights.M, SHARPNESS)
    free = trainable(program, weights.M)
    assert free is not None
    flat = np.where(free, weights.flat(), exact.flat())
    kept = Weights.of_flat(flat, weights.M, weights.R, weights.lines, weights.instructions)
    others = _others(program, weights.M)
    for register in program.frozen_registers:
        kept.out[..., others, register] = -SHARPNESS
    return replace(kept, names=weights.names)


def trainable(program: Program, M: int) -> np.ndarray | None:
    """(n,) bool: the parameters that learning may change; None if nothing is frozen."""
    if not program.frozen:
        return None
    free = soften(program, M).map(lambda array: np.ones(array.shape, np.bool_))
    lines, registers = list(program.frozen), sorted(program.frozen_registers)
    for array in (free.op, free.first, free.second, free.out):
        array[lines] = False
    free.registers[registers] = False
    free.out[:, registers] = False
    return free.flat(np.bool_)


def _others(program: Program, M: int) -> list[int]:
    """The lines that are not frozen."""
    return [line for line in range(M) if line not in program.frozen]
