"""Partial evaluation: what is known of variables and cells is put into a graph's commands.

A run on a half-known tape computes what it can; commands on unknown values remain. Nothing is listed
here of what instructions compute: outputs come from the table. Jumps whose way is known on one of the ways to
them are threaded: that way goes past them. ``while a != 0 and b != 0`` leaves by two edges; a test of `a` behind
the loop knows where each goes.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Iterator
from dataclasses import replace
from functools import lru_cache

from anc import isa
from anc.compiler.dataflow import fixpoint, liveness
from anc.compiler.graph import (
    ADD,
    END,
    JUMP,
    READ,
    WRITE,
    Constant,
    Graph,
    Node,
    Operand,
    Target,
    Variable,
    loaded,
)
from anc.isa import Instruction, Meaning

NONZERO = -1  # some number, but not 0
Knowledge = dict[Variable | int, int]  # values of variables and cells, as far as they are known
Point = tuple[int, frozenset | None]  # a node and, where loops are unrolled, what is known there


class TooMany(Exception):
    """Unrolling gives too many states."""


def evaluate(graph: Graph, cells: dict[int, int] | None = None, unroll: int = 0) -> Graph:
    """The same program, on tapes that hold these cells, with all that is known put in.

    Jumps that are decided are no jumps any more, others have a Target unless they are computed from
    unknown values (then they are not followed). With `unroll` each node is copied for every state
    of knowledge, up to that many, so that loops with a known number of rounds disappear.
    """
    alive = liveness(graph)
    wanted = alive.variables(alive.before[graph.start])
    known: Knowledge = {variable: variable.value or 0 for variable in wanted}
    for cell, value in (cells or {}).items():
        known[cell] = value
    start = graph.start, frozenset(known.items()) if unroll else None
    numbers: dict[Point, int] = {start: 0 if unroll else graph.start}
    nodes: dict[int, Node] = {}

    def transfer(here: Point, known: Knowledge) -> Iterator[tuple[Point, Knowledge]]:
        """Called again whenever less is known, so that what it leaves in the end is right."""
        number = numbers[here]
        node, after = _step(graph, graph.nodes[here[0]], known)
        state = frozenset(after.items()) if unroll else None
        new: dict[int, int] = defaultdict(lambda: END)
        for way in node.followers:
            new[way] = numbers.setdefault((way, state), len(numbers) if unroll else way)
            yield (way, state), after
        nodes[number] = node.redirected(new.__getitem__)
        if len(numbers) > unroll > 0:
            raise TooMany

    fixpoint({start: known}, transfer, _common)
    return replace(graph, nodes=nodes, start=numbers[start], anchored=0)


def certain_output(
    row: Instruction, first: int | None, second: int | None, M: int, same: bool
) -> int | None:
    """What an instruction outputs if that is certain, whatever unknown operands (None) may be.

    `same` says that both operands are one variable.

    >>> sub, smaller = isa.PAPER["SUB"], isa.PAPER["MIN"]
    >>> certain_output(sub, None, None, 10, True), certain_output(smaller, None, 0, 10, False)
    (0, 0)
    """
    if row.output is isa.zero:
        return None if row.effect is isa.Effect.READ else 0
    if row.operands < 2:
        second = 0
    elif first is second is None and not same:
        return None
    return _certain(row.output, first, second, M)


@lru_cache(maxsize=10_000)
def _certain(output: Meaning, first: int | None, second: int | None, M: int) -> int | None:
    results = outputs(output, first, second, M)
    result = next(results)
    return result if all(other == result for other in results) else None


def outputs(output: Meaning, first: int | None, second: int | None, M: int) -> Iterator[int]:
    """What an instruction outputs for each value of the operands that are None: one and the same."""
    if first is not None and second is not None:
        yield output(first, second, M)
    else:
        for guess in range(M):
            yield output(guess if first is None else first, guess if second is None else second, M)


def _common(one: Knowledge, two: Knowledge) -> Knowledge:
    if one == two:
        return one
    both = ((what, value, two[what]) for what, value in one.items() if what in two)
    return {w: a if a == b else NONZERO for w, a, b in both if a == b or (a and b)}


def _step(graph: Graph, node: Node, known: Knowledge) -> tuple[Node, Knowledge]:
    """A command with what is known put in, and what is known after it."""
    assert graph.M is not None
    operands = tuple(
        Constant(known[operand])
        if isinstance(operand, Variable) and known.get(operand, NONZERO) != NONZERO
        else operand
        for operand in node.operands
    )
    values = [operand.value if isinstance(operand, Constant) else None for operand in operands]
    first, second = [*values, None, None][:2]
    new = node if operands == node.operands else replace(node, operands=operands)
    after = known
    same = len(set(operands)) == 1
    result: int | None = 0
    if node.op is not None:
        result = certain_output(graph.row(node), first, second, graph.M, same)
    if node.op == JUMP:
        new = _decided(graph, new, known)
    elif node.op == READ and first is not None and known.get(first, NONZERO) != NONZERO:
        result = known[first]
        op, copied = loaded(result)
        new = replace(node, op=op, operands=copied)
    elif node.op == WRITE:
        after = _written(known, first, second)
        if after is known:
            new = replace(node, op=None, operands=())
    elif node.op == ADD and Constant(0) in operands and result is None:
        other = operands[operands[0] == Constant(0)]
        result = known.get(other) if isinstance(other, Variable) else None
    if result == 0 and node.only_computes:
        new = replace(node, op=None, operands=())
    if node.out is not None and after.get(node.out) != result:
        after = {what: value for what, value in after.items() if what is not node.out}
        if result is not None:
            after[node.out] = result
    return new, after


def _written(known: Knowledge, cell: int | None, value: int | None) -> Knowledge:
    """What is known after a WRITE; the same if the value is there already."""
    if cell is None:
        return {w: v for w, v in known.items() if isinstance(w, Variable) or v == value}
    if value is None:
        return {what: v for what, v in known.items() if what != cell}
    return known if known.get(cell) == value else known | {cell: value}


def _decided(graph: Graph, jump: Node, known: Knowledge) -> Node:
    """A JEZ with its way, if that is known."""
    condition, to = jump.operands
    if isinstance(to, Constant):  # an anchored line jumps to a number
        to = Target(to.value if to.value in graph.nodes else END, to.name)
    is_zero = _is_zero(condition, known)
    if is_zero is False:
        return replace(jump, op=None, operands=())
    if is_zero and isinstance(to, Target):
        return replace(jump, op=None, operands=(), after=to.node, free=False)
    return replace(jump, operands=(condition, to))


def _is_zero(operand: Operand, known: Knowledge) -> bool | None:
    if isinstance(operand, Constant):
        return operand.value == 0
    value = known.get(operand) if isinstance(operand, Variable) else None
    return None if value is None else value == 0


def thread_known_jumps(graph: Graph) -> bool:
    """Lead edges past jumps that are decided there; whether there were any."""

    def transfer(number: int, known: Knowledge) -> Iterator[tuple[int, Knowledge]]:
        return _ways(graph, graph.nodes[number], known)

    nothing: Knowledge = {}
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


def _past(graph: Graph, number: int, known: Knowledge) -> int:
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


def _ways(graph: Graph, node: Node, known: Knowledge) -> Iterator[tuple[int, Knowledge]]:
    """The nodes that may follow, and what is known on the way to each."""
    _, after = _step(graph, node, known)
    condition = node.operands[0] if node.jump is not None else None
    if node.jump == node.after or not isinstance(condition, Variable) or condition is node.out:
        yield from ((way, after) for way in dict.fromkeys(node.followers))
        return
    for way in node.followers:
        yield way, after | {condition: 0 if way == node.jump else after.get(condition) or NONZERO}
