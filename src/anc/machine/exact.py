"""The exact machine: runs a program on numbers. THE definition of what a program means.

It is slow and simple on purpose; every other machine is compared with it, step by step.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from enum import Enum

from anc.isa import Effect
from anc.program import Program
from anc.support import resources
from anc.support.diagnostics import AncError

READ, STOP, WRITE, JUMP = Effect.READ, Effect.STOP, Effect.WRITE, Effect.JUMP


class Stop(Enum):
    """Why a run ended."""

    STOPPED = "stopped"
    STEP_LIMIT = "step-limit"
    PAST_END = "past-end"


@dataclass(frozen=True)
class Step:
    """One step: the line, the values that it read, and what changed."""

    line: int
    op: str
    first: int | None
    second: int | None
    out: int
    value: int
    cell: int | None  # the cell that a WRITE changed
    jumped: bool
    registers: tuple[int, ...]  # after the step
    tape: tuple[int, ...]  # after the step


@dataclass(frozen=True)
class Run:
    """The final tape, the number of steps (STOP included) and the reason why the run ended."""

    tape: tuple[int, ...]
    steps: int
    stop: Stop
    trace: tuple[Step, ...] = ()
    confidence: float = 1.0


def run(program: Program, tape: Sequence[int], max_steps: int, trace: bool = False) -> Run:
    """Run the program on a tape of M cells; M is the length of the tape.

    Here a register without an initial value starts at 0 (in the soft machine it starts uniform), and an
    unused operand reads as 0. After the last line the run continues at line 0 if the program has M
    lines; otherwise it ends with `past-end`.
    """
    M = len(tape)
    program.check_fits(M)
    if min(tape) < 0 or max(tape) >= M:
        wrong = next(i for i, value in enumerate(tape) if not 0 <= value < M)
        raise AncError(
            f"cell {wrong} of the tape is {tape[wrong]}; with {M} cells it must be below {M}"
        )
    memory = list(tape)
    registers = [value or 0 for value in program.registers]
    here, steps = program.start, 0
    history: list[Step] = []
    room = resources.Growing(8 * (M + program.R) + 300, "keeping all steps of a run", "max_steps")
    stop = Stop.STEP_LIMIT
    while steps < max_steps:
        line = program.lines[here]
        row = program.row(line)
        first = registers[line.first] if line.first is not None else 0
        second = registers[line.second] if line.second is not None else 0
        reads = row.effect is READ
        value = memory[first] if reads else row.output(first, second, M)
        cell = first if row.effect is WRITE else None
        jumped = row.effect is JUMP and first == 0
        if cell is not None:
            memory[cell] = second
        registers[line.out] = value
        after = second if jumped else (here + 1) % M
        steps += 1
        if trace:
            room.step()
            read = (
                first if line.first is not None else None,
                second if line.second is not None else None,
            )
            state = (tuple(registers), tuple(memory))
            history.append(Step(here, line.op, *read, line.out, value, cell, jumped, *state))
        if row.effect is STOP:
            stop = Stop.STOPPED
            break
        if after >= program.L:
            stop = Stop.PAST_END
            break
        here = after
    return Run(tuple(memory), steps, stop, tuple(history))
