"""The batched exact machine: encoded programs on many cases, compiled with numba.

Its semantics are those of `anc.machine.exact`; a property test compares the two on thousands of
programs. It gives up on a candidate as soon as the cost exceeds a bound.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cache
from typing import Any, NamedTuple

import numpy as np

from anc.isa import PAPER, Instruction, InstructionSet
from anc.machine.codes import Codes, Computed, output_of
from anc.machine.compiled import compiled, lean, lean_inner, one_of
from anc.machine.encoded import Cases, Encoded, encode, output_table
from anc.program import Program
from anc.support.diagnostics import AncError

STOPPED, STEP_LIMIT, PAST_END, TOO_DEAR = 0, 1, 2, 3
TABLE_LIMIT = 256  # up to this memory, outputs are tabulated


@cache
def outputs_for(instructions: InstructionSet, M: int) -> Any:
    """The `table` argument of `output`: a table, or how to compute outputs where M is too large for one.

    A table lookup has no mispredicted branches, which makes the machine twice as fast as computing
    outputs.
    """
    if M <= TABLE_LIMIT:
        return output_table(instructions, M)
    for row in instructions:
        if row not in PAPER and not _compiles(row):
            raise AncError(
                f"the output of {row.name} cannot be compiled with numba, which a memory"
                f" of more than {TABLE_LIMIT} cells needs",
                help="write it with + - * // % min max and comparisons",
            )
    return None if instructions == PAPER else Computed(instructions)


def _compiles(row: Instruction) -> bool:
    try:
        compiled(row.output)(1, 1, 2)
    except Exception:  # numba raises many kinds
        return False
    return True


class Rules(NamedTuple):
    """The limits and costs of runs."""

    max_steps: int
    weights: np.ndarray  # (N,) the cost of an executed instruction of each kind
    wrong: float  # the cost of a wrong cell that counts
    unstopped: float  # the cost of a run that does not stop
    table: Any  # see `outputs_for`
    codes: Codes

    @classmethod
    def of(
        cls,
        instructions: InstructionSet,
        M: int,
        max_steps: int,
        weights: np.ndarray | None = None,
        penalty: float = 0.0,
    ) -> Rules:
        weights = np.ones(len(instructions)) if weights is None else np.asarray(weights, np.float64)
        table, codes = outputs_for(instructions, M), Codes.of(instructions)
        return cls(max_steps, weights, float(penalty), float(penalty), table, codes)


class Tally(NamedTuple):
    """The result of a program on cases: its cost weighted by the counts, and the first bad case or -1."""

    total: float
    steps: int
    first_bad: int


_of_paper = one_of([lean_inner(row.output) for row in PAPER])  # a third faster than `Computed`


@lean
def output(op, first, second, M, table):
    """The output of an instruction (0 for READ)."""
    if table is None:
        return np.int64(_of_paper(op, first, second, M))
    return np.int64(output_of(table, op, first, second, M))


@compiled
def _outputs(op, first, second, M, table):
    found = np.empty(len(first), np.int64)
    for i in range(len(first)):
        found[i] = output(op, first[i], second[i], M, table)
    return found


def outputs(
    instructions: InstructionSet, op: int, first: np.ndarray, second: np.ndarray, M: int
) -> np.ndarray:
    """The outputs (n,) of an instruction for columns of operands (0 for READ)."""
    columns = (np.ascontiguousarray(column, np.int64) for column in (first, second))
    return _outputs(op, *columns, M, outputs_for(instructions, M))


@lean
def run_tape(program, start, registers, tape, rules, bound):
    """Run on one tape, changing `registers` and `tape` in place; returns steps, cost and reason.

    The cost is the sum of the weights of the executed instructions; the run is cut when it exceeds the
    bound. The tape has one cell more than M. Lines other than WRITE write to it, which avoids a branch.
    """
    lines, codes = program.lines, rules.codes
    L, M = program.head[0], tape.shape[0] - 1
    here = np.int64(start)
    steps = np.int64(0)
    cost = 0.0
    while steps < rules.max_steps:
        row = np.uint64(here)
        op = np.int64(lines[row, np.uint64(0)])
        first = np.int64(registers[np.uint64(lines[row, np.uint64(1)])])
        second = np.int64(registers[np.uint64(lines[row, np.uint64(2)])])
        steps += 1
        cost += rules.weights[np.uint64(op)]
        value = output(op, first, second, M, rules.table)
        read = np.int64(tape[np.uint64(first)])
        value = read if op == codes.READ else value
        cell = first if op == codes.WRITE else M
        tape[np.uint64(cell)] = second
        registers[np.uint64(lines[row, np.uint64(3)])] = value
        here = second if (op == codes.JUMP) & (first == 0) else here + 1
        if op == codes.STOP:
            return steps, cost, STOPPED
        if here >= L:
            if L < M:
                return steps, cost, PAST_END
            here = np.int64(0)  # after line M-1 comes line 0
        if cost > bound:
            return steps, cost, TOO_DEAR
    return steps, cost, STEP_LIMIT


@lean
def evaluate(program, cases, rules, bound, registers, tape):
    """The tally of one program on many cases; once the total exceeds the bound, the rest is skipped.

    Every case adds its count times (the cost of its run + `wrong` for each wrong cell that counts +
    `unstopped` unless the run stopped). `registers` and `tape` are work space.
    """
    M = cases.inputs.shape[1]
    total = 0.0
    all_steps = 0
    first_bad = -1
    for c in range(cases.inputs.shape[0]):
        for r in range(program.values.shape[0]):
            registers[r] = program.values[r]
        for cell in range(M):
            tape[cell] = cases.inputs[c, cell]
        count = cases.counts[c]
        room = (bound - total) / count
        steps, cost, stop = run_tape(program, program.head[1], registers, tape, rules, room)
        all_steps += steps
        bad = 0
        if stop != TOO_DEAR:
            differs = np.uint16(0)
            for cell in range(M):
                differs |= np.uint16((tape[cell] ^ cases.outputs[c, cell]) & cases.masks[c, cell])
            if differs != 0:
                for cell in range(M):
                    bad += (tape[cell] != cases.outputs[c, cell]) & (cases.masks[c, cell] != 0)
        if stop != STOPPED:
            cost += rules.unstopped
        if first_bad < 0 and (bad > 0 or stop != STOPPED):
            first_bad = c
        total += count * (cost + rules.wrong * bad)
        if total > bound:
            break
    return Tally(total, all_steps, first_bad)


@dataclass(frozen=True)
class Evaluation:
    """The costs of many programs on some cases; each array has one row per program.

    `cost` is the mean over the cases with their counts; `right` says that every run stopped with the
    right tape. A program that exceeded its bound is not right, and its numbers cover only the cases up
    to there.
    """

    cost: np.ndarray
    right: np.ndarray
    steps: np.ndarray
    first_bad: np.ndarray  # the first wrong case, or -1


def evaluate_many(
    programs: Sequence[Encoded], cases: Cases, rules: Rules, bound: float = np.inf
) -> Evaluation:
    """Run every program on all cases; give up on a program whose mean cost exceeds `bound`."""
    total = cases.counts.sum()
    tape = np.empty(cases.M + 1, np.uint16)
    found = [
        evaluate(p, cases, rules, float(bound * total), np.empty_like(p.values), tape)
        for p in programs
    ]
    costs, steps, bad = np.array(found, np.float64).reshape(-1, 3).T
    right = (bad < 0) & (costs <= bound * total)
    return Evaluation(costs / total, right, steps, bad.astype(np.int64))


class Runs(NamedTuple):
    """The runs of a program on many tapes; each array has one row per tape."""

    tapes: np.ndarray  # (n, M) uint16: the final tapes
    steps: np.ndarray  # (n,) int64
    stopped: np.ndarray  # (n,) bool: by STOP


@lean
def _run_all(program, inputs, rules, registers, tape, tapes, steps, stopped):
    M = inputs.shape[1]
    for i in range(inputs.shape[0]):
        for r in range(program.values.shape[0]):
            registers[r] = program.values[r]
        for cell in range(M):
            tape[cell] = inputs[i, cell]
        steps[i], _, stop = run_tape(program, program.head[1], registers, tape, rules, np.inf)
        stopped[i] = stop == STOPPED
        for cell in range(M):
            tapes[i, cell] = tape[cell]


def run_all(program: Program, inputs: np.ndarray, max_steps: int) -> Runs:
    """Run the program on every row of `inputs`, tapes of M cells each."""
    M = inputs.shape[1]
    program.check_fits(M)
    return run_encoded(encode(program), inputs, Rules.of(program.instructions, M, max_steps))


def run_encoded(program: Encoded, inputs: np.ndarray, rules: Rules) -> Runs:
    """Run an encoded program that fits the memory."""
    n, M = inputs.shape
    runs = Runs(np.empty((n, M), np.uint16), np.empty(n, np.int64), np.empty(n, np.bool_))
    room = np.empty_like(program.values), np.empty(M + 1, np.uint16)
    _run_all(program, np.ascontiguousarray(inputs, np.uint16), rules, *room, *runs)
    return runs


def judge(program: Program, cases: Cases, max_steps: int) -> tuple[np.ndarray, np.ndarray]:
    """For each case, whether the program is wrong, and its number of steps."""
    runs = run_all(program, cases.inputs, max_steps)
    wrong = ((runs.tapes ^ cases.outputs) & cases.masks).any(axis=1) | ~runs.stopped
    return wrong, runs.steps
