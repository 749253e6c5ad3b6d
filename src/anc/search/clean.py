"""Cleaning: the same program with nothing useless in it.

`clean` never changes what a program does to any tape and never adds a step. `clean_observed` also
drops what some cases never need: an adaptation, to be checked on the cases.
"""

from __future__ import annotations

import numpy as np

from anc.machine.batch import JEZ, STOPPED, CaseArrays, compiled, encode, output_table, run_tape
from anc.program import Line, Program
from anc.search.graph import Observed, graph_of
from anc.search.layout import program_of
from anc.search.passes import tidy


def clean(program: Program, M: int) -> Program:
    """The program without lines that are of no use, with known operands as numbers.

    Lines of a program that computes its jumps stay where they are; it loses unused registers only.
    """
    return _cleaned(program, M, None) or without_unused_registers(program)


def clean_observed(program: Program, cases: CaseArrays, max_steps: int) -> Program | None:
    """The program with only the ways that its runs on these cases took; None if that fails."""
    observed = observe(program, cases, max_steps)
    return _cleaned(program, cases.M, observed)


def _cleaned(program: Program, M: int, observed: Observed | None) -> Program | None:
    graph = graph_of(program, M, observed)
    if graph is None:
        return None
    tidy(graph)
    found = program_of(graph)
    return found if found is not None and found.L <= program.L else None


def without_unused_registers(program: Program) -> Program:
    """The program without registers that no line names."""
    used = sorted({r for line in program.lines for r in (*line.operands, line.out)})
    place = {register: i for i, register in enumerate(used)}
    lines = tuple(
        Line(
            line.op,
            None if line.first is None else place[line.first],
            None if line.second is None else place[line.second],
            place[line.out],
            line.source_line,
        )
        for line in program.lines
    )
    values = tuple(program.registers[r] for r in used)
    names = tuple(program.names[r] for r in used) if program.names else ()
    return Program(lines, values, program.start, names, program.memory)


@compiled
def _observe(lines, L, values, start, inputs, max_steps, weights, table, jumps, passes):
    """Mark jumps[line, target] and passes[line] for all that happens in the runs on all inputs."""
    M = inputs.shape[1]
    tape = np.zeros(M + 1, inputs.dtype)
    for c in range(inputs.shape[0]):
        registers = values.copy()
        tape[:M] = inputs[c]
        here = np.int64(start)
        for _ in range(max_steps):
            first, second = registers[lines[here, 1]], np.int64(registers[lines[here, 2]])
            jumped = lines[here, 0] == JEZ and first == 0
            _, _, reason = run_tape(lines, L, registers, here, tape, M, 1, weights, 1e300, table)
            if jumped:
                jumps[here, second] = True
                here = second
            else:
                passes[here] = True
                here += 1
            if reason == STOPPED:
                break
            if here >= L:
                if L < M:
                    break
                here = np.int64(0)


def observe(program: Program, cases: CaseArrays, max_steps: int) -> Observed:
    """Where the runs of a program on these cases go."""
    encoded, M = encode(program), cases.M
    jumps, passes = np.zeros((program.L, M), np.bool_), np.zeros(program.L, np.bool_)
    _observe(
        encoded.lines,
        encoded.L,
        encoded.values,
        encoded.start,
        cases.inputs,
        max_steps,
        np.ones(16),
        output_table(M),
        jumps,
        passes,
    )
    targets = tuple(frozenset(np.flatnonzero(row).tolist()) for row in jumps)
    return Observed(targets, tuple(passes.tolist()))
