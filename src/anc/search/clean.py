"""Optimisation of programs by the compiler's passes: for all tapes, for observed paths, or for constant cells.

`clean` never changes what a program does to any tape (to the cells that count), and never adds a step.
`clean_observed` also drops paths that no given case takes; check the result on the cases. `specialise` is partial
evaluation for cells that never vary: every pair of a line and an abstract state becomes a node, so that loops with
a known number of iterations disappear. The result is right wherever the assumption holds.
"""

from __future__ import annotations

from collections.abc import Collection

import numpy as np

from anc.compiler.assemble import NoRoom, Observed, assemble, assembled, graph_of, lines_of
from anc.compiler.constant_propagation import TooMany, evaluate
from anc.compiler.passes import tidy
from anc.machine.batch import STOPPED, Rules, run_tape
from anc.machine.compiled import lean
from anc.machine.encoded import Cases, encode
from anc.program import Program

MAX_NODES = 20_000
MOST_KNOWN = 5_000_000  # values of cells in the states of all nodes


def clean(program: Program, M: int, counts: Collection[int] | None = None) -> Program:
    """The optimised program.

    With `counts`, only these cells of the final tape matter, and only if the run stops. A program with
    computed jumps keeps its lines; only its registers are allocated again.
    """
    return _cleaned(program, M, None, counts) or assemble(lines_of(program, M))


def clean_observed(program: Program, cases: Cases, max_steps: int) -> Program | None:
    """The program with only the paths that these cases take; None if that fails.

    Only the cells that count in some case matter.
    """
    observed = observe(program, cases, max_steps)
    counts = np.flatnonzero(cases.masks.any(axis=0)).tolist()
    return _cleaned(program, cases.M, observed, counts)


def _cleaned(
    program: Program, M: int, observed: Observed | None, counts: Collection[int] | None
) -> Program | None:
    graph = graph_of(program, M, observed)
    if isinstance(graph, str):
        return None
    tidy(graph, counts)
    found = assembled(graph)
    return found if found is not None and found.L <= program.L else None


@lean
def _observe(program, jump, inputs, rules, max_steps, jumps, passes, registers, tape):
    """Mark jumps[line, target] and passes[line] for all edges that the runs take."""
    L, M = program.head[0], inputs.shape[1]
    lines = program.lines
    for c in range(inputs.shape[0]):
        for r in range(registers.shape[0]):
            registers[r] = program.values[r]
        for cell in range(M):
            tape[cell] = inputs[c, cell]
        here = np.int64(program.head[1])
        for _ in range(max_steps):
            first, second = registers[lines[here, 1]], np.int64(registers[lines[here, 2]])
            jumped = lines[here, 0] == jump and first == 0
            _, _, reason = run_tape(program, here, registers, tape, rules, np.inf)
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


def observe(program: Program, cases: Cases, max_steps: int) -> Observed:
    """The edges that runs on these cases take."""
    M = cases.M
    jumps, passes = np.zeros((program.L, M), np.bool_), np.zeros(program.L, np.bool_)
    encoded, tape = encode(program), np.zeros(M + 1, np.uint16)
    registers = np.zeros_like(encoded.values)
    rules, jump = Rules.of(program.instructions, M, 1), program.instructions.JUMP
    _observe(encoded, jump, cases.inputs, rules, max_steps, jumps, passes, registers, tape)
    targets = tuple(frozenset(np.flatnonzero(row).tolist()) for row in jumps)
    return Observed(targets, tuple(passes.tolist()))


def constant_cells(cases: Cases) -> dict[int, int]:
    """The cells with the same value in all cases."""
    same = (cases.inputs == cases.inputs[:1]).all(axis=0)
    return {int(cell): int(cases.inputs[0, cell]) for cell in np.flatnonzero(same)}


def specialise(program: Program, cells: dict[int, int], M: int) -> Program:
    """The program for tapes of M cells on which these cells have these values.

    Each line is first copied for every abstract state. If that does not fit into M lines, each line is
    kept once, with what is known in all of its states; if a jump is computed from unknown values, the
    program is only cleaned.
    """
    for unroll in (min(MAX_NODES, MOST_KNOWN // max(1, len(cells))), 0):
        try:
            graph = evaluate(lines_of(program, M), cells, unroll)
        except TooMany:
            continue
        if graph.computed_jump is not None:
            continue
        tidy(graph)
        for _ in range(2):
            try:
                return assemble(graph)
            except NoRoom:  # not all copies can stay without an extra step
                for node in graph.nodes.values():
                    node.free = False
    return clean(program, M)
