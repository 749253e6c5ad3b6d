"""Resolution of computed jumps: a jump with few targets becomes a chain of tests.

The targets come from an analysis of the values that registers can hold. A jump through a register that
holds 3 or 0 becomes two jumps; one through a table becomes one per entry, if a precondition bounds
the index.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from math import prod

import numpy as np

from anc.compiler.assemble import lines_of
from anc.compiler.constant_propagation import evaluate
from anc.compiler.graph import ADD, END, JUMP, SUB, Constant, Graph, Node, Target, Variable
from anc.isa import Effect
from anc.program import Program
from anc.proof.cfg import Flow, Known, Values

Cells = Mapping[int, Sequence[int]]  # the possible initial values of cells
Switches = tuple[tuple[int, ...], ...]  # the lines that each computed jump can go to

_MOST_TARGETS = 24
_MOST_VALUES = 64
_MOST_PAIRS = 4096


class _Flow(Flow):
    """Control flow that also bounds outputs of unknown operands: min(x, 1) is 0 or 1."""

    def _output(self, number: int, known: Known) -> Values:
        line, anything = self.program.lines[number], frozenset(range(self.M))
        given = tuple(anything if values is None else values for values in known)
        pairs = prod(len(given[operand]) for operand in line.operands)
        is_known = self.effects[number] is Effect.NONE and pairs <= _MOST_PAIRS
        return super()._output(number, given if is_known else known)


def with_known_targets(program: Program, M: int, cells: Cells) -> tuple[Graph, Switches] | None:
    """The graph of a program without computed jumps, and the targets of those that became tests.

    None if a jump has too many targets.
    """

    def domain(cell: int) -> np.ndarray:
        return np.isin(np.arange(M), cells.get(cell, range(M)))

    graph, after = lines_of(program, M), _Flow(program, M, domain, _MOST_VALUES).after
    switches = []
    for number, followers in enumerate(after):
        node = graph.nodes[number]
        if not followers:  # unreachable
            graph.nodes[number] = Node(None)
        elif node.op == JUMP and isinstance(node.operands[1], Variable):
            if len(followers) > min(_MOST_TARGETS, program.L - 1):  # it may jump anywhere
                return None
            following = program.L if node.after == END else node.after
            if followers == {following}:
                graph.nodes[number] = replace(node, op=None, operands=())
            else:
                switches.append(tuple(sorted(followers)))
                _tested(graph, number, switches[-1])
    graph.anchored = 0
    return evaluate(graph), tuple(switches)


def _tested(graph: Graph, number: int, targets: Sequence[int]) -> None:
    """Replace a computed jump by a chain of tests of its target."""
    jump = graph.nodes[number]
    condition, to = jump.operands
    if jump.out is to:  # the jump overwrites its target, which is copied first
        kept = Variable("target")
        new = max(graph.nodes) + 1
        graph.nodes[new] = replace(jump)
        copy = Node(ADD, (to, Constant(0)), kept, after=new)
        graph.nodes[number], number, to = copy, new, kept
    following = max(graph.nodes) + 1
    operands = condition, Target(following)
    graph.nodes[number] = replace(graph.nodes[number], operands=operands)
    *others, last = targets
    for line in others:
        test = Variable("test")
        subtract = Node(SUB, (to, Constant(line)), test, after=following + 1)
        graph.nodes[following] = subtract
        way = Target(line if line < graph.anchored else END)
        graph.nodes[following + 1] = Node(JUMP, (test, way), after=following + 2)
        following += 2
    graph.nodes[following] = Node(None, after=last if last < graph.anchored else END)
