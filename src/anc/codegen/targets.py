"""Computed jumps that can only go to few lines, as tests of where they go.

What variables can hold is followed through the program, as far as it is known. A jump through a
register that holds 3 at first and 0 later is then two jumps, and one through a table whose index a
precondition bounds is as many as there are entries.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace

from anc.compiler.assemble import lines_of
from anc.compiler.constant_propagation import evaluate
from anc.compiler.dataflow import fixpoint
from anc.compiler.graph import (
    ADD,
    END,
    JUMP,
    READ,
    STOP,
    SUB,
    WRITE,
    Constant,
    Graph,
    Node,
    Operand,
    Target,
    Variable,
)
from anc.isa import Effect
from anc.program import Program

Held = dict[Variable, frozenset[int]]  # what variables can hold; those left out: anything
Cells = Mapping[int, Sequence[int]]  # what cells can hold at the beginning
Switches = tuple[tuple[int, ...], ...]  # the lines that each computed jump can go to

_MOST_TARGETS = 24
_MOST_VALUES = 64
_MOST_PAIRS = 4096


class _TooMany(Exception):
    """A jump can go to too many lines."""


def with_known_targets(program: Program, M: int, cells: Cells) -> tuple[Graph, Switches] | None:
    """The graph of a program in which every jump has a target; None where one can go to too many.

    Beside it, where the jumps went that are rows of tests now.
    """
    graph = lines_of(program, M)
    try:
        held = _held(graph, _unwritten(graph, cells))
    except _TooMany:
        return None
    switches = []
    for number, known in held.items():
        node = graph.nodes[number]
        if node.op == JUMP and isinstance(node.operands[1], Variable):
            if _may_jump(node, known):
                switches.append(tuple(sorted(_targets(node, known))))
                _tested(graph, number, switches[-1])
            else:
                graph.nodes[number] = replace(node, op=None, operands=())
    for number in range(program.L):
        if number not in held:
            graph.nodes[number] = Node(None)
    graph.anchored = 0
    return evaluate(graph), tuple(switches)


def _tested(graph: Graph, number: int, targets: Sequence[int]) -> None:
    """Put tests of a jump's target behind it."""
    jump = graph.nodes[number]
    condition, to = jump.operands
    if jump.out is to:  # what it jumps to must survive that
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


def _unwritten(graph: Graph, cells: Cells) -> Cells:
    """The cells of which it is known that no command writes them."""
    addresses = [node.operands[0] for node in graph.nodes.values() if node.op == WRITE]
    if not all(isinstance(address, Constant) for address in addresses):
        return {}
    written = {address.value for address in addresses if isinstance(address, Constant)}
    return {cell: values for cell, values in cells.items() if cell not in written}


def _held(graph: Graph, cells: Cells) -> dict[int, Held]:
    """What variables can hold in front of each line that a run can come to."""

    def transfer(number: int, known: Held) -> Iterator[tuple[int, Held]]:
        node = graph.nodes[number]
        after = dict(known)
        if node.out is not None:
            after.pop(node.out, None)
            values = _output(graph, node, known, cells)
            if values is not None and len(values) <= _MOST_VALUES:
                after[node.out] = values
        ways: set[int] = set()
        if node.op != STOP and (node.op != JUMP or _values(node.operands[0], known) != {0}):
            ways.add(node.after)
        if node.op == JUMP and _may_jump(node, known):
            ways |= _targets(node, known)
        return ((way, after) for way in ways if way in graph.nodes)

    first = {v: frozenset((v.value or 0,)) for v in graph.variables()}
    return fixpoint({graph.start: first}, transfer, _join)


def _join(one: Held, two: Held) -> Held:
    found = {variable: one[variable] | two[variable] for variable in one if variable in two}
    return {variable: values for variable, values in found.items() if len(values) <= _MOST_VALUES}


def _may_jump(jump: Node, known: Held) -> bool:
    tested = _values(jump.operands[0], known)
    return tested is None or 0 in tested


def _targets(jump: Node, known: Held) -> frozenset[int]:
    found = _values(jump.operands[1], known)
    if found is None or len(found) > _MOST_TARGETS:
        raise _TooMany
    return found


def _values(operand: Operand, known: Held) -> frozenset[int] | None:
    """What an operand can hold; None: anything."""
    assert not isinstance(operand, Target)
    if isinstance(operand, Constant):
        return frozenset((operand.value,))
    return known.get(operand)


def _output(graph: Graph, node: Node, known: Held, cells: Cells) -> frozenset[int] | None:
    """What a command can leave in its variable."""
    assert graph.M is not None
    row, M = None if node.op is None else graph.row(node), graph.M
    operands = [_values(operand, known) for operand in node.operands]
    if node.op == READ:
        addresses = operands[0]
        if addresses is None or not all(address in cells for address in addresses):
            return None
        return frozenset(value for address in addresses for value in cells[address])
    if row is None or row.effect is not Effect.NONE:
        return frozenset((0,))
    sets = [range(M) if found is None else found for found in operands] + [range(1)] * 2
    if len(sets[0]) * len(sets[1]) > _MOST_PAIRS:
        return None
    return frozenset(row.output(a, b, M) for a in sets[0] for b in sets[1])
