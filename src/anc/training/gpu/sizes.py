"""The sizes of the kernels: macros that depend on M, R, the float type and the instruction table.

The source is the same for all sizes. Macros give its loops constant bounds and its records constant offsets.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from functools import cache, cached_property
from importlib import resources

import numpy as np

from anc.isa import PAPER, InstructionSet
from anc.machine.weights import parameter_count
from anc.support.diagnostics import AncError
from anc.training.fused.layout import EFFECTS, FAST, KernelLayout, Meanings, layout_for

FILES = ("loops.h", "run.h", "step.h", "whole.h", "update.h", "kernels.h")
LARGEST_GROUP = 512  # threads, and therefore cells: each thread holds a column of the memory
IN_REGISTERS = 32  # the largest memory whose columns stay in registers
FEWER_REGISTERS = 128  # per thread if teams share a multiprocessor, so that more of them fit
MOST_GROUPS = 15  # the barriers of a block, except its own
MOST_THREADS = 512  # of a block: a multiprocessor has 65,536 registers, 128 for each


@dataclass(frozen=True)
class Sizes:
    """The sizes of one compiled module, which training and evaluation share."""

    M: int
    R: int
    dtype: str
    group: int  # threads that compute one run, at least one per cell and per instruction
    inside: bool  # the large records lie in shared memory, with the small ones
    room: int  # bytes of shared memory that a block may take
    registers: int | None  # the most that a thread may use
    instructions: InstructionSet = PAPER

    @classmethod
    @cache
    def chosen(
        cls, M: int, R: int, dtype: str, room: int, instructions: InstructionSet = PAPER
    ) -> Sizes:
        """The sizes for this memory, on a GPU with `room` bytes of shared memory per block."""
        group = 16
        N = len(instructions)
        while group < max(M, N):
            group *= 2
        if group > LARGEST_GROUP:
            raise AncError(
                f"the engine 'gpu' supports memories of up to {LARGEST_GROUP} cells, found {M}",
                help="lower --memory, or use --engine fused",
            )
        small, large, member = _bytes(M, R, N, dtype)
        if member + small > room:
            raise AncError(
                f"a memory of {M} cells with {R} registers needs {(member + small) / 1024:,.0f} KiB"
                f" of a block's shared memory, and this GPU has {room / 1024:,.0f} KiB",
                help="lower --registers or --memory, or use --engine fused",
            )
        # at least two blocks: one alone would wait more than it computes
        inside = 2 * (member + small + large) <= room
        return cls(M, R, dtype, group, inside, room, None, instructions)

    def shared_by(self, teams: int, runs: int, processors: int) -> Sizes:
        """The sizes for `teams` with `runs` each: with fewer registers if teams share multiprocessors."""
        # with more threads than this, 256 registers for each would be too many
        crowded = self.group * self.groups(runs) > MOST_THREADS // 2
        return replace(self, registers=FEWER_REGISTERS) if teams > processors or crowded else self

    def groups(self, runs: int) -> int:
        """The number of a member's runs that a block computes at once, for the fewest turns."""
        small, large, member = _bytes(self.M, self.R, self.N, self.dtype)
        each = small + large if self.inside else small
        half = self.room // 2  # so that two blocks fit, if one does
        fit = ((half if member + each <= half else self.room) - member) // each
        most = max(1, min(runs, MOST_GROUPS, MOST_THREADS // self.group, fit))
        turns = -(-runs // most)
        return -(-runs // turns)

    @property
    def columns_inside(self) -> bool:
        """Whether threads hold their columns in registers."""
        return _columns_inside(self.M, self.R)

    @property
    def lines(self) -> int:
        """The position of the lines' logits in a pack."""
        return _fours((1 + self.R) * self.M)

    @property
    def pack(self) -> int:
        return _pack(self.M, self.R, self.N)

    @property
    def slot_floats(self) -> int:
        """The numbers that are stored for each step of a run."""
        return self.M * (self.M + self.R + 4) + self.N + 3 * self.R + 4

    @cached_property
    def rows(self) -> np.ndarray:
        """(rows, 4): each softmax row's first parameter, length, position in a pack, and stride there."""
        M, R, N, wide = self.M, self.R, self.N, _wide(self.M)
        rows = [(i * M, M, i * M, 1) for i in range(1 + R)]
        first = (1 + R) * M
        for length, choice in ((N, 0), (R, N), (R, N + R), (R, N + 2 * R)):
            for j in range(M):
                rows.append((first, length, self.lines + choice * wide + j, wide))
                first += length
        return np.array(rows, np.int32)

    @cached_property
    def places(self) -> np.ndarray:
        """(n,): the position of each parameter in a pack."""
        parts = [np.arange(length, dtype=np.int32) * step + at for _, length, at, step in self.rows]
        return np.concatenate(parts)

    @property
    def N(self) -> int:
        return len(self.instructions)

    @property
    def layout(self) -> KernelLayout:
        return layout_for(self.M, self.R, self.dtype, self.instructions)

    @property
    def meanings(self) -> Meanings:
        """The outputs of the instructions without a fast path."""
        return self.layout.meanings

    @property
    def macros(self) -> dict[str, str | int]:
        numbers = self.layout.numbers
        single = self.dtype == "float32"
        return {
            "REAL": "float" if single else "double",
            "EXP": "expf" if single else "exp",
            "SQRT": "sqrtf" if single else "sqrt",
            "ABS": "fabsf" if single else "fabs",
            "LARGER": "fmaxf" if single else "fmax",
            "M": self.M,
            "R": self.R,
            "N": self.N,
            "PARAMETERS": parameter_count(self.M, self.R, self.N),
            "PACK": self.pack,
            "ROWS": len(self.rows),
            "DERIVED": len(self.meanings.derived),
            "CONSTANTS": numbers["constants"],
            "GROUP": self.group,
            "LEAST": repr(float(np.finfo(self.dtype).min)) + "f" * single,
            "COLUMNS_INSIDE": int(self.columns_inside),
            "UNROLL": 32 if self.M <= 32 else 8,  # more would compile slowly
            "LARGE_INSIDE": int(self.inside),
        } | {name: f"({numbers[name]})" for name in (*FAST, *EFFECTS)}

    @property
    def options(self) -> tuple[str, ...]:
        """The compiler's options."""
        fewer = () if self.registers is None else (f"--maxrregcount={self.registers}",)
        return ("--std=c++14", *fewer)

    @property
    def source(self) -> str:
        """The complete CUDA source for these sizes."""
        return self.source_with(_text("card.h"))

    def source_with(self, words: str) -> str:
        """The source with other macros than those of card.h."""
        head = "".join(f"#define {name} {value}\n" for name, value in self.macros.items())
        return "\n".join([head + words, *map(_text, FILES)])


def _text(name: str) -> str:
    return (resources.files("anc.training.gpu") / "source" / name).read_text()


def _columns_inside(M: int, R: int) -> bool:
    return max(M, R) <= IN_REGISTERS


def _fours(count: int) -> int:
    """The count rounded up to a multiple of four: numbers are loaded in fours."""
    return -(-count // 4) * 4


def _wide(M: int) -> int:
    """The stride of rows of M numbers: an odd number of fours, so that lanes access different banks."""
    return 4 * (-(-M // 4) | 1)


def _pack(M: int, R: int, N: int) -> int:
    """The size of a member's pack: start and registers, then a row of all lines for each choice."""
    return _fours((1 + R) * M) + (N + 3 * R) * _wide(M)


def _bytes(M: int, R: int, N: int, dtype: str) -> tuple[int, int, int]:
    """Upper bounds of the bytes of a run's small and large records, and of a member's record."""
    choices, wide = N + 3 * R, _wide(M)
    small = 13 * M + 3 * choices + 8 * (max(N, R) + 3) + 100
    large = max(M, 3 * R) * wide + _pack(M, R, N) + 40
    if not _columns_inside(M, R):
        small, large = small + 2 * R * wide, large + 2 * M * wide
    numbers = small, large, _pack(M, R, N) + (1 + R) * M + 80
    small, large, member = (np.dtype(dtype).itemsize * count for count in numbers)
    return small, large, member
