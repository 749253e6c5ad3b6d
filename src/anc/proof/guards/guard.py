"""Links check, adapted and generic program into one guarded program.

The three become one graph, and that becomes one program. Lines are scarce (there are M of them), so code is
shared: the generic program's first lines reuse cells that the check has read, and, if the program does not
fit otherwise, the adapted program jumps into a common tail of the generic one.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace

from anc.compiler import to_text
from anc.compiler.assemble import assemble, graph_of, lines_of
from anc.compiler.chain_layout import layout
from anc.compiler.dataflow import liveness
from anc.compiler.graph import (
    END,
    JUMP,
    READ,
    STOP,
    Constant,
    Graph,
    Node,
    Operand,
    Target,
    Variable,
)
from anc.compiler.passes import tidy
from anc.machine import exact
from anc.program import Program
from anc.proof.facts import Fact
from anc.proof.guards.facts_to_lines import CannotCheck, Check
from anc.support.diagnostics import AncError, counted

_LONGEST = 10_000
Renaming = Mapping[Variable | None, Variable]


class NoGuard(Exception):
    """The guarded program cannot be built; the message gives the reason."""


@dataclass(frozen=True)
class Guarded:
    """The guarded program, or (`program` None) the reason why there is none.

    `check_lines` is the length of the check; `check_steps` is its cost on the given tapes: the mean, least
    and most steps in addition to the program that runs.
    """

    program: Program | None
    text: str = ""
    check_lines: int = 0
    check_steps: tuple[float, int, int] | None = None
    taken: float | None = None  # share of the tapes on which the adapted program runs
    reason: str = ""

    def __str__(self) -> str:
        if self.program is None:
            return f"no guarded program: {self.reason}"
        text = f"{counted(self.program.L, 'line')}, {self.check_lines} of them the check"
        if self.check_steps is not None and self.taken is not None:
            mean, least, most = self.check_steps
            text += (
                f", which takes {mean:.1f} steps ({least} to {most}); it accepts {self.taken:.0%} of the"
                " tapes"
            )
        return text


def guard(
    generic: Program,
    adapted: Program,
    facts: Sequence[Fact],
    M: int,
    tapes: Iterable[Sequence[int]] = (),
    max_steps: int = _LONGEST,
) -> Guarded:
    """A program that runs `adapted` where all facts hold and `generic` elsewhere.

    The facts must be those under which the adapted program was proved. If the generic program itself
    does not stop, nothing is guaranteed.
    """
    check = Check(M, generic.instructions)
    try:
        error = check.add(facts)
        if isinstance(error, Constant):  # the facts hold always, or never
            program, lines = (generic if error.value else adapted), 0
        else:
            generic.check_fits(M)
            adapted.check_fits(M)
            program, lines = _arranged(check, error, generic, adapted), check.lines
    except (NoGuard, CannotCheck, AncError) as problem:
        return Guarded(None, check_lines=check.lines, reason=str(problem))
    costs, taken = [], 0
    for tape in tapes:
        holds = all(fact.holds(tape) for fact in facts)
        alone = exact.run(adapted if holds else generic, tape, max_steps)
        together = exact.run(program, tape, max_steps + lines)
        taken += holds
        costs.append(together.steps - alone.steps)
    steps = (sum(costs) / len(costs), min(costs), max(costs)) if costs else None
    return Guarded(program, to_text(program), lines, steps, taken / len(costs) if costs else None)


def _arranged(check: Check, error: Operand, generic: Program, adapted: Program) -> Program:
    """Link the guarded program; raises NoGuard if that is impossible."""
    M = check.M
    fallback, why_generic = _body(generic, "generic", M)
    fast, why_adapted = _body(adapted, "adapted", M)
    if why_generic and why_adapted:
        raise NoGuard(
            "only one program can keep its line numbers; the generic program cannot move:"
            f" {why_generic}; the adapted program cannot move: {why_adapted}"
        )
    declared = (*check.known.values(), *fallback.declared, *fast.declared)
    anchored = max(fallback.anchored, fast.anchored)
    graph = replace(fallback, nodes={}, start=0, declared=declared, anchored=anchored)
    if why_generic:  # immovable code comes first
        generic_nodes, adapted_nodes = _add(graph, fallback), _add(graph, fast)
    else:
        adapted_nodes, generic_nodes = _add(graph, fast), _add(graph, fallback)
    graph.start = _add(graph, check.graph).start
    start = adapted_nodes.start + fast.start
    decide = graph.append(JUMP, error, Target(start))
    graph.nodes[decide].after = generic_nodes.start + fallback.start
    graph.nodes[decide].free = False
    if not why_generic:
        _share_reads(graph, check.reads, decide)
    lines = layout(graph)
    if len(lines) > M and not why_generic and not why_adapted:
        _share_tail(graph, adapted_nodes, generic_nodes, start)
        lines = layout(graph)
    if len(lines) > M:
        sizes = [sum(n in part for n in lines) for part in (adapted_nodes, generic_nodes)]
        raise NoGuard(
            f"it needs {len(lines)} lines (the check {len(lines) - sum(sizes)}, the adapted program {sizes[0]},"
            f" the generic program {sizes[1]}), and the memory has {M}"
        )
    return replace(assemble(graph), instructions=generic.instructions)


def _body(program: Program, name: str, M: int) -> tuple[Graph, str]:
    """A program as a part of a larger graph, and the reason if its lines cannot move."""
    graph = graph_of(program, M)
    reason = graph if isinstance(graph, str) else _how_it_leaves(graph, program.L)
    if reason or isinstance(graph, str):
        graph = lines_of(program, M)
    else:
        tidy(graph)
    for variable in graph.declared:
        variable.name = f"{name}_{variable.name}"
    return graph, reason


def _how_it_leaves(graph: Graph, L: int) -> str:
    for number, node in sorted(graph.nodes.items()):
        if number + 1 == L and node.op != STOP and node.free:
            return "it can leave its last line without STOP"
        if node.jump == END or (not node.free and node.after == END):
            return f"the jump in its line {number} goes beyond its last line"
    return ""


def _add(graph: Graph, part: Graph) -> range:
    """Add the nodes of a part to the graph; returns their new numbers."""
    begin = max(graph.nodes, default=-1) + 1
    for number, node in part.nodes.items():
        graph.nodes[begin + number] = node.redirected(lambda to: to if to == END else begin + to)
    return range(begin, max(graph.nodes) + 1)


def _renamed(node: Node, names: Renaming) -> Node:
    operands = (names.get(x, x) if isinstance(x, Variable) else x for x in node.operands)
    return replace(node, operands=tuple(operands), out=names.get(node.out, node.out))


def _previous(graph: Graph) -> dict[int, list[int]]:
    found: dict[int, list[int]] = defaultdict(list)
    for number in graph.reachable():
        for follower in graph.nodes[number].followers:
            found[follower].append(number)
    return found


def _share_reads(graph: Graph, reads: dict[int, Variable], decide: int) -> None:
    """Drop the generic program's first READs of cells that the check has already read.

    Such a node is `x = READ(cell)`; the check's variable for the cell becomes x.
    """
    previous = _previous(graph)
    names: dict[Variable | None, Variable] = {}
    while True:
        entry = graph.nodes[decide].after
        node = graph.nodes[entry]
        cell = node.operands[0] if node.op == READ else None
        held = reads.get(cell.value) if isinstance(cell, Constant) else None
        taken = held is None or held in names or node.out is None or node.out in names.values()
        if taken or len(previous[entry]) > 1:
            break
        assert node.out is not None
        names[held] = node.out
        graph.nodes[decide].after = node.after
    for number in range(graph.start, decide + 1):
        graph.nodes[number] = _renamed(graph.nodes[number], names)


def _share_tail(graph: Graph, adapted: range, generic: range, start: int) -> None:
    """Let the adapted program jump into the generic one's last lines, if both end alike.

    Variables are renamed: the adapted program takes the generic one's, if it writes them before it reads
    them. That is harmless because only one of the two programs ever runs.
    """
    alive = liveness(graph)
    wanted = {operand for operand, bit in alive.bit.items() if alive.before[start] & bit}
    previous = _previous(graph)
    stops = [number for number in previous if graph.nodes[number].op == STOP]
    tail, names = max(
        (
            _common_tail(graph, previous, one, other, wanted)
            for one in stops
            for other in stops
            if one in adapted and other in generic
        ),
        key=lambda found: len(found[0]),
        default=([], {}),
    )
    if len(tail) < 2:
        return
    old, new = tail[-1]
    for number in (*adapted, *range(graph.start, max(graph.nodes) + 1)):
        if number in graph.nodes:
            node = graph.nodes[number]
            moved = node.redirected(lambda to: new if to == old else to)
            free = node.free and node.after != old
            graph.nodes[number] = _renamed(replace(moved, free=free), names)


def _common_tail(
    graph: Graph, previous: dict[int, list[int]], one: int, other: int, wanted: set[Operand]
) -> tuple[list[tuple[int, int]], Renaming]:
    """Pairs of equivalent nodes up to these STOPs, last ones first, and the renaming."""
    tail: list[tuple[int, int]] = []
    names: Renaming = {}
    while True:
        same = _matching(graph.nodes[one], graph.nodes[other], names)
        if same is None or wanted & same.keys() or len(set(same.values())) < len(same):
            return tail, names
        tail.append((one, other))
        names = same
        before = previous[one]
        alike = [n for n in previous[other] if graph.nodes[n].op == graph.nodes[before[0]].op]
        if len(before) > 1 or not alike:
            return tail, names
        one, other = before[0], alike[0]


def _matching(one: Node, other: Node, names: Renaming) -> Renaming | None:
    """The renaming that makes two nodes equivalent; None if there is none."""
    if one.op != other.op or one.op == JUMP:
        return None
    same = dict(names)
    for left, right in zip((*one.operands, one.out), (*other.operands, other.out), strict=True):
        if isinstance(left, Variable) and isinstance(right, Variable):
            if same.setdefault(left, right) is not right:
                return None
        elif left != right:
            return None
    return same
