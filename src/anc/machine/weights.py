"""Weights: the logits that gradient descent moves, one row per program line.

Every choice of the machine is a softmax over a row of these matrices: the instruction, the two
operand registers and the output register of each line, the initial registers and the first line.
"""

from __future__ import annotations

from dataclasses import dataclass, fields

import numpy as np
import numpy.typing as npt

from anc import isa
from anc.diagnostics import AncError
from anc.program import Line, Program

Array = npt.NDArray[np.floating]


@dataclass(frozen=True, eq=False)
class Weights:
    """Logits of M lines, R registers and N instructions; `lines` of the M rows are the program's.

    start (M) · registers (R, M) · op (M, N) · first, second, out (M, R)
    """

    start: Array
    registers: Array
    op: Array
    first: Array
    second: Array
    out: Array
    lines: int
    names: tuple[str, ...] = ()

    def __post_init__(self) -> None:
        shapes = expected_shapes(self.M, self.R)
        for name, array in self.arrays().items():
            if array.shape != shapes[name]:
                raise AncError(
                    f"the weights '{name}' have the shape {array.shape},"
                    f" expected {shapes[name]} for M = {self.M} and R = {self.R}"
                )
            if not np.all(np.isfinite(array)):
                raise AncError(f"the weights '{name}' hold a number that is not finite")
        if not 1 <= self.lines <= self.M:
            raise AncError(f"{self.lines} program lines do not fit in {self.M} rows")
        if self.names and len(self.names) != self.R:
            raise AncError(f"{len(self.names)} names for {self.R} registers")

    @property
    def M(self) -> int:
        return self.start.shape[-1]

    @property
    def R(self) -> int:
        return self.registers.shape[0]

    def arrays(self) -> dict[str, Array]:
        """The six matrices by name."""
        return {name: getattr(self, name) for name in ARRAYS}

    def with_arrays(self, arrays: dict[str, Array], lines: int | None = None) -> Weights:
        """The same machine with other numbers."""
        return Weights(**arrays, lines=self.lines if lines is None else lines, names=self.names)


ARRAYS = tuple(field.name for field in fields(Weights) if field.name not in ("lines", "names"))


def expected_shapes(M: int, R: int) -> dict[str, tuple[int, ...]]:
    choice = (M, R)
    return {
        "start": (M,),
        "registers": (R, M),
        "op": (M, isa.N),
        "first": choice,
        "second": choice,
        "out": choice,
    }


def soften(
    program: Program, M: int | None = None, sharpness: float = 5.0, seed: int = 0
) -> Weights:
    """Compile a program exactly into weights: 0/1 rows times the sharpness.

    An unused operand and a register with no initial value become flat rows. Rows after the last
    program line are small random numbers drawn from the seed, uniform in ±1/sqrt(M).
    """
    if not sharpness > 0 or not np.isfinite(sharpness):
        raise AncError(f"sharpness {sharpness} is not possible", help="use a number above 0")
    M = memory_for(program, M)
    R = program.R
    random = np.random.default_rng(seed)
    bound = 1 / np.sqrt(M)
    arrays = {name: np.zeros(shape) for name, shape in expected_shapes(M, R).items()}
    arrays["start"][program.start] = 1
    for register, value in enumerate(program.registers):
        if value is not None:
            arrays["registers"][register, value] = 1
    for number, line in enumerate(program.lines):
        arrays["op"][number, isa.INDEX[line.op]] = 1
        arrays["out"][number, line.out] = 1
        for name, operand in (("first", line.first), ("second", line.second)):
            if operand is not None:
                arrays[name][number, operand] = 1
    for name, array in arrays.items():
        array *= sharpness
        if name not in ("start", "registers"):
            array[program.L :] = random.uniform(-bound, bound, array[program.L :].shape)
    logits = {name: array.astype(np.float32) for name, array in arrays.items()}
    return Weights(**logits, lines=program.L, names=program.names)


def memory_for(program: Program, M: int | None) -> int:
    """The M to use for a program: the one given, or its own."""
    if M is None:
        M = program.memory
    if M is None:
        raise AncError(
            "the program does not say how much memory it wants",
            help="put 'memory 20' into it, or give a size",
        )
    program.check_fits(M)
    return M


def harden(weights: Weights) -> Program:
    """The most likely program: the largest weight of every row.

    A flat row of initial values reads back as no initial value; operands that the instruction does not
    take are unused. `harden(soften(p)) == p` for every program and every sharpness above 0.
    """
    lines = []
    for number in range(weights.lines):
        op = isa.NAMES[int(np.argmax(weights.op[number]))]
        taken = isa.instruction(op).operands
        choices = [int(np.argmax(rows[number])) for rows in (weights.first, weights.second)]
        first, second = (choices[i] if i < taken else None for i in range(2))
        lines.append(Line(op, first, second, int(np.argmax(weights.out[number]))))
    values = tuple(None if np.ptp(row) == 0 else int(np.argmax(row)) for row in weights.registers)
    start = int(np.argmax(weights.start))
    if start >= weights.lines:
        raise AncError(
            f"the most likely first line is {start}, but the program has {weights.lines} lines"
        )
    return Program(tuple(lines), values, start, weights.names, weights.M)


def softmax(logits: Array) -> Array:
    """Probabilities of the last axis; each row's own maximum keeps it from overflowing."""
    grown = np.exp(logits - logits.max(axis=-1, keepdims=True))
    return grown / grown.sum(axis=-1, keepdims=True)
