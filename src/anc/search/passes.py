"""Clean-ups of a graph. None of them changes what a program does to any tape, or adds a step."""

from __future__ import annotations

from anc import isa
from anc.search.graph import (
    END,
    STOP,
    Graph,
    Known,
    Node,
    Number,
    Operand,
    flow_of_constants,
    output,
)


def tidy(graph: Graph) -> None:
    """All clean-ups, again and again until nothing changes."""
    while True:
        changes = [propagate_constants(graph), drop_dead_results(graph), thread_jumps(graph)]
        if not any(changes):
            return


def propagate_constants(graph: Graph) -> bool:
    """Operands that are always the same number become that number; decided jumps are no jumps."""

    def step(number: int, known: Known) -> list[tuple[int, Known]]:
        node = graph.nodes[number]
        values = [_value(operand, known) for operand in node.operands] + [None, None]
        if node.op is not None and node.out is not None:
            known[node.out] = output(node.op, values[0], values[1], graph.M)
        return [(follower, dict(known)) for follower in node.followers]

    variables = _variables(graph)
    initial: Known = {v: graph.initial.get(v, 0) for v in variables}
    before = flow_of_constants(graph.start, initial, step)
    changed = False
    for number in list(graph.nodes):
        if number not in before:
            del graph.nodes[number]
            changed = True
            continue
        node, known = graph.nodes[number], before[number]
        operands = tuple(_as_number(operand, known) for operand in node.operands)
        if operands != node.operands:
            node.operands = operands
            changed = True
        if node.zero is not None and isinstance(operands[0], Number):
            taken = operands[0].value == 0
            after = node.zero if taken else node.after
            graph.nodes[number] = Node("ZERO", (), node.out, after, free=not taken)
            changed = True
    return changed


def drop_dead_results(graph: Graph) -> bool:
    """Commands that only compute something nobody reads go; others lose their output."""
    alive = live_after(graph)
    changed = False
    for number, node in graph.nodes.items():
        if node.op is None or node.out is None or node.out in alive[number]:
            continue
        node.out = None
        changed = True
        if isa.instruction(node.op).effect is isa.Effect.NONE:
            _pass_on(node)
    for node in graph.nodes.values():
        if node.op is None or node.op == STOP:
            continue
        if node.zero is not None and node.zero == node.after:
            node.zero = None
            node.op, node.operands = ("ZERO", ()) if node.out is not None else (None, ())
            changed = True
        elif node.out is None and isa.instruction(node.op).effect is isa.Effect.NONE:
            _pass_on(node)
            changed = True
    return changed


def thread_jumps(graph: Graph) -> bool:
    """Edges go past nodes that only pass on; what nobody reaches is dropped."""
    changed = False
    for node in graph.nodes.values():
        if node.op == STOP:
            continue
        target, paid = _final(graph, node.after)
        if target != node.after:
            node.after, changed = target, True
            node.free = node.free and not paid
        if node.zero is not None:
            target, _ = _final(graph, node.zero)
            if target != node.zero:
                node.zero, changed = target, True
    start, _ = _final(graph, graph.start)
    if start != graph.start and start != END:
        graph.start, changed = start, True
    reachable = set(graph.reachable())
    for number in set(graph.nodes) - reachable:
        del graph.nodes[number]
        changed = True
    return changed


def live_after(graph: Graph) -> dict[int, frozenset[int]]:
    """The variables whose value is still wanted after each node."""
    before = {number: frozenset[int]() for number in graph.nodes}
    after = dict(before)
    before[END] = frozenset()
    changed = True
    while changed:
        changed = False
        for number in reversed(list(graph.nodes)):
            node = graph.nodes[number]
            alive = frozenset().union(*(before[f] for f in node.followers))
            wanted = (alive - {node.out}) | set(node.reads)
            if alive != after[number] or wanted != before[number]:
                after[number], before[number] = alive, wanted
                changed = True
    return after


def _final(graph: Graph, number: int) -> tuple[int, bool]:
    """Where an edge leads in the end, and whether a step was spent on the way."""
    seen = set()
    paid = False
    while number != END and graph.nodes[number].op is None and number not in seen:
        seen.add(number)
        paid = True
        number = graph.nodes[number].after
    return number, paid


def _pass_on(node: Node) -> None:
    node.op, node.operands, node.out, node.zero = None, (), None, None


def _variables(graph: Graph) -> set[int]:
    found = set(graph.initial)
    for node in graph.nodes.values():
        found |= set(node.reads)
        if node.out is not None:
            found.add(node.out)
    return found


def _value(operand: Operand, known: Known) -> int | None:
    return operand.value if isinstance(operand, Number) else known[operand.index]


def _as_number(operand: Operand, known: Known) -> Operand:
    value = _value(operand, known)
    return operand if isinstance(operand, Number) or value is None else Number(value)
