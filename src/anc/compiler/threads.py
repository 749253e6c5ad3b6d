"""Jumps whose way is known on one of the ways to them: that way goes past them.

``while a != 0 and b != 0`` leaves by two edges; a test of `a` behind the loop knows where each goes.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import replace

from anc import isa
from anc.compiler.dataflow import fixpoint
from anc.compiler.graph import ADD, END, Constant, Graph, Node, Operand, Variable

Zeros = dict[Variable, bool]  # variables that are certainly 0 (True) or certainly not (False)


def thread_known_jumps(graph: Graph) -> bool:
    """Lead edges past jumps that are decided there; whether there were any."""

    def transfer(number: int, known: Zeros) -> Iterator[tuple[int, Zeros]]:
        return _ways(graph, graph.nodes[number], known)

    nothing: Zeros = {}
    states = fixpoint({graph.start: nothing}, transfer, _common)
    changed = False
    for number, known in states.items():
        node = graph.nodes[number]
        new = {way: _past(graph, way, after) for way, after in _ways(graph, node, known)}
        if any(way != last for way, last in new.items()):
            free = node.free and new.get(node.after, node.after) == node.after
            graph.nodes[number] = replace(node.redirected(_renaming(new)), free=free)
            changed = True
    return changed


def _renaming(new: dict[int, int]) -> Callable[[int], int]:
    return lambda way: new.get(way, way)


def _past(graph: Graph, number: int, known: Zeros) -> int:
    """Where an edge leads in the end."""
    seen: set[int] = set()
    while number != END and number not in seen:
        seen.add(number)
        node = graph.nodes[number]
        if node.out is not None:
            break
        if node.op is None:
            number = node.after
            continue
        is_zero = _is_zero(node.operands[0], known) if node.jump is not None else None
        if is_zero is None:
            break
        assert node.jump is not None
        number = node.jump if is_zero else node.after
    return number


def _ways(graph: Graph, node: Node, known: Zeros) -> Iterator[tuple[int, Zeros]]:
    """The nodes that may follow, and what is known on the way to each."""
    after = known
    if node.out is not None:
        after = {variable: zero for variable, zero in known.items() if variable is not node.out}
        is_zero = _output_is_zero(graph, node, known)
        if is_zero is not None:
            after[node.out] = is_zero
    condition = node.operands[0] if node.jump is not None else None
    if node.jump == node.after or not isinstance(condition, Variable) or condition is node.out:
        yield from ((way, after) for way in dict.fromkeys(node.followers))
        return
    for way in node.followers:
        yield way, after | {condition: way == node.jump}


def _output_is_zero(graph: Graph, node: Node, known: Zeros) -> bool | None:
    if node.op is None:
        return True
    row = graph.row(node)
    if row.output is isa.zero:
        return None if row.effect is isa.Effect.READ else True
    if node.op == ADD and Constant(0) in node.operands:
        other = node.operands[node.operands[0] == Constant(0)]
        return _is_zero(other, known)
    return None


def _is_zero(operand: Operand, known: Zeros) -> bool | None:
    if isinstance(operand, Constant):
        return operand.value == 0
    return known.get(operand) if isinstance(operand, Variable) else None


def _common(one: Zeros, two: Zeros) -> Zeros:
    if one == two:
        return one
    return {variable: zero for variable, zero in one.items() if two.get(variable) is zero}
