"""A graph to a Program (line numbers, register allocation), and back.

Two operands can share a register if neither is written while the other is live, and if they do not need different
initial values. Operands of one line (``k = READ(1)``) are joined first, then each takes the first register that it
fits. No two registers of the result can be joined, and compiling its listing gives the same program.
"""

from __future__ import annotations

import re
from collections.abc import Iterable
from dataclasses import dataclass, replace

from anc.compiler.chain_layout import NoRoom, layout
from anc.compiler.constant_propagation import evaluate
from anc.compiler.dataflow import Liveness, liveness
from anc.compiler.graph import END, JUMP, Constant, Graph, Node, Operand, Target, Variable
from anc.language.tree import NOWHERE
from anc.program import Line, Program
from anc.support.diagnostics import Span

SINK = "sink"


def assemble(graph: Graph, order: Iterable[int] | None = None) -> Program:
    """The program of a graph, its lines in the given order or in that of `layout`.

    Raises NoRoom if there are not enough lines, or no order without extra steps. In a given order every
    node must stand before the one that it falls through to.
    """
    lines = layout(graph) if order is None else {n: graph.nodes[n] for n in order}
    L, M = len(lines), graph.M
    if M is not None and L > M:
        raise NoRoom(f"it has {L} lines, the memory has {M} cells")
    line_of = {number: line for line, number in enumerate(lines)}

    def numbered(operand: Operand) -> Operand:
        if not isinstance(operand, Target):
            return operand
        if operand.node == END:
            if M is None or L == M:
                raise NoRoom("no line number is left after the last line")
            return Constant(M - 1)
        line = line_of[operand.node]
        return Constant(line, operand.name or f"l_{line}")

    # Leaving the last line wraps to line 0 when the program fills its memory; assume that it may.
    nodes = {
        line: replace(node, operands=tuple(map(numbered, node.operands)), after=(line + 1) % L)
        for line, node in enumerate(lines.values())
    }
    return with_registers(replace(graph, nodes=nodes, start=line_of[graph.start], anchored=L))


def assembled(graph: Graph, order: Iterable[int] | None = None) -> Program | None:
    """The same; None if there is no room."""
    try:
        return assemble(graph, order)
    except NoRoom:
        return None


@dataclass(eq=False)
class _Group:
    """Operands that share a register."""

    operands: list[Operand]
    pinned: int | None  # the register that it requires
    value: int | None  # its initial value
    is_wanted: bool  # whether the initial value is live
    members: int  # bit mask of the operands
    conflicts: int = 0  # bit mask of the operands that are live where one of them is written


def with_registers(graph: Graph) -> Program:
    """The program of a graph whose nodes are numbered lines without Targets."""
    lines = list(graph.nodes.values())
    alive = liveness(graph)
    group_of = {group.operands[0]: group for group in _singles(graph, alive)}
    for number, node in graph.nodes.items():
        if node.out in group_of:
            group_of[node.out].conflicts |= alive.after[number] & ~group_of[node.out].members
    order = list(group_of)
    for node in lines:
        for operand in node.operands:
            if node.out in group_of:
                _join(group_of[node.out], group_of[operand], group_of)
    groups: list[_Group] = []
    for group in dict.fromkeys(group_of[each] for each in order):
        if not any(_join(earlier, group, group_of) for earlier in groups):
            groups.append(group)
    return _numbered(graph, groups)


def _singles(graph: Graph, alive: Liveness) -> list[_Group]:
    """The operands that need a register: variables that change as declared, then fixed ones as first read."""
    lines = graph.nodes.values()
    written = {node.out for node in lines}
    read = dict.fromkeys(operand for node in lines for operand in node.operands)
    changing: list[_Group] = []
    fixed: dict[Operand, _Group] = {}
    for operand in dict.fromkeys((*graph.declared, *read)):
        assert not isinstance(operand, Target)
        bit = alive.bit.setdefault(operand, 1 << len(alive.bit))
        pinned = operand.pinned if isinstance(operand, Variable) else None
        # A variable that is never written is a constant.
        is_fixed = operand not in written and operand.value is not None
        is_wanted = is_fixed or bool(alive.before[graph.start] & bit)
        group = _Group([operand], pinned, operand.value, is_wanted, bit)
        if is_fixed and pinned is None:
            fixed[operand] = group
        elif operand in read or pinned is not None:
            changing.append(group)
    return changing + [fixed[operand] for operand in read if operand in fixed]


def _join(one: _Group, two: _Group, group_of: dict[Operand, _Group]) -> bool:
    """Merge the later group into the earlier one, if they can share a register."""
    if one is two:
        return True
    if one.pinned is not None or two.pinned is not None:
        return False
    if one.conflicts & two.members or two.conflicts & one.members:
        return False
    if one.is_wanted and two.is_wanted and (one.value is None or one.value != two.value):
        return False
    one.operands += two.operands
    one.members |= two.members
    one.conflicts |= two.conflicts
    if two.is_wanted:
        one.value, one.is_wanted = two.value, True
    for operand in two.operands:
        group_of[operand] = one
    return True


