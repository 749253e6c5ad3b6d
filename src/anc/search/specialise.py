"""Specialisation (partial evaluation) for cells that never vary: what a compiler would try first.

The constant cells are assumed to be constant and everything else is unknown. A run on this half-known
tape computes what it can at compile time; commands on unknown values remain. Every pair of a line and
a state of knowledge becomes a node of its own, so that loops with a known number of rounds disappear.
The result is right wherever the assumption holds.
"""

from __future__ import annotations

import numpy as np

from anc.compiler.assemble import NoRoom, assemble
from anc.compiler.evaluate import TooMany, evaluate
from anc.compiler.from_program import lines_of
from anc.compiler.graph import JUMP
from anc.compiler.passes import tidy
from anc.machine.cases import Cases
from anc.program import Program
from anc.search.clean import clean

MAX_NODES = 20_000
MOST_KNOWN = 5_000_000  # values of cells in the states of all nodes


def constant_cells(cases: Cases) -> dict[int, int]:
    """The cells that are the same in all cases, and their values."""
    same = (cases.inputs == cases.inputs[:1]).all(axis=0)
    return {int(cell): int(cases.inputs[0, cell]) for cell in np.flatnonzero(same)}


def specialise(program: Program, cells: dict[int, int], M: int) -> Program:
    """The program for tapes of M cells on which these cells have these values.

    Each line is first copied for every state of knowledge; where that does not fit into M lines,
    each line is kept once with what is known in all of its states; where a jump is computed from
    unknown values, the program is only cleaned.
    """
    for unroll in (min(MAX_NODES, MOST_KNOWN // max(1, len(cells))), 0):
        try:
            graph = evaluate(lines_of(program, M), cells, unroll)
        except TooMany:
            continue
        if any(node.op == JUMP and node.jump is None for node in graph.nodes.values()):
            continue
        tidy(graph)
        for _ in range(2):
            try:
                return assemble(graph)
            except NoRoom:  # copies of a line cannot all stay where no step was spent
                for node in graph.nodes.values():
                    node.free = False
    return clean(program, M)
