"""Weights: the logits that gradient descent changes, one row per program line.

Every choice of the machine is a softmax over a row of these matrices: the instruction, the two operand
registers and the output register of each line, the initial registers and the first line.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, fields, replace
from itertools import accumulate
from typing import Any

import numpy as np
import numpy.typing as npt

from anc.isa import PAPER, InstructionSet
from anc.program import Line, Program
from anc.support import limits, resources
from anc.support.diagnostics import AncError

Array = npt.NDArray[np.floating]
_BYTES = 20  # bytes per parameter during softening: in 64 bits, drawn at random, in 32 bits


@dataclass(frozen=True, eq=False)
class Weights:
    """Logits of M lines, R registers and N instructions; the first `lines` of the M rows belong to the program.

    This record holds the weights of one member or, with leading axes, of a population. The soft machine
    accepts it as it is, with arrays of JAX or numpy.
    """

    start: Array  # (..., M)
    registers: Array  # (..., R, M)
    op: Array  # (..., M, N), one row per program line
    first: Array  # (..., M, R)
    second: Array  # (..., M, R)
    out: Array  # (..., M, R)
    lines: int
    names: tuple[str, ...] = ()
    instructions: InstructionSet = PAPER

    def __post_init__(self) -> None:
        if not all(isinstance(array, np.ndarray) for array in self):
            return  # inside a transformation of JAX
        leading = self.start.shape[:-1]
        for name, array, shape in zip(
            ARRAYS, self, shapes(self.M, self.R, self.instructions.N), strict=True
        ):
            if array.shape != leading + shape:
                raise AncError(
                    f"the weights '{name}' have the shape {array.shape},"
                    f" expected {leading + shape} for M = {self.M} and R = {self.R}"
                )
            if not leading and not np.all(
                np.isfinite(array)
            ):  # a member of a population may have diverged
                raise AncError(f"the weights '{name}' hold a number that is not finite")
        if not 1 <= self.lines <= self.M:
            raise AncError(f"{self.lines} program lines do not fit in {self.M} rows")
        if self.names and len(self.names) != self.R:
            raise AncError(f"{len(self.names)} names for {self.R} registers")

    def __iter__(self) -> Iterator[Array]:
        """Iterate over the six matrices."""
        return (getattr(self, name) for name in ARRAYS)

    @property
    def M(self) -> int:
        return self.start.shape[-1]

    @property
    def R(self) -> int:
        return self.registers.shape[-2]

    @property
    def register_names(self) -> tuple[str, ...]:
        """The names of the registers, by default R1, R2, ..."""
        return self.names or tuple(f"R{r + 1}" for r in range(self.R))

    @staticmethod
    def of(
        arrays: Iterable[Any],
        lines: int,
        names: tuple[str, ...] = (),
        instructions: InstructionSet = PAPER,
    ) -> Weights:
        """Weights from these six matrices, of numpy or JAX."""
        start, registers, op, first, second, out = arrays
        return Weights(start, registers, op, first, second, out, lines, names, instructions)

    def arrays(self) -> dict[str, Array]:
        """The six matrices by name."""
        return dict(zip(ARRAYS, self, strict=True))

    def map(self, change: Callable[[Any], Any]) -> Weights:
        """The weights with a function applied to every matrix."""
        return Weights.of(map(change, self), self.lines, self.names, self.instructions)

    def __getitem__(self, member) -> Weights:
        """One member of a population, or several."""
        return self.map(lambda array: array[member])

    def nameless(self) -> Weights:
        """The weights without names, because compiled code must not depend on them."""
        return replace(self, lines=self.M, names=())

    def flat(self, dtype: npt.DTypeLike = np.float32) -> Array:
        """All parameters of a member in one row (..., n), in the order of the fields."""
        leading = self.start.shape[:-1]
        return np.concatenate([np.asarray(x, dtype).reshape(*leading, -1) for x in self], axis=-1)

    @staticmethod
    def of_flat(
        flat: Any,
        M: int,
        R: int,
        lines: int | None = None,
        instructions: InstructionSet = PAPER,
    ) -> Weights:
        """Weights from flat parameters (..., n), of numpy or JAX."""
        N = instructions.N
        sizes = [math.prod(shape) for shape in shapes(M, R, N)]
        if flat.shape[-1] != sum(sizes):
            raise ValueError(f"expected {sum(sizes)} parameters, found {flat.shape[-1]}")
        ends = list(accumulate(sizes))
        parts = (
            flat[..., end - size : end].reshape(*flat.shape[:-1], *shape)
            for size, end, shape in zip(sizes, ends, shapes(M, R, N), strict=True)
        )
        return Weights.of(parts, M if lines is None else lines, (), instructions)


NOT_ARRAYS = ("lines", "names", "instructions")
ARRAYS = tuple(field.name for field in fields(Weights) if field.name not in NOT_ARRAYS)


def shapes(M: int, R: int, N: int = PAPER.N) -> tuple[tuple[int, ...], ...]:
    """The shapes of one member's matrices, in the order of the fields."""
    return (M,), (R, M), (M, N), (M, R), (M, R), (M, R)


