"""Following cases through the soft machine: which states of the instruction register they visit.

A *visit* is one step of one case. Visits whose distributions over lines agree belong to one
`Place`: a plain line, or several lines at once (the paper's distributed state, appendix C).
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field

import numpy as np

from anc.isa import Instruction
from anc.machine.softrun import SoftStep, SoftTrace, trace_soft
from anc.machine.weights import Array, Weights

SAME = 0.05  # distributions over lines that differ by less than this are one place


@dataclass(eq=False)
class Place:
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
    """One step of one case at a place; `after` is where the case goes next (None: it halted)."""

    step: SoftStep
    after: Place | None
    row: Instruction  # the most likely one
    jumping: float  # the probability of JEZ


@dataclass(frozen=True)
class Visits:
    """All that the cases do: the places in order of first visit, and each case's trace."""

    places: tuple[Place, ...]
    traces: tuple[SoftTrace, ...]

    @property
    def lines(self) -> tuple[int, ...]:
        """The lines that are likely enough at some place."""
        return tuple(sorted({line for place in self.places for line in place.lines}))


def follow(weights: Weights, tapes: Sequence[Sequence[int]], max_steps: int) -> Visits:
    """Run every tape softly and gather its steps by place."""
    places: list[Place] = []
    traces, instructions = [], weights.instructions
    for tape in tapes:
        trace = trace_soft(weights, tape, max_steps)
        at = [_place(places, step.line) for step in trace.steps]
        for place, after, step in zip(at, [*at[1:], None], trace.steps, strict=True):
            row = instructions[int(step.op.argmax())]
            place.visits.append(Visit(step, after, row, float(step.op[instructions.JUMP])))
        traces.append(trace)
    return Visits(tuple(places), tuple(traces))


def _place(places: list[Place], line: Array) -> Place:
    for place in places:
        if np.abs(place.line - line).max() < SAME:
            return place
    places.append(Place(line))
    return places[-1]
