"""The batched exact machine: many encoded programs on many cases, compiled with numba.

It means exactly what `anc.machine.exact` means (a property test compares the two on thousands of
programs) and gives up on a candidate as soon as its cost passes a bound.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import cache
from typing import Any

import numpy as np
from numba import config, njit

from anc import isa
from anc.machine.batch_arrays import CaseArrays, Encoded, decode, encode, pack_cases
from anc.machine.exact import Run, Stop
from anc.program import Program

__all__ = ["CaseArrays", "Encoded", "decode", "encode", "evaluate_many", "pack_cases", "run"]

STOPPED, STEP_LIMIT, PAST_END, TOO_DEAR = 0, 1, 2, 3
_STOPS = {STOPPED: Stop.STOPPED, STEP_LIMIT: Stop.STEP_LIMIT, PAST_END: Stop.PAST_END}

STOP, WRITE, JEZ = isa.STOP, isa.WRITE, isa.JUMP
ZERO, INC, DEC, ADD = (isa.INDEX[name] for name in ("ZERO", "INC", "DEC", "ADD"))
SUB, MIN, MAX, READ = (isa.INDEX[name] for name in ("SUB", "MIN", "MAX", "READ"))


def compiled(function: Callable[..., Any]) -> Any:
    """Compile with numba's disk cache, in ANC_CACHE_DIR if set; without it where none can be written."""
    options: dict[str, Any] = {"nogil": True, "error_model": "numpy"}
    settings: Any = config
    previous = settings.CACHE_DIR
    settings.CACHE_DIR = os.environ.get("ANC_CACHE_DIR", previous)
    try:
        return njit(cache=True, **options)(function)
    except RuntimeError:
        return njit(**options)(function)
    finally:
        settings.CACHE_DIR = previous


TABLE_LIMIT = 256  # a table of all outputs is made for memories up to this size


class _Outputs:
    """The algebra of arrays of numbers modulo M; READ is left to the machine."""

    def __init__(self, M: int) -> None:
        self.M = M

    def constant(self, number: int) -> np.ndarray:
        return np.array(number % self.M)

    def shift(self, value: np.ndarray, by: int) -> np.ndarray:
        return (value + by) % self.M

    def add(self, left: np.ndarray, right: np.ndarray) -> np.ndarray:
        return (left + right) % self.M

    def sub(self, left: np.ndarray, right: np.ndarray) -> np.ndarray:
        return (left - right) % self.M

    def min(self, left: np.ndarray, right: np.ndarray) -> np.ndarray:
        return np.minimum(left, right)

    def max(self, left: np.ndarray, right: np.ndarray) -> np.ndarray:
        return np.maximum(left, right)

    def read(self, address: np.ndarray) -> np.ndarray:
        return np.zeros_like(address)


@cache
def output_table(M: int) -> np.ndarray | None:
    """What every instruction but READ outputs for all operands: entry (op * M + first) * M + second.

    It comes from the instruction table. A look-up costs no mispredicted branch, which makes the
    machine twice as fast. There is none for a memory above TABLE_LIMIT.
    """
    if M > TABLE_LIMIT:
        return None
    first, second = np.arange(M)[:, None], np.arange(M)[None, :]
    rows = [row.output(_Outputs(M), first, second) for row in isa.INSTRUCTIONS]
    return np.concatenate([np.broadcast_to(row, (M, M)).ravel() for row in rows]).astype(np.uint8)


@compiled
def _output(op, first, second, M):
    """The output of an instruction (not READ) where there is no table."""
    if op == ADD:
        return (first + second) % M
    if op == SUB:
        return (first + M - second) % M
    if op == INC:
        return (first + 1) % M
    if op == DEC:
        return (first + M - 1) % M
    if op == MIN:
        return min(first, second)
    if op == MAX:
        return max(first, second)
    return np.int64(0)


@compiled
def run_tape(lines, L, registers, start, tape, M, max_steps, weights, bound, table):
    """Run on one tape, changing `registers` and `tape`; returns steps, cost, reason.

    The cost is the sum of the executed instructions' weights; the run is cut when it passes bound.
    The tape has one cell more than M: lines that are no WRITE write there, so that nothing branches.
    """
    here = np.int64(start)
    steps = np.int64(0)
    cost = 0.0
    while steps < max_steps:
        row = np.uint64(here)
        op = np.int64(lines[row, np.uint64(0)])
        first = np.int64(registers[np.uint64(lines[row, np.uint64(1)])])
        second = np.int64(registers[np.uint64(lines[row, np.uint64(2)])])
        steps += 1
        cost += weights[np.uint64(op)]
        if table is None:
            value = _output(op, first, second, M)
        else:
            value = np.int64(table[np.uint64((op * M + first) * M + second)])
        read = np.int64(tape[np.uint64(first)])
        value = read if op == READ else value
        cell = first if op == WRITE else M
        tape[np.uint64(cell)] = second
        registers[np.uint64(lines[row, np.uint64(3)])] = value
        here = second if (op == JEZ) & (first == 0) else here + 1
        if op == STOP:
            return steps, cost, STOPPED
        if here >= L:
            if L < M:
                return steps, cost, PAST_END
            here = np.int64(0)  # behind line M-1 comes line 0
        if cost > bound:
            return steps, cost, TOO_DEAR
    return steps, cost, STEP_LIMIT


