"""The paper's three types of interpretability (its section 5.2), decided on given cases.

Type 1: every choice that the cases meet is certain; the weights are an exact program.
Type 2: only JEZ is soft; an exact program with more lines takes the same steps.
Type 3: something else is soft, and no exact program does the same in as few steps.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass

from anc.machine import exact
from anc.machine.distributed import recover
from anc.machine.exact import Stop
from anc.machine.soft_states import Place, Visits, follow
from anc.machine.weights import Weights, harden
from anc.program import Program
from anc.support.diagnostics import AncError

CERTAIN = 0.9  # a choice at least this likely counts as made


@dataclass(frozen=True)
class Reading:
    """What weights are on some cases: the type, the exact program (types 1 and 2) and the reasons."""

    kind: int
    program: Program | None
    lines: tuple[int, ...]  # the lines that the cases visit, most likely ones only
    softness: tuple[str, ...]  # where something other than a jump is not certain, what, how likely
    confidence: float  # of the least certain cell of the final tapes
    reason: str


def read_back(weights: Weights, tapes: Sequence[Sequence[int]], max_steps: int = 1_000) -> Reading:
    """Decide the type of the weights on these tapes and recover the exact program if there is one."""
    visits = follow(weights, tapes, max_steps)
    softness = tuple(soft for place in visits.places for soft in _softness(place))
    ends = [t.steps[-1].memory if t.steps else t.initial_memory for t in visits.traces]
    confidence = min(float(memory.max(-1).min()) for memory in ends)

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


def _softness(place: Place) -> Iterator[str]:
    """What is uncertain at a place: the instruction (unless a jump is involved) or an operand."""
    worst: dict[str, float] = {}
    for visit in place.visits:
        step, row = visit.step, visit.row
        if visit.jumping > 1 - CERTAIN:
            continue  # a soft condition or target only makes the next line soft
        operands = (("first", step.first_value), ("second", step.second_value))[: row.operands]
        parts = [(f"{name} operand of {row.name}", value) for name, value in operands]
        for what, choice in [(f"instruction, most likely {row.name}", step.op), *parts]:
            worst[what] = min(worst.get(what, 1.0), float(choice.max()))
    for what, probability in worst.items():
        if probability < CERTAIN:
            yield f"{place}: {what} ({probability:.2f})"


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