def parameter_count(M: int, R: int, N: int = PAPER.N) -> int:
    """The number of parameters of one member."""
    return sum(math.prod(shape) for shape in shapes(M, R, N))


def stack(weights: Sequence[Weights]) -> Weights:
    """Stack members into a population; it has the names of the first one."""
    arrays = (np.stack(parts) for parts in zip(*weights, strict=True))
    return Weights.of(arrays, weights[0].lines, weights[0].names, weights[0].instructions)


def soften(
    program: Program, M: int | None = None, sharpness: float = limits.SOFT, seed: int = 0
) -> Weights:
    """Compile a program exactly into weights: 0/1 rows times the sharpness.

    An unused operand and a register without an initial value become uniform rows. Rows after the last
    program line are small random numbers drawn from the seed, uniform in ±1/sqrt(M).
    """
    return soften_all(program, M, [sharpness], [seed])[0]


def soften_all(
    program: Program, M: int | None, sharpness: Sequence[float], seeds: Sequence[int]
) -> Weights:
    """Soften a program into a population, with a sharpness and a seed for each member."""
    for each in sharpness:
        limits.SHARPNESS.check(each)
    M = memory_for(program, M)
    R, S = program.R, len(seeds)
    what = f"softening a program of {R} registers for a memory of {M} cells"
    resources.require(
        S * parameter_count(M, R, program.instructions.N) * _BYTES,
        what,
        "the registers or the memory",
    )
    factors, bound = np.array(sharpness, float), 1 / np.sqrt(M)
    logits = {
        name: (array * factors.reshape(S, *[1] * array.ndim)).astype(np.float32)
        for name, array in _zeros_and_ones(program, M).items()
    }
    drawn = [logits[name][:, program.L :] for name in ARRAYS if name not in ("start", "registers")]
    for member, seed in enumerate(seeds):
        random = np.random.default_rng(seed)
        for array in drawn:
            array[member] = random.uniform(-bound, bound, array.shape[1:])
    return Weights(
        **logits, lines=program.L, names=program.names, instructions=program.instructions
    )


def _zeros_and_ones(program: Program, M: int) -> dict[str, Array]:
    """A program's weights before multiplication by the sharpness."""
    sizes = zip(ARRAYS, shapes(M, program.R, program.instructions.N), strict=True)
    arrays: dict[str, Array] = {name: np.zeros(size) for name, size in sizes}
    arrays["start"][program.start] = 1
    for register, value in enumerate(program.registers):
        if value is not None:
            arrays["registers"][register, value] = 1
    for number, line in enumerate(program.lines):
        arrays["op"][number, program.instructions.code[line.op]] = 1
        arrays["out"][number, line.out] = 1
        for name, operand in (("first", line.first), ("second", line.second)):
            if operand is not None:
                arrays[name][number, operand] = 1
    return arrays


def memory_for(program: Program, M: int | None) -> int:
    """The M for a program: the given one, or its own."""
    if M is None:
        M = program.memory
    if M is None:
        raise AncError(
            "the program does not say how much memory it needs",
            help="put 'memory 20' into it, or give a size",
        )
    limits.MEMORY.check(M, "M")
    program.check_fits(M)
    return M


def harden(weights: Weights) -> Program:
    """The most likely program: the largest weight of every row.

    A register has an initial value only if `first_value` finds one; operands that the instruction does
    not take are unused. `harden(soften(p)) == p` for every program and every sharpness above 0.
    """
    lines = []
    for number in range(weights.lines):
        row = weights.instructions[int(np.argmax(weights.op[number]))]
        choices = [int(np.argmax(rows[number])) for rows in (weights.first, weights.second)]
        first, second = (choices[i] if i < row.operands else None for i in range(2))
        lines.append(Line(row.name, first, second, int(np.argmax(weights.out[number]))))
    values = tuple(map(first_value, weights.registers))
    start = int(np.argmax(weights.start))
    if start >= weights.lines:
        raise AncError(
            f"the most likely first line is {start}, but the program has {weights.lines} lines"
        )
    return Program(
        tuple(lines), values, start, weights.names, weights.M, instructions=weights.instructions
    )


def first_value(row: Array) -> int | None:
    """The initial value in a register's logits; None if they are uniform.

    In a memory of one cell every row is uniform; there 0 means no initial value, as softening writes
    it.
    """
    is_open = np.ptp(row) == 0 and (len(row) > 1 or row[0] == 0)
    return None if is_open else int(np.argmax(row))


def softmax(logits: Array) -> Array:
    """Softmax over the last axis; subtracting each row's maximum prevents overflow."""
    grown = np.exp(logits - logits.max(axis=-1, keepdims=True))
    return grown / grown.sum(axis=-1, keepdims=True)
