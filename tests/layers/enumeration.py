"""The distribution of a program's outputs by running it on every value of its inputs."""

from __future__ import annotations

import itertools

import numpy as np

from anc.machine import exact


def enumerated(program, M, inputs, rows, max_steps, fixed=()):
    """Every cell's distribution (M, M), the stop probability and the expected steps."""
    cells, stop, steps = np.zeros((M, M)), 0.0, 0.0
    for values in itertools.product(*(range(len(row)) for row in rows)):
        mass = float(np.prod([row[value] for row, value in zip(rows, values, strict=True)]))
        tape = [*fixed, *[0] * (M - len(fixed))]
        for cell, value in zip(inputs, values, strict=True):
            tape[cell] = value
        run = exact.run(program, tape, max_steps)
        cells[np.arange(M), run.tape] += mass
        stop += mass * (run.stop is exact.Stop.STOPPED)
        steps += mass * run.steps
    return cells, stop, steps
