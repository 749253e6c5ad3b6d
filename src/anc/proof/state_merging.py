"""State merging: symbolic states that meet at one line become one state where that is cheaper."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from anc.proof.cfg import MEMORY, Flow
from anc.proof.path_state import Path, Trail
from anc.proof.space import Space
from anc.proof.symbolic_step import SymbolicState
from anc.proof.terms import Node, Value

_FEW = 32  # states that stay apart if only straight-line code follows
_MOST_CHOICES = 64  # registers and cells that may differ between two merged states


def joined(
    states: list[SymbolicState], flow: Flow, space: Space, cell: Callable[[int], Value]
) -> list[SymbolicState]:
    """Merge states at one line; `cell` is the input value of a cell.

    States stay apart if they differ in registers or cells that addresses depend on, or in plain numbers
    that jumps depend on: plain numbers keep later steps decided.
    """
    if len(states) <= _FEW and flow.is_tail(states[0].here):
        return states
    here = states[0].here
    telling = [
        register
        for register in sorted(flow.live[here])
        if register in flow.addresses[here]
        or (
            register in flow.decisions[here]
            and all(isinstance(state.registers[register], int) for state in states)
        )
    ]
    groups: dict[tuple, list[SymbolicState]] = {}
    for state in states:
        groups.setdefault(_key(state, telling, MEMORY in flow.addresses[here]), []).append(state)
    found: list[SymbolicState] = []
    for alike in groups.values():
        found += _joined_as_parted(alike, lambda a, b: _join(a, b, flow, space, cell))
    return found


def _joined_as_parted(
    states: list[SymbolicState],
    join: Callable[[SymbolicState, SymbolicState], SymbolicState | None],
) -> list[SymbolicState]:
    """Merge states, first those that parted last: they differ in the fewest choices."""
    found: list[SymbolicState] = []
    deep: list[int] = []  # the choices that each state but the first shares with the previous one
    apart: list[SymbolicState] = []

    def join_last() -> None:
        deep.pop()
        last = found.pop()
        both = join(found[-1], last)
        if both is None:
            apart.append(last)
        else:
            found[-1] = both

    for state in states:
        if found:
            common, _, _ = _parting(found[-1].path.trail, state.path.trail)
            shared = 0 if common is None else common.length
            while deep and deep[-1] >= shared:
                join_last()
            deep.append(shared)
        found.append(state)
    while deep:
        join_last()
    return [*found, *apart]


def _key(state: SymbolicState, registers: list[int], with_memory: bool) -> tuple:
    """States with the same key may be merged."""
    found: list[Any] = [state.registers[register] for register in registers]
    if with_memory:
        found += sorted(state.written.items(), key=lambda item: item[0])
    return tuple(found)


def _join(
    a: SymbolicState, b: SymbolicState, flow: Flow, space: Space, cell: Callable[[int], Value]
) -> SymbolicState | None:
    """The merge of two states; None if they differ too much."""
    live = flow.live[a.here]
    registers = [r for r in live if not _same(a.registers[r], b.registers[r])]
    cells = {c: _cell_pair(a, b, c, cell) for c in a.written.keys() | b.written.keys()}
    differing = [c for c, (x, y) in cells.items() if not _same(x, y)]
    if len(registers) + len(differing) > _MOST_CHOICES:
        return None
    path, is_a = _either(a.path, b.path, space)
    found = a.parted(path, a.here)
    found.registers = [value if r in live else 0 for r, value in enumerate(a.registers)]
    for register in registers:
        values = a.registers[register], b.registers[register]
        found.registers[register] = space.choice(is_a, *values)
    found.written = {c: x for c, (x, _) in cells.items()}
    for place in differing:
        found.written[place] = space.choice(is_a, *cells[place])
    found.least, found.most = min(a.least, b.least), max(a.most, b.most)
    return found


def _same(x: Value, y: Value) -> bool:
    return x is y or (isinstance(x, int) and x == y)


def _cell_pair(
    a: SymbolicState, b: SymbolicState, place: int, cell: Callable[[int], Value]
) -> tuple[Value, Value]:
    return (
        a.written[place] if place in a.written else cell(place),
        b.written[place] if place in b.written else cell(place),
    )


def _either(a: Path, b: Path, space: Space) -> tuple[Path, Node | bool]:
    """The union of two disjoint paths, and the condition that a tape is on the first one."""
    common, choices_a, choices_b = _parting(a.trail, b.trail)
    on_a, on_b = space.all_of(choices_a), space.all_of(choices_b)
    if choices_a and choices_b and space.opposite(choices_a[0]) is choices_b[0]:
        is_a: Node | bool = choices_a[0]
    else:
        is_a = on_a if len(choices_a) <= len(choices_b) else space.opposite(on_b)
    cells = {c: known | b.cells[c] for c, known in a.cells.items() if c in b.cells}
    alive = np.concatenate([a.alive, b.alive])
    above_b = {low: set(higher) for low, higher in b.order.items()}
    order = {
        low: tuple(pair for pair in higher if pair in above_b.get(low, ()))
        for low, higher in a.order.items()
    }
    reached = tuple(map(min, a.reached, b.reached))
    path = Path(common, cells, a.held & b.held, order, alive, a.facts, reached)
    either = space.any_of([on_a, on_b])
    if isinstance(either, Node):
        path = path.assuming(space, either, alive)
    return path, is_a


def _parting(a: Trail | None, b: Trail | None) -> tuple[Trail | None, list[Node], list[Node]]:
    """The common prefix of two trails, and the choices of each after it."""
    after_a: list[Node] = []
    after_b: list[Node] = []
    while a is not b:
        if b is None or (a is not None and a.length >= b.length):
            assert a is not None
            after_a.append(a.choice)
            a = a.before
        else:
            after_b.append(b.choice)
            b = b.before
    return a, after_a[::-1], after_b[::-1]