@compiled
def evaluate(
    lines,
    L,
    values,
    start,
    inputs,
    counts,
    cells,
    wanted,
    first_cell,
    max_steps,
    weights,
    wrong,
    unstopped,
    bound,
    table,
    registers,
    tape,
):
    """The total cost of one program on many cases, or something above bound.

    Every case adds its count times (its run's cost + `wrong` for each cell that counts and differs
    from what is wanted + `unstopped` unless the run stopped). Returns the total, the number of wrong
    cells, of unstopped runs, of steps (all without counts), and the first case that is not right.
    """
    M = inputs.shape[1]
    total = 0.0
    wrong_cells = 0
    unstopped_runs = 0
    all_steps = 0
    first_bad = -1
    for c in range(inputs.shape[0]):
        for r in range(values.shape[0]):
            registers[r] = values[r]
        for cell in range(M):
            tape[cell] = inputs[c, cell]
        count = counts[c]
        room = (bound - total) / count
        steps, cost, stop = run_tape(
            lines, L, registers, start, tape, M, max_steps, weights, room, table
        )
        all_steps += steps
        bad = 0
        if stop != TOO_DEAR:
            for place in range(first_cell[c], first_cell[c + 1]):
                if tape[np.uint64(cells[place])] != wanted[place]:
                    bad += 1
        if stop != STOPPED:
            unstopped_runs += 1
            cost += unstopped
        if first_bad < 0 and (bad > 0 or stop != STOPPED):
            first_bad = c
        wrong_cells += bad
        total += count * (cost + wrong * bad)
        if total > bound:
            break
    return total, wrong_cells, unstopped_runs, all_steps, first_bad


@compiled
def _evaluate_many(
    lines,
    lengths,
    values,
    starts,
    inputs,
    counts,
    cells,
    wanted,
    first_cell,
    max_steps,
    weights,
    wrong,
    unstopped,
    bounds,
    table,
    results,
):
    registers = np.empty(values.shape[1], values.dtype)
    tape = np.empty(inputs.shape[1] + 1, inputs.dtype)
    for p in range(lines.shape[0]):
        total, bad, unstopped_runs, steps, first_bad = evaluate(
            lines[p],
            lengths[p],
            values[p],
            starts[p],
            inputs,
            counts,
            cells,
            wanted,
            first_cell,
            max_steps,
            weights,
            wrong,
            unstopped,
            bounds[p],
            table,
            registers,
            tape,
        )
        results[p, 0], results[p, 1], results[p, 2] = total, bad, unstopped_runs
        results[p, 3], results[p, 4] = steps, first_bad


@dataclass(frozen=True)
class Evaluation:
    """What many programs cost on some cases: one row of each array for each program.

    `cost` is a mean over the cases as the user gave them; `right` says that every
    run stopped with the right tape. A program that passed its bound is not right, and its numbers go
    no further than that.
    """

    cost: np.ndarray
    right: np.ndarray
    wrong_cells: np.ndarray
    steps: np.ndarray


def evaluate_many(
    programs: Sequence[Encoded],
    cases: CaseArrays,
    max_steps: int,
    weights: np.ndarray | None = None,
    bound: float = np.inf,
    penalty: float = 0.0,
) -> Evaluation:
    """Run every program on all cases; one whose mean cost passes `bound` is given up.

    Every wrong cell, and every run that does not stop, adds `penalty` to the cost of its case.
    """
    L, R = max(p.L for p in programs), max(p.R for p in programs)
    lines = np.zeros((len(programs), L, 4), np.uint16)
    values = np.zeros((len(programs), R + 1), np.uint16)
    for row, program in enumerate(programs):
        moved = program.lines.copy()
        moved[:, 1:3][moved[:, 1:3] == program.R] = R  # the register that stays 0
        lines[row, : program.L] = moved
        values[row, : program.R] = program.values[:-1]
    lengths = np.array([p.L for p in programs], np.int64)
    starts = np.array([p.start for p in programs], np.int64)
    weights = np.ones(isa.N) if weights is None else np.asarray(weights, np.float64)
    total = cases.counts.sum()
    bounds = np.full(len(programs), bound * total)
    results = np.empty((len(programs), 5))
    _evaluate_many(
        lines,
        lengths,
        values,
        starts,
        cases.inputs,
        cases.counts,
        cases.cells,
        cases.wanted,
        cases.first_cell,
        max_steps,
        weights,
        penalty,
        penalty,
        bounds,
        output_table(cases.M),
        results,
    )
    right = (results[:, 4] < 0) & (results[:, 0] <= bounds)
    return Evaluation(results[:, 0] / total, right, results[:, 1], results[:, 3])


def run(program: Program, tape: Sequence[int], max_steps: int) -> Run:
    """One run on this machine, as `anc.machine.exact.run` describes it (without a trace)."""
    program.check_fits(len(tape))
    encoded = encode(program)
    M = len(tape)
    registers, cells = encoded.values.copy(), np.array([*tape, 0], np.uint16)
    steps, _, stop = run_tape(
        encoded.lines,
        encoded.L,
        registers,
        encoded.start,
        cells,
        M,
        max_steps,
        np.ones(isa.N),
        np.inf,
        output_table(M),
    )
    return Run(tuple(cells[:M].tolist()), int(steps), _STOPS[int(stop)])
