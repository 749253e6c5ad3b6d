"""The paper's three types of interpretability (its section 5.2), decided on given cases.

Type 1: every choice on the cases is certain; the weights are an exact program. Type 2: only JEZ is
soft; an exact program with more lines takes the same number of steps. Type 3: something else is soft,
and no exact program does the same in as few steps.

A *visit* is one step of one case. Visits with the same distribution over lines form a `Place`: a single
line, or several lines at once (the paper's distributed state, appendix C). After a soft JEZ the
instruction register is spread over several lines. The controller mixes their weights, and may choose a
command that none of these lines contains. If all other choices are certain, a place acts like a node of
an exact program's graph: it has one command, and its successor depends at most on whether the register
tested by JEZ is zero. Nodes with a shared successor are copied where needed, so that the exact program
takes the same number of steps.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

import numpy as np

from anc.compiler.assemble import assemble
from anc.compiler.chain_layout import NoRoom, unshare
from anc.compiler.graph import END, JUMP, STOP, Graph, Node, Target, Variable
from anc.isa import Instruction
from anc.machine import exact
from anc.machine.exact import Stop
from anc.machine.weights import Array, Weights, first_value, harden
from anc.program import Program
from anc.support.diagnostics import AncError

if TYPE_CHECKING:
    from anc.machine.softrun import SoftStep, SoftTrace

CERTAIN = 0.9  # a choice at least this likely counts as certain
SAME = 0.05  # line distributions that differ by less are the same place
_MAYBE = 0.1  # below this probability of JEZ a place does not jump
MOST_SHOWN = 12  # rows about softness that are printed


@dataclass(eq=False)
class SoftPlace:
    """A distribution over lines that cases visit, and the visits."""

    line: Array
    visits: list[Visit] = field(default_factory=list)

    @property
    def lines(self) -> list[int]:
        return np.flatnonzero(self.line >= SAME).tolist()

    def __str__(self) -> str:
        if len(self.lines) == 1:
            return f"line {self.lines[0]}"
        return "lines " + " + ".join(f"{i} ({self.line[i]:.2f})" for i in self.lines)


@dataclass(frozen=True, eq=False)
class Visit:
    """One step of one case at a place; `after` is the next place (None: the run halted)."""

    step: SoftStep
    after: SoftPlace | None
    row: Instruction  # the most likely one
    jumping: float  # the probability of JEZ


@dataclass(frozen=True)
class Visits:
    """All visits of the cases: the places in order of first visit, and the trace of each case."""

    places: tuple[SoftPlace, ...]
    traces: tuple[SoftTrace, ...]

    @property
    def lines(self) -> tuple[int, ...]:
        """All lines with a noticeable probability at some place."""
        return tuple(sorted({line for place in self.places for line in place.lines}))


def follow(weights: Weights, tapes: Sequence[Sequence[int]], max_steps: int) -> Visits:
    """Run every tape softly and group the steps by place."""
    from anc.machine.softrun import trace_soft  # loads JAX, which takes a while

    places: list[SoftPlace] = []
    traces, instructions = [], weights.instructions
    for tape in tapes:
        trace = trace_soft(weights, tape, max_steps)
        at = [_place(places, step.line) for step in trace.steps]
        for place, after, step in zip(at, [*at[1:], None], trace.steps, strict=True):
            row = instructions[int(step.op.argmax())]
            place.visits.append(Visit(step, after, row, float(step.op[instructions.JUMP])))
        traces.append(trace)
    return Visits(tuple(places), tuple(traces))


def _place(places: list[SoftPlace], line: Array) -> SoftPlace:
    for place in places:
        if np.abs(place.line - line).max() < SAME:
            return place
    places.append(SoftPlace(line))
    return places[-1]


@dataclass(frozen=True)
class Reading:
    """The interpretation of weights on some cases: the type, the exact program (types 1 and 2), and the reasons."""

    kind: int
    program: Program | None
    lines: tuple[int, ...]  # the lines that the cases visit
    softness: tuple[str, ...]  # what is not certain, apart from jumps, where, and how likely
    confidence: float  # the probability of the least certain final cell
    reason: str

    @property
    def soft_rows(self) -> list[str]:
        """What is soft, in words; no more rows than a screen has room for."""
        rows = [f"  soft: {softness}" for softness in self.softness[:MOST_SHOWN]]
        more = len(self.softness) - len(rows)
        return [*rows, f"  ... and {more} more"] if more else rows


def read_back(weights: Weights, tapes: Sequence[Sequence[int]], max_steps: int = 1_000) -> Reading:
    """Decide the type of the weights on these tapes, and recover the exact program if there is one."""
    visits = follow(weights, tapes, max_steps)
    softness = tuple(soft for place in visits.places for soft in _softness(place))
    confidence = min(float(trace.memory.max(-1).min()) for trace in visits.traces)

    def reading(kind: int, program: Program | None, reason: str) -> Reading:
        return Reading(kind, program, visits.lines, softness, confidence, reason)

    unfinished = sum(trace.stop is not Stop.STOPPED for trace in visits.traces)
    if unfinished:
        return reading(3, None, f"{unfinished} of {len(tapes)} cases do not stop")
    if softness:
        return reading(3, None, "something other than JEZ is soft")
    jumps_are_certain = all(
        visit.step.op.max() >= CERTAIN and visit.step.line.max() >= CERTAIN
        for place in visits.places
        for visit in place.visits
    )
    ways: list[tuple[int, Callable[[], Program], str]]
    ways = [(2, lambda: recover(weights, visits), "only JEZ is soft")]
    if jumps_are_certain:
        reason = "every choice that the cases meet is certain"
        ways.insert(0, (1, lambda: harden(weights), reason))
    for kind, exact_program, reason in ways:
        try:
            program = exact_program()
            difference = _difference(program, tapes, visits)
        except AncError as problem:
            difference = problem.message
        if difference is None:
            return reading(kind, program, reason)
    return reading(3, None, str(difference))


def _softness(place: SoftPlace) -> Iterator[str]:
    """The uncertain choices at a place: the instruction (unless it may jump) or an operand."""
    worst: dict[str, float] = {}
    for visit in place.visits:
        step, row = visit.step, visit.row
        if visit.jumping > 1 - CERTAIN:
            continue  # a soft condition or target affects only the next line
        operands = (("first", step.first_value), ("second", step.second_value))[: row.operands]
        parts = [(f"{name} operand of {row.name}", value) for name, value in operands]
        for what, choice in [(f"instruction, most likely {row.name}", step.op), *parts]:
            worst[what] = min(worst.get(what, 1.0), float(choice.max()))
    for what, probability in worst.items():
        if probability < CERTAIN:
            yield f"{place}: {what} ({probability:.2f})"


def _difference(program: Program, tapes: Sequence[Sequence[int]], visits: Visits) -> str | None:
    """The first difference between the exact program and the soft runs, if any."""
    for number, (tape, trace) in enumerate(zip(tapes, visits.traces, strict=True)):
        result = exact.run(program, tape, max_steps=len(trace.steps) + 1)
        soft_tape = tuple(trace.memory.argmax(-1).tolist())
        if result.stop is not Stop.STOPPED or result.steps != len(trace.steps):
            return (
                f"case {number}: the exact program takes {result.steps} steps"
                f" ({result.stop.value}), the soft run {len(trace.steps)}"
            )
        if result.tape != soft_tape:
            cell = next(
                i for i, (a, b) in enumerate(zip(result.tape, soft_tape, strict=True)) if a != b
            )
            return (
                f"case {number}: the exact program leaves {result.tape[cell]} in cell {cell},"
                f" the soft run {soft_tape[cell]}"
            )
    return None


class CannotRecover(AncError):
    """There is no exact program of the same speed; the message says why."""


def recover(weights: Weights, visits: Visits) -> Program:
    """The exact program that follows the same places as the soft runs."""
    variables = [
        Variable(f"x{register + 1}", first_value(row))
        for register, row in enumerate(weights.registers)
    ]
    numbers: dict[SoftPlace | None, int] = {place: n for n, place in enumerate(visits.places)}
    numbers[None] = END
    nodes = {numbers[place]: _node(place, numbers, variables) for place in visits.places}
    graph = Graph(nodes, 0, weights.M, variables)
    try:
        unshare(graph)
        return assemble(graph)
    except NoRoom as problem:
        raise CannotRecover(str(problem)) from None


def _node(
    place: SoftPlace, numbers: dict[SoftPlace | None, int], variables: list[Variable]
) -> Node:
    """The node of a place: its command and its successors."""
    visit = place.visits[0]
    step = visit.step
    out = variables[int(step.out.argmax())]
    if visit.jumping > _MAYBE:
        tested = int(step.first.argmax())
        jump, fall = (numbers[_after_test(place, tested, is_zero)] for is_zero in (True, False))
        if END in (jump, fall):  # only one branch was taken
            return Node(None, (), out, max(jump, fall), free=jump == END)
        return Node(JUMP, (variables[tested], Target(jump)), out, fall)
    row = visit.row
    followers = {visit.after for visit in place.visits}
    if row.name == STOP:
        if followers != {None}:
            raise CannotRecover(f"{place} is a STOP after which some cases continue")
        return Node(STOP, out=out)
    if len(followers) != 1 or None in followers:
        raise CannotRecover(f"{place} leads to several places without a jump")
    choices = (step.first, step.second)[: row.operands]
    operands = tuple(variables[int(choice.argmax())] for choice in choices)
    return Node(row.name, operands, out, numbers[followers.pop()])


def _after_test(place: SoftPlace, tested: int, is_zero: bool) -> SoftPlace | None:
    """The successor if the tested register is zero (or not zero); None if that never occurred."""
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
