"""Recordings of runs for the stepper: the listing, the names, and every state in packed form.

Both machines record rows of distributions; on the exact machine each is certain. Step 0 is the initial
state. Step t shows the line and the command that it executed, and the registers and the tape after it.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import asdict, dataclass, replace
from typing import TYPE_CHECKING, Any

import numpy as np

from anc import isa
from anc.machine import exact
from anc.pages.packing import (
    Changes,
    Likely,
    Packed,
    State,
    TooLargeError,
    certain,
    changes_of,
    pack_run,
)
from anc.pages.shown_lines import ShownLine, program_lines, weights_lines
from anc.program import Program
from anc.support import limits
from anc.support.diagnostics import counted

if TYPE_CHECKING:
    from anc.data.loading import Loaded
    from anc.language import Source
    from anc.machine.softrun import SoftWatch
    from anc.machine.weights import Weights

LINE, OP, FIRST, SECOND, OUT, REGISTERS = range(
    6
)  # the numbers of the first rows; the cells come last
TOLERANCES = (5e-5, 1e-3, 4e-3, 1.6e-2, 6.4e-2)
MOST_BYTES = 2_000_000  # of one run in a page; a larger run is shown with a coarser tolerance
_FEW_WRONG = 3  # cells listed
_HOPELESS = 50 * MOST_BYTES  # the largest pool worth compressing


@dataclass(frozen=True)
class ExactComparison:
    """The result of the exact machine on the same tape, and the number of cells that differ."""

    stop: str
    steps: int
    wrong: int
    cells: tuple[tuple[int, int, int], ...]  # the first few: cell, most likely value, exact value


@dataclass(frozen=True)
class Recording:
    """A recorded run; `tolerance` bounds the error of the probabilities shown."""

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
    has_program: (
        bool  # the lines belong to a program, and are not just the likeliest choices of weights
    )
    packed: Packed
    summary: str = ""  # the program's description
    sharpness: float | None = None  # of a softened program
    exact: ExactComparison | None = None
    ops: tuple[str, ...] = ()  # the instructions, and the number of operands of each
    operands: tuple[int, ...] = ()

    @property
    def ending(self) -> str:
        """How the run ended, in words."""
        wrong = self.exact is not None and self.exact.wrong > 0
        differs = ", with another result than the exact machine" if wrong else ""
        return f"{self.title} {self.stop} after {counted(self.steps, 'step')}{differs}"

    def as_data(self) -> dict[str, Any]:
        """The data for a page."""
        return asdict(self)


def record(
    loaded: Loaded,
    tape: Sequence[int],
    title: str,
    machine: str = "exact",
    sharpness: float | None = None,
    max_steps: int = 1_000,
) -> Recording:
    """Run a loaded program or weights on a tape and record every step; weights always run softly."""
    weights = loaded.weights
    cells = loaded.filled(tape)
    if weights is not None:
        return record_soft(weights, cells, max_steps, title)
    if machine == "exact":
        found = record_exact(loaded.program, cells, max_steps, title, loaded.source)
        return replace(found, summary=loaded.summary)
    sharpness = limits.SHARP if sharpness is None else sharpness
    weights = loaded.softened(len(cells), sharpness)
    found = record_soft(weights, cells, max_steps, title, loaded.program, loaded.source)
    return replace(found, summary=loaded.summary, sharpness=sharpness)


def record_exact(
    program: Program,
    tape: Sequence[int],
    max_steps: int = 1_000,
    title: str = "program",
    source: Source | None = None,
) -> Recording:
    """Run the exact machine and record every step."""
    run = exact.run(program, tape, max_steps, trace=True)
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
        packed=pack_run(_exact_changes(program, tape, run)),
        **_instructions(program.instructions),
    )


def record_soft(
    weights: Weights,
    tape: Sequence[int],
    max_steps: int = 1_000,
    title: str = "weights",
    program: Program | None = None,
    source: Source | None = None,
) -> Recording:
    """Run weights softly and record every step; `program` is the one that they were softened from, if any."""
    from anc.machine.soft import THRESHOLD
    from anc.machine.softrun import SoftWatch

    for tolerance in TOLERANCES:
        run = SoftWatch(weights, tape, max_steps)
        packed = _packed_within(run, tolerance)
        if packed is not None:
            break
    else:
        run = SoftWatch(weights, tape, max_steps)
        packed = pack_run(changes_of(_soft_states(run), tolerance))
    return Recording(
        title=title,
        machine="soft",
        M=weights.M,
        registers=weights.register_names,
        lines=weights_lines(weights, program, source),
        tape=tuple(tape),
        steps=run.taken,
        stop=run.stop.value,
        threshold=THRESHOLD,
        tolerance=tolerance,
        has_program=program is not None,
        packed=packed,
        exact=None if program is None else _compared(program, tape, max_steps, run),
        **_instructions(weights.instructions),
    )


def _instructions(known: isa.InstructionSet) -> dict[str, Any]:
    return {"ops": known.names, "operands": tuple(row.operands for row in known.rows)}


def _compared(
    program: Program, tape: Sequence[int], max_steps: int, run: SoftWatch
) -> ExactComparison:
    """The comparison with the exact machine; no cell is wrong unless the exact run stops."""
    wanted = exact.run(program, tape, max_steps)
    found = run.now.memory.argmax(-1).tolist()
    differ = [
        (cell, here, there)
        for cell, (here, there) in enumerate(zip(found, wanted.tape, strict=True))
        if here != there and wanted.stop is exact.Stop.STOPPED
    ]
    few = tuple(differ[:_FEW_WRONG])
    return ExactComparison(wanted.stop.value, wanted.steps, len(differ), few)


def _exact_changes(program: Program, tape: Sequence[int], run: exact.Run) -> Iterator[Changes]:
    """The rows that change at each step, each with a certain value."""
    cells = REGISTERS + program.R
    shown: dict[int, int | None] = {}

    def changed(rows: dict[int, int | None]) -> list[tuple[int, Likely]]:
        new = {row: value for row, value in rows.items() if shown.get(row, -1) != value}
        shown.update(new)
        return [(row, certain(value)) for row, value in new.items()]

    first: dict[int, int | None] = dict.fromkeys((OP, FIRST, SECOND, OUT))
    first[LINE] = program.start
    first |= {REGISTERS + r: value or 0 for r, value in enumerate(program.registers)}
    yield 0.0, changed(first | {cells + cell: value for cell, value in enumerate(tape)})
    for step in run.trace:
        line = program.lines[step.line]
        rows: dict[int, int | None] = {
            LINE: step.line,
            OP: program.instructions.code[step.op],
            OUT: step.out,
        }
        rows |= {FIRST: line.first, SECOND: line.second, REGISTERS + step.out: step.value}
        if step.cell is not None:
            rows[cells + step.cell] = step.tape[step.cell]
        yield float(program.row(line).effect is isa.Effect.STOP), changed(rows)


def _packed_within(run: SoftWatch, tolerance: float) -> Packed | None:
    """The run with this tolerance, if it fits into a page."""
    try:
        packed = pack_run(changes_of(_soft_states(run), tolerance), _HOPELESS)
    except TooLargeError:
        return None
    return packed if len(packed["data"]) <= MOST_BYTES else None


def _soft_states(run: SoftWatch) -> Iterator[State]:
    begin = run.initial
    R = len(begin.registers)
    no_command = [np.zeros((1, width)) for width in (run.weights.op.shape[-1], R, R, R)]
    yield 0.0, [begin.line[None], *no_command, begin.registers, begin.memory]
    for step in run:
        choices = (step.line, step.op, step.first, step.second, step.out)
        yield (
            min(1.0, step.stop),
            [*(choice[None] for choice in choices), step.registers, step.memory],
        )
