"""Type 2 weights to an exact program: each distributed state becomes a line of its own.

With a soft JEZ the instruction register spreads over several lines, and the controller, which mixes
their weights, may ask for a command that stands in none of them (appendix C). As long as every other
choice is certain, each such place acts like one line of an exact program: it has one command, and
the next place depends at most on whether the register that JEZ tests is zero. The places are laid out
so that not jumping means going to the next line, copying lines where two places share a follower,
so that the exact program takes exactly as many steps.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from anc import isa
from anc.decompiler.visits import Place, Visits
from anc.machine.weights import Weights
from anc.program import Line, Program

_MAYBE = 0.1  # a place with a smaller probability of JEZ does not jump


class CannotRecover(Exception):
    """Why there is no exact program of the same speed."""


@dataclass(frozen=True)
class _Node:
    """A place as a line of an exact program: its command and what follows it."""

    line: Line
    is_stop: bool
    jump: Place | None  # next place when the tested register is zero
    fall: Place | None  # next place otherwise


def recover(weights: Weights, visits: Visits) -> Program:
    """The exact program that goes from place to place as the soft runs did."""
    nodes = {place: _node(place) for place in visits.places}
    begin = visits.places[0]
    order = _layout(nodes, begin, weights.M)
    first_copy: dict[Place, int] = {}
    for number, place in enumerate(order):
        first_copy.setdefault(place, number)

    values: list[int | None] = [
        None if np.ptp(row) == 0 else int(row.argmax()) for row in weights.registers
    ]
    labels: dict[int, int] = {}  # line number -> the register that holds it
    lines = []
    for number, place in enumerate(order):
        node = nodes[place]
        line = node.line
        if line.op == isa.NAMES[isa.JUMP]:
            target = first_copy[node.jump] if node.jump is not None else number
            if target not in labels:
                labels[target] = len(values)
                values.append(target)
            line = Line(line.op, line.first, labels[target], line.out)
        lines.append(line)
    return _without_idle_registers(lines, values, weights)


def _node(place: Place) -> _Node:
    visit = place.visits[0]
    step = visit.step
    out = int(step.out.argmax())
    if step.op[isa.JUMP] > _MAYBE:
        return _jump_node(place, out)
    row = isa.INSTRUCTIONS[visit.op]
    operands = [int(choice.argmax()) for choice in (step.first, step.second)][: row.operands]
    first, second = (operands + [None, None])[:2]
    followers = {visit.after for visit in place.visits}
    if row.effect is isa.Effect.STOP:
        if followers != {None}:
            raise CannotRecover(f"{place} is a STOP after which some cases go on")
        return _Node(Line(row.name, None, None, out), True, None, None)
    if len(followers) != 1 or None in followers:
        raise CannotRecover(f"{place} leads to several places without a jump")
    return _Node(Line(row.name, first, second, out), False, None, followers.pop())


def _jump_node(place: Place, out: int) -> _Node:
    tested = int(place.visits[0].step.first.argmax())
    by_zero: dict[bool, set[Place | None]] = {True: set(), False: set()}
    for visit in place.visits:
        is_zero = int(visit.step.registers_before[tested].argmax()) == 0
        by_zero[is_zero].add(visit.after)
    for is_zero, followers in by_zero.items():
        if len(followers) > 1 or None in followers:
            condition = "zero" if is_zero else "not zero"
            raise CannotRecover(
                f"{place} leads to several places although R{tested + 1} is {condition}"
            )
    jump = next(iter(by_zero[True]), None)
    fall = next(iter(by_zero[False]), None)
    return _Node(Line(isa.NAMES[isa.JUMP], tested, tested, out), False, jump, fall)


def _layout(nodes: dict[Place, _Node], begin: Place, M: int) -> list[Place]:
    """Chains of places, each going on until it stops or always jumps; then the next jump's target."""
    order: list[Place] = []
    waiting = [begin]
    while waiting:
        place: Place | None = waiting.pop(0)
        if place in order:
            continue
        while place is not None:
            if len(order) >= M:
                raise CannotRecover(f"the exact program needs more than M = {M} lines")
            order.append(place)
            node = nodes[place]
            if node.jump is not None:
                waiting.append(node.jump)
            place = node.fall
    return order


def _without_idle_registers(
    lines: list[Line], values: list[int | None], weights: Weights
) -> Program:
    used = sorted({r for line in lines for r in (*line.operands, line.out)})
    new = {register: number for number, register in enumerate(used)}
    renumbered = tuple(
        Line(
            line.op,
            None if line.first is None else new[line.first],
            None if line.second is None else new[line.second],
            new[line.out],
        )
        for line in lines
    )
    return Program(renumbered, tuple(values[r] for r in used), 0, memory=weights.M)
