"""The paper's three types of interpretability (its section 5.2), decided on given cases.

Type 1: every choice that the cases meet is certain; the weights are an exact program.
Type 2: only JEZ is soft; an exact program with more lines takes the same steps.
Type 3: something else is soft, and no exact program does the same in as few steps.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from anc import isa
from anc.decompiler.distributed import CannotRecover, recover
from anc.decompiler.visits import Place, Visits, follow
from anc.diagnostics import AncError
from anc.machine import exact
from anc.machine.exact import Stop
from anc.machine.weights import Weights, harden
from anc.program import Program

CERTAIN = 0.9  # a choice at least this likely counts as made


@dataclass(frozen=True)
class Softness:
    """A place where something other than a jump is not certain, what it is, and how likely."""

    place: str
    what: str
    probability: float

    def __str__(self) -> str:
        return f"{self.place}: {self.what} ({self.probability:.2f})"


@dataclass(frozen=True)
class Reading:
    """What weights are on some cases: the type, the exact program (types 1 and 2) and the reasons."""

    kind: int
    program: Program | None
    lines: tuple[int, ...]  # the lines that the cases visit, most likely ones only
    softness: tuple[Softness, ...]
    confidence: float  # of the least certain cell of the final tapes
    reason: str


def read_back(weights: Weights, tapes: Sequence[Sequence[int]], max_steps: int = 1_000) -> Reading:
    """Decide the type of the weights on these tapes and recover the exact program if there is one."""
    visits = follow(weights, tapes, max_steps)
    lines = tuple(sorted({int(i) for p in visits.places for i in np.flatnonzero(p.line >= 0.05)}))
    softness = tuple(soft for place in visits.places for soft in _softness(place))
    ends = [t.steps[-1].memory if t.steps else t.initial_memory for t in visits.traces]
    confidence = min(float(memory.max(-1).min()) for memory in ends)

    def reading(kind: int, program: Program | None, reason: str) -> Reading:
        return Reading(kind, program, lines, softness, confidence, reason)

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
    if jumps_are_certain:
        try:
            program = harden(weights)
            difference = _difference(program, tapes, visits)
        except AncError as problem:
            difference = problem.message
        if difference is None:
            return reading(1, program, "every choice that the cases meet is certain")
    try:
        program = recover(weights, visits)
        difference = _difference(program, tapes, visits)
    except CannotRecover as problem:
        difference = str(problem)
    if difference is None:
        return reading(2, program, "only JEZ is soft")
    return reading(3, None, difference)


def _softness(place: Place):
    """What is uncertain at a place: the instruction (unless a jump is involved) or an operand."""
    worst: dict[str, float] = {}
    for visit in place.visits:
        step = visit.step
        may_jump = visit.jump_probability > 1 - CERTAIN
        row = isa.INSTRUCTIONS[visit.op]
        if step.op.max() < CERTAIN and not may_jump:
            _note(worst, f"instruction, most likely {row.name}", float(step.op.max()))
        if may_jump:
            continue  # a soft condition or target only makes the next line soft
        values = (("first", step.first_value), ("second", step.second_value))
        for name, value in values[: row.operands]:
            if value.max() < CERTAIN:
                _note(worst, f"{name} operand of {row.name}", float(value.max()))
    for what, probability in worst.items():
        yield Softness(str(place), what, probability)


def _note(worst: dict[str, float], what: str, probability: float) -> None:
    worst[what] = min(worst.get(what, 1.0), probability)


def _difference(program: Program, tapes: Sequence[Sequence[int]], visits: Visits) -> str | None:
    """The first way in which the exact program differs from the soft runs, if any."""
    for number, (tape, trace) in enumerate(zip(tapes, visits.traces, strict=True)):
        result = exact.run(program, tape, max_steps=len(trace.steps) + 1)
        soft_tape = tuple(int(v) for v in trace.steps[-1].memory.argmax(-1))
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
