"""A run as the stepper shows it: the listing, the names, and every state packed small.

Both machines record the same thing, rows of distributions; on the exact machine each is certain.
Step 0 is the initial state. Step t shows the line and the command that it executed, and the registers
and the tape after it.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import asdict, dataclass
from typing import TYPE_CHECKING, Any

from anc import isa
from anc.machine import exact
from anc.program import Program
from anc.report.packing import Packed, Packer, Shown
from anc.report.shown_lines import ShownLine, program_lines, weights_lines

if TYPE_CHECKING:
    from anc.language import Source
    from anc.machine.softrun import SoftTrace
    from anc.machine.weights import Weights

LINE, OP, FIRST, SECOND, OUT, REGISTERS = range(6)  # numbers of the rows; the cells come last
TOLERANCES = (5e-5, 1e-3, 4e-3, 1.6e-2, 6.4e-2)
MOST_BYTES = 2_000_000  # of one run in a page; a run that is larger is shown less exactly


@dataclass(frozen=True)
class Recording:
    """A run to look at; `tolerance` is how far a probability shown may be from the true one."""

    title: str
    machine: str
    M: int
    registers: tuple[str, ...]
    lines: tuple[ShownLine, ...]
    tape: tuple[int, ...]
    steps: int
    stop: str
    threshold: float | None
    tolerance: float
    has_program: bool  # the lines are a program's, not only the likeliest choices of weights
    packed: Packed

    def as_data(self) -> dict[str, Any]:
        """What a page carries."""
        return asdict(self) | {"ops": isa.NAMES, "operands": [i.operands for i in isa.INSTRUCTIONS]}


def record_exact(
    program: Program,
    tape: Sequence[int],
    max_steps: int = 1_000,
    title: str = "program",
    source: Source | None = None,
) -> Recording:
    """Run the exact machine and keep every step."""
    run = exact.run(program, tape, max_steps, trace=True)
    packer = Packer()
    cells = REGISTERS + program.R
    packer.step(0.0)
    packer.certain(LINE, program.start)
    for row in (OP, FIRST, SECOND, OUT):
        packer.certain(row, None)
    for register, value in enumerate(program.registers):
        packer.certain(REGISTERS + register, value or 0)
    for cell, value in enumerate(tape):
        packer.certain(cells + cell, value)
    for step in run.trace:
        line = program.lines[step.line]
        packer.step(1.0 if line.instruction.effect is isa.Effect.STOP else 0.0)
        packer.certain(LINE, step.line)
        packer.certain(OP, isa.INDEX[step.op])
        packer.certain(FIRST, line.first)
        packer.certain(SECOND, line.second)
        packer.certain(OUT, step.out)
        packer.certain(REGISTERS + step.out, step.value)
        if step.cell is not None:
            packer.certain(cells + step.cell, step.tape[step.cell])
    return Recording(
        title=title,
        machine="exact",
        M=len(tape),
        registers=tuple(program.name_of(r) for r in range(program.R)),
        lines=program_lines(program, source),
        tape=tuple(tape),
        steps=run.steps,
        stop=run.stop.value,
        threshold=None,
        tolerance=0.0,
        has_program=True,
        packed=packer.packed(),
    )


def record_soft(
    weights: Weights,
    tape: Sequence[int],
    max_steps: int = 1_000,
    title: str = "weights",
    program: Program | None = None,
    source: Source | None = None,
) -> Recording:
    """Run weights softly and keep every step; `program` is what they were softened from, if anything."""
    from anc.machine.soft import THRESHOLD
    from anc.machine.softrun import trace_soft

    trace = trace_soft(weights, tape, max_steps, THRESHOLD)
    for tolerance in TOLERANCES:
        packed = _pack_soft(trace, tolerance)
        if packed.size <= MOST_BYTES:
            break
    names = weights.names or tuple(f"R{r + 1}" for r in range(weights.R))
    return Recording(
        title=title,
        machine="soft",
        M=weights.M,
        registers=names,
        lines=weights_lines(weights, names, program, source),
        tape=tuple(tape),
        steps=len(trace.steps),
        stop=trace.stop.value,
        threshold=THRESHOLD,
        tolerance=tolerance,
        has_program=program is not None,
        packed=packed,
    )


def _pack_soft(trace: SoftTrace, tolerance: float) -> Packed:
    packer = Packer()
    shown = Shown(packer, tolerance)
    cells = REGISTERS + len(trace.initial_registers)
    packer.step(0.0)
    shown.show(LINE, trace.initial_line[None])
    shown.hide((OP, FIRST, SECOND, OUT))
    shown.show(REGISTERS, trace.initial_registers)
    shown.show(cells, trace.initial_memory)
    for step in trace.steps:
        packer.step(min(1.0, step.stop))
        shown.show(LINE, step.line[None])
        for row, choice in zip(
            (OP, FIRST, SECOND, OUT), (step.op, step.first, step.second, step.out), strict=True
        ):
            shown.show(row, choice[None])
        shown.show(REGISTERS, step.registers)
        shown.show(cells, step.memory)
    return packer.packed()
