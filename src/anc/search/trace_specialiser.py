"""Trace specialisation: programs of the paths that sample runs take, with known values computed in advance.

Candidates differ in what they assume, from everything that the samples show to nothing.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterator, Sequence
from dataclasses import dataclass
from functools import cache
from typing import NamedTuple

import numpy as np

from anc.compiler.assemble import NoRoom, Observed, assemble, graph_of, lines_of
from anc.compiler.chain_layout import straighten
from anc.compiler.constant_propagation import evaluate
from anc.compiler.graph import Graph
from anc.compiler.passes import drop_dead_results, tidy
from anc.machine.encoded import Cases
from anc.program import Program
from anc.search.clean import constant_cells
from anc.search.cost import PLAIN, STEPS, Cost, Prices, score
from anc.search.side_exits import Graft, NoWayOut
from anc.search.specialisation_graph import NOTHING, ComputedJump, Ignored, Tree, choices
from anc.search.traces import Traces, record
from anc.support.clock import look

MAX_STEPS = 100_000
STATES_PER_LINE = 4  # of a tree, per cell of memory
Trees = Callable[[Ignored], Tree]  # by what they ignore
EXPLORED = 40  # cases that choose what is tracked
SAFE = ("constant cells", "nothing")  # assumptions that hardly any input breaks
MOST_TIDIED = 1.5  # a graph that needs more than this share of the lines is not optimised


class Followed(NamedTuple):
    """A specialised program, and whether it assumes nothing but constant cells."""

    program: Program
    is_safe: bool


def follow(
    program: Program, cases: Cases, M: int, max_steps: int = MAX_STEPS, cost: Cost = STEPS
) -> Iterator[Followed]:
    """Programs that do the same on the cases: the best one for each assumption.

    The first are right on the cases only, others wherever the constant cells are constant, the last on all
    tapes. There are none if a run does not stop.
    """
    traces = record(program, cases, max_steps)
    if traces is None:
        return
    counts = np.flatnonzero(cases.masks.any(axis=0)).tolist()
    offered = {Followed(program, is_safe) for is_safe in (False, True)}
    prices = Prices.of(cost, program.instructions)
    for name, assumption in assumptions(traces, constant_cells(cases), prices).items():
        programs = list(assumption.programs(counts))
        scores = [score(each, cases, max_steps, cost).cost for each in programs]
        best = Followed(programs[int(np.argmin(scores))] if programs else program, name in SAFE)
        if best not in offered:
            offered.add(best)
            yield best


def assumptions(
    traces: Traces, cells: dict[int, int], prices: Prices = PLAIN
) -> dict[str, Assumption]:
    """What programs may assume, by name, from all that the samples show to nothing."""
    lines = frozenset(range(traces.program.L))
    hits = {line: traces.written(line) for line in lines}
    seen, here, all_ways = seen_ways(traces), _way_out(traces, cells), _way_out(traces, {})
    only_seen = _way_out(traces, cells, seen)
    graph, few = lines_of(traces.program, traces.M), traces.first(EXPLORED)

    def grown(runs: Traces, known: dict[int, int], hit: dict[int, frozenset[int]]) -> Trees:
        size = STATES_PER_LINE * traces.M
        return cache(lambda ignored: Tree(graph, known, hit, ignored, runs, size, prices))

    assumed: tuple[tuple, ...] = (cells, hits), (cells, {}), ({}, {})
    trusting, constant, nothing = (grown(traces, *each) for each in assumed)
    try:
        fewest = choices(grown(few, *assumed[0]), traces.M, tests_all=False)
        some, most = (choices(grown(few, *a), traces.M, tests_all=True) for a in assumed[1:])
    except ComputedJump:
        fewest = some = most = [NOTHING]
    made: dict[tuple, _Made] = {}
    return {
        "seen": Assumption(made, trusting, fewest, only_seen, lines),
        "seen in all runs": Assumption(made, trusting, some, here, lines, traces.total),
        "lines that never vary": Assumption(
            made, trusting, some, only_seen, lines - traces.varying()
        ),
        "constant cells": Assumption(made, constant, some, here),
        "nothing": Assumption(made, nothing, most, all_ways),
    }


class _Made(NamedTuple):
    """A program, if there are enough lines; the lines it needs before tail duplication."""

    program: Program | None
    lines: int


@dataclass(frozen=True)
class Assumption:
    """What a candidate assumes.

    A test in a `sure` line that at least `evidence` runs pass only goes where it went in the same abstract
    state. All other branches exit to the `way_out`, if there is one.
    """

    made: dict[tuple, _Made]
    trees: Trees
    choice: Sequence[Ignored]
    way_out: Graph | None
    sure: frozenset[int] = frozenset()
    evidence: float = 0.0

    def programs(self, counts: Collection[int] | None = None) -> Iterator[Program]:
        """Candidates, until one tracks everything."""
        try:
            for ignored in self.choice:
                tree = self.trees(ignored)
                order = tree.by_use()
                fitting = self._fitting(tree, order, MOST_TIDIED)
                whole = self._made(tree, order, counts) if len(fitting) == len(order) else None
                if whole is not None and whole.program is not None:
                    yield whole.program
                    if ignored == NOTHING:
                        return
                    continue
                part = self._made(tree, self._fitting(tree, order, 1.0), counts)
                if part.program is not None:
                    yield part.program
                room = min(MOST_TIDIED, tree.traces.M / part.lines) * 0.98
                if room > 1.02:
                    part = self._made(tree, self._fitting(tree, order, room), counts)
                    if part.program is not None:
                        yield part.program
        except (ComputedJump, NoWayOut):
            return

    def _fitting(self, tree: Tree, order: Sequence[int], room: float) -> Sequence[int]:
        """As many points as fit into `room` times the available lines, before optimisation."""
        commands = np.cumsum([tree.points[number].node is not None for number in order])
        tried = int(np.searchsorted(commands, 2 * room * tree.traces.M))
        fits, too_many = 0, tried + 1
        while too_many - fits > 1 + fits // 50:
            look()
            graft = Graft(tree, order[:tried], self.sure, self.evidence, self.way_out)
            if straighten(graft.graph, graft.passes, 0) <= room * tree.traces.M:
                fits = tried
            else:
                too_many = tried
            tried = (fits + too_many) // 2
        return order[:fits]

    def _made(self, tree: Tree, chosen: Sequence[int], counts: Collection[int] | None) -> _Made:
        """The program of these points; equal graphs share it."""
        graft = Graft(tree, chosen, self.sure, self.evidence, self.way_out)
        if graft.key not in self.made:
            self.made[graft.key] = _assembled(graft, tree.traces.M, counts)
        return self.made[graft.key]


def _assembled(graft: Graft, M: int, counts: Collection[int] | None) -> _Made:
    graph = graft.graph
    tidy(graph, counts)
    lines = straighten(graph, graft.passes, 0)
    try:
        straighten(graph, graft.passes, M)
        return _Made(assemble(graph), lines)
    except NoRoom:
        return _Made(None, lines)


def _way_out(
    traces: Traces, cells: dict[int, int], observed: Observed | None = None
) -> Graph | None:
    """The program under the assumptions; None if its lines cannot be moved."""
    graph = graph_of(traces.program, traces.M, observed)
    if isinstance(graph, str):
        return None
    graph = evaluate(graph, cells)
    drop_dead_results(graph)
    return graph


def seen_ways(traces: Traces) -> Observed:
    """The edges that the runs took."""
    after, here, jumped = traces.lines[1:], traces.lines[:-1], traces.jumped[:-1]
    jumps = (after[jumped & (here == line)] for line in range(traces.program.L))
    passes = tuple((traces.passes() > 0).tolist())
    return Observed(tuple(frozenset(np.unique(each).tolist()) for each in jumps), passes)
