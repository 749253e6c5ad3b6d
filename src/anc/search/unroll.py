"""Loops with less to do in each round: counters that go on together are one, and rounds follow each other.

What a program does to any tape stays the same. Whether it takes fewer steps depends on the cases.
"""

from __future__ import annotations

from collections.abc import Collection

import numpy as np

from anc.clock import look
from anc.compiler.assemble import NoRoom, assemble
from anc.compiler.differences import differences
from anc.compiler.from_program import graph_of
from anc.compiler.graph import Graph
from anc.compiler.layout import straighten
from anc.compiler.passes import tidy
from anc.machine.cases import Cases
from anc.program import Program
from anc.search.cost import STEPS, Cost, score
from anc.search.traces import record

_ROUNDS = 3  # times as many lines: nearly as fast as more, and a proof is still short
_MOST_LINES = 64  # of a program whose loops are looked at
_TRACED = 40  # cases that say which ways are busy


def unrolled(program: Program, cases: Cases, max_steps: int, cost: Cost = STEPS) -> Program | None:
    """A program that does the same in fewer steps on these cases, if there may be one."""
    if program.L > _MOST_LINES:
        return None
    M, counts = cases.M, np.flatnonzero(cases.masks.any(axis=0)).tolist()
    few = cases.choose(range(min(_TRACED, cases.C)))
    best = program
    while (better := _better(best, few, counts, max_steps, cost)) is not None:
        best = better
    traces, graph = record(best, few, max_steps), graph_of(best, M)
    if traces is None or isinstance(graph, str):
        return None
    tidy(graph, counts)
    straighten(graph, dict(enumerate(traces.passes().tolist())), min(M, _ROUNDS * best.L))
    return _assembled(graph)


def _better(
    program: Program, cases: Cases, counts: Collection[int], max_steps: int, cost: Cost
) -> Program | None:
    """The best program in which one counter less is counted; None if none is better."""
    graph = graph_of(program, cases.M)
    if isinstance(graph, str):
        return None
    found = []
    for made in differences(graph):
        look()
        tidy(made, counts)
        found.append(_assembled(made))
    programs = [each for each in found if each is not None]
    scores = [score(each, cases, max_steps, cost).cost for each in (program, *programs)]
    best = int(np.argmin(scores))
    return programs[best - 1] if best else None


def _assembled(graph: Graph) -> Program | None:
    try:
        return assemble(graph)
    except NoRoom:
        return None
