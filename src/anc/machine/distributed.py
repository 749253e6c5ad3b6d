"""Type 2 weights to an exact program: each distributed state becomes a line of its own.

With a soft JEZ the instruction register spreads over several lines, and the controller, which mixes
their weights, may ask for a command that stands in none of them (appendix C). As long as every other
choice is certain, each such place acts like one node of an exact program's graph: it has one command,
and the next place depends at most on whether the register that JEZ tests is zero. Nodes are copied
where two places share a follower, so that the exact program takes exactly as many steps.
"""

from __future__ import annotations

from anc.compiler.assemble import assemble
from anc.compiler.chain_layout import NoRoom, unshare
from anc.compiler.graph import END, JUMP, STOP, Graph, Node, Target, Variable
from anc.machine.soft_states import Place, Visits
from anc.machine.weights import Weights, first_value
from anc.program import Program
from anc.support.diagnostics import AncError

_MAYBE = 0.1  # a place with a smaller probability of JEZ does not jump


class CannotRecover(AncError):
    """Why there is no exact program of the same speed."""


def recover(weights: Weights, visits: Visits) -> Program:
    """The exact program that goes from place to place as the soft runs did."""
    variables = [
        Variable(f"x{register + 1}", first_value(row))
        for register, row in enumerate(weights.registers)
    ]
    numbers: dict[Place | None, int] = {place: n for n, place in enumerate(visits.places)}
    numbers[None] = END
    nodes = {numbers[place]: _node(place, numbers, variables) for place in visits.places}
    graph = Graph(nodes, 0, weights.M, variables)
    try:
        unshare(graph)
        return assemble(graph)
    except NoRoom as problem:
        raise CannotRecover(str(problem)) from None


def _node(place: Place, numbers: dict[Place | None, int], variables: list[Variable]) -> Node:
    """A place as a command, and the places that follow it."""
    visit = place.visits[0]
    step = visit.step
    out = variables[int(step.out.argmax())]
    if visit.jumping > _MAYBE:
        tested = int(step.first.argmax())
        jump, fall = (numbers[_after_test(place, tested, is_zero)] for is_zero in (True, False))
        if END in (jump, fall):  # it always went one way
            return Node(None, (), out, max(jump, fall), free=jump == END)
        return Node(JUMP, (variables[tested], Target(jump)), out, fall)
    row = visit.row
    followers = {visit.after for visit in place.visits}
    if row.name == STOP:
        if followers != {None}:
            raise CannotRecover(f"{place} is a STOP after which some cases go on")
        return Node(STOP, out=out)
    if len(followers) != 1 or None in followers:
        raise CannotRecover(f"{place} leads to several places without a jump")
    choices = (step.first, step.second)[: row.operands]
    operands = tuple(variables[int(choice.argmax())] for choice in choices)
    return Node(row.name, operands, out, numbers[followers.pop()])


def _after_test(place: Place, tested: int, is_zero: bool) -> Place | None:
    """The place that follows where the tested register is zero (or not); None: never seen."""
    followers = {
        visit.after
        for visit in place.visits
        if (int(visit.step.registers_before[tested].argmax()) == 0) is is_zero
    }
    if len(followers) > 1 or None in followers:
        condition = "zero" if is_zero else "not zero"
        raise CannotRecover(
            f"{place} leads to several places although R{tested + 1} is {condition}"
        )
    return next(iter(followers), None)