def _numbered(graph: Graph, groups: list[_Group]) -> Program:
    """Pinned groups take the register they ask for, the others fill the gaps, the sink is last."""
    at: dict[int, _Group] = {g.pinned: g for g in groups if g.pinned is not None}
    free = (i for i in range(len(groups) + len(at) + 1_001) if i not in at)
    for group in groups:
        if group.pinned is None:
            at[next(free)] = group
    sink = max(at, default=-1) + 1
    called = _names(graph)
    values = [at[i].value if i in at else None for i in range(sink)]
    names = [_name(at[i], called) if i in at else f"R{i + 1}" for i in range(sink)]
    of: dict[Operand | None, int] = {each: i for i, g in at.items() for each in g.operands}
    if any(node.out not in of for node in graph.nodes.values()):
        values.append(None)
        names.append(SINK)
    lines = []
    for node in graph.nodes.values():
        assert node.op is not None
        first, second = [*(of[operand] for operand in node.operands), None, None][:2]
        line = None if node.span is NOWHERE else node.span.line
        lines.append(Line(node.op, first, second, of.get(node.out, sink), line))
    return Program(
        tuple(lines), tuple(values), graph.start, _distinct(names), graph.M,
        instructions=graph.instructions,
    )  # fmt: skip


def _names(graph: Graph) -> dict[Operand, dict[str, None]]:
    """The names of each constant."""
    found: dict[Operand, dict[str, None]] = {}
    for node in graph.nodes.values():
        for operand in node.operands:
            if isinstance(operand, Constant):
                found.setdefault(operand, {})[operand.name or str(operand.value)] = None
    return found


def _name(group: _Group, called: dict[Operand, dict[str, None]]) -> str:
    variables = [each.name for each in group.operands if isinstance(each, Variable)]
    numbers = (name for each in group.operands for name in called[each])
    return "/".join(dict.fromkeys(variables) or numbers)


def _distinct(names: list[str]) -> tuple[str, ...]:
    found: list[str] = []
    for name in names:
        base, number = re.sub(r"_\d+$", "", name), 2
        while name in found:
            name, number = f"{base}_{number}", number + 1
        found.append(name)
    return tuple(found)


# -- a program back to a graph --------------------------------------------------


@dataclass(frozen=True)
class Observed:
    """The control flow of runs on some cases: for each line, the lines that came next."""

    jumps: tuple[frozenset[int], ...]  # targets of the jumps that were made
    passes: tuple[bool, ...]  # whether it ever fell through


def lines_of(program: Program, M: int) -> Graph:
    """The graph whose nodes are the lines of the program, anchored."""
    written = {line.out for line in program.lines}
    variables = [
        Variable(_variable_name(program, r), v or 0) for r, v in enumerate(program.registers)
    ]

    def operand(register: int, is_target: bool) -> Operand:
        if register in written:
            return variables[register]
        name = variables[register].name if is_target and program.names else ""
        return Constant(program.registers[register] or 0, "" if name.isdigit() else name)

    def node(number: int, line: Line) -> Node:
        after = number + 1 if number + 1 < program.L else 0 if program.L == M else END
        operands = (
            operand(register, line.op == JUMP and place == 1)
            for place, register in enumerate(line.operands)
        )
        span = NOWHERE if line.source_line is None else Span(line.source_line, 1)
        return Node(line.op, tuple(operands), variables[line.out], after, span=span)

    nodes = {number: node(number, line) for number, line in enumerate(program.lines)}
    return Graph(
        nodes, program.start, M, variables, anchored=program.L, instructions=program.instructions
    )


def graph_of(program: Program, M: int, observed: Observed | None = None) -> Graph | str:
    """The graph of a program on M cells, constants propagated; or why its lines cannot be moved.

    A register may hold a line number as a plain number, so lines can only move if no jump is computed.
    With observations, the graph has only the edges that were taken: it agrees with the program on those
    cases, not on others.
    """
    graph = lines_of(program, M)
    if observed is not None:
        for number, node in graph.nodes.items():
            if node.op == JUMP:
                seen = observed.jumps[number], observed.passes[number]
                graph.nodes[number] = _only_seen(node, *seen, program.L)
    graph = evaluate(graph)
    jump = graph.computed_jump
    return graph if jump is None else f"it computes where the jump in its line {jump} goes"


def _only_seen(node: Node, jumps: frozenset[int], passes: bool, L: int) -> Node:
    """A jump with only the edges that were taken."""
    if len(jumps) > 1:
        return node
    target = Target(next((line if line < L else END for line in jumps), END))
    if jumps and passes:
        return replace(node, operands=(node.operands[0], target))
    if jumps:
        return replace(node, op=None, operands=(), after=target.node, free=False)
    return replace(node, op=None, operands=(), after=node.after if passes else END)


def _variable_name(program: Program, register: int) -> str:
    """The first name of a register, unless it would pin a register."""
    name = Variable(program.name_of(register).split("/")[0])
    return f"v{register}" if name.pinned is not None else name.name
